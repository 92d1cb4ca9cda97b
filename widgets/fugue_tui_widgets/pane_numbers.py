"""Big numbers over the panes: a digit, or a click, chooses one."""

from collections.abc import Iterator, Sequence
from typing import ClassVar, Final

from msgspec import Struct
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from fugue_tui.geometry import Rect

_GLYPHS: Final = (
    "###  #  ### ### # # ### ### ### ### ###",
    "# # ##    #   # # # #   #     # # # # #",
    "# #  #  ### ### ### ### ###   # ### ###",
    "# #  #  #     #   #   # # #   # # #   #",
    "### ### ### ###   # ### ###   # ### ###",
)
"""The ten digits, three by five cells each, with a column between."""
_COLS, _ROWS = 6, 5


class NumberedPane(Struct, frozen=True):
    """A pane and the number over it."""

    answer: str
    """What choosing it answers."""
    number: int
    """From 1; only the first ten have a key, 0 for the tenth."""
    rect: Rect
    """Where the pane is on the screen."""
    label: str
    """Clean text below the number."""
    focused: bool

    @property
    def key(self) -> str:
        """The key that chooses it; empty for none."""
        return str(self.number % 10) if self.number <= 10 else ""


class _Number(Static):
    DEFAULT_CSS = """
    _Number {
        position: absolute; width: auto; height: auto; color: $primary; background: $background; text-style: bold;
    }
    _Number.-focused { color: $warning; }
    """

    def __init__(self, pane: NumberedPane, *, ascii_only: bool) -> None:
        lines = list(_lines(pane, "#" if ascii_only else "█"))
        super().__init__(Content("\n".join(lines)), classes="-focused" if pane.focused else "")
        self.pane = pane
        width = max(map(len, lines))
        x, y = pane.rect.x + (pane.rect.cols - width) // 2, pane.rect.y + (pane.rect.rows - len(lines)) // 2
        self.styles.offset = (max(x, pane.rect.x), max(y, pane.rect.y))
        self.styles.max_width, self.styles.max_height = pane.rect.cols, pane.rect.rows


class PaneNumbers(ModalScreen[str | None]):
    """Shows a number over each pane; gives the answer of the chosen one, and None for any other key."""

    DEFAULT_CSS = "PaneNumbers { background: $background 0%; }"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,ctrl+c", "cancel", "Cancel")]

    def __init__(self, panes: Sequence[NumberedPane], *, ascii_only: bool = False) -> None:
        super().__init__()
        self.panes = panes
        self._ascii_only = ascii_only

    def compose(self) -> ComposeResult:
        """The numbers."""
        for pane in self.panes:
            yield _Number(pane, ascii_only=self._ascii_only)

    def on_key(self, event: events.Key) -> None:
        """Choose by a digit, or close."""
        event.stop()
        self.dismiss(next((pane.answer for pane in self.panes if pane.key and pane.key == event.character), None))

    def on_click(self, event: events.Click) -> None:
        """Choose the pane that was clicked."""
        x, y = int(event.screen_x), int(event.screen_y)
        self.dismiss(next((pane.answer for pane in self.panes if pane.rect.contains(x, y)), None))

    def action_cancel(self) -> None:
        """Close without a choice."""
        self.dismiss(None)


def _lines(pane: NumberedPane, block: str) -> Iterator[str]:
    """The number, big where it fits, and the label below it."""
    digits, rect = str(pane.number), pane.rect
    width = len(digits) * (_COLS + 1) - 1
    if rect.cols < width or rect.rows < _ROWS + 1:
        yield digits
        return
    for row in _GLYPHS:
        cells = " ".join(row[4 * int(digit) : 4 * int(digit) + 3] for digit in digits)
        yield "".join(2 * (block if cell == "#" else " ") for cell in cells)
    if len(pane.label) <= rect.cols:
        yield pane.label.center(width)
