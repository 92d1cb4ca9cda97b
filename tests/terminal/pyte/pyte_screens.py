"""Screens of the fallback engine."""

from fugue_tui.geometry import Size
from fugue_tui.terminal.pyte.emulator import PyteEmulator


def fed(*pieces: str | bytes, cols: int = 20, rows: int = 5, scrollback: int = 100) -> PyteEmulator:
    emulator = PyteEmulator(Size(cols, rows), scrollback)
    for piece in pieces:
        emulator.feed(piece if isinstance(piece, bytes) else piece.encode())
    emulator.refresh()
    return emulator


def texts(emulator: PyteEmulator) -> list[str]:
    emulator.refresh()
    return [emulator.row(y).text for y in range(emulator.size.rows)]


def numbered(count: int) -> str:
    return "\r\n".join(str(number) for number in range(count))
