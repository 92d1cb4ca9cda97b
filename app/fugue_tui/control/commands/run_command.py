"""Running a command in a pane of its own, and telling how it ended and what it printed."""

import shlex
import signal
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from enum import StrEnum
from typing import Annotated, Final

from annotated_types import Ge

from fugue_tui.control.commands.panes import CreatePane
from fugue_tui.control.commands.wait import LONGEST, USUAL
from fugue_tui.control.core import target
from fugue_tui.control.core.command import Command, Effect, Origin, Toolset
from fugue_tui.control.core.deferred import Deferred
from fugue_tui.control.core.new_pane import Direction, Line, new_pane, wants_focus
from fugue_tui.control.core.pane_subscription import PaneSubscription, after
from fugue_tui.control.output.truncate import clip
from fugue_tui.control.shell_exec.command_state import GRACE
from fugue_tui.control.shell_exec.prompt_driver import INTERRUPT
from fugue_tui.control.shell_exec.result import SOME_OUTPUT, CommandOutcome, Limit, OnCancel, cursor, output_limit
from fugue_tui.errors import InvalidArgument, NotFound, TerminalGone
from fugue_tui.ids import PaneId
from fugue_tui.layout.tree import Leaf
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.events.pane_events import Ended, PaneEvent, Started
from fugue_tui.sanitize import clean
from fugue_tui.terminal.emulator.command_record import CommandRecord
from fugue_tui.terminal.pty.spawn import Exit
from fugue_tui.workspace import edit
from fugue_tui.workspace.model import OnExit, Window, Workspace

BACKGROUND: Final = "background"
"""The session of the windows that are opened out of the way."""
_NO_PAGER: Final = {"PAGER": "cat", "GIT_PAGER": "cat", "MANPAGER": "cat"}
"""What a command that nobody sits at is told, so that it does not wait for somebody to turn pages."""


class Place(StrEnum):
    """Where a pane opens."""

    SPLIT = "split"
    """Beside another pane."""
    WINDOW = "window"
    """In a window of its own, behind the one in front."""
    HIDDEN = "hidden"
    """The same in a session of its own, called background."""


class Keep(StrEnum):
    """Whether a pane stays once its command has ended."""

    FAILED = "failed"
    """If the command failed, or not all of its output was told."""
    UNSEEN = "unseen"
    """Until somebody has had it on the screen and turned away."""
    ALWAYS = "always"
    NEVER = "never"


class RunCommand(
    Command[CommandOutcome], name="run-command", effect=Effect.LAYOUT, toolset=Toolset.DEFAULT, creates=True
):
    """Run a command in a new pane of its own and tell its exit code, its output and how long it took.

    The person sees it run; their focus stays where it is. A time-out ends only the waiting: the answer tells the pane
    and a cursor to wait on with. Pagers are told to print everything (PAGER=cat). To use a shell that is open, with its
    directory and variables, use execute-command.
    """

    command: Line
    """What to run: one line for the person's shell, or a list of program and arguments."""
    pane: str = target.ACTIVE
    """The pane beside which it opens: an id, a name, or active for your own."""
    place: Place = Place.SPLIT
    """split beside the pane, window for a tab of its own, hidden for one in the session background."""
    direction: Direction = Direction.VERTICAL
    """Where a split goes: horizontal or right, vertical or down."""
    name: str = ""
    """A name for the new pane, which then works wherever an id does."""
    cwd: str = ""
    """Where to run it; omitted, where the pane beside it works."""
    env: Mapping[str, str] | None = None
    """Variables to set in its environment."""
    timeout: Annotated[float, Ge(0)] = USUAL
    """Seconds to wait at most; more than 110 are taken as 110."""
    keep: Keep = Keep.FAILED
    """Whether the pane stays afterwards: failed, unseen, always or never. One that outlives the time-out stays."""
    on_cancel: OnCancel = OnCancel.INTERRUPT
    """What becomes of the command if you cancel the call: interrupt presses Ctrl+C, leave lets it run."""
    ansi: bool = False
    """Whether the output comes with its colours."""
    limit: Limit = SOME_OUTPUT
    """Characters of output to give; of more, the beginning and the end."""

    def run(self, mux: Multiplexer, origin: Origin) -> Deferred[CommandOutcome]:
        """Begin. Raises InvalidArgument, NotFound, or SpawnFailed; nothing has changed then."""
        if not self.command or not any(word.strip() for word in self.command):
            raise InvalidArgument("command: there is nothing to run")
        pane = self._open(mux, origin)
        words = self.command if isinstance(self.command, str) else shlex.join(self.command)
        job = _Job(mux, pane, words, self.keep, output_limit(self.limit, origin), ansi=self.ansi)
        return job.begin(min(self.timeout, LONGEST), interrupt=self.on_cancel is OnCancel.INTERRUPT)

    def _open(self, mux: Multiplexer, origin: Origin) -> PaneId:
        env = _NO_PAGER | dict(self.env or {})
        if self.place is Place.SPLIT or not mux.workspace.windows:
            made = CreatePane(
                source_pane=self.pane, direction=self.direction, command=self.command, cwd=self.cwd, name=self.name,
                env=env, focus=wants_focus(None, origin), on_exit=OnExit.KEEP,
            ).run(mux, origin)  # fmt: skip
            return PaneId(made.id[1:])
        source = target.pane(mux, self.pane, origin)
        pane = new_pane(
            mux, origin,
            command=self.command, cwd=self.cwd, name=self.name, env=env, on_exit=OnExit.KEEP, source=source,
        )  # fmt: skip
        session = BACKGROUND if self.place is Place.HIDDEN else mux.window_of(source).session
        label = self.name or clean(self.command if isinstance(self.command, str) else self.command[0], 24)
        window = Window(mux.ids.next_window(), label, Leaf(pane.id), pane.id, session, named=True)
        mux.open([pane], edit.add_window(mux.workspace, window, [pane], focus=wants_focus(None, origin)))
        return pane.id


class _Job:
    """A command in a pane of its own, whose caller waits for it. Main thread only."""

    def __init__(self, mux: Multiplexer, pane: PaneId, words: str, keep: Keep, limit: int, *, ansi: bool) -> None:
        self._mux, self._pane, self._keep, self._limit, self._ansi = mux, pane, keep, limit, ansi
        self._begun = time.monotonic()
        self._terminal = mux.terminal(pane)
        self._number = self._terminal.shell.adopt(words)
        self._late = False
        self._later = Deferred[CommandOutcome]()
        self._ear = PaneSubscription(mux, pane, self)

    def begin(self, timeout: float, *, interrupt: bool) -> Deferred[CommandOutcome]:
        """What it comes to."""
        self._later.on_cancel = lambda: self._cancel(interrupt=interrupt)
        self._later.on_done(after(self._mux, timeout, self._expire))
        return self._later

    def said(self, event: PaneEvent) -> None:
        """For the ear."""
        match event:
            case Ended(exit):
                self._ear.close()
                ran = self._told(exit)
                self._tidy(ran)
                self._later.settle(ran)
            case Started():
                self._fail(f"the program of {self._pane} was replaced by another")
            case _:
                pass

    def printed(self) -> None:
        """For the ear: what is printed is read at the end."""

    def gone(self) -> None:
        """For the ear."""
        self._fail(f"pane {self._pane} was closed")

    def _fail(self, reason: str) -> None:
        self._ear.close()
        self._later.fail(TerminalGone(reason))

    def _expire(self) -> None:
        if not self._later.done:
            self._late = True
            self._later.settle(self._told(None))

    def _cancel(self, *, interrupt: bool) -> None:
        self._late = True
        if interrupt:
            self._terminal.press(INTERRUPT)
            after(self._mux, GRACE, self._terminate)

    def _terminate(self) -> None:
        if self._terminal.exit is None:
            with suppress(TerminalGone):
                self._terminal.interrupt(signal.SIGTERM)

    def _told(self, exit: Exit | None) -> CommandOutcome:
        """The answer: `exit` is None if the time is over."""
        command = self._terminal.shell.command(self._number) or CommandRecord(0, "", "", self._begun, 0.0)
        found = clip(self._terminal, command, self._limit, lines=self._terminal.newlines, ansi=self._ansi)
        ended = exit.words if exit else None
        stays = exit is None or self._stays(exit.code, truncated=bool(found.omitted))
        place = cursor(self._mux, self._pane, self._terminal, found.rest, runs=exit is None) if stays else None
        return CommandOutcome(
            text=found.text,
            pane=str(self._pane),
            exit_code=exit.code if exit else None,
            timed_out=exit is None,
            interrupted=exit is not None and exit.signal == signal.SIGINT,
            ended=ended,
            seconds=round(time.monotonic() - self._begun, 3),
            queued_ms=0,
            cwd=clean(self._mux.cwd(self._pane)),
            method="process",
            truncated=bool(found.omitted),
            omitted_lines=found.omitted,
            cursor=place,
            kept=stays,
            note="it still runs; wait-for-output with the cursor and exit waits on" if exit is None else "",
            ansi=self._ansi,
        )

    def _stays(self, code: int | None, *, truncated: bool) -> bool:
        if self._late:
            return True
        failed = code != 0 or truncated
        return self._keep in (Keep.ALWAYS, Keep.UNSEEN) or (self._keep is Keep.FAILED and failed)

    def _tidy(self, ran: CommandOutcome) -> None:
        """Close the pane now, or when it was seen, if that is what is wanted."""
        if not ran.kept:
            self._mux.post(lambda: _close(self._mux, self._pane))
        elif self._keep is Keep.UNSEEN:
            _close_when_seen(self._mux, self._pane)


def _close(mux: Multiplexer, pane: PaneId) -> None:
    """Close a pane whose program has ended; the last of all stays, as the workspace would go with it."""
    if pane in mux.exits and len(mux.workspace.panes) > 1:
        mux.assign(edit.remove_pane(mux.workspace, pane))


def _close_when_seen(mux: Multiplexer, pane: PaneId) -> None:
    """Close a pane when its window has been in front and no longer is."""
    seen = [False]
    untie: list[Callable[[], None]] = []

    def changed(old: Workspace, new: Workspace) -> None:
        try:
            front = new.active == mux.window_of(pane).id
        except NotFound:
            untie.pop()()
            return
        if front or not seen[0]:
            seen[0] = seen[0] or front
            return
        untie.pop()()
        mux.post(lambda: _close(mux, pane))

    untie.append(mux.on_change.connect(changed))
    seen[0] = mux.workspace.active == mux.window_of(pane).id
