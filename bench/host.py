"""The host terminal: a PTY whose output is read, parsed and answered by an emulator."""

import os
import select
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self, cast

from ptyprocess import PtyProcess  # pyright: ignore[reportMissingTypeStubs]
from pyghostty import Terminal  # pyright: ignore[reportMissingTypeStubs]

from fugue_tui.geometry import Size

CHUNK = 1 << 18
GRAPHEMES = b"\x1b[?2027h"
"""Widths by grapheme clusters, the default of modern terminals and of tmux."""
FRAME_END = b"\x1b[?2026l"
DEADLINE = 120.0
"""Seconds after which a measurement is aborted."""


class Overdue(Exception):
    """The expected text did not appear in time; contains the screen."""


class Host:
    """A program on a terminal of its own. Single-threaded: the screen changes only in `step`, `run` and `until`."""

    def __init__(self, argv: Sequence[str], env: Mapping[str, str], size: Size) -> None:
        self._terminal: Any = Terminal(size.cols, size.rows, scrollback=0, fg=(200, 200, 200), bg=(0, 0, 0))
        self._terminal.feed(GRAPHEMES)
        self._terminal.on_reply(self.send)
        self._closed = False
        self.received = 0
        """Bytes written by the program so far."""
        self.frames = 0
        """Synchronized updates (mode 2026) that the program has ended so far."""
        self.started = time.perf_counter()
        self._process = cast("Any", PtyProcess).spawn(list(argv), env=dict(env), dimensions=(size.rows, size.cols))
        self._fd: int = self._process.fd

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def pid(self) -> int:
        """The program's process id, which is also its session id."""
        return self._process.pid

    @property
    def ended(self) -> bool:
        """Whether the program has exited."""
        return self._closed or not self._process.isalive()

    @property
    def text(self) -> str:
        """The screen, one line a row."""
        return self._terminal.text()

    @property
    def cursor(self) -> tuple[int, int]:
        """Column and row of the cursor, from 0."""
        return self._terminal.cursor

    def send(self, data: bytes) -> None:
        """Press keys, or answer a query."""
        if not self._closed:
            os.write(self._fd, data)

    def step(self, seconds: float) -> bool:
        """Process output, waiting for it at most so long; whether there was any."""
        if self._closed or not select.select([self._fd], [], [], max(seconds, 0))[0]:
            return False
        try:
            data = os.read(self._fd, CHUNK)
        except OSError:
            self._closed = True
            return False
        self.received += len(data)
        self.frames += data.count(FRAME_END)
        self._terminal.feed(data)
        return bool(data)

    def run(self, seconds: float) -> None:
        """Process output for a while."""
        end = time.perf_counter() + seconds
        while (left := end - time.perf_counter()) > 0 and not self._closed:
            self.step(left)

    def until(self, seen: Callable[[], bool], *, every: float = 0.0, deadline: float = DEADLINE) -> float:
        """The `time.perf_counter` value when `seen` became true, polled at interval `every`. Raises Overdue."""
        end = time.perf_counter() + deadline
        due = 0.0
        while (now := time.perf_counter()) < end and not self._closed:
            if now >= due:
                if seen():
                    return now
                due = now + every
            self.step(max(every, 0.001) if every else 0.05)
        if seen():
            return time.perf_counter()
        raise Overdue(self.text)

    def until_text(self, *words: str, every: float = 0.002, deadline: float = DEADLINE) -> float:
        """The time when all words were on the screen together."""
        return self.until(lambda: all(word in self.text for word in words), every=every, deadline=deadline)

    def close(self) -> None:
        """End the program and its session."""
        self._closed = True
        self._process.close(force=True)
        self._terminal.close()
