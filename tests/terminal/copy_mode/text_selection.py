"""Terminals without programs in which tests select text."""

from collections.abc import Iterator

import pytest

from fugue_tui.geometry import Size
from fugue_tui.terminal.copy_mode.copy_mode import Cell
from fugue_tui.terminal.copy_mode.text_units import Unit
from fugue_tui.terminal.emulator.events import Event
from fugue_tui.terminal.engines import make_emulator
from fugue_tui.terminal.pty.io_loop import IOLoop
from fugue_tui.terminal.pty.spawn import Exit
from fugue_tui.terminal.screen.cells import Row
from fugue_tui.terminal.terminal import Terminal

SIZE = Size(20, 5)


class Nobody:
    """A watcher that does not listen."""

    def changed(self, terminal: Terminal) -> None: ...

    def on_event(self, terminal: Terminal, event: Event) -> None: ...

    def ended(self, terminal: Terminal, exit: Exit) -> None: ...


@pytest.fixture(scope="module")
def pump() -> Iterator[IOLoop]:
    pump = IOLoop()
    pump.start()
    yield pump
    pump.stop()


@pytest.fixture(params=["ghostty", "pyte"])
def terminal(request: pytest.FixtureRequest, pump: IOLoop) -> Iterator[Terminal]:
    made = terminal_of(request.param, pump)
    yield made
    made.close()


@pytest.fixture
def ghostty(pump: IOLoop) -> Iterator[Terminal]:
    made = terminal_of("ghostty", pump)
    yield made
    made.close()


def terminal_of(engine: str, pump: IOLoop, size: Size = SIZE) -> Terminal:
    return Terminal.waiting(size, pump=pump, emulator=make_emulator(engine, size, 100), watcher=Nobody())


def say(terminal: Terminal, text: str) -> None:
    terminal.receive(memoryview(text.encode()))


def drag(terminal: Terminal, start: tuple[int, int], stop: tuple[int, int], unit: Unit = Unit.CHARACTER) -> str:
    """Select from one cell of the view to another, each as (x, y); the text."""
    terminal.copy_mode.select(Cell(*start), unit)
    terminal.copy_mode.extend(Cell(*stop))
    return terminal.copy_mode.selected_text


def reversed_text(terminal: Terminal) -> list[str]:
    """What is in reverse video, row by row, for rows that have any."""
    terminal.seen.refresh()
    return [part for y in range(terminal.size.rows) if (part := inverse(terminal.seen.row(y)))]


def inverse(row: Row) -> str:
    return "".join(run.text for run in row.runs if run.style.inverse)
