"""Paints the first pane while the app is being loaded, so that a prompt appears at once."""

import os
import select
from collections.abc import Callable
from threading import Event, Thread
from typing import Final

from fugue_tui.attach_server.output.direct_painter import DirectPainter
from fugue_tui.geometry import Rect
from fugue_tui.terminal.terminal import Terminal

_PATIENCE: Final = 0.05


class StartupPainter:
    """A thread that paints one terminal at the top of the screen until `stop`; it alone may refresh the terminal."""

    def __init__(self, fd: int, terminal: Terminal, cols: int, wrap: Callable[[bytes | bytearray], bytes]) -> None:
        """`fd` receives the output, which `wrap` frames."""
        self.unsent = b""
        """The rest of a write that `stop` interrupted."""
        self._fd = fd
        self._wrap = wrap
        self._cols = cols
        self._terminal = terminal
        self._woken = Event()
        self._stopped = False
        self._thread = Thread(target=self._run, name="fugue-startup", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def wake(self) -> None:
        """Paint what changed on the terminal. Any thread."""
        self._woken.set()

    def stop(self) -> None:
        """Stop painting; returns when nothing more will be written, or after a second if the host does not read."""
        self._stopped = True
        self._woken.set()
        if self._thread.ident is not None:
            self._thread.join(1.0)

    def _run(self) -> None:
        size, seen = self._terminal.size, self._terminal.seen_by(self)
        painter = DirectPainter(self._write)
        painter.width = lambda: self._cols
        rect = Rect(0, 0, size.cols, size.rows)
        while not self._stopped:
            self._woken.clear()
            painter.paint(seen, rect)
            painter.cursor(seen.cursor, rect)
            self._woken.wait()

    def _write(self, data: bytes | bytearray) -> None:
        """Write all of it, unless `stop` interrupts; the rest is kept in `unsent`."""
        rest = memoryview(self._wrap(data) if data else b"")
        while rest and not self._stopped:
            try:
                rest = rest[os.write(self._fd, rest) :]
            except BlockingIOError:
                select.select([], [self._fd], [], _PATIENCE)
            except OSError:
                self._stopped = True
        self.unsent = bytes(rest)
