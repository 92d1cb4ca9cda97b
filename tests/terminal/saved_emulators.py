"""Emulators that are saved and brought back, and what is seen in them."""

from collections.abc import Callable, Iterator

import pytest

from fugue_tui.geometry import Size
from fugue_tui.terminal.emulator.protocol import Emulator
from fugue_tui.terminal.engines import make_emulator
from fugue_tui.terminal.screen.cells import Row

Make = Callable[..., Emulator]
ENGINES = ["ghostty", "pyte"]
SIZE = Size(20, 5)


@pytest.fixture(params=ENGINES)
def make(request: pytest.FixtureRequest) -> Iterator[Make]:
    made: list[Emulator] = []

    def emulator(size: Size = SIZE, scrollback: int = 100) -> Emulator:
        made.append(make_emulator(request.param, size, scrollback))
        return made[-1]

    yield emulator
    for one in made:
        one.close()


def numbered(first: int, last: int) -> bytes:
    return b"".join(b"line %d\r\n" % number for number in range(first, last))


def lines(emulator: Emulator) -> list[str]:
    """Everything from the oldest line to the cursor's."""
    return emulator.lines(0, emulator.scrollback.lines + emulator.caret[1] + 1)


def rows(emulator: Emulator) -> list[Row]:
    """Every row there is, oldest first."""
    found: list[Row] = []
    back = emulator.scrollback.lines
    while back > 0:
        shown = emulator.past(back)()
        found += shown[: min(back, len(shown))]
        back -= len(shown)
    return found + emulator.past(0)()


def recalled(make: Make, data: bytes, size: Size = SIZE, scrollback: int = 100) -> Emulator:
    emulator = make(size, scrollback)
    emulator.recall(data)
    return emulator
