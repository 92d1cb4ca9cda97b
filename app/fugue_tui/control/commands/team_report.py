"""Reports what a team did, from the audit log, the mailboxes and git; as a structure or as Markdown."""

import asyncio
import re
import time
from collections.abc import Iterator, Sequence
from typing import Final, Literal

import msgspec
from msgspec import Struct

from fugue_tui.control.agents import git_changes
from fugue_tui.control.commands.teams import TeamTasks, task_counts
from fugue_tui.control.core.answers import TextAnswer
from fugue_tui.control.core.command import Command, Effect, Origin, Toolset
from fugue_tui.control.core.deferred import Deferred, run_task
from fugue_tui.control.dispatch.audit_entry import decode, folder
from fugue_tui.control.dispatch.team_summary import Intervention, MemberSummary, RanCommand, TeamSummary
from fugue_tui.errors import NotFound
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.agents.tasks import Task
from fugue_tui.sanitize import clean
from fugue_tui.store.append_log_reader import AppendLogReader
from fugue_tui.store.paths import state_dir

SHOWN: Final = 40
"""Commands, files and commits of one member that Markdown shows."""
FLUSH_SECONDS: Final = 0.1
"""For so long what has just happened may not be in the log's file yet."""
_MARKUP: Final = re.compile(r"([\\`*_{}\[\]<>()#+.!|~:@$&-])")


class MemberReport(Struct, frozen=True):
    """What a member of a team did. Lines of commands, names and subjects are untrusted."""

    name: str
    """Its name."""
    role: str
    """Its role."""
    pane: str
    """Its pane, or the last one it had."""
    running: bool
    """Whether its pane is open."""
    seconds: int
    """How long it was there."""
    working: int
    """Seconds of that in which it worked."""
    idle: int
    """Seconds in which it was idle, done or had failed."""
    blocked: int
    """Seconds in which it needed an answer."""
    calls: int
    """How many commands of Fugue it has called."""
    commands: tuple[RanCommand, ...]
    """The commands that have ended in its panes, oldest first, with the results of tests."""
    commits: tuple[str, ...]
    """What was committed in its directory since it began, newest first."""
    files: tuple[str, ...]
    """The files that differ there since, each behind git's letter for how, ? for new ones."""
    sent: int
    """Messages that it has sent."""
    received: int
    """Messages that it got."""
    asked: int
    """How often the user was asked to approve what it called."""
    approved: int
    """How often the user did."""
    denied: int
    """How often the user denied it, or did not answer."""
    interventions: tuple[Intervention, ...]
    """What the monitor has done about it."""
    cost: float | None
    """US dollars that it has cost; null if unknown."""


class TeamReport(TextAnswer, frozen=True, kw_only=True):
    """What a team did."""

    team: str
    """Its name."""
    started: float
    """When it was started, in seconds since the epoch."""
    ended: float | None
    """When its last member has left; null if it runs."""
    members: tuple[MemberReport, ...]
    """Its members, in the order in which they joined."""
    tasks: TeamTasks
    """The tasks that are for it, or that its members own, without those that had ended before it was started."""
    cost: float | None
    """US dollars of all members whose cost is known; null if none is."""

    @property
    def for_terminal(self) -> str:
        """The Markdown, or else all of it as JSON."""
        return super().for_terminal if self.text else msgspec.json.format(msgspec.json.encode(self), indent=2).decode()


class ReportTeam(Command[TeamReport], name="team-report", effect=Effect.READ, toolset=Toolset.AGENTS):
    """Report what a team did, while it runs and after it was stopped: time, commands with their exit status, tests,
    commits and changed files, tasks, messages, approvals, what the monitor did, cost.

    Commands are those in the members' panes and in those that they opened, by shells that mark their prompts; what an
    agent runs by itself is not seen. Of several teams of that name it is the last.
    """

    team: str
    """The team's name."""
    format: Literal["json", "markdown"] | None = None
    """json for a structure, markdown for a text; omitted, json for agents and markdown for others."""

    def run(self, mux: Multiplexer, origin: Origin) -> Deferred[TeamReport]:
        """The report. Raises NotFound if the audit log has no such team."""
        return run_task(self._report(mux, self.format or ("json" if origin.is_agent else "markdown")))

    async def _report(self, mux: Multiplexer, format: str) -> TeamReport:
        await mux.tasks.loaded.wait()
        await asyncio.sleep(FLUSH_SECONDS)
        workspace = mux.workspace.name
        members = await asyncio.to_thread(_summaries, workspace, self.team)
        if not members:
            raise NotFound(f"no team {clean(self.team, 48)} is in the audit log; team-status shows those that run")
        reports = tuple(_member(mux, each) for each in members)
        costs = [each.cost for each in reports if each.cost is not None]
        ended = [each.left for each in members if each.left is not None]
        report = TeamReport(
            text="",
            team=clean(self.team, 48),
            started=members[0].joined,
            ended=max(ended) if len(ended) == len(members) else None,
            members=reports,
            tasks=task_counts(_tasks(mux, clean(self.team), members)),
            cost=round(sum(costs), 6) if costs else None,
        )
        return msgspec.structs.replace(report, text=markdown(report)) if format == "markdown" else report


def _summaries(workspace: str, team: str) -> list[MemberSummary]:
    """What the log has of a team, with what git tells of members that are there. On a thread."""
    lines = AppendLogReader(folder(state_dir(), workspace)).lines()
    summary = TeamSummary(team)
    summary.add(entry for line in lines if (entry := decode(line)) is not None)
    summary.finish(time.time())
    for member in summary.members.values():
        if not member.changes_kept:
            member.commits, member.files = git_changes.changes(member.cwd, member.head)
    return list(summary.members.values())


def _tasks(mux: Multiplexer, team: str, members: Sequence[MemberSummary]) -> Iterator[Task]:
    boxes = {each.box for each in members}
    for task in mux.tasks.all.values():
        is_over = task.state.finished and task.since < members[0].joined
        if not is_over and (task.team == team or task.owner in boxes):
            yield task


def _member(mux: Multiplexer, member: MemberSummary) -> MemberReport:
    began, end = member.joined - 1.0, member.left if member.left is not None else time.time()
    sent = [each for each in mux.mailboxes.sent_by(member.box) if each.sent >= began]
    received = [each for each in mux.mailboxes.of(member.box) if each.sent >= began]
    working, idle, blocked = (round(member.seconds[name]) for name in ("working", "idle", "blocked"))
    return MemberReport(
        name=clean(member.name),
        role=clean(member.role),
        pane=clean(member.pane),
        running=member.left is None,
        seconds=max(0, round(end - member.joined)),
        working=working,
        idle=idle,
        blocked=blocked,
        calls=member.calls,
        commands=tuple(member.commands),
        commits=tuple(clean(each) for each in member.commits),
        files=tuple(clean(each, 4_096) for each in member.files),
        sent=len(sent),
        received=len(received),
        asked=member.asked,
        approved=member.approved,
        denied=member.denied,
        interventions=tuple(member.interventions),
        cost=member.dollars,
    )


# As Markdown


def markdown(report: TeamReport) -> str:
    """A report as Markdown (CommonMark with tables). All that others have written is one line without markup."""
    return "\n".join(_lines(report)) + "\n"


def escaped(text: str, most: int = 200) -> str:
    """A text as Markdown shows it: on one line, each character that could be markup behind a backslash."""
    return _MARKUP.sub(r"\\\1", clean(text, most))


def _lines(report: TeamReport) -> Iterator[str]:
    began = time.strftime("%Y-%m-%d %H:%M", time.localtime(report.started))
    state = "runs" if report.ended is None else f"ended after {_time(round(report.ended - report.started))}"
    yield f"# Team {escaped(report.team)}"
    yield ""
    yield f"Started {began}, {state}." + (f" Cost: ${report.cost:.2f}." if report.cost is not None else "")
    if any(counts := (report.tasks.done, report.tasks.failed, report.tasks.claimed, report.tasks.open)):
        yield ""
        yield "Tasks: {} done, {} failed, {} claimed, {} open.".format(*counts)
    yield ""
    yield "| member | role | time | working | idle | blocked | commands | messages sent, received | cost |"
    yield "|---|---|--:|--:|--:|--:|--:|--:|--:|"
    for each in report.members:
        cost = f"${each.cost:.2f}" if each.cost is not None else ""
        times = " | ".join(map(_time, (each.seconds, each.working, each.idle, each.blocked)))
        yield (
            f"| {escaped(each.name)} | {escaped(each.role)} | {times} | {len(each.commands)} "
            f"| {each.sent}, {each.received} | {cost} |"
        )
    for each in report.members:
        yield from _section(each)


def _section(member: MemberReport) -> Iterator[str]:
    yield ""
    yield f"## {escaped(member.name or member.pane)}"
    if member.asked:
        yield ""
        yield f"Approvals: {member.asked} asked, {member.approved} approved, {member.denied} denied."
    yield from _list("Commands", [_command(each) for each in member.commands])
    yield from _list("Commits", [escaped(each) for each in member.commits])
    yield from _list("Files", [escaped(each, 1_000) for each in member.files])
    yield from _list("Monitor", [f"{each.condition}: {each.action}, {each.outcome}" for each in member.interventions])


def _list(title: str, lines: Sequence[str]) -> Iterator[str]:
    if lines:
        yield ""
        yield f"{title}:"
        yield ""
        yield from (f"- {line}" for line in lines[-SHOWN:])
        if len(lines) > SHOWN:
            yield f"- and {len(lines) - SHOWN} more"


def _command(ran: RanCommand) -> str:
    words = [escaped(ran.command) or "typed by the user"]
    words += [] if ran.exit_code is None else [f"exit {ran.exit_code}"]
    words += [] if ran.seconds is None else [_time(round(ran.seconds))]
    if ran.tests:
        counts = ((ran.passed, "passed"), (ran.failed, "failed"))
        known = ", ".join(f"{count} {name}" for count, name in counts if count is not None)
        words.append(f"tests: {known or escaped(ran.tests)}")
    return ", ".join(words)


def _time(seconds: int) -> str:
    minutes, rest = divmod(max(0, seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s" if minutes else f"{rest} s"
