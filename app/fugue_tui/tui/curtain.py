"""Shows the first pane while the app is still being loaded, so that a prompt does not wait for it."""

import os
from threading import Event, Thread

from fugue_tui.geometry import Rect
from fugue_tui.host_terminal import HostTerminal
from fugue_tui.terminal.terminal import Terminal
from fugue_tui.tui.painter import Painter


class Curtain:
    """A thread that paints one terminal from the host's first row on, until `lift`; nobody else may refresh it."""

    def __init__(self, host: HostTerminal, terminal: Terminal) -> None:
        self._host = host
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
        """Stop painting; returns once nothing more will be written, or the host has been stuck for a while."""
        self._lifted = True
        self._news.set()
        self._thread.join(1.0)

    def _run(self) -> None:
        size = self._terminal.size
        painter = Painter(self)
        painter.width = lambda: self._host.size.cols
        rect = Rect(0, 0, size.cols, size.rows)
        while not self._lifted:
            self._news.clear()
            painter.paint(self._terminal, rect)
            painter.cursor(self._terminal.emulator.cursor, rect)
            self._news.wait()

    def write(self, data: bytes | bytearray) -> None:
        """Write all of it; the host's descriptor blocks as long as the curtain is down."""
        rest = memoryview(data)
        try:
            while rest and not self._lifted:
                rest = rest[os.write(self._host.output_fd, rest) :]
        except OSError:
            self._lifted = True
