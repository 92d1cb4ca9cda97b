"""Shows the first pane while the app is still being loaded, so that a prompt does not wait for it."""

import os
import select
from collections.abc import Callable
from threading import Event, Thread
from typing import Final

from fugue_tui.geometry import Rect
from fugue_tui.terminal.terminal import Terminal
from fugue_tui.tui.render.direct_painter import DirectPainter

_PATIENCE: Final = 0.05


class StartupPainter:
    """A thread that paints one terminal from the screen's first row on, until `lift`; nobody else may refresh it."""

    def __init__(self, fd: int, terminal: Terminal, cols: int, wrap: Callable[[bytes | bytearray], bytes]) -> None:
        """`fd` is where it is painted. `wrap` makes what is written fit to be sent."""
        self.unsent = b""
        """What was begun and did not go out any more."""
        self._fd = fd
        self._wrap = wrap
        self._cols = cols
        self._terminal = terminal
        self._news = Event()
        self._lifted = False
        self._thread = Thread(target=self._run, name="fugue-curtain", daemon=True)

    def drop(self) -> None:
        """Begin."""
        self._thread.start()

    def news(self) -> None:
        """Something changed on the terminal; any thread."""
        self._news.set()

    def lift(self) -> None:
        """Stop painting; returns once nothing more will be written, or the screen has been stuck for a while."""
        self._lifted = True
        self._news.set()
        if self._thread.ident is not None:
            self._thread.join(1.0)

    def _run(self) -> None:
        size = self._terminal.size
        painter = DirectPainter(self)
        painter.width = lambda: self._cols
        rect = Rect(0, 0, size.cols, size.rows)
        while not self._lifted:
            self._news.clear()
            painter.paint(self._terminal, rect)
            painter.cursor(self._terminal.cursor, rect)
            self._news.wait()

    def write(self, data: bytes | bytearray) -> None:
        """Write all of it; what is left when the curtain is lifted is kept in `unsent`."""
        rest = memoryview(self._wrap(data) if data else b"")
        while rest and not self._lifted:
            try:
                rest = rest[os.write(self._fd, rest) :]
            except BlockingIOError:
                select.select([], [self._fd], [], _PATIENCE)
            except OSError:
                self._lifted = True
        self.unsent = bytes(rest)
