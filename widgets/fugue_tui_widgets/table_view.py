"""A table with its keys, in a pane or over the panes: move, sort, filter, and what the caller adds."""

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

from msgspec import Struct
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Input, Static

from fugue_tui.layout.table import Column, TableRow
from fugue_tui_widgets.dialogs import NARROW, SHORT, fitting, hint_lines
from fugue_tui_widgets.error_boundary import ErrorBoundary
from fugue_tui_widgets.region_refresh import refresh_regions
from fugue_tui_widgets.table import Table


class RowKey(Struct, frozen=True):
    """A key for the chosen row."""

    words: str
    """What it does, such as `answers`."""
    run: Callable[[TableRow], None]


class TableKey(Struct, frozen=True):
    """A key for the table as a whole."""

    words: str
    """What it does."""
    run: Callable[[], None]


class TableModel(Struct, frozen=True):
    """What is to be known of a table besides its rows."""

    columns: Sequence[Column]
    orders: Sequence[str]
    """The ways to sort, in the order in which the key goes through them; the first needs no mention."""
    empty: str
    """What is shown without rows."""
    summary: Callable[[Sequence[TableRow]], str]
    """The rows in a few words."""
    keys: Mapping[str, RowKey]
    """By Textual's names; `enter` is a double click, too."""
    table_keys: Mapping[str, TableKey]
    """Likewise."""
    close: Callable[[], None]
    """Called by `q`, and where there is no filter by Escape if that closes."""
    shown: Callable[[], None]
    """Called when it becomes visible."""


class TableView(ErrorBoundary, Vertical, can_focus=True):
    """A table that is sorted and filtered by keys."""

    ALLOW_SELECT = False
    ALLOW_MAXIMIZE = False
    DEFAULT_CSS = """
    TableView {
        width: 1fr; height: 1fr;
        Input { border: none; height: 1; padding: 0; display: none; background: transparent; }
        Input:focus { border: none; }
        &.-filtered Input { display: block; }
        Static { width: 1fr; height: auto; color: $text-muted; }
        #empty { padding: 1 2; display: none; }
        #footer { height: 1; text-wrap: nowrap; text-overflow: ellipsis; }
        &.-framed #empty { height: 1fr; }
        &.-empty #empty { display: block; }
        &.-empty Table { display: none; }
        &.-low #footer, &.-framed #footer, &.-empty #footer { display: none; }
        &.-framed.-wrapped #footer { display: block; height: auto; text-wrap: wrap; padding: 0 1; }
        &.-low #empty { padding: 0; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", show=False),
        Binding("down,j", "move(1)", show=False),
        Binding("pageup", "page(-1)", show=False),
        Binding("pagedown,space", "page(1)", show=False),
        Binding("home,g", "move(-1000000)", show=False),
        Binding("end,G", "move(1000000)", show=False),
        Binding("s", "sort", "Sort"),
        Binding("slash", "filter", "Filter"),
        Binding("escape", "leave(False)", show=False),
        Binding("q", "leave(True)", "Close"),
    ]

    def __init__(self, model: TableModel, *, framed: bool = False, below: Sequence[Widget] = ()) -> None:
        """`framed`: whether it has a frame, whose titles say what the line at the bottom says of others. What is
        `below` the table names the keys instead."""
        super().__init__(classes="-framed" if framed else None)
        self._model, self._framed, self._below = model, framed, below
        self._rows: Sequence[TableRow] = ()
        self._order, self._said = 0, ""
        self._table = Table(model.columns, opaque=framed)
        self._filter = Input(placeholder="words to look for", compact=True)
        self._footer = Static("", id="footer")

    def compose(self) -> ComposeResult:
        """The table, or why it is empty, the filter, and the keys."""
        yield self._table
        yield Static(Content(self._model.empty), id="empty")
        yield self._filter
        yield from self._below
        yield self._footer

    def on_mount(self) -> None:
        """Show what there is."""
        self._refill()

    def on_show(self) -> None:
        """Ask for rows."""
        self._model.shown()

    def on_resize(self, event: events.Resize) -> None:
        """Leave the last line to the rows where there are few."""
        self.set_class(event.size.height < 6, "-low")
        self._show_hints()

    def show(self, rows: Sequence[TableRow]) -> None:
        """Show these rows."""
        if rows != self._rows:
            self._rows = rows
            if self.is_mounted:
                self._refill()

    @property
    def chosen(self) -> TableRow | None:
        """The row under the cursor; None if there is none."""
        return self._table.chosen

    def _refill(self) -> None:
        words = self._filter.value.lower().split()
        found = [row for row in self._rows if _matches(row, words)] if words else self._rows
        self._table.show(sorted(found, key=lambda row: row.ranks[self._order]))
        self.set_class(not self._rows, "-empty")
        order = f", by {self._model.orders[self._order]}" if self._order else ""
        left = f", {len(found)} shown" if words else ""
        text = f"{self._model.summary(self._rows)}{left}{order}"
        if text == self._said:
            return
        self._said = text
        if self._framed:
            self.border_title = Content(text)
        self._show_hints()

    def _show_hints(self) -> None:
        """Show what keys do: in the frame, or on lines of their own where that is too narrow for them; without a frame
        as many as fit behind the summary."""
        if not self._framed:
            self._footer.update(Content(fitting([self._said, *self._hints], self.size.width)))
        elif not self._below:
            wrapped = len(hint_lines(self._hints, self.size.width - 4)) > 1
            lines = [" · ".join(line) for line in hint_lines(self._hints, self.size.width - 2)]
            self.set_class(wrapped, "-wrapped")
            self.border_subtitle = Content("" if wrapped else lines[0])
            self._footer.update(Content("\n".join(lines)))

    @property
    def _hints(self) -> list[str]:
        model = self._model
        named = [(name, key.words) for each in (model.keys, model.table_keys) for name, key in each.items()]
        keys = ((name.capitalize() if len(name) > 1 else name, words) for name, words in named)
        way_out = ["Escape closes"] if self._framed else []
        return [*(f"{name} {words}" for name, words in keys), "s sorts", "/ filters", *way_out]

    # Keys and the mouse

    def on_key(self, event: events.Key) -> None:
        """Run a key of the caller's."""
        if not self._filter.has_focus and self.press(event.key):
            event.stop()
            event.prevent_default()

    def press(self, name: str) -> bool:
        """Run a key of the caller's; whether it is one."""
        key, row, whole = self._model.keys.get(name), self.chosen, self._model.table_keys.get(name)
        if whole is not None:
            whole.run()
        elif key is not None and row is not None:
            key.run(row)
        return whole is not None or key is not None

    def on_table_chosen(self, message: Table.Chosen) -> None:
        """A double click does what Enter does."""
        if (row := self.chosen) is not None and row.key == message.key:
            self._model.keys["enter"].run(row)

    def watch_has_focus(self, has_focus: bool) -> None:
        """Show where keys go."""
        super().watch_has_focus(has_focus)
        self._table.redraw_cursor(bright=has_focus)

    def on_input_changed(self, message: Input.Changed) -> None:
        """Filter while the user types."""
        message.stop()
        self._refill()

    def on_input_submitted(self, message: Input.Submitted) -> None:
        """Back to the table, which stays filtered."""
        message.stop()
        self.focus()

    def action_move(self, rows: int) -> None:
        """Move the cursor."""
        self._table.move(rows)

    def action_page(self, pages: int) -> None:
        """Move the cursor by the rows that are visible."""
        self._table.move(pages * self._table.page)

    def action_sort(self) -> None:
        """Sort in another way."""
        self._order = (self._order + 1) % len(self._model.orders)
        self._refill()

    def action_filter(self) -> None:
        """Show the filter."""
        self.add_class("-filtered")
        self._filter.focus()

    def action_leave(self, closes: bool) -> None:
        """End the filter; without one, close."""
        if not closes and self.has_class("-filtered"):
            self.remove_class("-filtered")
            self._filter.value = ""
            self.focus()
        elif closes or self._framed:
            self._model.close()


class TableScreen(ModalScreen[None]):
    """A table over the panes. It stays until its caller dismisses it."""

    HORIZONTAL_BREAKPOINTS = NARROW
    VERTICAL_BREAKPOINTS = SHORT
    DEFAULT_CSS = """
    TableScreen { align: center middle; background: $background 40%; }
    TableScreen > TableView {
        width: 96%; height: 80%; background: $surface; border: heavy $primary;
        border-title-color: $primary; border-subtitle-color: $text-muted;
    }
    TableScreen.-narrow > TableView { width: 100%; }
    TableScreen.-short > TableView { height: 100%; margin-bottom: 1; }
    TableScreen.-short #empty { padding: 0 1; }
    """
    BEHIND_SECONDS: ClassVar[float] = 10.0
    """Minimum seconds between two frames of the panes behind it, of which little is visible."""
    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+c", "dismiss", "Close", priority=True)]

    def __init__(self, view: TableView) -> None:
        super().__init__()
        self.view = view

    def compose(self) -> ComposeResult:
        """The table."""
        yield self.view

    def on_mount(self) -> None:
        """Keys are for the table."""
        self.view.focus()

    def on_click(self, event: events.Click) -> None:
        """Close beside the frame."""
        if not self.view.region.contains(event.screen_x, event.screen_y):
            self.dismiss(None)

    def _compositor_refresh(self) -> None:
        if not refresh_regions(self):
            super()._compositor_refresh()


def _matches(row: TableRow, words: Sequence[str]) -> bool:
    text = (row.searched or " ".join(row.cells)).lower()
    return all(word in text for word in words)
