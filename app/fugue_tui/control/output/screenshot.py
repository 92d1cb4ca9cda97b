"""Captures screens: of one pane, or of a window as the user sees it, with dividers and titles.

Terminals are read at once, on the main thread; the screen may be composed on any.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from fugue_tui.control.output.hidden_text import theme_of
from fugue_tui.control.output.pane_titles import grid_view
from fugue_tui.geometry import Rect, Size
from fugue_tui.ids import PaneId
from fugue_tui.imaging.palette import Theme
from fugue_tui.imaging.screen import Cell, PaneImage, Screen, cells
from fugue_tui.layout.frame_lines import FOCUS, FrameLines
from fugue_tui.layout.grid_view import GridView, float_view
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.terminal.emulator.protocol import Emulator
from fugue_tui.terminal.screen.cells import PLAIN, Cursor, Row, Run, Style
from fugue_tui.terminal.screen.highlight import highlight
from fugue_tui.terminal.screen.images import Area, Pixels
from fugue_tui.terminal.terminal import Terminal
from fugue_tui.workspace.model import Window

Make: TypeAlias = Callable[[], Screen]
"""Composes a screen, on any thread."""

UnreadImage: TypeAlias = tuple[tuple[float, float, float, float], Callable[[], Pixels | None], Area]
"""Where an image is, in cells; what reads its pixels, on any thread; and the part that shows."""

LINES: Final = Style(faint=True)
"""The style of dividers and titles."""
FOCUSED: Final = Style(fg=4, bold=True)
TONES: Final = {
    "blocked": Style(fg=3, bold=True),
    "working": Style(fg=4),
    "done": Style(fg=2),
    "error": Style(fg=1, bold=True),
}
"""Of the states of agents."""
"""The style around the focused pane."""


class CapturedScreen(Struct, frozen=True):
    """A captured screen that is still to be composed."""

    make: Make
    theme: Theme
    source: str
    """The id of the pane or window."""


def capture_pane(mux: Multiplexer, pane: PaneId) -> CapturedScreen:
    """A pane's screen, however far the user has scrolled. Raises NotFound."""
    terminal = mux.terminal(pane)
    with terminal.locked() as screen:
        read, cols = screen.emulator.past(0), screen.size.cols
        images = _images(screen.emulator, Rect(0, 0, cols, screen.size.rows), 0)
        cursor, theme = _cursor(screen.emulator), theme_of(screen.emulator)
    return CapturedScreen(lambda: Screen(cols, tuple(read()), cursor, _decoded(images)), theme, str(pane))


def capture_window(mux: Multiplexer, window: Window) -> CapturedScreen:
    """A window as the user sees it."""
    grid, area = grid_view(mux, window), mux.layouts.area_of(window.id)
    for pane in grid.solution.panes:
        mux.contents.refresh(pane)
    parts = [_part(mux.terminals[pane], rect, pane == window.active) for pane, rect in grid.solution.panes.items()]
    images = [each for pane, rect in grid.solution.panes.items() for each in _pane_images(mux.terminals[pane], rect)]
    terminal = mux.terminals[window.active]
    with terminal.locked() as screen:
        theme = theme_of(screen.emulator)

    def make() -> Screen:
        screen = composed(grid, area, [(rect, rows(), cursor) for rect, rows, cursor in parts])
        return replace(screen, images=_decoded(images))

    return CapturedScreen(make, theme, str(window.id))


def _part(terminal: Terminal, rect: Rect, focused: bool) -> tuple[Rect, Callable[[], list[Row]], Cursor | None]:
    with terminal.locked() as screen:
        back, marks = terminal.seen.offset(screen), terminal.copy_mode.highlights(screen)
        read, cursor = screen.emulator.past(back), _cursor(screen.emulator) if focused and not back else None
    return rect, lambda: [highlight(row, *marks[y]) if y in marks else row for y, row in enumerate(read())], cursor


def _pane_images(terminal: Terminal, rect: Rect) -> list[UnreadImage]:
    with terminal.locked() as screen:
        return _images(screen.emulator, rect, terminal.seen.offset(screen))


def _images(emulator: Emulator, rect: Rect, back: int) -> list[UnreadImage]:
    """What reads the images of a pane, whose view is scrolled back, and where they are."""
    wide, high = emulator.graphics.cell
    clip, found = Area(0, 0, rect.cols * wide, rect.rows * high), list[UnreadImage]()
    for placement in emulator.past_images(back):
        part, read = placement.within(clip), emulator.pixels(placement.image)
        if part is not None and read is not None:
            at = part.target
            place = (rect.x + at.x / wide, rect.y + at.y / high, at.width / wide, at.height / high)
            found.append((place, read, part.source))
    return found


def _decoded(images: Sequence[UnreadImage]) -> tuple[PaneImage, ...]:
    return tuple(PaneImage(*place, pixels, source) for place, read, source in images if (pixels := read()) is not None)


def _cursor(emulator: Emulator) -> Cursor:
    """The cursor now, with its shape as last read."""
    x, y = emulator.caret
    return replace(emulator.cursor, x=x, y=y, visible=emulator.shows_caret)


def composed(grid: GridView, size: Size, parts: list[tuple[Rect, list[Row], Cursor | None]]) -> Screen:
    """The rows of panes in their rectangles, with dividers and titles; those that float, the last parts, over them."""
    floats = grid.solution.floats
    tiles, over = parts[: len(parts) - len(floats)], parts[len(parts) - len(floats) :]
    screen = _composed(FrameLines.of(grid, size.cols, size.rows), tiles)
    for (pane, frame), part in zip(floats, over, strict=True):
        screen = _with_float(screen, float_view(grid, pane, frame), frame, part)
    return screen


def _with_float(
    screen: Screen, view: GridView | None, frame: Rect, part: tuple[Rect, list[Row], Cursor | None]
) -> Screen:
    """A screen with a floating pane over it."""
    rect, found, cursor = part
    moved = replace(rect, x=rect.x - frame.x, y=rect.y - frame.y)
    over = _composed(FrameLines.of(view or GridView(), frame.cols, frame.rows), [(moved, found, cursor)])
    rows = list(screen.rows)
    for y in range(max(frame.y, 0), min(frame.bottom, len(rows))):
        beside = [
            each for each in cells(rows[y], screen.cols) if each.x + each.cols <= frame.x or each.x >= frame.right
        ]
        inside = [replace(each, x=each.x + frame.x) for each in cells(over.rows[y - frame.y], frame.cols)]
        rows[y] = Row(tuple(_runs(beside + inside)))
    below = screen.cursor if screen.cursor is None or not frame.contains(screen.cursor.x, screen.cursor.y) else None
    above = over.cursor and replace(over.cursor, x=over.cursor.x + frame.x, y=over.cursor.y + frame.y)
    return Screen(screen.cols, tuple(rows), above or below)


def _composed(frame: FrameLines, parts: list[tuple[Rect, list[Row], Cursor | None]]) -> Screen:
    cols, height = frame.size
    rows = [_frame_cells(frame, y, parts) for y in range(height)]
    cursor: Cursor | None = None
    for rect, found, own in parts:
        for y, row in enumerate(found[: rect.rows]):
            if rect.y + y < height:
                rows[rect.y + y] += [replace(each, x=each.x + rect.x) for each in cells(row, rect.cols)]
        if own is not None:
            cursor = replace(own, x=own.x + rect.x, y=own.y + rect.y)
    return Screen(cols, tuple(Row(tuple(_runs(row))) for row in rows), cursor)


def _frame_cells(frame: FrameLines, y: int, parts: list[tuple[Rect, list[Row], Cursor | None]]) -> list[Cell]:
    covered = [(rect.x, rect.right) for rect, _, _ in parts if rect.y <= y < rect.bottom]
    found: list[Cell] = []
    for x, (char, style) in enumerate(zip(frame.chars[y], frame.styles[y], strict=True)):
        if char in ("", " ") or any(left <= x < right for left, right in covered):
            continue
        wide = x + 1 < len(frame.chars[y]) and frame.chars[y][x + 1] == ""
        found.append(Cell(x, char, 1 + wide, FOCUSED if style == FOCUS else TONES.get(style, LINES)))
    return found


def _runs(row: list[Cell]) -> Iterator[Run]:
    """Cells in any order as runs, with blanks between them."""
    filled: list[Cell] = []
    x = 0
    for cell in sorted(row, key=lambda cell: cell.x):
        filled += [Cell(x + gap, " ", 1, PLAIN) for gap in range(cell.x - x)]
        filled.append(cell)
        x = cell.x + cell.cols
    for style, group in groupby(filled, key=lambda cell: cell.style):
        run = list(group)
        yield Run("".join(cell.text for cell in run), style, sum(cell.cols for cell in run))
