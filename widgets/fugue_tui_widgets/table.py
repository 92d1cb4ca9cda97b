"""A table with a cursor: draws the rows that it is given, and repaints only the cells that changed."""

from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style as RichStyle
from textual import events
from textual.filter import LineFilter
from textual.geometry import Region, Size
from textual.message import Message
from textual.strip import Strip

from fugue_tui.layout.table import GAP, Column, TableRow, cells_of, fit, wanted
from fugue_tui_widgets.scrolled_rows import ScrolledRows


class Table(ScrolledRows):
    """Rows below the titles of their columns; the cursor stays on its row while others come, go and move."""

    HEADER = 1
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "table--header", "table--cursor", "table--blurred", "table--blocked", "table--error", "table--done",
        "table--working",
    }  # fmt: skip
    DEFAULT_CSS = """
    Table {
        width: 1fr; height: 1fr; overflow-x: hidden; scrollbar-size-vertical: 1; color: $foreground;
        & > .table--header { color: $text-muted; text-style: bold; }
        & > .table--cursor {
            color: $block-cursor-foreground; background: $block-cursor-background; text-style: $block-cursor-text-style;
        }
        & > .table--blurred {
            color: $block-cursor-blurred-foreground; background: $block-cursor-blurred-background;
            text-style: $block-cursor-blurred-text-style;
        }
        & > .table--blocked { color: $warning; text-style: bold; }
        & > .table--error { color: $error; text-style: bold; }
        & > .table--done { color: $success; }
        & > .table--working { color: $primary; }
    }
    """

    class Highlighted(Message):
        """The cursor is on another row, or on none."""

    class Chosen(Message):
        """A row was double-clicked."""

        def __init__(self, key: str) -> None:
            super().__init__()
            self.key = key

    def __init__(self, columns: Sequence[Column], *, opaque: bool) -> None:
        """`opaque`: whether it has a background of its own, instead of the host terminal's."""
        super().__init__()
        self._columns, self._opaque = columns, opaque
        self._titles = tuple(column.title for column in columns)
        self._rows: Sequence[TableRow] = ()
        self._wanted = wanted(columns, (), cell_len)
        self._widths = [0] * len(columns)
        self._bright = False

    # Rows

    @property
    def chosen(self) -> TableRow | None:
        """The row under the cursor; None if there is none."""
        return self._rows[self._at] if self._rows else None

    def show(self, rows: Sequence[TableRow]) -> None:
        """Show these rows, in this order."""
        old, chosen, above = self._rows, self.chosen, self._at
        self._rows = rows
        keys = [row.key for row in rows]
        found = keys.index(chosen.key) if chosen and chosen.key in keys else above
        self._at = max(min(found, len(rows) - 1), 0)
        if (chosen and chosen.key) != (self.chosen and self.chosen.key):
            self.post_message(self.Highlighted())
        self._want(old)
        if self._fit() or len(old) != len(rows):
            self._draw_all()
            return
        changed = [
            (number, None if _looks(before) != _looks(after) else before)
            for number, (before, after) in enumerate(zip(old, rows, strict=True))
            if before is not after and (before.cells != after.cells or _looks(before) != _looks(after))
        ]
        self._repaint(changed)
        if self._at != above:
            self._moved(above)

    def _want(self, old: Sequence[TableRow]) -> None:
        """Have the columns take in the rows; they become narrower only when rows come or go."""
        before = {row.key: row for row in old}
        if before.keys() != {row.key for row in self._rows}:
            self._wanted = wanted(self._columns, self._rows, cell_len)
        elif changed := [row for row in self._rows if before[row.key] is not row]:
            self._wanted = list(map(max, self._wanted, wanted(self._columns, changed, cell_len)))

    def _fit(self) -> bool:
        """Fit the columns to the width; whether any has changed."""
        before, self._widths = self._widths, fit(self._columns, self._wanted, self._room)
        return before != self._widths

    def _draw_all(self) -> None:
        """Draw every row again, and fit the scrollbar to their number."""
        self.virtual_size = Size(self._room, len(self._rows) + self.HEADER)
        self.refresh()
        self._keep_in_view()

    def watch_show_vertical_scrollbar(self) -> None:
        """Fit the columns beside the scrollbar."""
        if self._fit():
            self._draw_all()

    def on_resize(self) -> None:
        """Fit the columns, and keep the cursor in view."""
        self._wanted = wanted(self._columns, self._rows, cell_len)
        self._fit()
        self._draw_all()

    def _repaint(self, rows: Iterable[tuple[int, TableRow | None]]) -> None:
        """Repaint rows: of each the cells that differ from how it was before, or all of it."""
        top, height, room = int(self.scroll_y), self.size.height, self._room
        regions = list[Region]()
        for number, before in rows:
            y = number + self.HEADER - top
            if self.HEADER <= y < height:
                left, right = self._differing(before, self._rows[number]) if before else (0, room)
                _add(regions, Region(left, y, right - left, 1))
        if regions:
            self.refresh(*regions)

    def _differing(self, before: TableRow, after: TableRow) -> tuple[int, int]:
        """The columns of the screen from the first to after the last cell that differs."""
        x, left, right = 0, -1, 0
        for number, width in enumerate(self._widths):
            if width:
                if before.cells[number] != after.cells[number]:
                    left, right = x if left < 0 else left, x + width
                x += width + GAP
        return max(left, 0), right

    # The cursor

    def move(self, rows: int) -> None:
        """Move the cursor by some rows, as far as there are any."""
        before, self._at = self._at, max(min(self._at + rows, len(self._rows) - 1), 0)
        self._moved(before)

    def redraw_cursor(self, *, bright: bool) -> None:
        """Draw the cursor brightly, while keys are for the table, or faintly."""
        self._bright = bright
        if self._rows:
            self._repaint([(self._at, None)])

    def _moved(self, before: int) -> None:
        self._repaint((number, None) for number in {before, self._at} & set(range(len(self._rows))))
        self._keep_in_view()
        if before != self._at:
            self.post_message(self.Highlighted())

    def _keep_in_view(self) -> None:
        self._show_rows(self._at, self._at)

    def on_click(self, event: events.Click) -> None:
        """Choose a row; go there by a double click."""
        number = self._row_at(event.y)
        if 0 <= number < len(self._rows):
            before, self._at = self._at, number
            self._moved(before)
            if event.chain > 1 and before == number:
                self.post_message(self.Chosen(self._rows[number].key))

    # Drawing

    def get_line_filters(self) -> Sequence[LineFilter]:
        """None: the colours of panes are not filtered either."""
        return ()

    def _line(self, y: int, left: int, right: int) -> Strip:
        """The titles, a row, or nothing."""
        if y == 0:
            return self._strip(self._titles, left, right, self._style("table--header"))
        number = self._row_at(y)
        if number >= len(self._rows):
            return Strip.blank(right - left, self._style(""))
        row = self._rows[number]
        if number == self._at:
            style = self.get_component_rich_style(self._cursor_style)
            return self._strip(row.cells, left, right, style, spans=row.spans)
        tone = self._style(f"table--{row.tone}") if row.tone else None
        return self._strip(row.cells, left, right, self._style(""), tone, row.spans)

    @property
    def _cursor_style(self) -> str:
        return "table--cursor" if self._bright else "table--blurred"

    def _strip(
        self,
        texts: Sequence[str],
        left: int,
        right: int,
        style: RichStyle,
        tone: RichStyle | None = None,
        spans: Sequence[tuple[int, int, int, str]] = (),
    ) -> Strip:
        segments, start, x = list[Segment](), left, 0
        for number, text in cells_of(self._columns, self._widths, texts, cell_len):
            gap = GAP * (x > 0)
            begin, x = x, x + gap + self._widths[number]
            if x <= left or begin >= right:
                continue
            if begin + gap == left:
                begin, gap, text = left, 0, text[gap:]
            start = min(start, begin)
            base = tone if tone and self._columns[number].toned else style
            own = [(gap + first, gap + end, look) for column, first, end, look in spans if column == number]
            segments += _segments(text, base, own)
        if x < right:
            segments.append(Segment(" " * (right - max(x, left)), style))
        return Strip(segments, max(x, right) - start).crop(left - start, right - start)

    def _style(self, component: str) -> RichStyle:
        """A style, without a background unless the table is opaque."""
        if component not in self._palette:
            style = self.get_component_rich_style(component) if component else self.rich_style
            own = style if self._opaque else RichStyle(color=style.color, bold=style.bold, dim=style.dim)
            self._palette[component] = own
        return self._palette[component]


def _add(regions: list[Region], row: Region) -> None:
    """Add a region of one row, which is part of the last region if that is as wide and ends above it."""
    last = regions[-1] if regions else None
    if last and (last.x, last.width, last.bottom) == (row.x, row.width, row.y):
        regions[-1] = Region(last.x, last.y, last.width, last.height + 1)
    else:
        regions.append(row)


def _looks(row: TableRow) -> tuple[object, ...]:
    """What a row looks like besides its text."""
    return row.tone, row.spans


def _segments(text: str, style: RichStyle, spans: Sequence[tuple[int, int, str]]) -> Iterator[Segment]:
    """A text of which some parts have a look of their own."""
    at = 0
    for start, end, look in spans:
        yield Segment(text[at:start], style)
        yield Segment(text[start:end], style + RichStyle.parse(look))
        at = end
    yield Segment(text[at:], style)
