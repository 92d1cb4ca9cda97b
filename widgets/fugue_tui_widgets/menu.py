"""A menu at the pointer: one line for each thing to do, with the letter that does it."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from msgspec import Struct
from rich.cells import cell_len
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from fugue_tui_widgets.dialogs import Choices

_FRAME = 2
"""The cells of the frame, across and down."""


class MenuItem(Struct, frozen=True):
    """A line of a menu."""

    key: str
    """The key that chooses it."""
    text: str
    """Cleaned text."""
    run: Callable[[], object]
    """What it does; called once the menu is closed."""


class Menu(ModalScreen[MenuItem | None]):
    """Shows items, and closes with the chosen one, by its key, Enter or a click; Escape or a click elsewhere gives
    None."""

    DEFAULT_CSS = """
    Menu { align: left top; background: $background 0%; }
    Menu OptionList { height: auto; max-height: 100%; padding: 0; background: $surface; scrollbar-size-vertical: 1; }
    Menu OptionList, Menu OptionList:focus { border: heavy $primary; border-title-color: $primary; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,ctrl+c,q", "cancel", "Cancel"),
        Binding("j", "move(1)", show=False),
        Binding("k", "move(-1)", show=False),
    ]

    def __init__(self, title: str, groups: Sequence[Sequence[MenuItem]], at: tuple[int, int]) -> None:
        """`groups` are separated by lines; `at` is the cell of the screen beside which the menu opens."""
        super().__init__()
        self.heading, self.at = title, at
        self.groups = [group for group in groups if group]
        self.items = [item for group in self.groups for item in group]

    def compose(self) -> ComposeResult:
        """The list."""
        width = max(*(cell_len(item.text) for item in self.items), cell_len(self.heading))
        options = list[Option | None]()
        for group in self.groups:
            options += [None] if options else []
            options += [Option(self._line(item, width), id=f"item-{self.items.index(item)}") for item in group]
        shown = Choices(*options)
        shown.border_title = Content(self.heading)
        yield shown

    def on_mount(self) -> None:
        """Open at the pointer."""
        self._place()

    def on_resize(self) -> None:
        """Stay on the screen."""
        self._place()

    def _place(self) -> None:
        """Open below and to the right of the cell, or as far from there as the screen demands."""
        shown, room = self.query_one(OptionList), self.size
        rows = len(self.items) + len(self.groups) - 1 + _FRAME
        cols = max(*(cell_len(item.text) for item in self.items), cell_len(self.heading)) + 6 + _FRAME
        shown.styles.width = min(cols, room.width)
        x, y = self.at
        below = y + 1 if y + 1 + rows <= room.height else max(0, min(y, room.height) - rows)
        shown.styles.offset = (max(0, min(x + 1, room.width - cols)), below)

    def _line(self, item: MenuItem, width: int) -> Content:
        return Content(f" {item.text}{' ' * (width - cell_len(item.text))}  {item.key} ")

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Close with the item."""
        self.dismiss(self.items[int((event.option_id or "item-0").removeprefix("item-"))])

    async def on_key(self, event: events.Key) -> None:
        """A key of an item chooses it."""
        item = next((item for item in self.items if item.key == event.character), None)
        if item is not None:
            event.stop()
            event.prevent_default()
            self.dismiss(item)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """A button that is pressed elsewhere closes the menu."""
        if self.get_widget_at(event.screen_x, event.screen_y)[0] is self:
            self.dismiss(None)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """The item under the pointer is highlighted."""
        item = event.style.meta.get("option")
        if item is not None:
            self.query_one(OptionList).highlighted = item

    def action_move(self, step: int) -> None:
        """Move the highlight."""
        options = self.query_one(OptionList)
        options.action_cursor_down() if step > 0 else options.action_cursor_up()

    def action_cancel(self) -> None:
        """Close without a choice."""
        self.dismiss(None)
