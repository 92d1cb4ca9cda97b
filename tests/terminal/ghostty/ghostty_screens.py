"""The first engine, its screen, and a clock that the test moves."""

import resource
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fugue_tui.geometry import Size
from fugue_tui.terminal.ghostty.emulator import GhosttyEmulator

MIB = 1 << 20
Make = Callable[..., GhosttyEmulator]


class Clock:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def make() -> Iterator[Make]:
    made: list[GhosttyEmulator] = []

    def emulator(cols: int = 20, rows: int = 5, scrollback: int = 100, clock: Clock | None = None) -> GhosttyEmulator:
        made.append(GhosttyEmulator(Size(cols, rows), scrollback, clock=clock or Clock()))
        return made[-1]

    yield emulator
    for one in made:
        one.close()


def texts(emulator: GhosttyEmulator) -> list[str]:
    emulator.refresh()
    return [emulator.row(y).text for y in range(emulator.size.rows)]


def memory() -> int:
    """Resident bytes of this process."""
    if not (statm := Path("/proc/self/statm")).exists():
        pytest.skip("this system does not tell the memory of a process")
    return int(statm.read_text().split()[1]) * resource.getpagesize()
