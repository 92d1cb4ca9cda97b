"""Either engine, with what it shows and what it replies."""

from collections.abc import Callable, Iterator

import pytest

from fugue_tui.geometry import Size
from fugue_tui.terminal.emulator.events import (
    Reply,
)
from fugue_tui.terminal.emulator.protocol import Emulator
from fugue_tui.terminal.engines import make_emulator

Make = Callable[..., Emulator]


@pytest.fixture(params=["ghostty", "pyte"])
def make(request: pytest.FixtureRequest) -> Iterator[Make]:
    made: list[Emulator] = []

    def emulator(cols: int = 20, rows: int = 5, scrollback: int = 100, needs: str = "") -> Emulator:
        made.append(make_emulator(request.param, Size(cols, rows), scrollback))
        if needs in made[-1].lacks:
            pytest.skip(f"{request.param} lacks {needs}")
        return made[-1]

    yield emulator
    for one in made:
        one.close()


def replies(emulator: Emulator) -> bytes:
    return b"".join(event.data for event in emulator.take_events() if isinstance(event, Reply))
