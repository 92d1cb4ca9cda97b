"""Run a command in a new pane and return its exit code and output."""

import asyncio
import shlex
import signal
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from enum import StrEnum
from typing import Annotated, Final

from msgspec import Meta
from msgspec.structs import replace

from fugue_tui.control.commands.execute_command import command_limit
from fugue_tui.control.commands.panes import SplitPane
from fugue_tui.control.commands.wait import DEFAULT_TIMEOUT, MAX_TIMEOUT
from fugue_tui.control.core import target
from fugue_tui.control.core.command import Command, Effect, Origin, Toolset
from fugue_tui.control.core.deferred import Deferred, is_given_up, run_task, spawn
from fugue_tui.control.core.new_pane import BACKGROUND, Direction, Line, Placement, new_pane, wants_focus
from fugue_tui.control.core.own_position import note_position
from fugue_tui.control.core.pane_names import unused
from fugue_tui.control.core.pane_updates import PaneClosed, PaneUpdates
from fugue_tui.control.core.placement import (
    Place,
    Split,
    earlier_runs,
    for_agent,
    in_place_of_earlier,
    in_window,
    mark_run,
)
from fugue_tui.control.core.results import OpenedPane, opened_pane
from fugue_tui.control.output.last_command import CommandSource
from fugue_tui.control.output.truncate import clip
from fugue_tui.control.shell_exec.command_state import GRACE
from fugue_tui.control.shell_exec.result import (
    MOST_OUTPUT,
    SOME_OUTPUT,
    Analysis,
    CommandOutcome,
    Limit,
    OnCancel,
    cursor,
    output_limit,
)
from fugue_tui.errors import FugueError, InvalidArgument, NotFound, TerminalGone
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.author import Author
from fugue_tui.multiplexer.events.pane_events import Ended, Started
from fugue_tui.multiplexer.watch.new_output import here
from fugue_tui.sanitize import clean_path
from fugue_tui.terminal.emulator.command_record import CommandRecord
from fugue_tui.terminal.pty.spawn import Exit
from fugue_tui.validation.annotations import UNLISTED
from fugue_tui.workspace import edit
from fugue_tui.workspace.model import OnExit, Pane, Workspace

_NO_PAGER: Final = {"PAGER": "cat", "GIT_PAGER": "cat", "MANPAGER": "cat"}
"""Environment variables that keep commands from waiting in a pager."""
_RUNS: Final = "it still runs; wait-for-output with the cursor and exit waits further"


class Keep(StrEnum):
    """Whether the pane stays after its command has ended."""

    FAILED = "failed"
    """If the command failed, or its output was truncated."""
    UNSEEN = "unseen"
    """Until the user has selected its window and left it."""
    ALWAYS = "always"
    NEVER = "never"


class RunCommand(Command[CommandOutcome], name="run-command", effect=Effect.RUN, toolset=Toolset.DEFAULT, creates=True):
    """Run a command in a new pane and return its exit code, output and duration.

    The user sees it run; the focus does not move. A time-out ends only the wait: continue with the result's cursor.
    Pagers are disabled (PAGER=cat). In an open shell, with its directory and variables, use execute-command.
    """

    command: Line
    """A line for the user's shell, or a list of program and arguments."""
    pane: str = target.ACTIVE
    """The pane to split: an id, a name, or active for your own."""
    place: Placement = Placement.SPLIT
    """split beside that pane, window for a new window, hidden for one in the session background. It takes the place of
    your earlier one that failed."""
    direction: Annotated[Direction | None, UNLISTED] = None
    """horizontal or right, vertical or down, or auto, as for agents if omitted: along the longer side."""
    name: str = ""
    """A name for the new pane, usable instead of its id."""
    cwd: str = ""
    """The working directory; omitted, that of the pane beside it."""
    env: Mapping[str, str] | None = None
    """Environment variables to set."""
    timeout: Annotated[float, Meta(ge=0)] = DEFAULT_TIMEOUT
    """Seconds to wait at most; capped at 110."""
    keep: Keep = Keep.FAILED
    """When to keep the pane: unseen is until the user has seen it. After a time-out it always stays."""
    on_cancel: Annotated[OnCancel, UNLISTED] = OnCancel.INTERRUPT
    """What happens to the command if the call is cancelled: interrupt presses Ctrl+C, leave lets it run."""
    ansi: Annotated[bool, UNLISTED] = False
    """Whether the output keeps its colours."""
    limit: Limit = SOME_OUTPUT
    """Characters of output to return; longer output is cut in the middle."""
    parse: bool = False
    """Return the output as rows, as parse-output does; for agents, instead of the text."""
    intent: bool = False
    """Add its outcome, as detect-intent does: failed tests, places, next commands."""

    def run(self, mux: Multiplexer, origin: Origin) -> Deferred[CommandOutcome]:
        """Start the command. Raises InvalidArgument, NotFound, or SpawnFailed before anything changes."""
        if not self.command or not any(word.strip() for word in self.command):
            raise InvalidArgument("command: there is nothing to run")
        opened = self._open(mux, origin)
        words = self.command if isinstance(self.command, str) else shlex.join(self.command)
        job = _Job(
            mux,
            opened,
            words,
            self.keep,
            output_limit(self.limit, origin),
            origin.author,
            Analysis(self.parse, self.intent),
            ansi=self.ansi,
        )
        if (limit := command_limit(mux, origin)) is not None:
            spawn(job.interrupt_after(limit))
        return run_task(job.outcome(min(self.timeout, MAX_TIMEOUT), interrupt=self.on_cancel is OnCancel.INTERRUPT))

    def _open(self, mux: Multiplexer, origin: Origin) -> OpenedPane:
        env = _NO_PAGER | dict(self.env or {})
        if not mux.workspace.windows or not origin.is_agent:
            return SplitPane(
                pane=self.pane, place=self.place, direction=self.direction or Direction.VERTICAL, command=self.command,
                cwd=self.cwd, name=self.name, env=env, on_exit=OnExit.KEEP,
            ).run(mux, origin)  # fmt: skip
        source = target.pane(mux, self.pane, origin)
        session = BACKGROUND if self.place is Placement.HIDDEN else mux.window_of(source).session
        name = unused(mux, self.name, session, besides=earlier_runs(mux, origin))
        pane = new_pane(
            mux, origin,
            command=self.command, cwd=self.cwd, name=name, env=env, on_exit=OnExit.KEEP, source=source,
        )  # fmt: skip
        place = self._place(mux, origin, source, pane)
        mux.open([pane], place.workspace)
        return opened_pane(mux, pane.id, place.placed, place.note)

    def _place(self, mux: Multiplexer, origin: Origin, source: PaneId, pane: Pane) -> Place:
        """Where it opens: in place of an earlier run of the agent's, whose other earlier ones are closed."""
        old = [each for each in earlier_runs(mux, origin) if each != source]
        if (place := in_place_of_earlier(mux, old, pane, source, self.place)) is None:
            place = self._opened(mux, origin, source, pane)
        after = place.workspace
        for each in old:
            after = edit.remove_pane(after, each) if each in after.panes else after
        return replace(place, workspace=after)

    def _opened(self, mux: Multiplexer, origin: Origin, source: PaneId, pane: Pane) -> Place:
        if self.place is Placement.SPLIT:
            return for_agent(mux, origin, pane, Split(source, self.direction or Direction.AUTO))
        session = BACKGROUND if self.place is Placement.HIDDEN else mux.window_of(source).session
        return Place(in_window(mux, pane, session, focus=wants_focus(None, origin)), self.place)


class _Job:
    """A command in its own pane whose caller waits. Main thread only."""

    def __init__(
        self,
        mux: Multiplexer,
        opened: OpenedPane,
        words: str,
        keep: Keep,
        limit: int,
        author: Author,
        analysis: Analysis,
        *,
        ansi: bool,
    ) -> None:
        self._mux, self._keep, self._limit, self._ansi = mux, keep, limit, ansi
        self._pane = pane = PaneId(opened.id[1:])
        self._placed, self._place_note = opened.placed, opened.note
        self._words, self._analysis = words, analysis
        self._started = time.monotonic()
        self._terminal = mux.terminal(pane)
        self._input = mux.input(pane, author)
        self._number = self._terminal.shell.record_program(words)
        self._updates = PaneUpdates(mux, pane)

    async def outcome(self, timeout: float, *, interrupt: bool) -> CommandOutcome:
        """The result when the program exits, or after a time-out. Raises TerminalGone."""
        try:
            with self._updates:
                async with asyncio.timeout(timeout):
                    exit = await self._exit()
        except TimeoutError:
            return await self._analysed(self._outcome(None))
        except asyncio.CancelledError:
            if interrupt and is_given_up():
                with suppress(FugueError):
                    self._input.interrupt()
                spawn(self._terminate())
            raise
        finally:
            if self._keep is Keep.FAILED:
                mark_run(self._mux, self._pane)
        outcome = self._outcome(exit)
        try:
            return await self._analysed(outcome)
        finally:
            self._dispose(outcome)

    async def _analysed(self, outcome: CommandOutcome) -> CommandOutcome:
        return await self._analysis.added(outcome, self._words, self._output, CommandSource.PROGRAM)

    def _output(self) -> str:
        return clip(self._terminal, self._command, MOST_OUTPUT, lines=self._terminal.newlines).text

    @property
    def _command(self) -> CommandRecord:
        return self._terminal.shell.command(self._number) or CommandRecord(0, "", "", self._started, 0.0)

    async def interrupt_after(self, seconds: float) -> None:
        """Interrupt the program if it still runs after so many seconds, and end it if that does not."""
        await asyncio.sleep(seconds)
        if self._mux.terminals.get(self._pane) is self._terminal and self._terminal.exit is None:
            with suppress(FugueError):
                self._input.interrupt()
            await self._terminate()

    async def _exit(self) -> Exit:
        while True:
            match await self._updates.next():
                case Ended(exit):
                    return exit
                case Started():
                    raise TerminalGone(f"the program of {self._pane} was replaced by another")
                case PaneClosed():
                    raise TerminalGone(f"pane {self._pane} was closed")
                case _:
                    pass

    async def _terminate(self) -> None:
        await asyncio.sleep(GRACE)
        if self._terminal.exit is None:
            with suppress(FugueError):
                self._input.signal(signal.SIGTERM)

    def _outcome(self, exit: Exit | None) -> CommandOutcome:
        """The result; `exit` is None after a time-out."""
        found = clip(self._terminal, self._command, self._limit, lines=self._terminal.newlines, ansi=self._ansi)
        note_position(self._mux, self._pane, self._terminal, here(self._terminal))
        ended = exit.words if exit else None
        stays = exit is None or self._stays(exit.code, truncated=bool(found.omitted))
        rest = cursor(self._mux, self._pane, self._terminal, found.rest, runs=exit is None) if stays else None
        return CommandOutcome(
            text=found.text,
            pane=str(self._pane),
            exit_code=exit.code if exit else None,
            timed_out=exit is None,
            interrupted=exit is not None and exit.signal == signal.SIGINT,
            ended=ended,
            seconds=round(time.monotonic() - self._started, 3),
            queued_ms=0,
            cwd=clean_path(self._mux.cwd(self._pane)),
            method="process",
            truncated=bool(found.omitted),
            omitted_lines=found.omitted,
            cursor=rest,
            kept=stays,
            placed=self._placed,
            note="; ".join(filter(None, (_RUNS if exit is None else "", self._place_note if stays else ""))),
            ansi=self._ansi,
        )

    def _stays(self, code: int | None, *, truncated: bool) -> bool:
        failed = code != 0 or truncated
        return self._keep in (Keep.ALWAYS, Keep.UNSEEN) or (self._keep is Keep.FAILED and failed)

    def _dispose(self, outcome: CommandOutcome) -> None:
        """Close the pane now or once seen, as `keep` requires."""
        if not outcome.kept:
            self._mux.post(lambda: _close(self._mux, self._pane))
        elif self._keep is Keep.UNSEEN:
            _close_when_seen(self._mux, self._pane)


def _close(mux: Multiplexer, pane: PaneId) -> None:
    """Close a pane whose program has ended, unless it is the last, whose end would end the workspace."""
    if pane in mux.exits and len(mux.workspace.panes) > 1:
        mux.assign(edit.remove_pane(mux.workspace, pane))


def _close_when_seen(mux: Multiplexer, pane: PaneId) -> None:
    """Close a pane once its window was selected and no longer is."""
    seen = [False]
    disconnect: list[Callable[[], None]] = []

    def changed(old: Workspace, new: Workspace) -> None:
        try:
            front = new.active == mux.window_of(pane).id
        except NotFound:
            disconnect.pop()()
            return
        if front or not seen[0]:
            seen[0] = seen[0] or front
            return
        disconnect.pop()()
        mux.post(lambda: _close(mux, pane))

    disconnect.append(mux.on_change.connect(changed))
    seen[0] = mux.workspace.active == mux.window_of(pane).id
