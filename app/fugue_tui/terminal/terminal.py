"""One program and its screen: a pseudo-terminal, the pump's channel to it, and an emulator under one fair lock.

What the program prints reaches the emulator on the pump's threads. Everything else here may be called from any thread,
except `row` and `close`, which belong to the thread that calls `refresh` or `frame`.
After `close` the methods that only look answer with nothing.
"""

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, Protocol, Self

from fugue_tui.errors import TerminalGone
from fugue_tui.geometry import Size
from fugue_tui.terminal.emulator.command_record import CommandRecord
from fugue_tui.terminal.emulator.events import CommandStarted, CwdChanged, Event, PromptMark, Reply, TitleChanged
from fugue_tui.terminal.emulator.protocol import Emulator
from fugue_tui.terminal.entering import Entering
from fugue_tui.terminal.observers import CLOSED, LOOKED, Observers, Tap
from fugue_tui.terminal.pty import process
from fugue_tui.terminal.pty.channel import Channel, NullChannel
from fugue_tui.terminal.pty.io_loop import IOLoop
from fugue_tui.terminal.pty.spawn import Exit, Program, Pty
from fugue_tui.terminal.serial_queue import SerialQueue
from fugue_tui.terminal.shell_integration.asked import AskedLog
from fugue_tui.terminal.shell_integration.saved_commands import TerminalHandover

_QUIET_SECONDS: Final = 1.0
_SYNC_LIMIT: Final = 1.0
"""Seconds after which an unfinished synchronized update is shown anyway."""


class Watcher(Protocol):
    """Who is told about a terminal; every call arrives on one of the pump's threads and must return at once."""

    def changed(self, terminal: "Terminal") -> None:
        """There is something to draw. Said once, until `refresh` or `frame` has looked."""
        ...

    def said(self, terminal: "Terminal", event: Event) -> None:
        """The program said something: a title, a bell, a mark that counts... Never a Reply."""
        ...

    def ended(self, terminal: "Terminal", exit: Exit) -> None:
        """The program has ended, and its last output is on the screen."""
        ...


class Terminal(Entering):
    """A running program and what it shows."""

    def __init__(
        self,
        pty: Pty | None,
        size: Size,
        *,
        pump: IOLoop,
        emulator: Emulator,
        watcher: Watcher,
        nonce: str = "",
        before: Sequence[CommandRecord] = (),
    ) -> None:
        """`before` is what is known of the commands whose text the emulator shows already."""
        super().__init__(emulator, size)
        self.pid = pty.pid if pty else 0
        """The program's; 0, which is nobody's, while there is none."""
        self.waits = pty is None
        """Whether no program was started yet; `exit` is then None for ever."""
        self.exit: Exit | None = None
        """How the program ended; None while it runs."""
        self._pump = pump
        self._watcher = watcher
        self._taps = Observers()
        self._events = SerialQueue[Event | Exit](self._handle)
        self._title = self._cwd = ""
        self._printed = self.waits
        self._printed_at = 0.0
        self._log = AskedLog(emulator, nonce, lambda: emulator.cwd or process.cwd(self.pid))
        emulator.attend(self.lock, self._log.heard)
        self._log.take_over(before)
        self._channel = Channel(pty, size, pump, self) if pty else NullChannel()
        self._channel.start()

    @classmethod
    def spawn(
        cls,
        program: Program,
        size: Size,
        *,
        pump: IOLoop,
        emulator: Emulator,
        watcher: Watcher,
        nonce: str = "",
        before: Sequence[CommandRecord] = (),
    ) -> Self:
        """Start a program on a screen of that size, which the emulator already has; raises SpawnFailed.

        Prompt marks that carry the nonce are believed, and once one was heard, no others."""
        pty = Pty.spawn(program, size)
        return cls(pty, size, pump=pump, emulator=emulator, watcher=watcher, nonce=nonce, before=before)

    @classmethod
    def waiting(
        cls,
        size: Size,
        *,
        pump: IOLoop,
        emulator: Emulator,
        watcher: Watcher,
        title: str = "",
        cwd: str = "",
        before: Sequence[CommandRecord] = (),
    ) -> Self:
        """A terminal without a program, that shows what its emulator was given, under a title and a directory.

        It can be looked at, scrolled, resized and closed; keys come to nothing, and `write` raises TerminalGone."""
        made = cls(None, size, pump=pump, emulator=emulator, watcher=watcher, before=before)
        made._title, made._cwd = title, cwd
        return made

    def tap(self, call: Tap) -> Callable[[], None]:
        """Have a callback told all that comes from the program from now on; what is returned ends that. Any thread.

        What has not come when this returns is told once, in order, after the screen has taken it in."""
        with self.lock:
            self._taps.add(call)

        def untap() -> None:
            with self.lock:
                self._taps.remove(call)

        return untap

    @property
    def title(self) -> str:
        """The title that the program set last; empty if none. Untrusted."""
        return self._title

    @property
    def cwd(self) -> str:
        """The directory that the program reported by OSC 7, else that of the foreground process. Untrusted."""
        return self._cwd or process.cwd(self._channel.foreground_group() or self.pid)

    @property
    def printed_at(self) -> float:
        """When there was output last, on the monotonic clock; 0 if there was none."""
        return self._printed_at

    @property
    def foreground(self) -> str:
        """The name of the foreground program, such as `vim`; empty if unknown. Untrusted."""
        group = self._channel.foreground_group()
        return process.name(group) if group else ""

    def resize(self, size: Size) -> None:
        """Change the screen at once, and tell the program: at once too, or in a storm within 20 ms."""
        with self.lock:
            if self._closed or size == self.size:
                return
            self.size = size
            self.changes += 1
            self._resize(size)
            self._channel.resize(size)
            self._after_change()

    def rest(self) -> bool:
        """Give memory of the history back, on a thread of the pump, once the program has been quiet for a second.

        False if there is nothing left to give back; ask again in a while otherwise."""
        if self._closed or not self._printed:
            return False
        if time.monotonic() - self._printed_at >= _QUIET_SECONDS:
            self._pump.post(self._compact, self._channel)
        return True

    def _compact(self) -> None:
        with self.lock:
            if self._closed or not self.emulator.compact():
                self._printed = False

    def pause_output(self, *, paused: bool) -> None:
        """Read no more of the program's output, so that it has to wait, or go on. Any thread; never waits."""
        self._channel.pause(paused=paused)

    def interrupt(self, signal: int) -> None:
        """Send a signal to the foreground programs; raises TerminalGone."""
        self._channel.interrupt(signal)

    def close(self) -> None:
        """End every program of the terminal's session and let the screen go. Never waits; may be called again.

        `ended` is still told, once the program is gone."""
        with self.lock:
            if self._closed:
                return
            self._closed = True
            self._taps(CLOSED)
            self.emulator.close()
        self._channel.close()

    def release(self) -> TerminalHandover:
        """Close a waiting terminal but hand on its emulator, with all that it shows, for the program that starts now.

        Raises TerminalGone if it was closed before."""
        with self.lock:
            if self._closed:
                raise TerminalGone("the pane was closed meanwhile")
            self._closed = True
            self._taps(CLOSED)
            return TerminalHandover(self.emulator, self._log.records, self._title)

    def receive(self, data: memoryview) -> None:
        """For the channel: output of the program."""
        with self.lock:
            if self._closed:
                return
            text = bytes(data)
            for part in self._log.parted(text, self.newlines):
                self.emulator.feed(part)
            self.newlines += text.count(b"\n")
            self.fed += len(text)
            self._printed, self._printed_at = True, time.monotonic()
            self.changes += 1
            self._taps(memoryview(text))
            self._events.put([*self.emulator.take_events(), *self._log.take_events()])
            tell, self._told = not self._told, True
        self._events.drain()
        if tell:
            self._watcher.changed(self)

    def finish(self, exit: Exit) -> None:
        """For the channel: the program has ended."""
        self.exit = exit
        with self.lock:
            self._log.ended(exit.code)
            self._events.put([*self._log.take_events(), exit])
        self._events.drain()

    def _look_again(self) -> None:
        self._pump.post(partial(self._pump.later, _SYNC_LIMIT, self._tell))

    def _after_change(self) -> None:
        """Under the lock: have the pump tell what a change from outside brought about."""
        self._taps(LOOKED)
        tell, self._told = not self._told, True
        if events := self.emulator.take_events():
            self._events.put(events)
            self._pump.post(self._events.drain, self._channel)
        if tell:
            self._pump.post(partial(self._watcher.changed, self), self._channel)

    def _tell(self) -> None:
        with self.lock:
            tell, self._told = not (self._told or self._closed), True
        if tell:
            self._watcher.changed(self)

    def _handle(self, event: Event | Exit) -> None:
        match event:
            case Exit():
                self._taps(event)
                self._watcher.ended(self, event)
                return
            case Reply(data):
                self._channel.reply(data)
                return
            case PromptMark() if not self._log.believes(event):
                return
            case TitleChanged(title):
                self._title = title
            case CwdChanged(cwd):
                self._cwd = cwd
            case CommandStarted():
                self.sent.settle()
            case PromptMark(kind="A"):
                self.sent.prompted()
            case _:
                pass
        self._taps(event)
        self._watcher.said(self, event)
