"""The agents of the workspace as a table: what each does, with keys to go there, answer, interrupt, sort and filter."""

from collections.abc import Callable, Sequence
from typing import ClassVar, Final

from msgspec import Struct
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import DataTable, Input, Static

from fugue_tui_widgets.dialogs import Ask

COLUMNS: Final = ("", "pane", "agent", "for", "doing", "where", "says")
ORDERS: Final = ("who waits", "pane", "agent", "time")
"""The ways to sort, in the order in which the key goes through them."""
_COLORS: Final = {"blocked": "yellow bold", "error": "red bold", "done": "green", "working": "blue"}
_URGENCY: Final = {"blocked": 0, "error": 1, "done": 2, "working": 3, "idle": 4, "unknown": 5}
_WIDEST: Final = 48
"""Cells of a column of text."""


class AgentRow(Struct, frozen=True):
    """One agent, as cleaned text."""

    pane: str
    """The pane's id."""
    label: str
    """Its id and name."""
    agent: str
    state: str
    glyph: str
    what: str
    """What a blocked one needs, or its state."""
    seconds: int
    """For how long it has been in this state."""
    title: str
    where: str
    """Its directory and branch."""
    words: str


class AgentScreen(ModalScreen[str | None]):
    """Enter gives the chosen pane, Escape None. Answers and interrupts go to the callbacks, and the screen stays."""

    DEFAULT_CSS = """
    AgentScreen { align: center middle; background: $background 40%; }
    AgentScreen > Vertical {
        width: 96%; height: 80%; background: $surface; border: heavy $primary;
        border-title-color: $primary; border-subtitle-color: $text-muted;
    }
    AgentScreen DataTable { height: 1fr; background: $surface; }
    AgentScreen Input { border: none; height: 1; padding: 0 1; background: $surface; display: none; }
    AgentScreen Input.-shown { display: block; }
    AgentScreen Static { padding: 1 2; color: $text-muted; display: none; }
    AgentScreen.-empty Static { display: block; }
    AgentScreen.-empty DataTable { display: none; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,ctrl+c", "close", "Close"),
        Binding("a", "answer", "Answer"),
        Binding("i", "interrupt", "Interrupt"),
        Binding("s", "sort", "Sort"),
        Binding("slash", "filter", "Filter"),
        Binding("j", "move(1)", show=False),
        Binding("k", "move(-1)", show=False),
    ]

    def __init__(self, answer: Callable[[str, str], None], interrupt: Callable[[str], None]) -> None:
        """`answer` gets a pane and a text to type there with Enter, `interrupt` a pane."""
        super().__init__()
        self._answer, self._interrupt = answer, interrupt
        self._rows: Sequence[AgentRow] = ()
        self._order = 0
        self._table: DataTable[Text] = DataTable(cursor_type="row", zebra_stripes=False)

    def compose(self) -> ComposeResult:
        """The table, and the filter."""
        with Vertical() as frame:
            frame.border_title = Content(" agents ")
            frame.border_subtitle = Content(" Enter goes there · a answers · i interrupts · s sorts · / filters ")
            yield self._table
            yield Static(Content("No agent runs in a pane: start claude, codex or gemini in one."))
            yield Input(placeholder="words to look for")

    def on_mount(self) -> None:
        """Set up the columns."""
        self._table.add_columns(*COLUMNS)
        self._refill()
        self._table.focus()

    def show(self, rows: Sequence[AgentRow]) -> None:
        """Show these agents."""
        if rows != self._rows:
            self._rows = rows
            if self.is_mounted:
                self._refill()

    @property
    def chosen(self) -> str | None:
        """The pane under the cursor; None if the table is empty."""
        if not self._table.row_count:
            return None
        return self._table.coordinate_to_cell_key(self._table.cursor_coordinate).row_key.value

    def _refill(self) -> None:
        chosen, table, words = self.chosen, self._table, self.query_one(Input).value.lower().split()
        table.clear()
        rows = [row for row in self._sorted() if all(word in _searched(row) for word in words)]
        for row in rows:
            table.add_row(*_cells(row), key=row.pane)
        self.set_class(not self._rows, "-empty")
        at = next((number for number, row in enumerate(rows) if row.pane == chosen), 0)
        table.move_cursor(row=at, animate=False)
        order = f", by {ORDERS[self._order]}" if self._order else ""
        waiting = sum(row.state == "blocked" for row in self._rows)
        count = f", {waiting} wait" if waiting > 1 else ", 1 waits" if waiting else ""
        self.query_one(Vertical).border_title = Content(f" {len(self._rows)} agents{count}{order} ")

    def _sorted(self) -> list[AgentRow]:
        def place(row: AgentRow) -> tuple[object, ...]:
            number = int(row.pane[1:])
            match ORDERS[self._order]:
                case "pane":
                    return (number,)
                case "agent":
                    return (row.agent, number)
                case "time":
                    return (-row.seconds, number)
                case _:
                    return (_URGENCY.get(row.state, 9), -row.seconds, number)

        return sorted(self._rows, key=place)

    # Keys

    def on_data_table_row_selected(self, event: DataTable.RowSelected) -> None:
        """Enter, or a click on the chosen row."""
        self.dismiss(event.row_key.value)

    def on_input_changed(self) -> None:
        """Filter while the user types."""
        self._refill()

    def on_input_submitted(self) -> None:
        """Back to the table."""
        self._table.focus()

    def action_close(self) -> None:
        """Close, or first end the filter."""
        entry = self.query_one(Input)
        if entry.has_class("-shown"):
            entry.remove_class("-shown")
            entry.value = ""
            self._table.focus()
        else:
            self.dismiss(None)

    def action_filter(self) -> None:
        """Show the filter."""
        entry = self.query_one(Input)
        entry.add_class("-shown")
        entry.focus()

    def action_sort(self) -> None:
        """Sort in another way."""
        self._order = (self._order + 1) % len(ORDERS)
        self._refill()

    def action_move(self, rows: int) -> None:
        """Move the cursor."""
        self._table.move_cursor(row=self._table.cursor_row + rows, animate=False)

    def action_interrupt(self) -> None:
        """Interrupt the chosen agent."""
        if self.chosen is not None:
            self._interrupt(self.chosen)

    def action_answer(self) -> None:
        """Ask for an answer to the chosen agent."""
        pane = self.chosen
        if pane is None:
            return
        row = next(row for row in self._rows if row.pane == pane)
        heading = f"to {row.agent} in {row.label}" + (f": {row.words}" if row.words else "")

        def answered(text: str | None) -> None:
            if text is not None:
                self._answer(pane, text)

        self.app.push_screen(Ask(heading), answered)  # pyright: ignore[reportUnknownMemberType]


def _cells(row: AgentRow) -> tuple[Text, ...]:
    color = _COLORS.get(row.state, "")
    return (
        Text(row.glyph, color),
        Text(row.label),
        Text(row.agent),
        Text(duration(row.seconds), justify="right"),
        _cut(row.title),
        _cut(row.where),
        _cut(f"{row.what}: {row.words}" if row.words else row.what, color),
    )


def _cut(text: str, style: str = "") -> Text:
    cell = Text(text, style, no_wrap=True)
    cell.truncate(_WIDEST, overflow="ellipsis")
    return cell


def _searched(row: AgentRow) -> str:
    return " ".join((row.label, row.agent, row.what, row.state, row.title, row.where, row.words)).lower()


def duration(seconds: int) -> str:
    """A time in its largest unit: `40s`, `12m`, `3h`, `2d`."""
    for unit, size in (("d", 86_400), ("h", 3_600), ("m", 60)):
        if seconds >= size:
            return f"{seconds // size}{unit}"
    return f"{seconds}s"
