"""Programs on a terminal that is parsed and answered, and what of its rows a person sees."""

import os
import re
import select
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TypeAlias

from msgspec.structs import replace
from tests.fork_server import REPOSITORY, ForkedPty, ForkServer

from fugue_tui.geometry import Size
from fugue_tui.terminal.emulator.events import Reply
from fugue_tui.terminal.ghostty.emulator import GhosttyEmulator
from fugue_tui.terminal.pty.spawn import Exit, Program, Pty
from fugue_tui.terminal.screen.cells import DEFAULT_COLOUR, Cursor, Row, Style

DEADLINE = 40.0

Cells: TypeAlias = tuple[tuple[str, Style, str | None], ...]
"""A row as stretches of one look: text, style, link."""


def cells(row: Row) -> Cells:
    """A row without what nobody sees: how it is cut into runs, and the weight and colour of blanks."""
    merged: list[tuple[str, Style, str | None]] = []
    for run in row.runs:
        for text in re.findall(" +|[^ ]+", run.text):
            style = surface(run.style) if text.isspace() else run.style
            if merged and merged[-1][1:] == (style, run.link):
                text = merged.pop()[0] + text
            merged.append((text, style, run.link))
    if merged and merged[-1][1:] == (Style(), None):
        text = merged.pop()[0]
        merged += [(text.rstrip(" "), Style(), None)] if text.rstrip(" ") else []
    return tuple(merged)


def surface(style: Style) -> Style:
    """What shows of a style on a blank."""
    lines = style.underline or style.strikethrough or style.overline
    seen = replace(style, bold=False, faint=False, italic=False, blink=False, invisible=False)
    return seen if style.inverse or lines else replace(seen, fg=DEFAULT_COLOUR, underline_colour=DEFAULT_COLOUR)


class Screen:
    """What is on the screen of a terminal."""

    def __init__(self, size: Size) -> None:
        self.emulator = GhosttyEmulator(size, 0)

    def _rows(self) -> list[Row]:
        self.emulator.refresh()
        return [self.emulator.row(y) for y in range(self.emulator.size.rows)]

    @property
    def text(self) -> str:
        """The screen, one line a row."""
        return "\n".join(row.text for row in self._rows())

    @property
    def picture(self) -> tuple[Cells, ...]:
        """Every cell's text and look."""
        return tuple(cells(row) for row in self._rows())

    @property
    def cursor(self) -> Cursor:
        """Where the cursor is, and how it looks."""
        self.emulator.refresh()
        return self.emulator.cursor


class Host(Screen):
    """A terminal with a program in it; the screen moves on only while something is waited for."""

    def __init__(
        self, argv: tuple[str, ...], size: Size, env: dict[str, str], fork_server: ForkServer | None = None
    ) -> None:
        """With a fork server `argv` are Python's arguments, and the process is forked."""
        super().__init__(size)
        self.received = bytearray()
        self.exit: Exit | None = None
        self._open = True
        if fork_server is None:
            self._pty = Pty.spawn(Program(argv, str(REPOSITORY), env), size)
        else:
            self._pty = ForkedPty(fork_server, argv, size, env)

    @property
    def pid(self) -> int:
        """The program's process."""
        return self._pty.pid

    def send(self, data: bytes | str) -> None:
        """Type."""
        os.write(self._pty.fd, data.encode() if isinstance(data, str) else data)

    def resize(self, size: Size) -> None:
        """Give the terminal another size."""
        self.emulator.resize(size)
        self._pty.resize(size)

    def draw(self, data: bytes) -> None:
        """Put something on the terminal's screen that the program knows nothing of."""
        self.emulator.feed(data)
        self.emulator.take_events()

    def step(self, seconds: float) -> bool:
        """Take what the program wrote, and answer what it asks; whether there was any."""
        if not self._open:
            time.sleep(min(seconds, 0.01))
            return False
        if not select.select([self._pty.fd], [], [], max(seconds, 0))[0]:
            return False
        try:
            data = os.read(self._pty.fd, 1 << 16)
        except OSError:
            data = b""
        if not data:
            self._open = False
            return False
        self.received += data
        self.emulator.feed(data)
        for event in self.emulator.take_events():
            if isinstance(event, Reply):
                with suppress(OSError):
                    os.write(self._pty.fd, event.data)
        return True

    def wait_until(self, condition: Callable[[], object], deadline: float = DEADLINE) -> None:
        """Be a terminal until a condition holds; fails after the deadline, with the screen."""
        end = time.monotonic() + deadline
        while not condition():
            assert time.monotonic() < end, f"the deadline passed; the screen:\n{self.text}"
            self.step(0.02)

    def wait_text(self, *words: str) -> None:
        """Wait until all words stand on the screen."""
        self.wait_until(lambda: all(word in self.text for word in words))

    def wait_exit(self) -> Exit:
        """Wait for the program's end."""

        def ended() -> bool:
            self.exit = self.exit or self._pty.reap()
            return self.exit is not None

        self.wait_until(ended)
        assert self.exit is not None
        return self.exit

    def hang_up(self) -> None:
        """Close the terminal, as a closed window does."""
        self._open = False
        os.close(self._pty.fd)

    def close(self) -> None:
        """End the program, however it feels about it."""
        if self.exit is None and self._pty.reap() is None:
            with suppress(ProcessLookupError):
                os.kill(self._pty.pid, signal.SIGKILL)
            while self._pty.reap() is None:
                time.sleep(0.001)
        with suppress(OSError):
            self._pty.close()
        self.emulator.close()
