"""The lines between panes: joined box-drawing characters, heavy around the focused pane, with titles. Pure."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Final, TypeAlias

from msgspec import Struct

from fugue_tui.geometry import Rect
from fugue_tui.ids import PaneId
from fugue_tui.layout.box_drawing import Arms, box
from fugue_tui.layout.grid_view import GridView, Title

FOCUS: Final = "focus"
"""The style of what belongs to the focused pane."""
SYNCHRONIZED: Final = "synchronized"
"""The style of the frame around panes that get the same input."""
Width: TypeAlias = Callable[[str], int]
"""The columns that one character takes; 0 for a combining one."""


@cache
def columns(char: str) -> int:
    """The columns of a character, by wcwidth."""
    from wcwidth import wcwidth

    return max(0, wcwidth(char))


class FrameLines(Struct, frozen=True):
    """One character and one style per cell: `focus`, the tone of a title, its colour (as Rich writes it, with `bold`
    in the focused pane's), or nothing; `spans` are the titles' rectangles."""

    size: tuple[int, int]
    chars: tuple[tuple[str, ...], ...]
    styles: tuple[tuple[str, ...], ...]
    spans: tuple[tuple[PaneId, Rect], ...]
    picture: GridView
    """What is drawn."""
    bare: "FrameLines | None" = None
    """The same without titles."""

    @classmethod
    def of(
        cls, picture: GridView, cols: int, rows: int, width: Width = columns, before: "FrameLines | None" = None
    ) -> "FrameLines":
        """The frame of a grid in a container of this size; of `before`, drawn with the same `width`, the rows that
        have not changed are taken over."""
        if before is not None and not before._has_lines_of(picture, (cols, rows)):
            before = None
        bare = _lines(picture, cols, rows) if before is None or before.bare is None else before.bare
        chars, styles, spans = list(bare.chars), list(bare.styles), list[tuple[PaneId, Rect]]()
        for y, titles in _titles_by_row(picture, rows).items():
            if before is not None and all(before.picture.titles.get(pane) == title for pane, _, title in titles):
                chars[y], styles[y] = before.chars[y], before.styles[y]
                spans += (span for span in before.spans if span[1].y == y)
            else:
                row = _TitleRow(picture, bare.chars[y], bare.styles[y], width)
                spans += [row.draw(pane, rect, title) for pane, rect, title in titles]
                chars[y], styles[y] = tuple(row.chars), tuple(row.styles)
        return cls((cols, rows), tuple(chars), tuple(styles), tuple(spans), picture, bare)

    def _has_lines_of(self, picture: GridView, size: tuple[int, int]) -> bool:
        """Whether only titles may differ in the frame of another grid."""
        old = self.picture
        return (
            self.size == size
            and (old.focus, old.title_row, old.line_style) == (picture.focus, picture.title_row, picture.line_style)
            and old.synchronized == picture.synchronized
            and (old.solution is picture.solution or old.solution == picture.solution)
            and old.titles.keys() == picture.titles.keys()
        )

    def runs(self, y: int) -> Iterator[tuple[str, str]]:
        """Row `y` as runs of text, each with its style."""
        if not 0 <= y < len(self.chars):
            yield (" " * self.size[0], "")
            return
        chars, styles, start = self.chars[y], self.styles[y], 0
        for x, style in enumerate(styles):
            if style != styles[start]:
                yield ("".join(chars[start:x]), styles[start])
                start = x
        if chars:
            yield ("".join(chars[start:]), styles[start])

    def title_at(self, x: int, y: int) -> PaneId | None:
        """The pane whose title covers a cell."""
        return next((pane for pane, rect in self.spans if rect.contains(x, y)), None)


def _lines(picture: GridView, cols: int, rows: int) -> FrameLines:
    """The frame without titles."""
    canvas = _Canvas(picture, cols, rows)
    canvas.draw_lines(picture.line_style)
    return FrameLines((cols, rows), _shared(canvas.chars), _shared(canvas.styles), (), picture)


def _shared(cells: list[list[str]]) -> tuple[tuple[str, ...], ...]:
    """Rows of cells; equal ones, as most are, share their memory."""
    rows: dict[tuple[str, ...], tuple[str, ...]] = {}
    return tuple(rows.setdefault(row, row) for row in map(tuple, cells))


def _titles_by_row(picture: GridView, rows: int) -> dict[int, list[tuple[PaneId, Rect, Title]]]:
    """The titles that have room, by the row that they are in; a pane of a stack that is not expanded has no rows."""
    found: dict[int, list[tuple[PaneId, Rect, Title]]] = {}
    for pane, rect in picture.solution.tiles.items():
        title = picture.titles.get(pane)
        if title is not None and 1 <= rect.y <= rows and rect.cols >= 4:
            found.setdefault(rect.y - 1, []).append((pane, rect, title))
    for pane, (row, _) in picture.solution.collapsed.items():
        title = picture.titles.get(pane)
        if title is not None and 0 <= row.y < rows and row.cols >= 4:
            found.setdefault(row.y, []).append((pane, Rect(row.x, row.y + 1, row.cols, 0), title))
    return found


class _Canvas:
    """The cells while the lines are drawn."""

    def __init__(self, picture: GridView, cols: int, rows: int) -> None:
        self.cols, self.rows = cols, rows
        self.top = int(picture.title_row)
        self.chars = [[" "] * cols for _ in range(rows)]
        self.styles = [[""] * cols for _ in range(rows)]
        self.panes, self.framed = picture.solution.tiles, picture.framed
        self.focus = self.panes.get(picture.focus) if picture.focus is not None else None
        self.synchronized = [rect for pane, rect in self.panes.items() if pane in picture.synchronized]
        self.dividers = [divider.rect for divider in picture.solution.dividers]
        self.apart = {(x, row.y) for row, _ in picture.solution.collapsed.values() for x in range(row.x, row.right)}
        """The cells of titles in stacks, which are not joined with the row below."""

    def draw_lines(self, line_style: str) -> None:
        frame = self._frame_cells()
        several = len(self.panes) > 1 or self.framed or bool(self.apart)
        focused = _ring(self.focus) if self.focus is not None and several else set[tuple[int, int]]()
        heavy = focused.union(*map(_ring, self.synchronized))
        for x, y in frame:
            weight = [int((x + dx, y + dy) in frame) for dx, dy in ((0, -1), (1, 0), (0, 1), (-1, 0))]
            weight[0] *= (x, y - 1) not in self.apart
            weight[2] *= (x, y) not in self.apart
            if (x, y) in heavy:
                steps = ((0, -1), (1, 0), (0, 1), (-1, 0))
                weight = [w + int(w and (x + dx, y + dy) in heavy) for w, (dx, dy) in zip(weight, steps, strict=True)]
                self.styles[y][x] = FOCUS if (x, y) in focused else SYNCHRONIZED
            self.chars[y][x] = line((weight[0], weight[1], weight[2], weight[3]), line_style)

    def _frame_cells(self) -> set[tuple[int, int]]:
        cells = {(x, 0) for x in range(self.cols)} if self.top and self.rows else set[tuple[int, int]]()
        for rect in self.dividers:
            cells |= {(x, y) for x in range(rect.x, rect.right) for y in range(rect.y, rect.bottom)}
        return {(x, y) for x, y in cells if x < self.cols and y < self.rows}


class _TitleRow:
    """The cells of a row while titles are drawn over its lines."""

    def __init__(self, picture: GridView, chars: Sequence[str], styles: Sequence[str], width: Width) -> None:
        self.chars, self.styles, self.width = list(chars), list(styles), width
        self.focus = picture.solution.tiles.get(picture.focus) if picture.focus is not None else None
        self.mark = ">" if picture.line_style == "ascii" else "▶"

    def draw(self, pane: PaneId, rect: Rect, title: Title) -> tuple[PaneId, Rect]:
        """Draw a title above the rectangle of its pane; the cells to click."""
        focused = rect == self.focus
        style = FOCUS if focused else ""
        state = self._state(", ".join(part for part in (title.mode, title.state) if part), rect.cols - 8)
        if title.mode and not state:
            state = self._cut(f" {title.mode} ", max(rect.cols - 4, 2))
        room = rect.cols - 2 - self._length(state)
        label = self._cut(f"{self.mark if focused else ' '}{title.text} ", room)
        self._put(rect.x + 1, label, f"{title.colour} bold" if title.colour and focused else title.colour or style)
        self._put(rect.right - 1 - self._length(state), state, title.tone or style)
        width = rect.cols if not rect.rows else self._length(label) + 1
        return pane, Rect(rect.x, rect.y - 1, width, 1)

    def _length(self, text: str) -> int:
        return len(text) if text.isascii() else sum(map(self.width, text))

    def _cut(self, text: str, room: int) -> str:
        """A text truncated to a width."""
        length = self._length(text)
        if length <= room:
            return text
        while length > room - 1:
            length -= self.width(text[-1])
            text = text[:-1]
        return text.rstrip() + "…"

    def _state(self, state: str, room: int) -> str:
        """A pane's state truncated to a width: all of it, its first parts, or nothing."""
        parts = state.split(", ")
        ways = (", ".join(parts[:count]) for count in range(len(parts), 0, -1))
        return next((f" {text} " for text in ways if text and self._length(text) + 2 <= room), "")

    def _put(self, x: int, text: str, style: str) -> None:
        """Write text; the second cell of a wide character holds an empty string."""
        if text.isascii():
            end = min(x + len(text), len(self.chars))
            self.chars[x:end], self.styles[x:end] = text[: end - x], [style] * (end - x)
            return
        for char in text:
            width = self.width(char)
            if not width:
                continue
            if x + width > len(self.chars):
                return
            self.chars[x] = char
            self.styles[x] = style
            if width == 2:
                self.chars[x + 1] = ""
                self.styles[x + 1] = style
            x += width


def _ring(rect: Rect) -> set[tuple[int, int]]:
    """The cells around a pane."""
    ring = {(x, y) for x in range(rect.x - 1, rect.right + 1) for y in (rect.y - 1, rect.bottom)}
    return ring | {(x, y) for x in (rect.x - 1, rect.right) for y in range(rect.y - 1, rect.bottom + 1)}


def outline(rect: Rect, line_style: str) -> Iterator[tuple[int, int, list[str]]]:
    """The frame of a focused pane on the border cells of a rectangle: where each line begins, and its rows."""
    across, down = line((0, 2, 0, 2), line_style), line((2, 0, 2, 0), line_style)
    left_top, right_top, left_bottom, right_bottom = (
        line(arms, line_style) for arms in ((0, 2, 2, 0), (0, 0, 2, 2), (2, 2, 0, 0), (2, 0, 0, 2))
    )
    middle, rows = across * (rect.cols - 2), [down] * (rect.rows - 2)
    if rect.cols < 2 or rect.rows < 2:
        return
    yield rect.x, rect.y, [left_top + middle + right_top]
    yield rect.x, rect.bottom - 1, [left_bottom + middle + right_bottom]
    if rows:
        yield rect.x, rect.y + 1, rows
        yield rect.right - 1, rect.y + 1, rows


def line(arms: Arms, line_style: str) -> str:
    """The character of a line in a style of `ui.dividers`."""
    match line_style:
        case "ascii":
            flat = tuple(min(arm, 1) for arm in arms)
            return {(0, 1, 0, 1): "-", (1, 0, 1, 0): "|"}.get((flat[0], flat[1], flat[2], flat[3]), "+")
        case "thick":
            return box((2 * min(arms[0], 1), 2 * min(arms[1], 1), 2 * min(arms[2], 1), 2 * min(arms[3], 1)))
        case "double":
            char = box((min(arms[0], 1), min(arms[1], 1), min(arms[2], 1), min(arms[3], 1)))
            return _DOUBLES.get(char, char)
        case _:
            return box(arms)


_DOUBLES = dict(zip("─│┌┐└┘├┤┬┴┼", "═║╔╗╚╝╠╣╦╩╬", strict=True))
