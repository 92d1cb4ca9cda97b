"""One command typed at a shell's prompt, from the wait for that prompt to the command's end. Main thread only.

The text goes first; Enter follows once the shell shows that it took the text for what it is, where that can be told.
Begin and end are told by the shell's own marks, or by marks that are typed along with the command.
"""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from fugue_tui.control.ear import Ear, Silence, after
from fugue_tui.control.entry import Typed, is_behind_other, shows, typed
from fugue_tui.control.front import Shell, shell_in, taken
from fugue_tui.control.shells import Dialect, Line
from fugue_tui.control.stages import ECHO, GRACE, PROMPT, QUIET, End, Stage
from fugue_tui.errors import FugueError, InvalidArgument, Refused, TerminalGone
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.live import Ended, PaneEvent, Started
from fugue_tui.multiplexer.turns import Done
from fugue_tui.terminal import process
from fugue_tui.terminal.events import CommandFinished, CommandStarted, PromptMark
from fugue_tui.terminal.keys import KeyPress, Modifiers
from fugue_tui.terminal.record import CommandRecord
from fugue_tui.terminal.terminal import Terminal
from fugue_tui.text import clean

_AGAIN: Final = 0.05

_ENTER: Final = KeyPress("enter")
INTERRUPT: Final = KeyPress("c", Modifiers.CTRL)
"""Ctrl+C."""


class Execution:
    """A command on its way through a pane. Set what is to be told before it begins."""

    def __init__(
        self,
        mux: Multiplexer,
        pane: PaneId,
        line: Line | Callable[[Dialect], Line],
        *,
        forced: bool = False,
        polite: bool = True,
    ):
        self.mux, self.pane, self.line = mux, pane, line
        self.on_begun: Callable[[CommandRecord], object] = lambda record: None
        self.on_over: Callable[[End], object] = lambda end: None
        self.on_error: Callable[[FugueError], object] = lambda error: None
        """One of these two is called once, unless it is cancelled."""
        self.stage = Stage.QUEUED
        self.shell: Shell | None = None
        self.record: CommandRecord | None = None
        self.terminal: Terminal
        """Where it runs, once it has begun."""
        self.typed_at = 0.0
        """When Enter was pressed, on the monotonic clock."""
        self._forced, self._polite = forced, polite
        self._done: Done = lambda: None
        self._typed: Typed | None = None
        self._number = 0
        self._outer: CommandRecord | None = None
        self._prompt_at = 0.0
        self._tries = 0
        self._more = 0
        self._silence = Silence(mux, QUIET, self._fell_silent)
        self._ear: Ear | None = None

    @property
    def method(self) -> str:
        """What tells begin and end: integration or marker; empty until that is known."""
        return "" if self.shell is None else "marker" if self._marked else "integration"

    def begin(self, done: Done) -> None:
        """It is its turn; `done` is called when the pane is free for the next."""
        self._done = done
        if self.stage is Stage.OVER:
            done()
            return
        self.stage, self._patience = Stage.WAITING, time.monotonic() + PROMPT
        try:
            self.terminal = self.mux.terminal(self.pane)
        except FugueError as error:
            self._fail(error)
            return
        self._ear = Ear(self.mux, self.pane, self)
        self._look()

    def cancel(self, *, interrupt: bool) -> None:
        """Nobody wants to hear of it any more: stop it, or leave it alone."""
        self.on_begun = self.on_over = self.on_error = _hear_nothing
        if interrupt and self.stage in (Stage.TYPED, Stage.ENTERED, Stage.RUNNING):
            self.terminal.press(INTERRUPT)
            after(self.mux, GRACE, self._close)
        elif self.stage is not Stage.RUNNING:
            self._close()
        else:
            self._done()

    def release(self) -> None:
        """Let the next in line go on, though it may still run."""
        self._done()

    # Until it is typed

    def _look(self) -> None:
        if self.stage is not Stage.WAITING:
            return
        try:
            patient = time.monotonic() < self._patience - PROMPT + QUIET
            shell = shell_in(self.mux, self.pane, forced=self._forced, patient=patient)
            if shell is not None and not shell.settled:
                self._prompt_at = self._prompt_at or time.monotonic()
            if shell is None or not (shell.settled or time.monotonic() > self._prompt_at + QUIET):
                self._look_again()
            else:
                self._type(shell)
        except FugueError as error:
            self._fail(error)

    def _look_again(self) -> None:
        if time.monotonic() > self._patience:
            raise Refused(f"the shell in {self.pane} does not come to its prompt; read-pane shows what it does")
        after(self.mux, _AGAIN, self._look)

    def _type(self, shell: Shell) -> None:
        wait = self.mux.lease(self.pane) if self._polite else None
        if wait is not None:
            raise Refused(f"a person is typing in {self.pane}; try again in {wait} ms", retry_after_ms=wait)
        if there := self.terminal.typed.strip():
            raise taken(self.pane, there)
        self.shell = shell
        line = self.line if isinstance(self.line, Line) else self.line(shell.dialect)
        self._typed = typed(self.terminal, shell, line, forced=self._forced)
        self._number = self._typed.number
        self._outer = next((record for record in self.terminal.commands[-1:] if record.running), None)
        self.stage = Stage.TYPED
        self.terminal.paste(self._typed.text)
        if self._marked or not self.terminal.at_input:
            self._enter()
        else:
            self._check_echo()
            after(self.mux, ECHO, self._missing_echo)

    @property
    def _marked(self) -> bool:
        return self._typed is not None and self._typed.marked

    def _check_echo(self) -> None:
        if self.stage is Stage.TYPED and self._typed and shows(self.terminal.typed, self._typed.text):
            self._enter()

    def _missing_echo(self) -> None:
        """The shell made something else of it: in vi's command mode, for one. A new prompt takes text again."""
        if self.stage is not Stage.TYPED:
            return
        self._tries += 1
        shown, typed = self.terminal.typed, self._typed.text if self._typed else ""
        if is_behind_other(shown, typed) and "\n" not in typed:
            self.terminal.write(b"\x7f" * len(typed))
            self._fail(taken(self.pane, shown[: -len(typed)]))
            return
        if not shown.strip() and self._tries > 1:
            self._enter()  # It shows nothing of what is typed at it.
            return
        self.terminal.press(INTERRUPT)
        if self._tries == 1:
            self.stage, self._patience = Stage.WAITING, time.monotonic() + PROMPT
            after(self.mux, _AGAIN, self._look)
            return
        self._fail(Refused(f"the shell in {self.pane} made `{clean(shown, 80)}` of what was typed; nothing was run"))

    def _enter(self) -> None:
        self.stage, self.typed_at = Stage.ENTERED, time.monotonic()
        self.terminal.press(_ENTER)

    # Until it is over

    def said(self, event: PaneEvent) -> None:
        """For the ear."""
        match event:
            case PromptMark(kind=kind):
                self._prompted(event, kind)
            case CommandStarted(record):
                self._begun(record)
            case CommandFinished(record):
                self._finished(record)
            case Ended(exit) if self.stage < Stage.ENTERED:
                self._fail(TerminalGone(f"the program in {self.pane} is over ({exit.words})"))
            case Ended(exit):
                self._over(End(self.record, exit.code, exit))
            case Started():
                self._fail(TerminalGone(f"the program of {self.pane} was replaced by another"))
            case _:
                pass

    def _prompted(self, mark: PromptMark, kind: str) -> None:
        if self.stage is Stage.WAITING and kind in "AB":
            self._look()
        elif self.stage is Stage.ENTERED and mark.continues:
            self._more += 1
            if self._typed and self._more > self._typed.prompts:
                self._incomplete()
        elif self.stage is Stage.ENTERED and kind == "B":
            after(self.mux, QUIET, self._prompt_without_command)

    def _incomplete(self) -> None:
        self.terminal.press(INTERRUPT)
        self._fail(
            InvalidArgument(
                "command: the shell waits for more of it (an open quotation or bracket, or a backslash at its end); "
                "nothing was run"
            )
        )

    def _prompt_without_command(self) -> None:
        fresh = self.terminal.at_prompt and not self.terminal.typed.strip()
        if self.stage is Stage.ENTERED and fresh and not self._marked:
            self._over(End(None, None))

    def _begun(self, record: CommandRecord) -> None:
        ours = record.number == self._number if self._marked else record.number > self._number
        if self.stage in (Stage.TYPED, Stage.ENTERED) and ours:
            self.stage, self.record = Stage.RUNNING, record
            self.on_begun(record)

    def _finished(self, record: CommandRecord) -> None:
        if self._outer and record.number == self._outer.number and self._marked:
            self._over(End(self.record, record.exit_code, lost=True))
        if self.stage is not Stage.RUNNING or self.record is None or record.number < self.record.number:
            return
        if record.number != self.record.number:
            if self._marked:
                return
            # A shell that ran the lines of what was typed one by one told of each by itself.
            record = replace(record, start=self.record.start, started=self.record.started)
        self.record = record
        if self._leaves(record):
            after(self.mux, QUIET, lambda: self._over(End(record, record.exit_code)))
        elif record.exit_code is not None or self.terminal.exit or self.terminal.at_prompt:
            self._over(End(record, record.exit_code, self.terminal.exit))

    def _leaves(self, record: CommandRecord) -> bool:
        """Whether the shell may be about to end: fish says so only after it has told of the command that ended it."""
        fish = self.shell is not None and self.shell.dialect is Dialect.FISH and not self._marked
        leaves = isinstance(self.line, Line) and "exit" in self.line.command
        return fish and leaves and not (self.terminal.exit or self.terminal.at_prompt)

    def gone(self) -> None:
        """For the ear."""
        self._fail(TerminalGone(f"pane {self.pane} was closed"))

    def printed(self) -> None:
        """For the ear."""
        if self.stage is Stage.TYPED:
            self._check_echo()
        if self._marked and self.stage in (Stage.ENTERED, Stage.RUNNING):
            self._silence.heard()

    def _fell_silent(self) -> None:
        """Look whether a shell without marks gave the command up, or is gone: then nothing more is told."""
        if self.stage not in (Stage.ENTERED, Stage.RUNNING) or self._typed is None or self.shell is None:
            return
        gone = not process.argv(self.shell.pid) and not process.name(self.shell.pid)
        if gone or self._typed.at_prompt_again(self.terminal, self.shell.pid):
            self._over(End(self.record, None, lost=True))

    def _fail(self, error: FugueError) -> None:
        told = self.on_error
        if self._close():
            told(error)

    def _over(self, end: End) -> None:
        told = self.on_over
        if self.stage is not Stage.OVER:
            told(end)
            self._close()

    def _close(self) -> bool:
        """Hear nothing more; False if that is so already."""
        if self.stage is Stage.OVER:
            return False
        self.stage = Stage.OVER
        if self._ear is not None:
            self._ear.close()
        if self._typed is not None:
            self._typed.clean_up()
        self._done()
        return True


def _hear_nothing(told: object) -> None:
    """Nobody wants to know."""
