"""A list of rows with headings and a cursor, of which only what is visible is drawn."""

from collections.abc import Sequence
from typing import ClassVar, TypeAlias

from msgspec import Struct
from rich.segment import Segment
from rich.style import Style as RichStyle
from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip

from fugue_tui_widgets.scrolled_rows import ScrolledRows

Part: TypeAlias = tuple[str, str]
"""Cleaned text of a row, and its tone: match, dim, heading, or none."""


class ListRow(Struct, frozen=True):
    """A row."""

    key: str
    """What its owner knows it by; empty for a heading, which the cursor passes over."""
    parts: tuple[Part, ...]


class RowList(ScrolledRows, can_focus=True):
    """The cursor stays on its row while others come and go."""

    ALLOW_MAXIMIZE = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "row-list--cursor", "row-list--match", "row-list--dim", "row-list--heading",
    }  # fmt: skip
    DEFAULT_CSS = """
    RowList {
        width: 1fr; height: 1fr; overflow-x: hidden; scrollbar-size-vertical: 1; background: $surface;
        & > .row-list--cursor {
            color: $block-cursor-foreground; background: $block-cursor-background; text-style: $block-cursor-text-style;
        }
        & > .row-list--match { color: $warning; text-style: bold underline; }
        & > .row-list--dim { color: $text-muted; }
        & > .row-list--heading { color: $primary; text-style: bold; }
    }
    """

    class Highlighted(Message):
        """The cursor is on another row, or on none: then the key is empty."""

        def __init__(self, key: str) -> None:
            super().__init__()
            self.key = key

    class Chosen(Message):
        """A row was double-clicked."""

        def __init__(self, key: str) -> None:
            super().__init__()
            self.key = key

    def __init__(self) -> None:
        super().__init__()
        self._rows: Sequence[ListRow] = ()
        self._at = -1
        self._strips: dict[tuple[int, bool], Strip] = {}

    # Rows

    @property
    def key(self) -> str:
        """The key of the row under the cursor; empty if there is none."""
        return self._rows[self._at].key if 0 <= self._at < len(self._rows) else ""

    def show(self, rows: Sequence[ListRow], key: str = "") -> None:
        """Show these rows; the cursor goes to a key if one is given, else it stays on its own, or near its place."""
        before = self.key
        wanted = key or before
        found = next((at for at, row in enumerate(rows) if wanted and row.key == wanted), None)
        self._rows = rows
        self._at = found if found is not None else self._nearest(max(self._at, 0) if before else 0)
        self._draw_all()
        if self.key != before:
            self.post_message(self.Highlighted(self.key))

    def _nearest(self, at: int) -> int:
        """The row at a place that has a key, or the next below, or the last one above; -1 if there is none."""
        keyed = [number for number, row in enumerate(self._rows) if row.key]
        return next((number for number in keyed if number >= at), keyed[-1] if keyed else -1)

    def move(self, rows: int) -> None:
        """Move the cursor by some rows, as far as there are any; headings do not count."""
        keyed = [number for number, row in enumerate(self._rows) if row.key]
        if keyed:
            here = keyed.index(self._at) if self._at in keyed else 0
            self._go(keyed[max(min(here + rows, len(keyed) - 1), 0)])

    def _go(self, number: int) -> None:
        before, self._at = self._at, number
        if before != number:
            self._keep_in_view()
            self.refresh()
            self.post_message(self.Highlighted(self.key))

    def _keep_in_view(self) -> None:
        if self._at < 0:
            return
        under_heading = self._at > 0 and not self._rows[self._at - 1].key
        self._show_rows(self._at - under_heading, self._at)

    # The mouse

    def on_click(self, event: events.Click) -> None:
        """Move the cursor to a row; a double click chooses it."""
        number = self._row_at(event.y)
        if 0 <= number < len(self._rows) and (key := self._rows[number].key):
            same = number == self._at
            self._go(number)
            if event.chain > 1 and same:
                self.post_message(self.Chosen(key))

    # Drawing

    def _draw_all(self) -> None:
        self._strips.clear()
        self.virtual_size = Size(self._room, len(self._rows))
        self.refresh()
        self._keep_in_view()

    def on_resize(self) -> None:
        """Draw in another width, and keep the cursor in view."""
        self._draw_all()

    def notify_style_update(self) -> None:
        """Draw the rows again in the colours of another theme."""
        super().notify_style_update()
        self._strips.clear()

    def _line(self, y: int, left: int, right: int) -> Strip:
        return self._row(self._row_at(y)).crop(left, right)

    def _row(self, number: int) -> Strip:
        width = self._room
        if number >= len(self._rows):
            return Strip.blank(width, self.rich_style)
        where = number, number == self._at
        strip = self._strips.get(where)
        if strip is None or strip.cell_length != width:
            strip = self._strips[where] = self._strip(self._rows[number], chosen=where[1])
        return strip

    def _strip(self, row: ListRow, *, chosen: bool) -> Strip:
        base = self._style("cursor") if chosen else self.rich_style
        segments = [Segment(text, self._toned(base, tone, chosen=chosen)) for text, tone in row.parts]
        strip, room = Strip(segments), self._room
        if strip.cell_length > room > 0:
            strip = Strip([*strip.crop(0, room - 1), Segment("…", base)])
        return strip.adjust_cell_length(room, base)

    def _toned(self, base: RichStyle, tone: str, *, chosen: bool) -> RichStyle:
        if not tone:
            return base
        if chosen:
            return base + RichStyle(underline=True) if tone == "match" else base
        return base + self._style(tone)

    def _style(self, name: str) -> RichStyle:
        if name not in self._palette:
            self._palette[name] = self.get_component_rich_style(f"row-list--{name}")
        return self._palette[name]
