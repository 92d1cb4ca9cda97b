"""The input of one author to one pane: the only way in which commands type, press keys and send signals.

Every call asks at the moment of its effect whether the author may, and is recorded. Main thread only.
"""

import os
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

from fugue_tui.errors import FugueError, Refused, TerminalGone
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer.access.current_call import current_call
from fugue_tui.multiplexer.agents.agents import Agents
from fugue_tui.multiplexer.author import USER, Author, Kind
from fugue_tui.multiplexer.callbacks import CallbackList
from fugue_tui.multiplexer.input.lease import Lease, LeasedPanes
from fugue_tui.multiplexer.input.pane_queue import PaneQueue
from fugue_tui.multiplexer.watch.main_loop import call_later
from fugue_tui.terminal.input.keys import KeyPress, Modifiers
from fugue_tui.terminal.input.mouse import MouseAction

if TYPE_CHECKING:
    import asyncio

ENTER: Final = KeyPress("enter")
INTERRUPT: Final = KeyPress("c", Modifiers.CTRL)
"""Ctrl+C."""
_POLL_INTERVAL: Final = 0.05
"""Seconds between two polls for the end of the user's input."""
Result = TypeVar("Result")


class InputOwner(LeasedPanes, Protocol):
    """What decides on input, and learns of it: the multiplexer."""

    lease: Lease
    waiting_input: PaneQueue
    allow_hidden: Callable[[PaneId, Author], bool]
    on_typed: CallbackList[[PaneId, Author, int]]
    clock: Callable[[], float]
    agents: Agents


class InputHold:
    """Holds the input of everybody else back, in order, while a text waits for its Enter."""

    def __init__(self, owner: "PaneInput", seconds: float, on_cancel: Callable[[], object]) -> None:
        """After so many seconds, the others continue in any case; `on_cancel` is called if Ctrl+C is pressed before."""
        self._gate = owner.terminal.gate
        self._gate.close(self._cancel)
        self._timer: asyncio.TimerHandle | None = call_later(seconds, self.release)
        self._on_cancel, self._cancelled = on_cancel, False

    def release(self, last: Callable[[], object] = lambda: None) -> None:
        """Make the last call, and let the others continue; later calls only make the call, and none after Ctrl+C."""
        if self._cancelled:
            return
        if self._timer is None:
            last()
            return
        self._timer.cancel()
        self._timer = None
        self._gate.open(last)

    def _cancel(self) -> None:
        self._cancelled = True
        if self._timer is not None:
            self._timer.cancel()
        self._on_cancel()


class PaneInput:
    """Types into the terminal that the pane has now. Raises NotFound."""

    def __init__(self, owner: InputOwner, pane: PaneId, author: Author) -> None:
        self._owner, self._pane, self._author = owner, pane, author
        self.terminal: Final = owner.terminals[pane]

    # Whether the author may type

    def refusal(self, *, hidden: bool = False) -> Refused | None:
        """Why the author may not type now, or, with `hidden`, press keys that no password contains; None if it may."""
        owner = self._owner
        if refused := owner.lease.refusal(self._pane, self._author):
            return refused
        secret = not hidden and self._author.yields and self.terminal.hides_input
        if secret and not owner.allow_hidden(self._pane, self._author):
            return Refused(
                f"the program in {self._pane} reads what is not shown, such as a password; only the user types there"
            )
        return None

    def check(self, *, hidden: bool = False) -> None:
        """Raise Refused if the author may not type now, or TerminalGone if the pane has another terminal."""
        self._check_terminal()
        if refused := self.refusal(hidden=hidden):
            raise refused

    def check_end(self) -> None:
        """Raise Refused if the author may not end what runs there now, or TerminalGone."""
        self.check(hidden=True)

    def _check_terminal(self) -> None:
        if self._owner.terminals.get(self._pane) is not self.terminal:
            raise TerminalGone(f"the program of {self._pane} was closed, or replaced by another")
        current_call.get().check()

    async def admitted(self, seconds: float, *, hidden: bool = False) -> None:
        """Wait until no text waits for its Enter and the user leaves the pane to the author, in the order of the
        calls. Raises Refused after so many seconds; `hidden` allows input that is not shown."""
        from asyncio import get_running_loop, sleep, timeout_at

        deadline = get_running_loop().time() + seconds
        turn = self._owner.waiting_input.join(self._pane) if seconds else None
        try:
            await sleep(0)  # A call that was cancelled before it began types nothing.
            if turn is not None:
                with suppress(TimeoutError):
                    async with timeout_at(deadline):
                        await turn.started.wait()
            while (waits := self._waits(hidden=hidden)) or self.refusal(hidden=hidden) is not None:
                if get_running_loop().time() >= deadline and not waits:
                    break
                await sleep(_POLL_INTERVAL)
            self.check(hidden=hidden)
        finally:
            if turn is not None:
                turn.leave()

    def _waits(self, *, hidden: bool) -> bool:
        """Whether a text waits for its Enter, which Ctrl+C need not wait for."""
        return self.terminal.gate.closed and not hidden

    # Effects

    def write(self, data: bytes) -> int:
        """Send bytes; see `InputSender.write`. Raises Refused."""
        self.check()
        return self._record(lambda: self.terminal.write(data))

    def paste(self, text: str) -> int:
        """Send text as one paste; see `InputSender.paste`. Raises Refused."""
        self.check()
        return self._record(lambda: self.terminal.paste(text))

    def press(self, *keys: KeyPress) -> bool:
        """Press keys, all or none; False if the program does not get them all. Raises Refused."""
        self.check()
        return self._record(lambda: all(self.terminal.press(key) for key in keys))

    def mouse(self, action: MouseAction) -> bool:
        """Send a mouse event; False if the program did not request it. Raises Refused."""
        self.check()
        return self._record(lambda: self.terminal.mouse(action))

    def hold(self, seconds: float, on_cancel: Callable[[], object] = lambda: None) -> InputHold:
        """Hold other input back after a text, for its Enter; `on_cancel` is called if Ctrl+C is pressed before that."""
        return InputHold(self, seconds, on_cancel)

    def enter(self, *, newline: bool = False) -> bool:
        """Press the Enter of a text that was typed, or send a newline, even if the user has begun to type; False if the
        program does not get it. Raises Refused if the user has stopped agents."""
        self._check_terminal()
        if stopped := self._owner.lease.stopped(self._pane, self._author):
            raise stopped
        return self._record(lambda: bool(self.terminal.write(b"\n")) if newline else self.terminal.press(ENTER))

    def submit(self, seconds: float) -> "asyncio.Future[bool]":
        """Press Enter after so many seconds, in which other input waits; whether it was pressed, which Ctrl+C
        prevents."""
        from asyncio import get_running_loop

        pressed: asyncio.Future[bool] = get_running_loop().create_future()

        def end(found: bool) -> None:
            if not pressed.done():
                pressed.set_result(found)

        def enter() -> None:
            try:
                found = self.enter()
            except FugueError:
                found = False
            end(found)

        hold = self.hold(seconds + 1, lambda: end(False))

        call_later(seconds, lambda: hold.release(enter))
        return pressed

    def interrupt(self) -> bool:
        """Press Ctrl+C, also where input is not shown. Raises Refused."""
        self.check_end()
        self._owner.agents.on_end_asked(self._pane)
        return self._record(lambda: self.terminal.press(INTERRUPT))

    def signal(self, number: int, group: int | None = None) -> None:
        """Send a signal to a process group, or to the one in the foreground. Raises Refused or TerminalGone."""
        self.check_end()
        self._owner.agents.on_end_asked(self._pane)
        if group is None:
            self.terminal.interrupt(number)
        else:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(group, number)

    def _record(self, call: Callable[[], Result]) -> Result:
        owner, sent = self._owner, self.terminal.sent
        before = sent.count
        try:
            return call()
        finally:
            log = owner.pane_reports[self._pane].input
            if user := log.record_user(before):
                owner.on_typed(self._pane, USER, user)
            if sent.count != before:
                other = log.last != self._author
                log.record(self._author, owner.clock(), before, sent.count)
                owner.on_typed(self._pane, self._author, sent.count - before)
                if other and self._author.kind is not Kind.USER:
                    owner.lease.on_change()
