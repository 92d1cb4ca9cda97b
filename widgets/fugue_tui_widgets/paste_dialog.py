"""The question before an adapted text is pasted: it as it was, and as it would be pasted."""

from typing import ClassVar, Final

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.geometry import Size
from textual.widgets import Label, Static

from fugue_tui_widgets.dialogs import NARROW, SHORT, Answer, YesOrNo

MOST_SHOWN: Final = 20_000
"""Characters of a text that are shown; the rest is counted."""
_AROUND, _LITTLE_AROUND = 12, 7
"""Rows of the dialog that are neither text, and of the screen around it; on a screen of few rows."""


class PasteDialog(YesOrNo):
    """Shows a text before and after: Enter pastes it (True), Escape does not (False)."""

    DEFAULT_CSS = """
    PasteDialog { align: center middle; background: $background 40%; }
    PasteDialog > Vertical {
        width: auto; min-width: 44; max-width: 90%; height: auto; max-height: 100%; padding: 1 3;
        background: $surface; border: heavy $primary; border-title-color: $primary;
    }
    PasteDialog VerticalScroll {
        width: auto; max-width: 100%; height: auto; padding: 0 2 0 0; scrollbar-size-vertical: 1;
    }
    PasteDialog Label, PasteDialog Static { width: auto; max-width: 100%; }
    PasteDialog .part { color: $text-muted; margin-top: 1; }
    PasteDialog Horizontal { width: auto; height: auto; margin-top: 1; }
    PasteDialog.-narrow > Vertical { max-width: 100%; min-width: 0; padding: 1 1; }
    PasteDialog.-short > Vertical { padding: 0 1; }
    PasteDialog.-short .part, PasteDialog.-short Horizontal { margin-top: 0; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "answer(True)", "Paste"),
        Binding("escape,q,ctrl+c", "answer(False)", "Cancel"),
        Binding("j,down", "scroll(1)", show=False),
        Binding("k,up", "scroll(-1)", show=False),
    ]

    def __init__(self, heading: str, before: str, after: str) -> None:
        """The texts may be of any origin, but hold no control characters."""
        super().__init__()
        self.heading, self.before, self.after = heading, before, after

    def compose(self) -> ComposeResult:
        """The two texts, and the answers."""
        with Vertical() as frame:
            frame.border_title = Content("paste")
            yield Label(Content(self.heading))
            for part, text in (("copied:", self.before), ("pasted:", self.after)):
                yield Label(Content(part), classes="part")
                with VerticalScroll(can_focus=False):
                    yield Static(Content(_shown(text)))
            with Horizontal():
                yield Answer("Enter pastes", True)
                yield Answer("Escape cancels", False)

    def on_mount(self) -> None:
        """Keep room for the answers however long the texts are."""
        self._fit(self.screen.size)

    def on_resize(self, event: events.Resize) -> None:
        """The same on another screen."""
        self._fit(event.size)

    def action_scroll(self, lines: int) -> None:
        """Scroll both texts by some lines."""
        for part in self.query(VerticalScroll):
            part.scroll_relative(y=lines, animate=False)

    def _fit(self, size: Size) -> None:
        """Give each text half of the rows, or what the other leaves."""
        rows = size.height - (_AROUND if size.height >= SHORT[-1][0] else _LITTLE_AROUND)
        cols = size.width - 6 if size.width < NARROW[-1][0] else size.width * 9 // 10 - 10
        wanted = [Content(_shown(text)).get_height({}, max(cols, 1)) for text in (self.before, self.after)]
        for part, other in zip(self.query(VerticalScroll), reversed(wanted), strict=True):
            part.styles.max_height = max(1, rows // 2, rows - other)


def _shown(text: str) -> str:
    left_out = len(text) - MOST_SHOWN
    return text if left_out <= 0 else f"{text[:MOST_SHOWN]}\n[... {left_out} more characters]"
