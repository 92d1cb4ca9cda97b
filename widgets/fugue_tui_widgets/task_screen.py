"""The tasks of the workspace as a table, with keys to add, edit, finish, reopen, remove and filter them."""

from collections.abc import Callable, Sequence
from typing import Final, Protocol

from msgspec import Struct
from textual.content import Content
from textual.widgets import Static

from fugue_tui.layout.table import Column, TableRow
from fugue_tui_widgets.dialogs import hint_lines
from fugue_tui_widgets.table_view import RowKey, TableKey, TableModel, TableScreen, TableView
from fugue_tui_widgets.task_form import TaskDraft, TaskForm

COLUMNS: Final = (
    Column("  # task", 0, least=13, most=1_000, fills=True),
    Column("owner", 1, most=24),
    Column("needs", 2, most=24),
    Column("for", 3),
)
EMPTY: Final = "There are no tasks: a adds one, and so do agents by add-task."
HINTS: Final = ("a add", "e edit", "d done", "o reopen", "x remove", "/ filter", "Escape close")
_LOOKS: Final = {"claimed": "bold", "failed": "bold underline", "cancelled": "strike"}


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


class TaskScreen(TableScreen):
    """Shows the rows that it is given; what the user does goes to the editor, and the screen stays."""

    DEFAULT_CSS = """
    TaskScreen {
        #about { max-height: 5; padding: 0 1; }
        #fault { display: none; max-height: 3; padding: 0 1; color: $text-warning; }
        #keys { padding: 0 1; link-color: $text-muted; link-style: none; }
        Input { padding: 0 1; }
        .-empty #about { display: none; }
        &.-short #about { display: none; }
    }
    """

    def __init__(self, editor: TaskEditor) -> None:
        self._editor = editor
        self._rows: Sequence[TaskRow] = ()
        self._about, self._fault = Static(id="about"), Static(id="fault")
        edit, remove = RowKey("edit", self._edit), RowKey("remove", self._remove)
        keys = {
            "enter": edit,
            "e": edit,
            "d": RowKey("done", lambda row: self._set_state(row, "done")),
            "o": RowKey("reopen", lambda row: self._set_state(row, "open")),
            "x": remove,
            "delete": remove,
        }
        add = TableKey("add", self._add)
        model = TableModel(COLUMNS, ("",), EMPTY, self._summary, keys, {"a": add, "n": add}, self._close, lambda: None)
        self._keys = Static(id="keys")
        super().__init__(TableView(model, framed=True, below=(self._about, self._fault, self._keys)))

    def on_resize(self) -> None:
        """Show less of the owners on a narrow screen, and keys on more lines."""
        self.call_after_refresh(self._show_rows)
        self.call_after_refresh(self._show_hints)

    def show(self, rows: Sequence[TaskRow]) -> None:
        """Show these tasks: the unfinished ones first."""
        if self.differs(rows):
            self._rows = rows
            self._show_rows()

    def differs(self, rows: Sequence[TaskRow]) -> bool:
        """Whether it shows other rows than these."""
        return rows != self._rows

    @property
    def chosen(self) -> TaskRow | None:
        """The task under the cursor; None if the table is empty."""
        row = self.view.chosen
        return None if row is None else self._task_of(row)

    def _task_of(self, row: TableRow) -> TaskRow | None:
        return next((each for each in self._rows if str(each.number) == row.key), None)

    def _show_rows(self) -> None:
        digits = max((len(str(row.number)) for row in self._rows), default=1)
        narrow = self.has_class("-narrow")
        self.view.show([_table_row(row, digits, narrow=narrow) for row in self._rows])
        self._show_about()

    def _summary(self, rows: Sequence[TableRow]) -> str:
        if not self._rows:
            return "tasks"
        done, claimed = (sum(row.state == state for row in self._rows) for state in ("done", "claimed"))
        noun = "task" if len(self._rows) == 1 else "tasks"
        return f"{len(self._rows)} {noun}, {claimed} claimed, {done} done"

    def _show_hints(self) -> None:
        lines = hint_lines(HINTS, self._keys.size.width)
        self._keys.update(Content("\n").join(Content(" · ").join(map(_hint, line)) for line in lines))

    def _show_about(self) -> None:
        row = self.chosen
        parts = [] if row is None else [row.gone and f"{row.owner}: {row.gone}", row.note, row.draft.detail]
        text = "\n".join(part for part in parts if part)
        self._about.update(Content(text))

    # Keys and mouse

    def on_table_highlighted(self) -> None:
        """Tell about the task that was moved to."""
        self._show_about()

    def action_press(self, key: str) -> None:
        """Do what a key does whose hint was clicked."""
        match key:
            case "/":
                self.view.action_filter()
            case "Escape":
                self.view.action_leave(False)
            case _:
                self.view.press(key)

    def _close(self) -> None:
        self.dismiss(None)

    def _add(self) -> None:
        """Ask for a new task."""
        form = TaskForm("new task", TaskDraft(), self._editor.owners(), self._editor.add)
        self.app.push_screen(form)  # pyright: ignore[reportUnknownMemberType]

    def _edit(self, chosen: TableRow) -> None:
        if (row := self._task_of(chosen)) is None:
            return

        def save(draft: TaskDraft, done: Callable[[str], None]) -> None:
            self._editor.edit(row.number, row.draft, draft, done)

        form = TaskForm(f"task {row.number}", row.draft, self._editor.owners(), save)
        self.app.push_screen(form)  # pyright: ignore[reportUnknownMemberType]

    def _set_state(self, chosen: TableRow, state: str) -> None:
        self._editor.set_state(int(chosen.key), state, self._tell)

    def _remove(self, chosen: TableRow) -> None:
        self._editor.remove(int(chosen.key), self._tell)

    def _tell(self, fault: str) -> None:
        """Show what went wrong, until something goes well."""
        if self.is_mounted:
            self._fault.update(Content(fault))
            self._fault.display = bool(fault)


def _hint(hint: str) -> Content:
    """A key and what it does, which a click does too."""
    return Content.from_markup(f"[@click=screen.press('{hint.split()[0]}')]{hint}[/]")


def _table_row(row: TaskRow, digits: int, *, narrow: bool) -> TableRow:
    owner = row.owner.split()[0] if narrow and row.owner else row.owner
    owner = f"{owner}?" if row.gone else owner
    head = f"{row.glyph} {row.number:<{digits}} "
    title = f"{head}{row.draft.title}"
    words = (str(row.number), row.state, row.owner, row.gone, row.note, row.draft.title, row.draft.detail)
    look = _LOOKS.get(row.state, "")
    spans = [(0, 0, len(row.glyph), look)] * bool(look)
    spans += [(0, len(head), len(title), "strike")] * row.finished
    spans += [(1, 0, len(owner), "bold")] * bool(row.gone)
    return TableRow(
        key=str(row.number),
        cells=(title, owner, " ".join(str(number) for number, _ in row.needs), row.since),
        ranks=((int(row.finished),),),
        spans=(*spans, *_unmet(row.needs)),
        searched=" ".join(words),
    )


def _unmet(needs: Sequence[tuple[int, bool]]) -> list[tuple[int, int, int, str]]:
    """Where the numbers of the tasks stand that are not done."""
    found, at = list[tuple[int, int, int, str]](), 0
    for number, done in needs:
        end = at + len(str(number))
        found += [(2, at, end, "bold")] * (not done)
        at = end + 1
    return found
