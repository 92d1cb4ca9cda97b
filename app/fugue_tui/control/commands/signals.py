"""Ending what runs in a pane, gently and then less so, and sending it a signal."""

import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Annotated, Final

from annotated_types import Interval

from fugue_tui.control.core import target
from fugue_tui.control.core.command import Command, Confirmation, Effect, Origin, Toolset
from fugue_tui.control.core.confirmation import ending, pane_words
from fugue_tui.control.core.deferred import Deferred
from fugue_tui.control.core.pane_subscription import PaneSubscription, after
from fugue_tui.control.shell_exec.prompt_detection import running
from fugue_tui.control.shell_exec.prompt_driver import INTERRUPT
from fugue_tui.errors import Refused
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.events.pane_events import Ended, PaneEvent
from fugue_tui.sanitize import clean
from fugue_tui.shell_names import is_interactive
from fugue_tui.terminal.emulator.events import PromptMark
from fugue_tui.terminal.pty import process
from fugue_tui.terminal.terminal import Terminal

_LOOK: Final = 0.05
"""Seconds between two looks whether a program is gone, of which nothing else tells."""

_BRIEF: Final = 0.3
"""Seconds that a signal has which is not meant to end anything, and a shell to tell of a program that is gone."""

Seconds = Annotated[float, Interval(ge=0, le=30)]


class Signal(StrEnum):
    """The signals that can be sent."""

    INT = "int"
    TERM = "term"
    HUP = "hup"
    QUIT = "quit"
    KILL = "kill"
    STOP = "stop"
    CONT = "cont"
    USR1 = "usr1"
    USR2 = "usr2"
    WINCH = "winch"

    @property
    def number(self) -> signal.Signals:
        """The number that the kernel knows it by."""
        return signal.Signals[f"SIG{self.name}"]


@dataclass(frozen=True, slots=True)
class Interrupted:
    """What was done to end a program, and whether it ended."""

    pane: str
    """The pane."""
    program: str
    """What was in front: untrusted text."""
    steps: tuple[str, ...]
    """What was done, in order: ctrl+c, sigint, sigterm, sigkill."""
    ended: bool
    """Whether it is over: its processes are gone, or its shell is back at the prompt."""
    exit_code: int | None
    """The exit status of the command, if its shell or the kernel told."""
    front: str
    """What is in front now: untrusted text; empty if the pane's own program is over."""
    seconds: float
    """How long it took."""


class InterruptPane(Command[Interrupted], name="interrupt-pane", effect=Effect.INPUT, toolset=Toolset.DEFAULT):
    """Interrupt what runs in a pane: press Ctrl+C and tell whether it ended.

    escalate sends SIGINT to its process group after that, for programs that read Ctrl+C as a key. signal-pane ends what
    heeds neither. A shell that waits at its prompt only gets a fresh line.
    """

    pane: str
    """The pane: an id or a name."""
    escalate: bool = False
    """Whether to send SIGINT too, if Ctrl+C did not end it."""
    wait: Seconds = 2.0
    """Seconds to wait after each step."""

    def run(self, mux: Multiplexer, origin: Origin) -> Deferred[Interrupted]:
        """Begin. Raises NotFound or TerminalGone."""
        pane = target.pane(mux, self.pane, origin)
        terminal = running(mux, pane)
        steps: list[_Step] = [("ctrl+c", lambda group: terminal.press(INTERRUPT))]
        if self.escalate:
            steps.append(_signalling(Signal.INT))
        return _Ending(mux, pane, steps, self.wait).begin()


class SignalPane(Command[Interrupted], name="signal-pane", effect=Effect.DESTROY, toolset=Toolset.RUNNING):
    """Send a signal to the program in the foreground of a pane, to its whole process group, and tell whether it ended.

    escalate goes on with what is stronger until it ends: int, then term, then kill. Where a shell waits at its prompt
    that is the shell.
    """

    pane: str
    """The pane; agents must give its exact id."""
    signal: Signal = Signal.TERM
    """The signal to send."""
    escalate: bool = False
    """Whether to go on with term and kill if it does not end; only for int, term, hup and quit."""
    wait: Seconds = 2.0
    """Seconds to wait after each step."""

    def confirmation(self, mux: Multiplexer, origin: Origin) -> Confirmation | None:
        """Asked where something runs."""
        pane = target.pane(mux, self.pane, origin)
        question = f"Send {self.signal} to what runs in {pane_words(mux, pane)}?"
        return ending(mux, [pane], question, replace(self, pane=str(pane)))

    def run(self, mux: Multiplexer, origin: Origin) -> Deferred[Interrupted]:
        """Begin. Raises NotFound, Refused or TerminalGone."""
        pane = target.pane_to_close(mux, self.pane, origin)
        running(mux, pane)
        steps = [_signalling(each) for each in self._signals()]
        if self.signal in _LASTING:
            return _Ending(mux, pane, steps, min(self.wait, _BRIEF), ends=False).begin()
        return _Ending(mux, pane, steps, self.wait).begin()

    def _signals(self) -> list[Signal]:
        if not self.escalate:
            return [self.signal]
        if self.signal in _LASTING:
            raise Refused(f"signal: {self.signal} ends nothing, so there is nothing to escalate; leave escalate out")
        stronger = [each for each in (Signal.TERM, Signal.KILL) if each is not self.signal]
        return [self.signal, *([] if self.signal is Signal.KILL else stronger)]


_LASTING: Final = frozenset((Signal.STOP, Signal.CONT, Signal.USR1, Signal.USR2, Signal.WINCH))
"""Signals that are not meant to end anything."""
_Step = tuple[str, Callable[[int], object]]


def _signalling(wanted: Signal) -> _Step:
    def send(group: int) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(group, wanted.number)

    return f"sig{wanted}", send


class _Ending:
    """The ending of one program, step by step. Main thread only."""

    def __init__(self, mux: Multiplexer, pane: PaneId, steps: list[_Step], wait: float, *, ends: bool = True) -> None:
        self._mux, self._pane, self._steps, self._wait, self._ends = mux, pane, steps, wait, ends
        self._terminal: Terminal = mux.terminal(pane)
        self._group = self._terminal.foreground_group
        self._program = clean(process.name(self._group))
        self._is_shell = is_interactive(process.argv(self._group))
        self._begun = self._until = time.monotonic()
        self._done: list[str] = []
        running = self._terminal.newest_command
        self._number = running.number if running and running.running else 0
        self._code: int | None = None
        self._later = Deferred[Interrupted](self._close)
        self._ear = PaneSubscription(mux, pane, self)

    def begin(self) -> Deferred[Interrupted]:
        """What it comes to."""
        if not self._group:
            self._ear.close()
            raise Refused(f"nothing is in front in {self._pane}; get-pane-state shows what its program does")
        self._step()
        return self._later

    def said(self, event: PaneEvent) -> None:
        """For the ear."""
        match event:
            case Ended(exit):
                self._code = exit.code
                self._finish(ended=True)
            case PromptMark(kind="A", continues=False) if self._ends:
                self._mux.post(self._at_prompt)
            case _:
                pass

    def printed(self) -> None:
        """For the ear: what is printed says nothing of an end."""

    def gone(self) -> None:
        """For the ear."""
        self._finish(ended=True)

    def _at_prompt(self) -> None:
        if self._terminal.shell.at_prompt or self._terminal.closed:
            self._finish(ended=True)

    def _step(self) -> None:
        if self._later.done:
            return
        name, do = self._steps.pop(0)
        self._done.append(name)
        do(self._group)
        self._until = time.monotonic() + self._wait
        after(self._mux, _LOOK, self._watch)

    def _watch(self) -> None:
        """Look again and again, for no event tells that a program is gone whose shell marks nothing."""
        if self._later.done:
            return
        if not self._alive():
            wait = _BRIEF if self._terminal.shell.integrated and not self._is_shell else 0.0
            after(self._mux, wait, lambda: self._finish(ended=True))
        elif time.monotonic() < self._until:
            after(self._mux, _LOOK, self._watch)
        elif self._steps:
            self._step()
        else:
            self._finish(ended=False)

    def _alive(self) -> bool:
        """Whether the program still runs; a shell, whether it does something of its own."""
        if self._is_shell and self._ends:
            return self._terminal.shell.integrated or process.is_busy(self._group)
        return bool(process.in_group(self._group))

    def _finish(self, *, ended: bool) -> None:
        if self._later.done:
            return
        self._close()
        terminal, group = self._terminal, self._terminal.foreground_group
        self._later.settle(
            Interrupted(
                pane=str(self._pane),
                program=self._program,
                steps=tuple(self._done),
                ended=ended,
                exit_code=self._exit_code(),
                front="" if terminal.exit else clean(process.name(group)),
                seconds=round(time.monotonic() - self._begun, 3),
            )
        )

    def _exit_code(self) -> int | None:
        """What is known by now of the command that ran, whose own event may come after that of the prompt."""
        command = self._terminal.command(self._number)
        return command.exit_code if command and self._code is None else self._code

    def _close(self) -> None:
        self._ear.close()
