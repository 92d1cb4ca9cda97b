"""The paste buffers to choose from: a list with a preview, keys to paste, delete and filter."""

from collections.abc import Callable, Sequence
from typing import ClassVar, Final

from msgspec import Struct
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from fugue_tui_widgets.dialogs import NARROW, SHORT, fitting

_HINTS: Final = ("Enter pastes", "Escape closes", "d deletes", "/ filters")
MOST_SHOWN: Final = 20_000
"""Characters of a text that the preview shows."""


class BufferRow(Struct, frozen=True):
    """One buffer, as cleaned text."""

    name: str
    about: str
    """Its size, and where and when it was copied."""
    sample: str
    """How it begins, on one line."""
    text: str
    """Its text, with line breaks."""


class BufferScreen(ModalScreen[str | None]):
    """Enter gives the name of the chosen buffer, Escape None. Deletes go to the callback, and the screen stays."""

    HORIZONTAL_BREAKPOINTS = NARROW
    VERTICAL_BREAKPOINTS = SHORT
    DEFAULT_CSS = """
    BufferScreen {
        align: center middle; background: $background 40%;
        & > Vertical {
            width: 90%; max-width: 110; height: 80%; background: $surface; border: heavy $primary;
            border-title-color: $primary; border-subtitle-color: $text-muted;
        }
        OptionList, VerticalScroll { height: 1fr; scrollbar-size-vertical: 1; }
        OptionList, OptionList:focus { border: none; background: $surface; padding: 0; }
        VerticalScroll { padding: 0 1; border-top: solid $primary; }
        Static { width: auto; }
        Input { border: none; height: 1; padding: 0 1; background: $surface; display: none; }
        Input.-shown { display: block; }
        &.-narrow > Vertical { width: 100%; height: 100%; }
        &.-short VerticalScroll { display: none; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,ctrl+c", "close", "Close"),
        Binding("d,minus", "delete", "Delete"),
        Binding("slash", "filter", "Filter"),
        Binding("j", "move(1)", show=False),
        Binding("k", "move(-1)", show=False),
    ]

    def __init__(self, rows: Sequence[BufferRow], delete: Callable[[str], Sequence[BufferRow]]) -> None:
        """`delete` deletes a buffer by its name and returns the rest."""
        super().__init__()
        self._rows, self._delete = rows, delete
        self._shown: Sequence[BufferRow] = rows

    def compose(self) -> ComposeResult:
        """The list, the preview and the filter."""
        with Vertical():
            yield OptionList()
            with VerticalScroll(can_focus=False):
                yield Static()
            yield Input(placeholder="words to look for")

    def on_mount(self) -> None:
        """Show the buffers."""
        self._refill()
        self.query_one(OptionList).focus()

    def on_resize(self) -> None:
        """Name as many keys as fit."""
        frame = self.query_one(Vertical)
        frame.border_subtitle = Content(fitting(_HINTS, frame.size.width - 4))

    def _refill(self) -> None:
        words, options = self.query_one(Input).value.lower().split(), self.query_one(OptionList)
        at = options.highlighted or 0
        self._shown = [row for row in self._rows if all(word in f"{row.name} {row.text}".lower() for word in words)]
        width = max((len(row.name) for row in self._shown), default=0)
        options.set_options(
            Option(Content.assemble((f"{row.name:<{width}}", "bold"), f"  {row.about}  ", row.sample))
            for row in self._shown
        )
        self.query_one(Vertical).border_title = Content(f"paste buffers: {len(self._rows)}")
        options.highlighted = min(at, len(self._shown) - 1) if self._shown else None
        self._preview()

    def _preview(self) -> None:
        row = self.chosen
        text = row.text if row is not None else "Nothing here." if self._rows else "There is no buffer left."
        left_out = len(text) - MOST_SHOWN
        shown = text if left_out <= 0 else f"{text[:MOST_SHOWN]}\n[... {left_out} more characters]"
        self.query_one(Static).update(Content(shown))
        self.query_one(VerticalScroll).scroll_home(animate=False)

    @property
    def chosen(self) -> BufferRow | None:
        """The buffer under the cursor."""
        at = self.query_one(OptionList).highlighted
        return self._shown[at] if at is not None and at < len(self._shown) else None

    def on_option_list_option_highlighted(self) -> None:
        """Preview another buffer."""
        self._preview()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Enter, or a click."""
        self.dismiss(self._shown[event.option_index].name)

    def on_input_changed(self) -> None:
        """Filter while the user types."""
        self._refill()

    def on_input_submitted(self) -> None:
        """Back to the list."""
        self.query_one(OptionList).focus()

    def on_click(self, event: events.Click) -> None:
        """Close beside the frame."""
        if not self.query_one(Vertical).region.contains(event.screen_x, event.screen_y):
            self.dismiss(None)

    def action_close(self) -> None:
        """Close, or first end the filter."""
        entry = self.query_one(Input)
        if entry.has_class("-shown"):
            entry.remove_class("-shown")
            entry.value = ""
            self.query_one(OptionList).focus()
        else:
            self.dismiss(None)

    def action_filter(self) -> None:
        """Show the filter."""
        entry = self.query_one(Input)
        entry.add_class("-shown")
        entry.focus()

    def action_delete(self) -> None:
        """Delete the chosen buffer."""
        if (row := self.chosen) is not None:
            self._rows = self._delete(row.name)
            self._refill()

    def action_move(self, step: int) -> None:
        """Move the cursor."""
        options = self.query_one(OptionList)
        options.action_cursor_down() if step > 0 else options.action_cursor_up()
