"""The form in which the user writes a task: title, detail, owner, and what it depends on."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from msgspec import Struct
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.suggester import SuggestFromList
from textual.widgets import Input, Label, Static, TextArea

from fugue_tui_widgets.dialogs import NARROW, SHORT


class TaskDraft(Struct, frozen=True):
    """A task as the user writes it."""

    title: str = ""
    detail: str = ""
    owner: str = ""
    """A pane's id or name, or user; empty for nobody."""
    depends_on: str = ""
    """Numbers."""


class TaskForm(ModalScreen[None]):
    """Enter in a line, or Ctrl+S, saves; the form closes once that has succeeded, or by Escape."""

    HORIZONTAL_BREAKPOINTS = NARROW
    VERTICAL_BREAKPOINTS = SHORT
    DEFAULT_CSS = """
    TaskForm { align: center middle; background: $background 40%; }
    TaskForm > Vertical {
        width: 80%; max-width: 90; height: 16; max-height: 100%; background: $surface; border: heavy $primary;
        border-title-color: $primary; padding: 0 1;
    }
    TaskForm Horizontal { height: 1; margin-bottom: 1; }
    TaskForm Horizontal.-detail { height: 1fr; }
    TaskForm Label { width: 12; color: $text-muted; }
    TaskForm Input, TaskForm Input:focus { border: none; height: 1; padding: 0; width: 1fr; }
    TaskForm TextArea, TaskForm TextArea:focus {
        border: none; height: 100%; padding: 0; width: 1fr; scrollbar-size-vertical: 1;
    }
    TaskForm Static { height: auto; color: $text-muted; link-color: $text-muted; link-style: none; }
    TaskForm #fault { display: none; color: $text-warning; max-height: 3; }
    TaskForm.-narrow > Vertical { width: 100%; }
    TaskForm.-short > Vertical { height: 100%; margin-bottom: 1; }
    TaskForm.-short Horizontal { margin-bottom: 0; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,ctrl+c", "cancel", "Cancel", priority=True),
        Binding("ctrl+s", "save", "Save", priority=True),
    ]

    def __init__(
        self,
        heading: str,
        draft: TaskDraft,
        owners: Sequence[str],
        save: Callable[[TaskDraft, Callable[[str], None]], None],
    ) -> None:
        """`owners` are suggested; `save` gets what the user wrote, and a function to call once it is saved, or with
        what is wrong with it."""
        super().__init__()
        self._heading, self._draft, self._save = heading, draft, save
        self._title = Input(draft.title, select_on_focus=False, placeholder="what is to be done")
        self._detail = TextArea(draft.detail, tab_behavior="focus", show_line_numbers=False)
        owned = SuggestFromList(owners, case_sensitive=False)
        self._owner = Input(draft.owner, select_on_focus=False, placeholder="nobody, user, %3 ...", suggester=owned)
        self._needs = Input(draft.depends_on, select_on_focus=False, placeholder="numbers of tasks")

    def compose(self) -> ComposeResult:
        """A line for each part; the detail has several."""
        with Vertical() as frame:
            frame.border_title = Content(self._heading)
            for label, entry in (
                ("title", self._title),
                ("detail", self._detail),
                ("owner", self._owner),
                ("depends on", self._needs),
            ):
                with Horizontal(classes="-detail" if entry is self._detail else ""):
                    yield Label(Content(label))
                    yield entry
            yield Static(id="fault")
            keys = ("[@click=screen.save]ctrl+s saves[/]", "[@click=screen.cancel]Escape cancels[/]")
            yield Static(Content(" · ").join(map(Content.from_markup, keys)))

    def on_mount(self) -> None:
        """Begin with the title."""
        self._title.focus()

    def on_input_submitted(self) -> None:
        """Enter in a line."""
        self.action_save()

    def action_save(self) -> None:
        """Save what was written."""
        written = (self._title.value, self._detail.text, self._owner.value.strip(), self._needs.value)
        self._save(TaskDraft(*written), self._done)

    def action_cancel(self) -> None:
        """Close without saving."""
        self.dismiss(None)

    def _done(self, fault: str) -> None:
        if fault and self.is_mounted:
            message = self.query_one("#fault", Static)
            message.update(Content(fault))
            message.display = True
        elif self.is_current:
            self.dismiss(None)
