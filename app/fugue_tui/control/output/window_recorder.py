"""Records a window as the user sees it, with dividers and titles: the rows that have changed, a few times a second.

The main thread captures the window when something in it has changed; the recorder's thread composes and writes it.
"""

from threading import Lock
from typing import Final

from fugue_tui.control.output.screenshot import CapturedScreen, capture_window
from fugue_tui.geometry import Size
from fugue_tui.ids import WindowId
from fugue_tui.imaging.screen import Screen
from fugue_tui.layout.tree import panes
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.recording.recorder import CastWriter, MarkerQueue, resized
from fugue_tui.multiplexer.recording.recording_info import RecordingInfo
from fugue_tui.multiplexer.recording.recordings import INTERVAL
from fugue_tui.multiplexer.watch.main_loop import call_later
from fugue_tui.recording.asciicast import CastEvent, EventCode
from fugue_tui.terminal.screen.cells import Row
from fugue_tui.terminal.screen.sgr import write_row

_START: Final = "\x1b[?7l"
"""No wrapping: a row may fill its line."""


class WindowRecorder:
    """The recording of one window."""

    def __init__(self, mux: Multiplexer, window: WindowId, writer: CastWriter) -> None:
        """Main thread only."""
        self.source = str(window)
        self._closed = False
        self.markers = MarkerQueue(writer.clock)
        self._mux, self._window, self._writer = mux, window, writer
        self._lock = Lock()
        self._captured: tuple[float, CapturedScreen] | None = None
        self._version: object = None
        self._size: Size | None = None
        self._rows: tuple[Row, ...] = ()
        self._poll()

    @property
    def info(self) -> RecordingInfo:
        """What list-recordings shows."""
        return self._writer.info(self.source)

    def _poll(self) -> None:
        """Capture the window if it has changed, and look again later."""
        window = next((each for each in self._mux.workspace.windows if each.id == self._window), None)
        if window is None or self._closed:
            return
        terminals = [self._mux.terminals[pane] for pane in panes(window.layout)]
        version = window, self._mux.layouts.area, [terminal.save_version for terminal in terminals]
        if version != self._version:
            self._version = version
            with self._lock:
                self._captured = self._writer.clock(), capture_window(self._mux, window)
        call_later(INTERVAL, self._poll)

    def flush(self) -> None:
        """Write what has changed since the last call. Raises OSError."""
        with self._lock:
            captured, self._captured = self._captured, None
        if self._writer.rotate_if_full():
            self._rows = ()
        marked = self._writer.marked(self.markers)
        self._writer.write([*marked, *(self._frame(*captured) if captured is not None else ())])

    def _frame(self, at: float, captured: CapturedScreen) -> list[CastEvent]:
        screen = captured.make()
        size = Size(screen.cols, len(screen.rows))
        events = list[CastEvent]()
        if size != self._size:
            if self._size is not None:
                events.append(self._writer.event(EventCode.RESIZE, resized(size), at))
            self._size, self._rows = size, ()
        if text := self._changes(screen):
            events.append(self._writer.event(EventCode.OUTPUT, text, at))
        self._rows = screen.rows
        return events

    def _changes(self, screen: Screen) -> str:
        """The output that turns the last frame into this one."""
        start = "" if self._rows else f"{_START}\x1b[0m\x1b[2J"
        old = dict(enumerate(self._rows))
        rows = "".join(
            f"\x1b[{y + 1};1H{write_row(row).decode()}\x1b[0m\x1b[K"
            for y, row in enumerate(screen.rows)
            if row != old.get(y)
        )
        return start + rows + _caret(screen)

    def close(self) -> None:
        """Write the rest, and close the file. Raises OSError."""
        self._closed = True
        try:
            self.flush()
        finally:
            self._writer.file.close()


def _caret(screen: Screen) -> str:
    """Puts the cursor where the screen has it."""
    cursor = screen.cursor
    if cursor is None or not cursor.visible:
        return "\x1b[?25l"
    return f"\x1b[{cursor.y + 1};{cursor.x + 1}H\x1b[?25h"
