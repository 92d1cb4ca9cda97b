"""What is shown while a pane or a tab is dragged: where it would go, and what would happen there."""

from collections.abc import Callable
from typing import ClassVar

from msgspec import Struct
from rich.cells import cell_len
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Label, Static

from fugue_tui.geometry import Rect


class Drop(Struct, frozen=True):
    """What letting go at a place does."""

    rect: Rect
    """The cells of the screen that are marked."""
    words: str
    """What would happen: clean text."""
    line: tuple[str, ...]
    """The command line that does it."""


class _Preview(Static):
    DEFAULT_CSS = """
    _Preview {
        position: absolute; content-align: center middle; color: $warning; background: $background;
        border: heavy $warning; text-style: bold;
    }
    _Preview.-flat { border: none; color: $background; background: $warning; }
    """

    def place(self, drop: Drop | None) -> None:
        """Mark the cells of a drop; None for none."""
        self.display = drop is not None
        if drop is None:
            return
        rect = drop.rect
        self.set_class(rect.rows < 3 or rect.cols < 3, "-flat")
        self.styles.offset = (rect.x, rect.y)
        self.styles.width, self.styles.height = rect.cols, rect.rows
        self.update(Content(drop.words))


class DragScreen(ModalScreen[Drop | None]):
    """Follows the pointer until the button is released; Escape, or releasing it where nothing happens, gives None."""

    DEFAULT_CSS = """
    DragScreen { background: $background 0%; }
    DragScreen > Label {
        dock: bottom; width: 100%; height: 1; padding: 0 1; background: $warning; color: $background; text-style: bold;
        text-wrap: nowrap; text-overflow: ellipsis;
    }
    DragScreen > Label.-above { dock: top; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,ctrl+c", "cancel", "Cancel")]

    def __init__(self, what: str, start: tuple[int, int], drop_at: Callable[[int, int], Drop | None]) -> None:
        """`drop_at` gives what happens at a column and row of the screen."""
        super().__init__()
        self._what, self._start, self._drop_at = what, start, drop_at

    def compose(self) -> ComposeResult:
        """The preview, and what is dragged."""
        yield _Preview()
        yield Label(Content(self._what), classes="-above")

    def on_mount(self) -> None:
        """Show where the pointer is."""
        self._point(*self._start)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Show what would happen here; a move without the button was released elsewhere."""
        event.stop()
        if not event.button:
            self.dismiss(None)
            return
        self._point(int(event.screen_x), int(event.screen_y))

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """Let go."""
        event.stop()
        self.dismiss(self._drop_at(int(event.screen_x), int(event.screen_y)))

    def action_cancel(self) -> None:
        """Drag no more."""
        self.dismiss(None)

    def _point(self, x: int, y: int) -> None:
        drop = self._drop_at(x, y)
        self.query_one(_Preview).place(drop)
        words = drop.words if drop is not None else "drop it on another pane, or on a tab"
        label, way_out = self.query_one(Label), "Escape cancels"
        whole = f"{self._what}: {words} · {way_out}"
        label.update(Content(whole if cell_len(whole) <= self.size.width - 2 else f"{words} · {way_out}"))
