"""Teams of agents: start one from its file, see what its members do, and end it."""

import asyncio
import os
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import inf
from typing import Annotated, Final

from msgspec import Meta, Struct
from msgspec.structs import replace

from fugue_tui.config.monitor import MonitorRules
from fugue_tui.control.agents import team_file
from fugue_tui.control.agents.monitor_info import MonitorInfo, monitor_info
from fugue_tui.control.agents.receivers import ROLE, TEAM
from fugue_tui.control.agents.team_file import Member, Team
from fugue_tui.control.commands.agents import AgentInfo, agent_infos
from fugue_tui.control.commands.panes import ClosePane
from fugue_tui.control.commands.start_agent import (
    BriefedAgent,
    StartAgent,
    StopAgent,
    StoppedAgent,
    briefed,
    file_text,
    open_agent,
    worktree_added,
    worktree_of,
    worktree_removed,
)
from fugue_tui.control.commands.wait import MAX_TIMEOUT
from fugue_tui.control.core import target
from fugue_tui.control.core.changes import until
from fugue_tui.control.core.command import Command, Confirmation, Effect, Origin, StartedCommand, Toolset
from fugue_tui.control.core.confirmation import count, ending
from fugue_tui.control.core.deferred import Deferred, finished, run_task, spawn
from fugue_tui.control.core.new_pane import Direction, Placement
from fugue_tui.control.core.pane_names import holders
from fugue_tui.errors import FugueError, NotFound, Refused, SaveError
from fugue_tui.ids import PaneId
from fugue_tui.layout import presets
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.agents.mailboxes import box_of
from fugue_tui.multiplexer.agents.monitored import Saved, with_rules
from fugue_tui.multiplexer.agents.tasks import Task, TaskState
from fugue_tui.sanitize import clean, clean_path
from fugue_tui.workspace import edit
from fugue_tui.workspace.model import Workspace

_SAVE_SECONDS: Final = 86_400.0
"""For so long the panes of a new team are expected to be saved."""


class StartedTeam(Struct, frozen=True):
    """A team that was started."""

    team: str
    """Its name, by which team:NAME, team-status and stop-team know it."""
    file: str
    """The file that it was made of."""
    window: str
    """The window of its first member."""
    members: tuple[BriefedAgent, ...]
    """Its members, in the order of the file."""
    monitor: tuple[str, ...] = ()
    """What the monitor will do about which member, a line each; empty if the file has no rules."""


class StartTeam(Command[StartedTeam], name="start-team", effect=Effect.RUN, toolset=Toolset.AGENTS, creates=True):
    """Start a team of agents in a window of its own, each with its task: pair, lead-and-workers, review-board,
    agent-team-3, or a team file of your own.

    All members are started, or none. Each gets its briefing once it is at its input; the result names those with it.
    One that is to come after others gets it once those have done their tasks.
    """

    team: str
    """A team's name, or the path of a team file."""
    variables: Mapping[str, str] | None = None
    """Values for the variables of its briefings, such as {"task": "..."}."""
    name: Annotated[str, Meta(max_length=48)] = ""
    """Another name for this team."""
    cwd: str = ""
    """The directory of its members; omitted, that of your pane."""
    wait: Annotated[float, Meta(ge=0, le=MAX_TIMEOUT)] = 60.0
    """Seconds to wait until all have their briefings."""

    def started(self, mux: Multiplexer, origin: Origin) -> tuple[StartedCommand, ...]:
        """The members' programs. Raises NotFound, ConfigError or InvalidArgument."""
        team = self._team(mux, origin)[0]
        return tuple(StartedCommand(_request(team, each).argv, env=each.env) for each in team.members)

    def run(self, mux: Multiplexer, origin: Origin) -> Deferred[StartedTeam]:
        """Start it. Raises NotFound, ConfigError, InvalidArgument or Refused."""
        team, file = self._team(mux, origin)
        team = replace(team, name=target.named(self.name or team.name))
        source = target.pane(mux, target.ACTIVE, origin)
        _check_new(mux, team, source)
        base = os.path.normpath(os.path.join(mux.cwd(source), os.path.expanduser(self.cwd)))
        return run_task(self._start(mux, origin, team, file, source, base))

    def _team(self, mux: Multiplexer, origin: Origin) -> tuple[Team, str]:
        team, path = team_file.load(self.team, mux.cwd(target.pane(mux, target.ACTIVE, origin)))
        return team_file.filled(team, self.variables or {}), str(path)

    async def _start(
        self, mux: Multiplexer, origin: Origin, team: Team, file: str, source: PaneId, base: str
    ) -> StartedTeam:
        began, beside = mux.clock(), os.path.dirname(file)
        tasks = [await asyncio.to_thread(_briefing, each, beside) for each in team.members]
        await mux.mailboxes.loaded.wait()  # A caller that is cancelled has opened nothing, or leaves all briefings.
        _check_new(mux, team, source)  # Another of its name may have been started meanwhile.
        opened = await _opened(mux, origin, team, base)
        first = opened[team.members[0].name]
        window = mux.window_of(first)
        mux.assign(edit.rename_window(mux.workspace, window.id, team.name))
        order = [pane for pane in opened.values() if mux.window_of(pane).id == window.id]
        mux.arrange(window.id, presets.apply(team.layout, order, main=first))
        for member in team.members:
            monitor_member(mux, opened[member.name], member.rules)
            mux.agents.set_partners(opened[member.name], [opened[name] for name in team.partners(member)])
        texts = {each.name: task for each, task in zip(team.members, tasks, strict=True)}
        order = team.order()  # A task is in its mailbox before one that waits for it.
        briefings = (
            self._briefed(mux, origin, opened[name], texts[name], began, [opened[one] for one in before])
            for name, before in order.items()
        )
        try:
            found = dict(zip(order, await asyncio.gather(*briefings), strict=True))
        finally:
            spawn(_settled(mux, team.name, list(opened.values())))
        started = tuple(found[each.name] for each in team.members)
        monitor = tuple(f"{each.name}: {each.rules.described()}" for each in team.members if each.rules.active)
        return StartedTeam(clean(team.name), clean_path(file), str(window.id), started, monitor)

    async def _briefed(
        self, mux: Multiplexer, origin: Origin, pane: PaneId, task: str, began: float, after: Sequence[PaneId]
    ) -> BriefedAgent:
        """What became of a member's task; one that has ended, or that has none as the disk is full, is an error of its
        own: the others go on."""
        record, cwd = mux.workspace.panes[pane], mux.cwd(pane)
        try:
            return await briefed(mux, origin, pane, task, self.wait, began, after)
        except (Refused, SaveError) as error:
            seconds = round(mux.clock() - began, 3)
            return BriefedAgent(
                str(pane), clean(record.name), "none", "error", str(error), seconds, None, clean_path(cwd)
            )


class TeamMember(Struct, frozen=True):
    """A member of a team."""

    pane: str
    """Its pane."""
    name: str
    """Its name."""
    role: str
    """Its role."""
    agent: AgentInfo | None
    """What it does; null if its agent has ended, or shows nothing yet."""
    unread: int
    """Messages to it that wait, or may not have arrived."""
    after: tuple[str, ...]
    """The members that have to do their tasks before it gets its own."""
    monitor: MonitorInfo | None = None
    """How it is monitored, and what is done next, also once it has gone; null if it is not."""


class TeamTasks(Struct, frozen=True):
    """How many tasks of a team are in each state."""

    open: int
    """They have no owner."""
    claimed: int
    """A member works on them."""
    done: int
    """They are done."""
    failed: int
    """They could not be done."""


class TeamStatus(Struct, frozen=True):
    """A team and its members."""

    team: str
    """Its name."""
    members: tuple[TeamMember, ...]
    """Its members."""
    waiting: tuple[str, ...]
    """The panes of those that need an answer."""
    tasks: TeamTasks
    """Its tasks, which list-tasks shows."""


class TeamStatuses(Struct, frozen=True):
    """The teams of a workspace."""

    teams: tuple[TeamStatus, ...]
    """The teams, by name."""
    available: tuple[str, ...]
    """The names of the teams that start-team can start."""
    interrupted: tuple[str, ...] = ()
    """The teams whose start was cut off as the workspace ended: members may be missing. stop-team ends what is there of
    one, start-team starts it again."""


class ShowTeams(Command[TeamStatuses], name="team-status", effect=Effect.READ, toolset=Toolset.AGENTS):
    """Show the teams that run, what their members do, who waits for an answer, how many messages wait, and
    how many tasks are open, claimed and done."""

    team: str = ""
    """Only this team."""

    def run(self, mux: Multiplexer, origin: Origin) -> Deferred[TeamStatuses]:
        """The teams. Raises NotFound if there is none of that name."""
        names = {str(each.metadata[TEAM]) for each in mux.workspace.panes.values() if each.metadata.get(TEAM)}
        if self.team and self.team not in names:
            raise NotFound(f"no team {clean(self.team, 48)} runs; team-status shows those that do")
        return run_task(self._statuses(mux, [self.team] if self.team else sorted(names)))

    async def _statuses(self, mux: Multiplexer, names: list[str]) -> TeamStatuses:
        available = await asyncio.to_thread(team_file.names)
        interrupted = tuple(map(clean, sorted(mux.team_starts.interrupted)))
        return TeamStatuses(tuple([await _status(mux, name) for name in names]), tuple(available), interrupted)


class StoppedTeam(Struct, frozen=True):
    """A team that was ended."""

    team: str
    """Its name."""
    members: tuple[StoppedAgent, ...]
    """What became of its members, and of their worktrees."""


class StopTeam(Command[StoppedTeam], name="stop-team", effect=Effect.DESTROY, toolset=Toolset.AGENTS):
    """End all agents of a team and close their panes. Worktrees are removed if asked, and if nothing would be lost."""

    team: str
    """The team's name."""
    remove_worktrees: bool = False
    """Whether to remove the worktrees that were made for its members."""

    def targets(self, mux: Multiplexer, origin: Origin) -> tuple[PaneId, ...]:
        """The members' panes."""
        return self._members(mux)

    def confirmation(self, mux: Multiplexer, origin: Origin) -> Confirmation | None:
        """Asked if they run."""
        found = self._members(mux)
        return ending(mux, found, f"End the team {clean(self.team, 48)} with {count(len(found), 'agent')}?", self)

    def run(self, mux: Multiplexer, origin: Origin) -> Deferred[StoppedTeam]:
        """Begin. Raises NotFound, or Refused while the user types in one of its panes."""
        found = self._members(mux)
        for pane in found:
            mux.input(pane, origin.author).check_end()
        return run_task(self._stop(mux, origin, found))

    def _members(self, mux: Multiplexer) -> tuple[PaneId, ...]:
        found = members(mux, self.team)
        if not found:
            raise NotFound(f"no team {clean(self.team, 48)} runs; team-status shows those that do")
        return found

    async def _stop(self, mux: Multiplexer, origin: Origin, found: tuple[PaneId, ...]) -> StoppedTeam:
        mux.team_starts.interrupted.discard(self.team)
        return StoppedTeam(
            clean(self.team), tuple(await asyncio.gather(*(self._stop_one(mux, origin, pane) for pane in found)))
        )

    async def _stop_one(self, mux: Multiplexer, origin: Origin, pane: PaneId) -> StoppedAgent:
        if pane in mux.agents.programs:
            command = StopAgent(pane=str(pane), close=True, remove_worktree=self.remove_worktrees)
            return await finished(command.run(mux, origin))
        await mux.agents.keep_changes(pane)
        note = await worktree_removed(worktree_of(mux, pane) if self.remove_worktrees else "")
        if pane in mux.workspace.panes:
            ClosePane(pane=str(pane)).run(mux, origin)
        return StoppedAgent(str(pane), True, (), True, note)


async def _opened(mux: Multiplexer, origin: Origin, team: Team, base: str) -> dict[str, PaneId]:
    """The panes of all members by their names; on failure none is open, and no worktree is new."""
    opened, added = dict[str, PaneId](), list[str]()
    await mux.team_starts.begin(team.name)
    try:
        places = [await _directory(each, base, added) for each in team.members]
        for member, cwd in zip(team.members, places, strict=True):
            opened[member.name] = _open(mux, origin, _request(team, member), cwd, list(opened.values()))
    except (FugueError, asyncio.CancelledError):
        for pane in opened.values():
            mux.assign(edit.remove_pane(mux.workspace, pane))
        await asyncio.gather(*map(worktree_removed, added))
        await mux.team_starts.end(team.name)
        raise
    mux.team_starts.opening.discard(team.name)
    return opened


async def _settled(mux: Multiplexer, team: str, panes: Sequence[PaneId]) -> None:
    """The start of a team ends once its panes are saved, if they are: what is killed before is not brought back."""
    saver = mux.saver
    if saver is not None and saver.due != inf:
        await until(lambda: _is_saved(mux, saver.saved, panes), _SAVE_SECONDS, saver.on_saved)
    await mux.team_starts.end(team)


def _is_saved(mux: Multiplexer, saved: Workspace | None, panes: Sequence[PaneId]) -> bool:
    return saved is not None and all(pane in saved.panes or pane not in mux.workspace.panes for pane in panes)


def _check_new(mux: Multiplexer, team: Team, source: PaneId) -> None:
    """Raise Refused if a team runs already, or its members' names are taken in the session of a pane."""
    if members(mux, team.name) or team.name in mux.team_starts.opening:
        raise Refused(
            f"the team {team.name} runs already; stop-team ends it, and name gives this one another, in another session"
        )
    if source not in mux.workspace.panes:
        raise NotFound(f"{source}, beside which the team was to start, was closed meanwhile")
    held = holders(mux.workspace, mux.window_of(source).session)
    if name := next((each.name for each in team.members if each.name in held), ""):
        raise Refused(
            f"{held[name]} is called {name} already, as a member of the team is; rename-pane gives it another name, or "
            "start the team from a pane of another session"
        )


def members(mux: Multiplexer, team: str) -> tuple[PaneId, ...]:
    """The panes of a team's members, in the order in which they were opened."""
    return tuple(sorted(each.id for each in mux.workspace.panes.values() if each.metadata.get(TEAM) == team))


def monitor_member(mux: Multiplexer, pane: PaneId, rules: MonitorRules) -> None:
    """Have a member monitored as its file says, from now on."""
    if rules.active:
        record = with_rules(mux.workspace.panes[pane], Saved(rules, round(time.time(), 3)))
        mux.assign(edit.update_pane(mux.workspace, record))


def _request(team: Team, member: Member) -> StartAgent:
    """A member as start-agent has it."""
    return StartAgent(
        program=member.program,
        name=member.name,
        role=member.role,
        arguments=member.arguments,
        model=member.model,
        worktree=member.worktree,
        env=member.env,
        team=team.name,
        direction=Direction.AUTO,
        place=Placement.WINDOW,
    )


def _open(mux: Multiplexer, origin: Origin, request: StartAgent, cwd: str, opened: list[PaneId]) -> PaneId:
    """Open the pane of a member: the first in a window of its own, the others beside the largest there."""
    if opened:
        window = mux.window_of(opened[0])
        rects = mux.layouts.of(window).panes
        largest = max(rects, key=lambda pane: rects[pane].cols * rects[pane].rows, default=opened[0])
        request = replace(request, pane=str(largest), place=Placement.SPLIT)
    return PaneId(open_agent(mux, origin, request, cwd).id[1:])


def _briefing(member: Member, beside: str) -> str:
    if not member.briefing_file:
        return member.briefing.strip()
    return file_text(os.path.join(beside, os.path.expanduser(member.briefing_file)))


async def _directory(member: Member, base: str, added: list[str]) -> str:
    """The directory of a member, which is a worktree if it wants one; one that is made is put into `added`."""
    cwd = os.path.normpath(os.path.join(base, os.path.expanduser(member.cwd)))
    if not member.worktree:
        return cwd
    path, new = await worktree_added(cwd, member.worktree)
    added += [path] * new
    return path


async def _status(mux: Multiplexer, team: str) -> TeamStatus:
    found = members(mux, team)
    agents = {each.pane: each for each in await agent_infos(mux, found)}
    held = {message.box: message.after for message in mux.mailboxes.held()}
    present = [mux.workspace.panes[pane] for pane in found if pane in mux.workspace.panes]
    return TeamStatus(
        clean(team),
        tuple(
            TeamMember(
                str(each.id),
                clean(each.name),
                clean(str(each.metadata.get(ROLE, ""))),
                agents.get(str(each.id)),
                sum(message.state.waits for message in mux.mailboxes.of(box_of(each)) if box_of(each)),
                tuple(clean(one.name) for one in present if box_of(one) in held.get(box_of(each), ())),
                monitor_info(mux, each.id),
            )
            for each in present
        ),
        tuple(pane for pane, agent in agents.items() if agent.state == "blocked"),
        task_counts(each for each in mux.tasks.all.values() if each.team == clean(team)),
    )


def task_counts(tasks: Iterable[Task]) -> TeamTasks:
    """How many of these tasks are in each state."""
    states = Counter(task.state for task in tasks)
    counted = (TaskState.OPEN, TaskState.CLAIMED, TaskState.DONE, TaskState.FAILED)
    return TeamTasks(*(states[each] for each in counted))
