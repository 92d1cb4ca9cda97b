"""One program and its screen: a pseudo-terminal, the pump's channel to it, and an emulator under one fair lock.

What the program prints reaches the emulator on the pump's threads. Everything else here may be called from any thread,
except `row` and `close`, which belong to the thread that calls `refresh` or `frame`.
After `close` the methods that only look answer with nothing.
"""

import time
from functools import partial
from typing import Final, Protocol, Self

from fugue_tui.errors import TerminalGone
from fugue_tui.geometry import Size
from fugue_tui.terminal import process
from fugue_tui.terminal.channel import Channel
from fugue_tui.terminal.emulator import Emulator
from fugue_tui.terminal.events import CwdChanged, Event, Reply, TitleChanged
from fugue_tui.terminal.frame import Cursor, Damage, Modes, Row, Scrollback
from fugue_tui.terminal.keys import KeyPress
from fugue_tui.terminal.lock import FairLock
from fugue_tui.terminal.mouse import MouseAction
from fugue_tui.terminal.pty import Exit, Program, Pty
from fugue_tui.terminal.pump import Pump
from fugue_tui.terminal.spans import spans

_QUIET_SECONDS: Final = 1.0
_SYNC_LIMIT: Final = 1.0
"""Seconds after which an unfinished synchronized update is shown anyway."""


class Watcher(Protocol):
    """Who is told about a terminal; every call arrives on one of the pump's threads and must return at once."""

    def changed(self, terminal: "Terminal") -> None:
        """There is something to draw. Said once, until `refresh` or `frame` has looked."""
        ...

    def said(self, terminal: "Terminal", event: Event) -> None:
        """The program said something: a title, a bell, a mark... Never a Reply."""
        ...

    def ended(self, terminal: "Terminal", exit: Exit) -> None:
        """The program has ended, and its last output is on the screen."""
        ...


class Terminal:
    """A running program and what it shows."""

    def __init__(self, pty: Pty, size: Size, *, pump: Pump, emulator: Emulator, watcher: Watcher) -> None:
        self.pid = pty.pid
        self.exit: Exit | None = None
        """How the program ended; None while it runs."""
        self.lock = FairLock()
        self.emulator = emulator
        self.size = size
        self._pump = pump
        self._watcher = watcher
        self._title = self._cwd = ""
        self._told = self._closed = self._printed = False
        self._printed_at = 0.0
        self._channel = Channel(pty, size, pump, self)
        self._channel.start()

    @classmethod
    def spawn(cls, program: Program, size: Size, *, pump: Pump, emulator: Emulator, watcher: Watcher) -> Self:
        """Start a program on a screen of that size, which the emulator already has; raises SpawnFailed."""
        return cls(Pty.spawn(program, size), size, pump=pump, emulator=emulator, watcher=watcher)

    @property
    def closed(self) -> bool:
        """Whether `close` was called; the emulator is then gone."""
        return self._closed

    @property
    def title(self) -> str:
        """The title that the program set last; empty if none. Untrusted."""
        return self._title

    @property
    def cwd(self) -> str:
        """The directory that the program reported by OSC 7, else that of the foreground process. Untrusted."""
        return self._cwd or process.cwd(self._channel.foreground_group() or self.pid)

    @property
    def foreground_group(self) -> int:
        """The process group that keys go to; 0 if none."""
        return self._channel.foreground_group()

    @property
    def foreground(self) -> str:
        """The name of the foreground program, such as `vim`; empty if unknown. Untrusted."""
        group = self._channel.foreground_group()
        return process.name(group) if group else ""

    def write(self, data: bytes) -> int:
        """Send bytes to the program; how many were accepted (1 MiB may wait). Never waits; raises TerminalGone."""
        return self._channel.write(data)

    def press(self, press: KeyPress) -> bool:
        """Send a key as the program's modes want it; False if the program has ended."""
        with self.lock:
            data = b"" if self._closed else self.emulator.encode_key(press)
        return self._send(data)

    def mouse(self, action: MouseAction) -> bool:
        """Send a mouse event; False if the program did not ask for it."""
        with self.lock:
            data = b"" if self._closed else self.emulator.encode_mouse(action)
        return bool(data) and self._send(data)

    def paste(self, text: str) -> int:
        """Send text as one paste, cleaned and bracketed as the modes say; how many bytes were accepted.

        Raises TerminalGone."""
        with self.lock:
            data = b"" if self._closed else self.emulator.encode_paste(text)
        return self._channel.write(data)

    def focus(self, focused: bool) -> None:
        """Tell the program that it has or lost the focus, if it asked."""
        with self.lock:
            data = b"" if self._closed else self.emulator.encode_focus(focused)
        self._send(data)

    def resize(self, size: Size) -> None:
        """Change the screen at once, and tell the program: at once too, or in a storm within 20 ms."""
        with self.lock:
            if self._closed or size == self.size:
                return
            self.size = size
            self.emulator.resize(size)
            self._channel.resize(size)
            self._after_change()

    def refresh(self) -> Damage:
        """Snapshot the screen and say what changed since the last time."""
        with self.lock:
            return Damage() if self._closed else self._refresh()

    def frame(self) -> tuple[Damage, list[bytes], Cursor]:
        """Under one hold of the lock: the damage, its rows as VT text in the order of `damage.rows`, and the cursor."""
        with self.lock:
            if self._closed:
                return Damage(), [], Cursor(0, 0, visible=False)
            damage = self._refresh()
            return damage, self._paint(damage.rows), self.emulator.cursor

    def paint(self) -> list[bytes]:
        """Every row of the snapshot as VT text, whether or not it changed."""
        with self.lock:
            return [] if self._closed else self.emulator.paint(0, self.size.rows)

    def row(self, y: int) -> Row:
        """Viewport row `y` as of the last refresh; only for the thread that refreshes."""
        return Row(()) if self._closed else self.emulator.row(y)

    def scroll(self, lines: int) -> None:
        """Move the view: positive towards older lines."""
        with self.lock:
            if not self._closed:
                self.emulator.scroll(lines)
                self._after_change()

    def scroll_to_bottom(self) -> None:
        """Follow new output again."""
        with self.lock:
            if not self._closed:
                self.emulator.scroll_to_bottom()
                self._after_change()

    @property
    def modes(self) -> Modes:
        """The modes in force now."""
        with self.lock:
            return Modes() if self._closed else self.emulator.modes

    @property
    def scrollback(self) -> Scrollback:
        """How much history there is, and where the view stands in it."""
        with self.lock:
            return Scrollback(0, 0) if self._closed else self.emulator.scrollback

    def lines(self, start: int, stop: int, *, joined: bool = False) -> list[str]:
        """Plain text of lines `start` to `stop`, counted from the oldest kept; see `Emulator.lines`."""
        with self.lock:
            return [] if self._closed else self.emulator.lines(start, stop, joined=joined)

    def past(self, lines: int) -> list[Row]:
        """The rows that a view scrolled back by `lines` from the bottom would show, or as far as there is history.

        Any thread; the view itself and its damage stay as they are. Most of the work is done without the lock."""
        with self.lock:
            read = list[Row] if self._closed else self.emulator.past(lines)
        return read()

    def reset(self) -> None:
        """Bring the screen back to its first state, for when a program left it broken."""
        with self.lock:
            if not self._closed:
                self.emulator.reset()
                self._after_change()

    def set_colours(self, fg: int, bg: int) -> None:
        """What programs that ask for the default colours are told; each 0xRRGGBB."""
        with self.lock:
            if not self._closed:
                self.emulator.set_colours(fg, bg)

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
            self.emulator.close()
        self._channel.close()

    def receive(self, data: memoryview) -> None:
        """For the channel: output of the program."""
        with self.lock:
            if self._closed:
                return
            self.emulator.feed(data)
            self._printed, self._printed_at = True, time.monotonic()
            events = self.emulator.take_events()
            tell, self._told = not self._told, True
        self._handle(events)
        if tell:
            self._watcher.changed(self)

    def finish(self, exit: Exit) -> None:
        """For the channel: the program has ended."""
        self.exit = exit
        self._watcher.ended(self, exit)

    def _send(self, data: bytes) -> bool:
        try:
            self._channel.write(data)
        except TerminalGone:
            return False
        return True

    def _refresh(self) -> Damage:
        self._told = False
        damage = self.emulator.refresh()
        if self.emulator.modes.synchronized:
            self._pump.post(partial(self._pump.later, _SYNC_LIMIT, self._tell))
        return damage

    def _paint(self, rows: tuple[int, ...]) -> list[bytes]:
        painted: list[bytes] = []
        for first, count in spans(rows):
            painted += self.emulator.paint(first, count)
        return painted

    def _after_change(self) -> None:
        """Under the lock: have the pump tell what a change from outside brought about."""
        events = self.emulator.take_events()
        tell, self._told = not self._told, True
        if events:
            self._pump.post(partial(self._handle, events), self._channel)
        if tell:
            self._pump.post(partial(self._watcher.changed, self), self._channel)

    def _tell(self) -> None:
        with self.lock:
            tell, self._told = not (self._told or self._closed), True
        if tell:
            self._watcher.changed(self)

    def _handle(self, events: list[Event]) -> None:
        for event in events:
            match event:
                case Reply(data):
                    self._channel.reply(data)
                    continue
                case TitleChanged(title):
                    self._title = title
                case CwdChanged(cwd):
                    self._cwd = cwd
                case _:
                    pass
            self._watcher.said(self, event)
