"""The tasks of the workspace as a table, with keys to add, edit, finish, reopen, remove and filter them."""

from collections.abc import Callable, Sequence
from typing import ClassVar, Final, Protocol

from msgspec import Struct
from rich.cells import cell_len
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import DataTable, Input, Static

from fugue_tui_widgets.dialogs import NARROW, SHORT
from fugue_tui_widgets.task_form import TaskDraft, TaskForm

COLUMNS: Final = ("", "#", "task", "owner", "needs", "for")
TITLE: Final = 2
"""The column that gets the room that the others leave."""
NARROWEST: Final = 8
"""Cells of that column, whatever the others need."""
WIDEST: Final = 24
"""Cells of the columns of owners and dependencies; half as many on a narrow screen."""
KEYS: Final = (
    ("a", "add"),
    ("e", "edit"),
    ("d", "done"),
    ("o", "reopen"),
    ("x", "remove"),
    ("/", "filter"),
    ("Escape", "close"),
)
_COLORS: Final = {"claimed": "bold", "done": "", "failed": "bold underline", "cancelled": "strike"}


class TaskRow(Struct, frozen=True):
    """One task, as cleaned text."""

    number: int
    glyph: str
    state: str
    owner: str
    """Its owner in words; empty for nobody."""
    gone: str
    """Why its owner cannot go on with it; empty otherwise."""
    needs: tuple[tuple[int, bool], ...]
    """The tasks that it depends on, and whether they are done."""
    since: str
    """For how long it has had its state and owner, in short."""
    note: str
    draft: TaskDraft
    """What the user can edit."""

    @property
    def finished(self) -> bool:
        """Whether nobody has to look at it any more."""
        return self.state in ("done", "cancelled")


class TaskEditor(Protocol):
    """What the screen has others do: `done` is called once that is done, or with what is wrong."""

    def add(self, draft: TaskDraft, done: Callable[[str], None]) -> None:
        """Add a task."""
        ...

    def edit(self, number: int, old: TaskDraft, new: TaskDraft, done: Callable[[str], None]) -> None:
        """Change a task."""
        ...

    def set_state(self, number: int, state: str, done: Callable[[str], None]) -> None:
        """Give a task a state."""
        ...

    def remove(self, number: int, done: Callable[[str], None]) -> None:
        """Remove a task, once the user has confirmed it."""
        ...

    def owners(self) -> Sequence[str]:
        """Who may own a task, as the user types it."""
        ...


class TaskScreen(ModalScreen[None]):
    """Shows the rows that it is given; what the user does goes to the editor, and the screen stays."""

    HORIZONTAL_BREAKPOINTS = NARROW
    VERTICAL_BREAKPOINTS = SHORT
    DEFAULT_CSS = """
    TaskScreen { align: center middle; background: $background 40%; }
    TaskScreen > Vertical {
        width: 96%; height: 80%; background: $surface; border: heavy $primary; border-title-color: $primary;
    }
    TaskScreen DataTable { height: 1fr; background: $surface; scrollbar-size-vertical: 1; }
    TaskScreen Input { height: 1; padding: 0 1; background: $surface; display: none; }
    TaskScreen Input, TaskScreen Input:focus { border: none; }
    TaskScreen Input.-shown { display: block; }
    TaskScreen #empty { height: 1fr; padding: 1 2; color: $text-muted; display: none; }
    TaskScreen #about { height: auto; max-height: 5; padding: 0 1; color: $text-muted; }
    TaskScreen #fault { display: none; height: auto; max-height: 3; padding: 0 1; color: $text-warning; }
    TaskScreen #keys { height: auto; padding: 0 1; color: $text-muted; link-color: $text-muted; link-style: none; }
    TaskScreen.-empty #empty { display: block; }
    TaskScreen.-empty DataTable, TaskScreen.-empty #about { display: none; }
    TaskScreen.-narrow > Vertical { width: 100%; }
    TaskScreen.-short > Vertical { height: 100%; margin-bottom: 1; }
    TaskScreen.-short #about { display: none; }
    TaskScreen.-short #empty { padding: 0 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,ctrl+c", "close", "Close"),
        Binding("a,n", "add", "Add"),
        Binding("e", "edit", "Edit"),
        Binding("d", "state('done')", "Done"),
        Binding("o", "state('open')", "Reopen"),
        Binding("x,delete", "remove", "Remove"),
        Binding("slash", "filter", "Filter"),
        Binding("j", "move(1)", show=False),
        Binding("k", "move(-1)", show=False),
    ]

    def __init__(self, editor: TaskEditor) -> None:
        super().__init__()
        self._editor = editor
        self._rows: Sequence[TaskRow] = ()
        self._table: DataTable[Text] = DataTable(cursor_type="row", cell_padding=0)

    def compose(self) -> ComposeResult:
        """The table, what the chosen task is about, the filter, and the keys, which can be clicked."""
        with Vertical() as frame:
            frame.border_title = Content("tasks")
            yield self._table
            yield Static(Content("There are no tasks: a adds one, and so do agents by add-task."), id="empty")
            yield Static(id="about")
            yield Static(id="fault")
            yield Input(placeholder="words to look for")
            yield Static(Content(" · ").join(map(_key, *zip(*KEYS, strict=True))), id="keys")

    def on_mount(self) -> None:
        """Show what there is."""
        self._refill()
        self._table.focus()

    def on_resize(self) -> None:
        """Fit the columns."""
        self.call_after_refresh(self._refill)

    def show(self, rows: Sequence[TaskRow]) -> None:
        """Show these tasks: the unfinished ones first."""
        if self.differs(rows):
            self._rows = rows
            if self.is_mounted:
                self._refill()

    def differs(self, rows: Sequence[TaskRow]) -> bool:
        """Whether it shows other rows than these."""
        return rows != self._rows

    @property
    def chosen(self) -> TaskRow | None:
        """The task under the cursor; None if the table is empty."""
        if not self._table.row_count:
            return None
        key = self._table.coordinate_to_cell_key(self._table.cursor_coordinate).row_key.value
        return next((row for row in self._rows if str(row.number) == key), None)

    def _refill(self) -> None:
        chosen, table, words = self.chosen, self._table, self.query_one(Input).value.lower().split()
        rows = [row for row in self._rows if all(word in _searched(row) for word in words)]
        rows.sort(key=lambda row: row.finished)
        narrow = self.has_class("-narrow")
        cells = [_cells(row, narrow) for row in rows]
        widths = _widths(cells, table.size.width - (len(rows) >= table.size.height))
        table.clear(columns=True)
        for label, width in zip(COLUMNS, widths, strict=True):
            table.add_column(label, width=width)
        for row, texts in zip(rows, cells, strict=True):
            table.add_row(
                *(_fitted(text, width) for text, width in zip(texts, widths, strict=True)), key=str(row.number)
            )
        if self.has_class("-empty") and self._rows:
            self.call_after_refresh(self._refill)  # The table has no width before it is shown.
        self.set_class(not self._rows, "-empty")
        at = next((place for place, row in enumerate(rows) if chosen and row.number == chosen.number), 0)
        table.move_cursor(row=at, animate=False)
        self._show_counts()
        self._show_about()

    def _show_counts(self) -> None:
        done = sum(row.state == "done" for row in self._rows)
        claimed = sum(row.state == "claimed" for row in self._rows)
        noun = "task" if len(self._rows) == 1 else "tasks"
        count = f"{len(self._rows)} {noun}, {claimed} claimed, {done} done" if self._rows else "tasks"
        self.query_one(Vertical).border_title = Content(count)

    def _show_about(self) -> None:
        row = self.chosen
        parts = [] if row is None else [row.gone and f"{row.owner}: {row.gone}", row.note, row.draft.detail]
        self.query_one("#about", Static).update(Content("\n".join(part for part in parts if part)))

    # Keys and mouse

    def on_data_table_row_highlighted(self) -> None:
        """Tell about the task that was moved to."""
        self._show_about()

    def on_data_table_row_selected(self) -> None:
        """Enter, or a click on the chosen row."""
        self.action_edit()

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

    def action_move(self, rows: int) -> None:
        """Move the cursor."""
        self._table.move_cursor(row=self._table.cursor_row + rows, animate=False)

    def action_add(self) -> None:
        """Ask for a new task."""
        form = TaskForm("new task", TaskDraft(), self._editor.owners(), self._editor.add)
        self.app.push_screen(form)  # pyright: ignore[reportUnknownMemberType]

    def action_edit(self) -> None:
        """Edit the chosen task."""
        if (row := self.chosen) is None:
            return

        def save(draft: TaskDraft, done: Callable[[str], None]) -> None:
            self._editor.edit(row.number, row.draft, draft, done)

        form = TaskForm(f"task {row.number}", row.draft, self._editor.owners(), save)
        self.app.push_screen(form)  # pyright: ignore[reportUnknownMemberType]

    def action_state(self, state: str) -> None:
        """Give the chosen task a state."""
        if (row := self.chosen) is not None:
            self._editor.set_state(row.number, state, self._tell)

    def action_remove(self) -> None:
        """Remove the chosen task."""
        if (row := self.chosen) is not None:
            self._editor.remove(row.number, self._tell)

    def _tell(self, fault: str) -> None:
        """Show what went wrong, until something goes well."""
        if self.is_mounted:
            told = self.query_one("#fault", Static)
            told.update(Content(fault))
            told.display = bool(fault)


def _key(key: str, what: str) -> Content:
    """A key and what it does, which a click does too."""
    actions = {"done": "state('done')", "reopen": "state('open')"}
    return Content.from_markup(f"[@click=screen.{actions.get(what, what)}]{key} {what}[/]")


def _cells(row: TaskRow, narrow: bool) -> tuple[Text, ...]:
    owner = row.owner.split()[0] if narrow and row.owner else row.owner
    needs = Text(" ").join(Text(str(number), "" if done else "bold") for number, done in row.needs)
    title = Text(row.draft.title, "strike" if row.finished else "")
    found = (
        Text(row.glyph, _COLORS.get(row.state, "")),
        Text(str(row.number)),
        title,
        Text(f"{owner}?" if row.gone else owner, "bold" if row.gone else ""),
        needs,
        Text(row.since),
    )
    for text in (found[3], found[4]):
        text.truncate(WIDEST // 2 if narrow else WIDEST, overflow="ellipsis")
    return found


def _widths(cells: Sequence[tuple[Text, ...]], room: int) -> list[int]:
    """The columns' widths with a gap after each; the title's is what is left."""
    widths = [
        max((cell_len(label), *(row[column].cell_len for row in cells))) + 1 for column, label in enumerate(COLUMNS)
    ]
    widths[TITLE] = max(NARROWEST, room - sum(widths) + widths[TITLE])
    return widths


def _fitted(text: Text, width: int) -> Text:
    text.no_wrap = True
    text.truncate(width - 1, overflow="ellipsis")
    return text


def _searched(row: TaskRow) -> str:
    words = (str(row.number), row.state, row.owner, row.gone, row.note, row.draft.title, row.draft.detail)
    return " ".join(words).lower()
