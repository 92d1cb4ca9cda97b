"""Interrupt a pane's program, or send it a signal, with optional escalation."""

import asyncio
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from enum import StrEnum
from typing import Annotated, Final

from msgspec import Meta, Struct
from msgspec.structs import replace

from fugue_tui.control.core import target
from fugue_tui.control.core.command import Command, Confirmation, Effect, Origin, Toolset
from fugue_tui.control.core.confirmation import ending, pane_words
from fugue_tui.control.core.deferred import Deferred, run_task
from fugue_tui.control.core.pane_updates import PaneClosed, PaneUpdate, PaneUpdates
from fugue_tui.control.shell_exec.prompt_detection import running
from fugue_tui.errors import Refused
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.events.pane_events import Ended
from fugue_tui.multiplexer.input.pane_input import PaneInput
from fugue_tui.sanitize import clean
from fugue_tui.shell_names import is_interactive
from fugue_tui.terminal.emulator.events import PromptMark
from fugue_tui.terminal.pty import process

_POLL_INTERVAL: Final = 0.05
"""Seconds between polls for the exit of a program that no event reports."""

_SHORT_WAIT: Final = 0.3
"""Seconds to wait after a signal that ends nothing, and for a shell to report an exit."""

Seconds = Annotated[float, Meta(ge=0, le=30)]


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
        """The signal's number."""
        return signal.Signals[f"SIG{self.name}"]


class Interrupted(Struct, frozen=True):
    """The steps taken to end a program, and whether it ended."""

    pane: str
    """The pane's id."""
    program: str
    """The foreground program: untrusted text."""
    steps: tuple[str, ...]
    """The steps, in order: ctrl+c, sigint, sigterm, sigkill."""
    ended: bool
    """Whether it ended: its processes have exited, or its shell is back at the prompt; false if none ran."""
    exit_code: int | None
    """The command's exit status, if its shell or the kernel reported it."""
    front: str
    """The foreground program now: untrusted text; empty if the pane's own program has exited."""
    seconds: float
    """How long it took."""
    idle: bool = False
    """Whether the shell was at its prompt, so that there was nothing to end."""


class InterruptPane(
    Command[Interrupted],
    name="interrupt-pane",
    effect=Effect.INPUT,
    also=Effect.DESTROY,
    given=("escalate",),
    otherwise=Effect.INPUT,
    toolset=Toolset.DEFAULT,
):
    """Interrupt a pane's program: press Ctrl+C and report whether it ended.

    escalate goes on with SIGINT, SIGTERM and SIGKILL to its process group until it ends; a shell gets no more than
    SIGINT. A shell at its prompt only gets a new line.
    """

    pane: str
    """The pane: an id or a name; with escalate, agents must give its exact id."""
    escalate: bool = False
    """Whether to go on with SIGINT, SIGTERM and SIGKILL, one after the other, while it does not end."""
    wait: Seconds = 2.0
    """Seconds to wait after each step."""
    wait_for_user: target.WaitForUser = 0.0
    """Seconds to wait, at most 110, while the user types there; 0 refuses the call then."""

    def targets(self, mux: Multiplexer, origin: Origin) -> tuple[PaneId, ...]:
        """The pane."""
        return (self._target(mux, origin),)

    def _target(self, mux: Multiplexer, origin: Origin) -> PaneId:
        return (target.pane_to_close if self.escalate else target.pane)(mux, self.pane, origin)

    def run(self, mux: Multiplexer, origin: Origin) -> Deferred[Interrupted]:
        """Start the first step. Raises NotFound, Refused or TerminalGone."""
        pane = self._target(mux, origin)
        running(mux, pane)
        source = mux.input(pane, origin.author)
        steps: list[_Step] = [("ctrl+c", lambda group: source.interrupt())]
        if self.escalate:
            steps += [_signal_step(source, each) for each in (Signal.INT, Signal.TERM, Signal.KILL)]
        if not self.wait_for_user:
            source.check_end()
        termination = _Termination(mux, pane, self.wait)
        if termination.is_shell:
            del steps[2:]
        return run_task(termination.run_when_admitted(steps, source, self.wait_for_user))


class SignalPane(Command[Interrupted], name="signal-pane", effect=Effect.DESTROY, toolset=Toolset.RUNNING):
    """Send a signal to the foreground process group of a pane, and report whether it ended.

    escalate goes on with stronger signals until it ends: int, then term, then kill. At a shell's prompt, the shell
    itself is the foreground program.
    """

    pane: str
    """The pane; agents must give its exact id."""
    signal: Signal = Signal.TERM
    """The signal to send."""
    escalate: bool = False
    """Whether to go on with term and kill if it does not end; only for int, term, hup and quit."""
    wait: Seconds = 2.0
    """Seconds to wait after each step."""

    def targets(self, mux: Multiplexer, origin: Origin) -> tuple[PaneId, ...]:
        """The pane."""
        return (target.pane_to_close(mux, self.pane, origin),)

    def confirmation(self, mux: Multiplexer, origin: Origin) -> Confirmation | None:
        """Asked if a program runs."""
        pane = target.pane(mux, self.pane, origin)
        question = f"Send {self.signal} to what runs in {pane_words(mux, pane)}?"
        return ending(mux, [pane], question, replace(self, pane=str(pane)))

    def run(self, mux: Multiplexer, origin: Origin) -> Deferred[Interrupted]:
        """Send the signal. Raises NotFound, Refused or TerminalGone."""
        pane = target.pane_to_close(mux, self.pane, origin)
        running(mux, pane)
        source = mux.input(pane, origin.author)
        source.check_end()
        steps = [_signal_step(source, each) for each in self._signals()]
        if self.signal in _NON_FATAL:
            return run_task(_Termination(mux, pane, min(self.wait, _SHORT_WAIT), ends=False).run(steps))
        return run_task(_Termination(mux, pane, self.wait).run(steps))

    def _signals(self) -> list[Signal]:
        if not self.escalate:
            return [self.signal]
        if self.signal in _NON_FATAL:
            raise Refused(f"signal: {self.signal} ends nothing, so there is nothing to escalate; leave escalate out")
        stronger = [each for each in (Signal.TERM, Signal.KILL) if each is not self.signal]
        return [self.signal, *([] if self.signal is Signal.KILL else stronger)]


_NON_FATAL: Final = frozenset((Signal.STOP, Signal.CONT, Signal.USR1, Signal.USR2, Signal.WINCH))
"""Signals that are not meant to end a program."""
_Step = tuple[str, Callable[[int], object]]


def _signal_step(source: PaneInput, wanted: Signal) -> _Step:
    return f"sig{wanted}", lambda group: source.signal(wanted.number, group)


class _Termination:
    """Ends one program, step by step. Main thread only."""

    def __init__(self, mux: Multiplexer, pane: PaneId, wait: float, *, ends: bool = True) -> None:
        """`ends` says whether the signals are meant to end it. Raises Refused if no program is in the foreground."""
        self._mux, self._pane, self._wait, self._ends = mux, pane, wait, ends
        self._terminal = mux.terminal(pane)
        self._group = self._terminal.foreground_group
        if not self._group:
            raise Refused(f"{pane} has no foreground program; get-pane-state shows its state")
        self._program = clean(process.name(self._group))
        self.is_shell: Final = is_interactive(process.argv(self._group))
        self._idle = self.is_shell and self._is_waiting()
        running = self._terminal.shell.newest_command
        self._number = running.number if running and running.running else 0
        self._code: int | None = None

    async def run_when_admitted(self, steps: list[_Step], source: PaneInput, seconds: float) -> Interrupted:
        """Take the steps once the user has left the pane, for which so many seconds are waited."""
        await source.admitted(seconds, hidden=True)
        return await self.run(steps)

    async def run(self, steps: list[_Step]) -> Interrupted:
        """Take the steps until it has ended, or the user has begun to type."""
        started, taken, over = time.monotonic(), list[str](), False
        with PaneUpdates(self._mux, self._pane) as updates:
            while steps and not over:
                name, do = steps.pop(0)
                try:
                    do(self._group)
                except Refused:
                    if not taken:
                        raise
                    break
                taken.append(name)
                over = await self._has_ended(updates)
        return Interrupted(
            pane=str(self._pane),
            program=self._program,
            steps=tuple(taken),
            ended=over and (not self._idle or self._terminal.exit is not None),
            exit_code=self._exit_code(),
            front="" if self._terminal.exit else clean(process.name(self._terminal.foreground_group)),
            seconds=round(time.monotonic() - started, 3),
            idle=self._idle,
        )

    async def _has_ended(self, updates: PaneUpdates) -> bool:
        """Whether it ends after a step; polled, as no event reports that if its shell does not mark prompts."""
        until = time.monotonic() + self._wait
        while not await self._is_reported(updates, _POLL_INTERVAL):
            if not self._is_alive():
                await self._is_reported(updates, self._report_wait(until))
                return True
            if time.monotonic() >= until:
                return False
        return True

    def _report_wait(self, until: float) -> float:
        """Seconds to wait for the report of an end: that of the pane's own program is certain to come."""
        if self._group == self._terminal.pid and not process.in_group(self._group):
            return max(until - time.monotonic(), _SHORT_WAIT)
        return _SHORT_WAIT if self._terminal.shell.integrated and not self.is_shell else 0.0

    async def _is_reported(self, updates: PaneUpdates, seconds: float) -> bool:
        """Whether its end is reported within some seconds."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while not self._reports_end(await updates.next()):
                    pass
                return True
        return False

    def _reports_end(self, update: PaneUpdate | None) -> bool:
        match update:
            case Ended(exit):
                self._code = exit.code
                return True
            case PromptMark(kind="A", continues=False) if self._ends:
                return bool(self._terminal.shell.at_prompt) or self._terminal.closed
            case _:
                return isinstance(update, PaneClosed)

    def _is_alive(self) -> bool:
        """Whether the program still runs; for a shell, whether it is busy."""
        if self.is_shell and self._ends:
            return self._terminal.shell.integrated or process.is_busy(self._group)
        return bool(process.in_group(self._group))

    def _is_waiting(self) -> bool:
        """Whether the shell waits at its prompt, as far as is known without prompt marks."""
        at_prompt = self._terminal.shell.at_prompt
        return not process.is_busy(self._group) if at_prompt is None else at_prompt

    def _exit_code(self) -> int | None:
        """What is known by now of the command that ran, whose own event may come after that of the prompt."""
        command = self._terminal.shell.command(self._number)
        return command.confirmed_exit_code if command and self._code is None else self._code
