"""Starts agents in panes, briefs them, restarts them with their conversation, and ends them."""

import asyncio
import os
import shlex
import stat
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Annotated, Final, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from fugue_tui.control.agents import worktrees
from fugue_tui.control.agents.messenger import RESTS, settling
from fugue_tui.control.agents.receivers import mailbox, sender, with_role
from fugue_tui.control.commands.agents import MODEL_WIDTH, State
from fugue_tui.control.commands.panes import ClosePane, SplitPane
from fugue_tui.control.commands.send_keys import SendInput
from fugue_tui.control.commands.signals import Interrupted, InterruptPane
from fugue_tui.control.commands.wait import MAX_TIMEOUT
from fugue_tui.control.core import target
from fugue_tui.control.core.changes import until
from fugue_tui.control.core.command import Command, Confirmation, Effect, Origin, StartedCommand, Toolset
from fugue_tui.control.core.confirmation import ending, pane_words
from fugue_tui.control.core.deferred import Deferred, finished, reporter, run_task
from fugue_tui.control.core.new_pane import Direction, Placement
from fugue_tui.control.core.results import OpenedPane
from fugue_tui.control.core.send_input import typeable
from fugue_tui.control.restore.agent_resume import resume_argv
from fugue_tui.errors import FugueError, InvalidArgument, NotFound, Refused, SaveError
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.agents.agents import DECLARED, MODEL, AgentRun
from fugue_tui.multiplexer.agents.mailboxes import LONGEST, Message, MessageState
from fugue_tui.multiplexer.agents.state import AgentState
from fugue_tui.multiplexer.callbacks import CallbackList
from fugue_tui.sanitize import clean, clean_path
from fugue_tui.shell_names import is_interactive
from fugue_tui.terminal.pty import process
from fugue_tui.workspace import edit
from fugue_tui.workspace.model import OnExit

WORKTREE: Final = "worktree"
"""The entry of a pane's metadata with the worktree that was made for its agent."""
_INTERRUPTS: Final = 3
"""Times that Ctrl+C is pressed before signals are sent; agents ask for it twice."""
_PAUSE: Final = 0.7
"""Seconds between them: agents forget the first after one or two."""
_ANEW: Final = "it has no conversation to continue, so it began anew"
Briefing = Annotated[str, Meta(max_length=LONGEST)]


class BriefedAgent(Struct, frozen=True):
    """An agent, and what became of its briefing."""

    pane: str
    """Its pane."""
    name: str
    """The pane's name; empty if it has none."""
    briefing: Literal["delivered", "waiting", "none"]
    """delivered: it was typed and entered. waiting: it is typed as soon as the agent is at its input; list-messages
    shows when. none: there is none."""
    state: State
    """What the agent does now; unknown until it shows something."""
    words: str
    """Its message about that, such as the question of a dialog: untrusted."""
    seconds: float
    """How long it took."""
    message: int | None
    """The number of the briefing among the messages."""
    cwd: str
    """Its directory."""
    worktree: str = ""
    """The worktree that was made for it; empty for none."""
    note: str = ""
    """Why the pane did not open where it was requested; empty if it did."""


class StartAgent(Command[BriefedAgent], name="start-agent", effect=Effect.RUN, toolset=Toolset.AGENTS, creates=True):
    """Start an agent in a new pane, and send it its task.

    The briefing is typed once the agent is at its input, whole and in one piece. If a dialog comes first, such as the
    question whether to trust a directory, the result has the question, and the briefing follows once it is answered.
    """

    program: Annotated[str, Meta(min_length=1, max_length=1_000)] = "claude"
    """claude, codex, gemini, aider, opencode, or any other program: a name on PATH, or a path."""
    name: str = ""
    """A name for the pane, usable instead of its id."""
    role: Annotated[str, Meta(max_length=64)] = ""
    """Its role, such as reviewer: messages to role:reviewer reach it."""
    briefing: Briefing = ""
    """Its task: what is typed into it."""
    briefing_file: str = ""
    """A file with the task instead; relative to the agent's directory."""
    arguments: tuple[str, ...] = ()
    """More arguments for the program."""
    model: str = ""
    """The model, passed by --model."""
    cwd: str = ""
    """Its directory; omitted, that of the pane that is split."""
    worktree: str = ""
    """Make a git worktree with a branch of this name, beside the repository around that directory, and start there."""
    env: Mapping[str, str] | None = None
    """Environment variables to set."""
    pane: str = target.ACTIVE
    """The pane to open it beside: an id, a name, or active for your own."""
    place: Placement = Placement.SPLIT
    """split beside that pane, window for a new window, hidden for one in the session background."""
    direction: Direction | None = None
    """Where beside that pane; see split-pane."""
    team: Annotated[str, Meta(max_length=64)] = ""
    """Its team: messages to team:NAME reach all members."""
    wait: Annotated[float, Meta(ge=0, le=MAX_TIMEOUT)] = 60.0
    """Seconds to wait until it has its briefing, or is at its input."""

    @property
    def argv(self) -> tuple[str, ...]:
        """Its command line."""
        return (self.program, *(("--model", self.model) if self.model else ()), *self.arguments)

    def started(self, mux: Multiplexer, origin: Origin) -> tuple[StartedCommand, ...]:
        """The program."""
        return (StartedCommand(self.argv, env=self.env or {}),)

    def run(self, mux: Multiplexer, origin: Origin) -> Deferred[BriefedAgent]:
        """Start it. Raises InvalidArgument, NotFound, Refused or SpawnFailed, and has opened nothing then."""
        if self.briefing and self.briefing_file:
            raise InvalidArgument("briefing: give it or briefing_file, not both")
        source = target.pane(mux, self.pane, origin)
        base = os.path.normpath(os.path.join(mux.cwd(source), os.path.expanduser(self.cwd)))
        return run_task(self._start(mux, origin, base, typeable(self.briefing, "briefing")))

    async def _start(self, mux: Multiplexer, origin: Origin, base: str, briefing: str) -> BriefedAgent:
        began = mux.clock()
        if self.briefing_file:
            briefing = await asyncio.to_thread(file_text, os.path.join(base, os.path.expanduser(self.briefing_file)))
        await mux.mailboxes.loaded.wait()  # A caller that is cancelled has opened nothing, or leaves the briefing.
        made = await worktree_added(base, self.worktree) if self.worktree else None
        try:
            opened = open_agent(mux, origin, self, made.path if made else base)
        except FugueError:
            await worktree_removed(made.path if made and made.added else "")
            raise
        found = await briefed(mux, origin, PaneId(opened.id[1:]), briefing, self.wait, began)
        return replace(found, worktree=clean_path(made.path) if made else "", note=opened.note)


class BriefAgent(Command[BriefedAgent], name="brief-agent", effect=Effect.INPUT, toolset=Toolset.AGENTS, creates=True):
    """Give an agent a task: it is typed as it is, once the agent is at its input, whole and in one piece."""

    pane: str
    """The agent's pane: an id or a name."""
    briefing: Briefing = ""
    """The task."""
    briefing_file: str = ""
    """A file with it instead; relative to the agent's directory."""
    wait: Annotated[float, Meta(ge=0, le=MAX_TIMEOUT)] = 30.0
    """Seconds to wait until it is delivered."""

    def targets(self, mux: Multiplexer, origin: Origin) -> tuple[PaneId, ...]:
        """The agent's pane."""
        return (target.typed_pane(mux, self.pane, origin),)

    def run(self, mux: Multiplexer, origin: Origin) -> Deferred[BriefedAgent]:
        """Put it into the agent's mailbox. Raises InvalidArgument, NotFound or Refused."""
        if bool(self.briefing) == bool(self.briefing_file):
            raise InvalidArgument("briefing: give it or briefing_file")
        pane = target.typed_pane(mux, self.pane, origin)
        return run_task(self._brief(mux, origin, pane, typeable(self.briefing, "briefing")))

    async def _brief(self, mux: Multiplexer, origin: Origin, pane: PaneId, text: str) -> BriefedAgent:
        began = mux.clock()
        if self.briefing_file:
            path = os.path.join(mux.cwd(pane), os.path.expanduser(self.briefing_file))
            text = await asyncio.to_thread(file_text, path)
        return await briefed(mux, origin, pane, text, self.wait, began)


class StoppedAgent(Struct, frozen=True):
    """An agent that was asked to end."""

    pane: str
    """Its pane."""
    ended: bool
    """Whether it has ended."""
    steps: tuple[str, ...]
    """What was done, in order: ctrl+c, sigint, sigterm, sigkill."""
    closed: bool
    """Whether its pane was closed."""
    note: str
    """Why its worktree was kept; empty if it has none, or it was removed."""


class StopAgent(Command[StoppedAgent], name="stop-agent", effect=Effect.DESTROY, toolset=Toolset.AGENTS):
    """End an agent: Ctrl+C as often as agents want it, then SIGINT, SIGTERM and SIGKILL while it does not end."""

    pane: str
    """The agent's pane; agents must give its exact id."""
    close: bool = False
    """Whether to close its pane, too."""
    remove_worktree: bool = False
    """Whether to remove the worktree that start-agent made for it, if it holds nothing that would be lost."""

    def targets(self, mux: Multiplexer, origin: Origin) -> tuple[PaneId, ...]:
        """Its pane."""
        return (target.pane_to_close(mux, self.pane, origin),)

    def confirmation(self, mux: Multiplexer, origin: Origin) -> Confirmation | None:
        """Asked if it runs."""
        pane = target.pane(mux, self.pane, origin)
        return ending(mux, [pane], f"End the agent in {pane_words(mux, pane)}?", replace(self, pane=str(pane)))

    def run(self, mux: Multiplexer, origin: Origin) -> Deferred[StoppedAgent]:
        """Begin. Raises NotFound or Refused."""
        pane = _agent_to_end(mux, self.pane, origin)
        return run_task(self._stop(mux, origin, pane))

    async def _stop(self, mux: Multiplexer, origin: Origin, pane: PaneId) -> StoppedAgent:
        worktree = worktree_of(mux, pane) if self.remove_worktree else ""
        await mux.agents.keep_changes(pane)
        found = await _end(mux, origin, pane)
        ended = found is None or found.ended
        note = await worktree_removed(worktree) if ended else ""
        if ended and self.close and pane in mux.workspace.panes:
            ClosePane(pane=str(pane)).run(mux, origin)
        steps = ("ctrl+c",) if found is None else found.steps
        return StoppedAgent(str(pane), ended, steps, pane not in mux.workspace.panes, note)


class RestartAgent(
    Command[BriefedAgent], name="restart-agent", effect=Effect.DESTROY, also=Effect.RUN, toolset=Toolset.AGENTS
):
    """End an agent and start it again in its pane, with its conversation where it can continue it."""

    pane: str
    """The agent's pane; agents must give its exact id."""
    briefing: Briefing = ""
    """What is typed into it then."""
    wait: Annotated[float, Meta(ge=0, le=MAX_TIMEOUT)] = 60.0
    """Seconds to wait until it has that, or is at its input."""

    def targets(self, mux: Multiplexer, origin: Origin) -> tuple[PaneId, ...]:
        """Its pane."""
        return (target.pane_to_close(mux, self.pane, origin),)

    def confirmation(self, mux: Multiplexer, origin: Origin) -> Confirmation | None:
        """Asked if it runs."""
        pane = target.pane(mux, self.pane, origin)
        return ending(mux, [pane], f"Restart the agent in {pane_words(mux, pane)}?", replace(self, pane=str(pane)))

    def run(self, mux: Multiplexer, origin: Origin) -> Deferred[BriefedAgent]:
        """Begin. Raises NotFound or Refused."""
        pane, briefing = target.pane_to_close(mux, self.pane, origin), typeable(self.briefing, "briefing")
        if pane not in mux.agents.programs and (known := mux.agents.runs.get(pane)) is not None:
            if pane not in mux.exits and not (_is_at_prompt(mux, pane) and mux.terminals[pane].edits_lines):
                reason = f"the agent in {pane} has gone, and no shell there reads a command to start it again"
                raise Refused(reason, retry_after_ms=1_000)
            mux.input(pane, origin.author).check()
            return run_task(self._start_again(mux, origin, pane, known, briefing))
        return run_task(self._restart(mux, origin, _agent_to_end(mux, self.pane, origin), briefing))

    async def _start_again(
        self, mux: Multiplexer, origin: Origin, pane: PaneId, known: AgentRun, briefing: str
    ) -> BriefedAgent:
        """Start an agent that has gone."""
        began, partners = mux.clock(), mux.agents.partners(pane)
        if pane in mux.exits:
            mux.respawn(pane, known.argv)
            mux.agents.set_partners(pane, partners)
        else:
            typed = SendInput(pane=str(pane), text=shlex.join(known.argv), submit=True).run(mux, origin)
            await finished(typed) if isinstance(typed, Deferred) else None
        note = "" if known.resumes else _ANEW
        return replace(await briefed(mux, origin, pane, briefing, self.wait, began), note=note)

    async def _restart(self, mux: Multiplexer, origin: Origin, pane: PaneId, briefing: str) -> BriefedAgent:
        began, group = mux.clock(), mux.terminal(pane).foreground_group
        argv, own = process.argv(group), group == mux.terminal(pane).pid
        resumed = await asyncio.to_thread(resume_argv, argv, group, mux.cwd(pane))
        again, on_exit = resumed or argv, mux.workspace.panes[pane].on_exit
        _set_on_exit(mux, pane, OnExit.KEEP)
        partners = mux.agents.partners(pane)
        try:
            found = await _end(mux, origin, pane)
            if found is not None and not found.ended:
                raise Refused(f"the agent in {pane} did not end; stop-agent shows what was tried")
            if own:
                mux.respawn(pane, again)
                mux.agents.set_partners(pane, partners)
        finally:
            _set_on_exit(mux, pane, on_exit)
        if not own:
            typed = SendInput(pane=str(pane), text=shlex.join(again), submit=True).run(mux, origin)
            await finished(typed) if isinstance(typed, Deferred) else None
        note = "" if resumed else _ANEW
        return replace(await briefed(mux, origin, pane, briefing, self.wait, began), note=note)


def _set_on_exit(mux: Multiplexer, pane: PaneId, on_exit: OnExit) -> None:
    if (record := mux.workspace.panes.get(pane)) is not None:
        mux.assign(edit.update_pane(mux.workspace, replace(record, on_exit=on_exit)))


def open_agent(mux: Multiplexer, origin: Origin, request: StartAgent, cwd: str) -> OpenedPane:
    """Open an agent's pane in a directory, with its role, team and mailbox. Raises what split-pane raises."""
    role, team = target.visible_word(request.role, "role"), target.visible_word(request.team, "team")
    opened = SplitPane(
        pane=request.pane,
        place=request.place,
        direction=request.direction,
        command=request.argv,
        cwd=cwd,
        name=request.name,
        env=request.env,
    ).run(mux, origin)
    record = with_role(mux.workspace.panes[PaneId(opened.id[1:])], role, team)
    extra = {
        DECLARED: os.path.basename(request.program),
        **({MODEL: clean(request.model, MODEL_WIDTH)} if request.model else {}),
        **({WORKTREE: cwd} if request.worktree else {}),
    }
    mux.assign(edit.update_pane(mux.workspace, replace(record, metadata={**record.metadata, **extra})))
    return opened


def worktree_of(mux: Multiplexer, pane: PaneId) -> str:
    """The worktree that was made for a pane's agent; empty for none."""
    path = mux.workspace.panes[pane].metadata.get(WORKTREE, "")
    return path if isinstance(path, str) else ""


async def worktree_added(base: str, name: str) -> worktrees.Worktree:
    """Make a worktree, or find it; a caller that is cancelled meanwhile leaves none behind."""
    work = asyncio.ensure_future(asyncio.to_thread(worktrees.add, base, name))
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        with suppress(FugueError):
            made = await work
            await worktree_removed(made.path if made.added else "")
        raise


async def worktree_removed(path: str) -> str:
    """Remove a worktree: why it was kept; empty if it was removed, or there is none."""
    return clean(await asyncio.to_thread(worktrees.remove, path), 300) if path else ""


def _agent_to_end(mux: Multiplexer, wanted: str, origin: Origin) -> PaneId:
    pane = target.pane_to_close(mux, wanted, origin)
    if pane not in mux.agents.programs:
        raise NotFound(f"no agent is in the foreground of {pane}; close-pane and interrupt-pane are for other programs")
    mux.input(pane, origin.author).check_end()
    return pane


async def _end(mux: Multiplexer, origin: Origin, pane: PaneId) -> Interrupted | None:
    """End the agent in a pane: how signals did it, None if Ctrl+C was enough."""
    source = mux.input(pane, origin.author)
    for _ in range(_INTERRUPTS):
        source.interrupt()
        if await until(lambda: _is_gone(mux, pane), _PAUSE, *_changes(mux)):
            return None
    return await finished(InterruptPane(pane=str(pane), escalate=True).run(mux, origin))


def _is_gone(mux: Multiplexer, pane: PaneId) -> bool:
    if pane not in mux.workspace.panes or pane in mux.exits:
        return True
    return pane not in mux.agents.programs or _is_at_prompt(mux, pane)


def _is_at_prompt(mux: Multiplexer, pane: PaneId) -> bool:
    """Whether the shell of a pane shows its prompt."""
    terminal = mux.terminals[pane]
    return terminal.shell.integrated and bool(terminal.shell.at_prompt) and is_interactive(process.argv(terminal.pid))


async def briefed(
    mux: Multiplexer,
    origin: Origin,
    pane: PaneId,
    briefing: str,
    seconds: float,
    began: float,
    after: Sequence[PaneId] = (),
) -> BriefedAgent:
    """Wait until an agent has its briefing and begins to work on it, or needs an answer before. A briefing that waits
    for the agents in other panes is not waited for. Raises Refused if the agent has ended, and SaveError."""
    message = await _queued(mux, origin, pane, briefing, after) if briefing else None
    reporter()("waits until the agent is at its input", None)
    number = message.id if message else 0
    await until(lambda: _is_over(mux, pane, number), 0.0 if after else seconds, *_changes(mux))
    if message and _state(mux, number) is MessageState.DELIVERED:
        await until(lambda: not settling(mux, pane), min(settling(mux, pane), seconds), *_changes(mux))
    status = mux.agents.statuses.get(pane)
    if status is None and (pane in mux.exits or pane not in mux.workspace.panes):
        ended = mux.exits.get(pane)
        how = ended.words if ended else "its pane was closed"
        raise Refused(f"the agent in {pane} has ended ({how}); read-pane shows what it printed")
    delivered = message is not None and _state(mux, message.id) is not MessageState.QUEUED
    return BriefedAgent(
        pane=str(pane),
        name=clean(mux.workspace.panes[pane].name),
        briefing="none" if message is None else "delivered" if delivered else "waiting",
        state=status.state.value if status else "unknown",
        words=status.reading.words if status else "",
        seconds=round(mux.clock() - began, 3),
        message=message.id if message else None,
        cwd=clean_path(mux.cwd(pane)),
    )


async def _queued(mux: Multiplexer, origin: Origin, pane: PaneId, briefing: str, after: Sequence[PaneId]) -> Message:
    """The message of a briefing, in the agent's mailbox. Raises SaveError."""
    boxes = tuple(mailbox(mux, each) for each in after)
    try:
        return await mux.mailboxes.add(mailbox(mux, pane), sender(mux, origin), briefing, briefing=True, after=boxes)
    except SaveError as error:
        raise SaveError(f"{pane} has no task, which brief-agent gives it: {error}") from None


def _is_over(mux: Multiplexer, pane: PaneId, number: int) -> bool:
    """Whether a wait for a briefing, or without one for the agent's input, is over."""
    if pane in mux.exits or pane not in mux.workspace.panes:
        return True
    status = mux.agents.statuses.get(pane)
    if status is not None and status.state is AgentState.BLOCKED:
        return True
    if number:
        return _state(mux, number) not in (MessageState.QUEUED, MessageState.TYPING)
    return status is not None and status.state in RESTS and pane in mux.agents.programs


def _state(mux: Multiplexer, number: int) -> MessageState | None:
    message = mux.mailboxes.get(number)
    return message.state if message else None


def _changes(mux: Multiplexer) -> tuple[CallbackList[...], ...]:
    """What announces changes of agents, messages and panes."""
    return (mux.agents.on_change, mux.agents.on_found, mux.mailboxes.on_change, mux.on_change, mux.on_event)


def file_text(path: str) -> str:
    """The text of a briefing file. Raises InvalidArgument."""
    try:
        with open(path, encoding="utf-8", opener=_open_unblocked) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise InvalidArgument(f"briefing_file: {clean_path(path)}: is not a regular file")
            text = file.read(LONGEST + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "is not UTF-8"
        raise InvalidArgument(f"briefing_file: {clean_path(path)}: {reason}") from None
    if not text.strip() or len(text) > LONGEST:
        raise InvalidArgument(f"briefing_file: {clean_path(path)}: requires 1 to {LONGEST} characters")
    return typeable(text.rstrip(), "briefing_file")


def _open_unblocked(path: str, flags: int) -> int:
    """Open a file without waiting for a writer, as with a FIFO."""
    return os.open(path, flags | os.O_NONBLOCK | os.O_NOCTTY)
