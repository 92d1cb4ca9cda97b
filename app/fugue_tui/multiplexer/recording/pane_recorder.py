"""Records one terminal: its output as it comes, or, when that is too much, what its screen shows.

The terminal's thread only copies bytes. Output beyond `BURST` in one interval is left out, and a picture of the screen
follows in its place, so that a program that floods its pane neither waits for the disk nor fills it.
"""

import codecs
from collections.abc import Callable
from threading import Lock
from typing import Final

from fugue_tui.multiplexer.recording.recorder import CastWriter, MarkerQueue, resized
from fugue_tui.multiplexer.recording.recording_info import RecordingInfo
from fugue_tui.recording.asciicast import CastEvent, EventCode
from fugue_tui.terminal.emulator.events import CommandFinished, CommandStarted
from fugue_tui.terminal.emulator.locked_screen import LockedScreen
from fugue_tui.terminal.observers import ObservedEvent, ViewChanged
from fugue_tui.terminal.pty.spawn import Exit
from fugue_tui.terminal.screen.pins import Point
from fugue_tui.terminal.shell_integration.nonce_filter import NonceFilter
from fugue_tui.terminal.terminal import Terminal

BURST: Final = 1 << 18
"""Bytes of output that are recorded as they are in one interval."""
_TOGETHER: Final = 1 / 60
"""Output within so many seconds is one event."""


class PaneRecorder:
    """The recording of one terminal."""

    def __init__(
        self, source: str, terminal: Terminal, writer: CastWriter, *, input: bool, without_secrets: Callable[[str], str]
    ) -> None:
        """`input` is whether what is typed is recorded, where the terminal shows it. `without_secrets` filters the
        command lines of markers."""
        self.source = source
        self._writer, self._input, self._without_secrets = writer, input, without_secrets
        self.markers = MarkerQueue(writer.clock)
        self._lock = Lock()
        self._events: list[tuple[float, EventCode, bytearray]] = []
        self._waiting = 0
        self._skips = True
        self._size = terminal.size
        self._nonce_filter = NonceFilter()
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._follow(terminal)

    def _follow(self, terminal: Terminal) -> None:
        self._terminal = terminal
        self._unsubscribe = terminal.observe(self._observe)
        if self._input:
            terminal.observe_input(self._typed)

    def switch(self, terminal: Terminal) -> None:
        """Record another terminal from now on, which runs in the same pane. Main thread."""
        self._leave()
        with self._lock:
            self._skips = True
        self._follow(terminal)

    def _leave(self) -> None:
        self._unsubscribe()
        if self._input:
            self._terminal.observe_input(None)

    @property
    def info(self) -> RecordingInfo:
        """What list-recordings shows."""
        return self._writer.info(self.source, input=self._input)

    # On the terminal's threads

    def _observe(self, what: ObservedEvent) -> None:
        match what:
            case memoryview():
                self._put(EventCode.OUTPUT, what)
            case ViewChanged():
                self._resize()
            case CommandStarted(command) if not command.own:
                self.markers.put(f"$ {self._without_secrets(command.line)}")
            case CommandFinished(command) if command.exit_code and not command.own:
                self.markers.put(f"exit status {command.exit_code}")
            case Exit(code, number):
                self._put(EventCode.EXIT, str(code if code is not None else 128 + (number or 0)).encode())
            case _:
                pass

    def _typed(self, data: bytes) -> None:
        self._put(EventCode.INPUT, data)

    def _resize(self) -> None:
        if (size := self._terminal.size) != self._size:
            self._size = size
            self._put(EventCode.RESIZE, resized(size).encode())

    def _put(self, code: EventCode, data: bytes | memoryview) -> None:
        now = self._writer.clock()
        with self._lock:
            if code is EventCode.OUTPUT:
                if self._skips:
                    return
                self._waiting += len(data)
                if self._waiting > BURST:
                    self._skip()
                    return
            last = self._events[-1] if self._events else None
            if last is not None and code is last[1] is EventCode.OUTPUT and now - last[0] < _TOGETHER:
                last[2].extend(data)
            else:
                self._events.append((now, code, bytearray(data)))

    def _skip(self) -> None:
        """Leave the output of this interval out: a picture of the screen follows."""
        self._skips = True
        self._events = [event for event in self._events if event[1] is not EventCode.OUTPUT]

    # On the recorder's thread

    def flush(self) -> None:
        """Write what has come since the last call. Raises OSError."""
        if self._writer.rotate_if_full():
            with self._lock:
                self._skip()
        self._writer.write([*self._taken(), *self._writer.marked(self.markers)])

    def _taken(self) -> list[CastEvent]:
        with self._terminal.locked() as screen, self._lock:
            events, self._events, self._waiting = self._events, [], 0
            skipped, self._skips = self._skips, False
            shown = screen_text(screen) if skipped and not screen.closed else b""
        taken = [self._writer.event(code, self._text(code, bytes(data)), at) for at, code, data in events]
        if skipped:
            self._nonce_filter.reset()
            self._decoder.reset()
        return [*taken, self._writer.event(EventCode.OUTPUT, self._text(EventCode.OUTPUT, shown))] if shown else taken

    def _text(self, code: EventCode, data: bytes) -> str:
        if code is not EventCode.OUTPUT:
            return data.decode("utf-8", "replace")
        return self._decoder.decode(self._nonce_filter.feed(data))

    def close(self) -> None:
        """Write the rest, and close the file. Raises OSError."""
        self._leave()
        try:
            self.flush()
        finally:
            self._writer.file.close()


def screen_text(screen: LockedScreen) -> bytes:
    """The present screen as output that draws it on a terminal of its size, whatever that showed before."""
    emulator, size = screen.emulator, screen.size
    first = emulator.scrollback.lines
    lines = emulator.between(Point(first), Point(first + size.rows), joined=False, ansi=True)
    x, y = emulator.caret
    alternate = "h" if emulator.modes.alternate_screen else "l"
    cursor = "h" if emulator.shows_caret else "l"
    text = "\r\n".join(lines.split("\n")[: size.rows])
    return f"\x1b[?1049{alternate}\x1b[0m\x1b[H\x1b[2J{text}\x1b[0m\x1b[{y + 1};{x + 1}H\x1b[?25{cursor}".encode()
