"""Types one command into a shell, from the wait for the prompt to Enter. Main thread only.

The text is sent first; Enter follows once the shell has echoed the text, where that can be observed.
"""

import asyncio
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from fugue_tui.control.core.pane_subscription import PaneSubscription, after
from fugue_tui.control.shell_exec.command_state import ECHO, GRACE, PROMPT, QUIET, CommandEnd, CommandStage
from fugue_tui.control.shell_exec.dialects import Dialect, ShellLine
from fugue_tui.control.shell_exec.prompt_detection import Shell, occupied, shell_in, unsure
from fugue_tui.control.shell_exec.typed_line import TypedLine, is_behind_other, is_within, shows, typed
from fugue_tui.errors import FugueError, Refused, TerminalGone
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.events.pane_events import Ended, PaneEvent, Started
from fugue_tui.multiplexer.pane_queue import Done
from fugue_tui.sanitize import clean
from fugue_tui.terminal.emulator.command_record import CommandRecord
from fugue_tui.terminal.emulator.events import PromptMark
from fugue_tui.terminal.input.keys import KeyPress, Modifiers
from fugue_tui.terminal.terminal import Terminal

AGAIN: Final = 0.05
"""Seconds between two polls of a shell that is not at its prompt yet."""
_STRAYS: Final = 3
"""Prompts that are skipped because a background job prints there."""
_ENTER: Final = KeyPress("enter")
INTERRUPT: Final = KeyPress("c", Modifiers.CTRL)
"""Ctrl+C."""


class PromptDriver:
    """A command to be typed. Set the callbacks before it begins."""

    def __init__(
        self,
        mux: Multiplexer,
        pane: PaneId,
        line: ShellLine | Callable[[Dialect], ShellLine],
        *,
        forced: bool = False,
        polite: bool = True,
    ):
        self.mux, self.pane, self.line = mux, pane, line
        loop = asyncio.get_running_loop()
        self.begun: asyncio.Future[CommandRecord] = loop.create_future()
        """Done when the command runs."""
        self.ended: asyncio.Future[CommandEnd] = loop.create_future()
        """Done when the command has ended; an error other than FugueError is a bug. It keeps its turn until it is
        released."""
        self.on_turn: Callable[[], object] = lambda: None
        """Called when its turn comes, before it does anything."""
        self.stage = CommandStage.QUEUED
        self.shell: Shell | None = None
        self.record: CommandRecord | None = None
        self.terminal: Terminal
        """Set once it has begun."""
        self.interrupted = False
        """Whether Ctrl+C was sent on cancellation."""
        self._cancelled = False
        self.typed_at = 0.0
        """When Enter was pressed, on the monotonic clock."""
        self._forced, self._polite = forced, polite
        self._done: Done = lambda: None
        self._leave: Done = lambda: None
        self._typed: TypedLine | None = None
        self._number = 0
        self._outer: CommandRecord | None = None
        self._prompt_at = 0.0
        self._tries = self._strays = self._count = 0
        self._subscription: PaneSubscription | None = None

    @property
    def method(self) -> str:
        """What reports start and end: integration or marker; empty until known."""
        return "" if self.shell is None else "marker" if self.marked else "integration"

    @property
    def marked(self) -> bool:
        """Whether it was typed with marks of its own."""
        return self._typed is not None and self._typed.marked

    def join(self) -> None:
        """Join the pane's queue. Raises Refused if that is full."""
        self._leave = self.mux.pane_queue.join(self.pane, self.begin)

    def begin(self, done: Done) -> None:
        """Start, as the head of the queue; `done` is called when the pane is free for the next."""
        self._done = done
        self.on_turn()
        if self.stage is CommandStage.OVER:
            done()
            return
        self.stage, self._patience = CommandStage.WAITING, time.monotonic() + PROMPT
        self._attempt(self._begin)

    def _begin(self) -> None:
        self.terminal = self.mux.terminal(self.pane)
        self._subscription = PaneSubscription(self.mux, self.pane, self)
        self._look()

    def cancel(self, *, interrupt: bool) -> None:
        """Interrupt the command or leave it running; nobody waits for its end any more."""
        self._cancelled = True
        self.begun.cancel()
        self.ended.cancel()
        if interrupt and self.stage in (CommandStage.TYPED, CommandStage.ENTERED, CommandStage.RUNNING):
            self.interrupted = True
            if self.stage is CommandStage.RUNNING:
                self.terminal.press(INTERRUPT)
            elif self._interrupt():
                after(self.mux, 2 * QUIET, self._insist)
            after(self.mux, GRACE, self._close)
        elif self.stage is not CommandStage.RUNNING:
            self._close()
        else:
            self._done()

    def _insist(self) -> None:
        """Repeat Ctrl+C: a shell may miss one between Enter and the command's start; bash may lose the Enter too."""
        pressed = self.stage not in (CommandStage.ENTERED, CommandStage.RUNNING) or self._interrupt()
        if pressed and self.stage < CommandStage.RUNNING:
            after(self.mux, 2 * QUIET, self._insist)

    def _interrupt(self) -> bool:
        """Press Ctrl+C to clear the typed text; False if another client has typed since, and would lose that."""
        if self._is_joined:
            return False
        self.terminal.press(INTERRUPT)
        self.terminal.sent.settle()  # The text at the prompt is only this command's.
        self._count = self.terminal.sent.count
        return True

    @property
    def _is_joined(self) -> bool:
        """Whether another client has typed since this did."""
        return self.terminal.sent.count != self._count

    def release(self) -> None:
        """Let the next in the queue start, though this may still run; no effect once it is cancelled."""
        if not self._cancelled:
            self._done()

    # Until it is typed

    def _attempt(self, step: Callable[[], None]) -> None:
        """Call a step; any exception, a bug too, ends this command, and the next in the queue starts."""
        try:
            step()
        except Exception as error:  # noqa: BLE001  (handed to the caller, who reports it)
            self._fail(error)

    def _look(self) -> None:
        if self.stage is CommandStage.WAITING:
            self._attempt(self._type_at_prompt)

    def _type_at_prompt(self) -> None:
        patient = time.monotonic() < self._patience - PROMPT + QUIET
        shell = shell_in(self.mux, self.pane, forced=self._forced, patient=patient)
        if shell is not None and not shell.settled:
            self._prompt_at = self._prompt_at or time.monotonic()
        whole = shell is not None and (shell.settled or time.monotonic() > self._prompt_at + QUIET)
        if shell is not None and whole and not self._is_clearing(shell):
            self._type(shell)
        else:
            self._look_again()

    def _is_clearing(self, shell: Shell) -> bool:
        """Whether Ctrl+C was pressed at a prompt with text, and the shell has not consumed it yet."""
        printed_at = 0.0 if shell.marks else self.terminal.printed_at
        return not self.terminal.shell.at_input and self.terminal.sent.is_clearing(printed_at)

    def _look_again(self) -> None:
        if time.monotonic() > self._patience:
            raise Refused(f"the shell in {self.pane} does not come to its prompt; read-pane shows what it does")
        after(self.mux, AGAIN, self._look)

    def _type(self, shell: Shell) -> None:
        wait = self.mux.lease(self.pane) if self._polite else None
        if wait is not None:
            raise Refused(f"the user is typing in {self.pane}; try again in {wait} ms", retry_after_ms=wait)
        if text := self.terminal.shell.typed.strip():
            self._skip_prompt(text)
        if self.stage is not CommandStage.WAITING:
            return
        if not self.terminal.shell.at_input and self.terminal.sent.is_left_at(shell.pid, tells=shell.marks):
            raise unsure(self.pane)
        self.shell = shell
        line = self.line if isinstance(self.line, ShellLine) else self.line(shell.dialect)
        if self._tries:
            line = replace(line, by_file=True)
        self._drop_typed()
        if shell.lost_marks:
            self.terminal.shell.lose_track()
        self._typed = typed(self.terminal, shell, line, forced=self._forced)
        self._number = self._typed.number
        self._outer = next((record for record in self.terminal.shell.commands[-1:] if record.running), None)
        self.stage = CommandStage.TYPED
        self.terminal.paste(self._typed.text)
        self._count = self.terminal.sent.count
        if self.marked or not self.terminal.shell.at_input:
            self._enter()
        else:
            self._check_echo()
            after(self.mux, ECHO, lambda: self._attempt(self._missing_echo))

    def _skip_prompt(self, text: str) -> None:
        """Skip a prompt with text, unless a user typed it: a background job may have printed there."""
        if not self.terminal.sent.nothing_since:
            raise occupied(self.pane, text)
        self._strays += 1
        self._count = self.terminal.sent.count
        if self._strays <= _STRAYS:
            self._type_again()

    def _check_echo(self) -> None:
        if self.stage is not CommandStage.TYPED or self._typed is None:
            return
        strays = self._strays and not self._is_joined
        if (is_within if strays else shows)(self.terminal.shell.typed, self._typed.text):
            self._enter()

    def _missing_echo(self) -> None:
        """Retry after a wrong echo, as in vi's command mode or where pasted text is quoted: at a new prompt, with as
        little text as possible."""
        if self.stage is not CommandStage.TYPED:
            return
        self._tries += 1
        shown, typed = self.terminal.shell.typed, self._typed.text if self._typed else ""
        if is_behind_other(shown, typed) and "\n" not in typed:
            self.terminal.write(b"\x7f" * len(typed))
            self._fail(occupied(self.pane, shown[: -len(typed)]))
            return
        if not shown.strip() and self._tries > 1:
            self._enter()  # It echoes nothing.
            return
        if self._tries == 1:
            self._type_again()
            return
        self._give_up(
            Refused(f"the shell in {self.pane} shows `{clean(shown, 80)}` instead of the typed text; nothing was run")
        )

    def _type_again(self) -> None:
        """Type at the next prompt, as the present one may append the text to what it has."""
        if not self._interrupt():
            raise occupied(self.pane, self.terminal.shell.typed)
        self.stage, self._patience = CommandStage.CLEARED, time.monotonic() + PROMPT
        after(self.mux, 2 * QUIET, self._cleared)

    def _cleared(self) -> None:
        if self.stage is CommandStage.CLEARED:
            self.stage = CommandStage.WAITING
            self._look()

    def _enter(self) -> None:
        self.stage, self.typed_at = CommandStage.ENTERED, time.monotonic()
        if self.shell and self.shell.dialect is Dialect.SH and not self._forced:
            self.terminal.write(b"\n")  # A terminal left in raw mode does not turn CR into a line end.
        else:
            self.terminal.press(_ENTER)
        self._count = self.terminal.sent.count

    # Callbacks

    def said(self, event: PaneEvent) -> None:
        """Handle an event of the pane."""
        match event:
            case PromptMark(kind="A" | "B") if self.stage is CommandStage.WAITING:
                self._look()
            case PromptMark(kind="A" | "B") if not event.continues:
                self._cleared()
            case Ended(exit) if self.stage < CommandStage.ENTERED:
                self._fail(TerminalGone(f"the program in {self.pane} is over ({exit.words})"))
            case Started():
                self._fail(TerminalGone(f"the program of {self.pane} was replaced by another"))
            case _:
                pass

    def printed(self) -> None:
        """Handle new output."""
        self._attempt(self._check_echo)

    def gone(self) -> None:
        """Handle that the pane was closed."""
        self._fail(TerminalGone(f"pane {self.pane} was closed"))

    def _give_up(self, error: FugueError) -> None:
        """Fail, but let the next in the queue wait until the shell has consumed Ctrl+C and shows another prompt."""
        self._set_error(error)
        self.stage = CommandStage.ENTERED
        self.cancel(interrupt=True)

    def _fail(self, error: Exception) -> None:
        if self.stage is not CommandStage.OVER:
            self._close()
            self._done()
            self._set_error(error)

    def _set_error(self, error: Exception) -> None:
        if not self.ended.done():
            self.ended.set_exception(error)
            self.ended.exception()  # Whoever waits for it gets it; nobody has to.

    def _drop_typed(self) -> None:
        if self._typed is not None:
            self._typed.clean_up()

    def _close(self) -> None:
        """Unsubscribe, clean up and leave the queue."""
        if self.stage is CommandStage.OVER:
            return
        self.stage = CommandStage.OVER
        if self._subscription is not None:
            self._subscription.close()
        self._drop_typed()
        self._leave()
        if self.ended.done():
            self._done()
