"""The help: keys and commands by subject, in as many columns as fit, searched while the user types."""

import textwrap
from collections.abc import Iterator, Sequence
from typing import ClassVar, Final, NamedTuple

from msgspec import Struct
from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.geometry import Size
from textual.screen import ModalScreen
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widgets import Input

from fugue_tui_widgets.dialogs import NARROW, fitting, leaves


class HelpLine(NamedTuple):
    """One line of a column."""

    strong: str
    """A title, or a key with the blanks around it."""
    words: str = ""
    title: bool = False


COLUMN: Final = 30
"""The fewest cells of a column, where there are several."""
MOST_COLUMNS: Final = 4
_GAP: Final = 3
_NEAR: Final = 0.4
"""How far from the even height a column may end, so that the next one begins with a title."""
_LONGEST_KEY: Final = 16
_LEAST_WORDS: Final = 20
"""The fewest cells beside the keys for what they do; with fewer it begins on a line of its own."""
_INDENT: Final = 2
_EMPTY: Final = HelpLine("")
_LINES: Final = {"j": 1, "down": 1, "k": -1, "up": -1}


class HelpEntry(Struct, frozen=True):
    """A line of the help."""

    key: str
    """The keys, or a command's name."""
    words: str
    """What it does."""
    names: str = ""
    """Other words by which it is found."""


class HelpSection(Struct, frozen=True):
    """A subject."""

    title: str
    entries: Sequence[HelpEntry]


class HelpScreen(ModalScreen[None]):
    """Help to scroll through and to search; Escape ends a search, and then closes it."""

    AUTO_FOCUS = ""
    HORIZONTAL_BREAKPOINTS = NARROW
    DEFAULT_CSS = """
    HelpScreen { align: center middle; background: $background 40%; }
    HelpScreen > Vertical {
        width: 96%; height: 90%; max-width: 170; background: $surface; border: heavy $primary;
        border-title-color: $primary; border-subtitle-color: $text-muted;
    }
    HelpScreen.-narrow > Vertical { width: 100%; height: 100%; }
    HelpScreen Input, HelpScreen Input:focus {
        border: none; height: 1; padding: 0 1; background: $surface; display: none;
    }
    HelpScreen.-searching Input { display: block; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Close", priority=True),
        Binding("ctrl+c", "close", "Close", priority=True),
        Binding("q,enter,question_mark", "close", "Close"),
        Binding("slash", "search", "Search"),
        *(Binding(key, f"scroll({lines})", show=False, priority=len(key) > 1) for key, lines in _LINES.items()),
        Binding("pageup", "page(-1)", show=False, priority=True),
        Binding("pagedown", "page(1)", show=False, priority=True),
        Binding("space", "page(1)", show=False),
        Binding("home,g", "end(False)", show=False),
        Binding("end,G", "end(True)", show=False),
    ]

    def __init__(self, title: Sequence[str], groups: Sequence[Sequence[HelpSection]]) -> None:
        """Of the parts of the title as many are shown as fit. Every group of sections has columns of its own."""
        super().__init__()
        self._title, self.groups = title, groups

    def compose(self) -> ComposeResult:
        """The line to search by, and the columns."""
        with Vertical() as frame:
            frame.border_subtitle = Content("/ searches · Escape closes")
            yield Input(placeholder="words, keys, or tmux's names")
            yield HelpColumns(self.groups)

    def on_resize(self) -> None:
        """Fit the title."""
        frame = self.query_one(Vertical)
        frame.border_title = Content(fitting(self._title, frame.size.width - 4))

    def on_input_changed(self, event: Input.Changed) -> None:
        """Show what matches."""
        self.query_one(HelpColumns).search(event.value)
        self.query_one(HelpColumns).scroll_home(animate=False)

    def on_input_submitted(self) -> None:
        """Scroll through what was found."""
        self.set_focus(None)

    def on_click(self, event: events.Click) -> None:
        """Close where the frame says so, or beside it."""
        if leaves(event, self.query_one(Vertical)):
            self.dismiss(None)

    def action_search(self) -> None:
        """Begin a search."""
        self.add_class("-searching")
        self.query_one(Input).focus()

    def action_leave(self) -> None:
        """End the search, or close."""
        if not self.has_class("-searching"):
            self.dismiss(None)
            return
        self.query_one(Input).value = ""
        self.remove_class("-searching")
        self.set_focus(None)

    def action_close(self) -> None:
        """Close."""
        self.dismiss(None)

    def action_scroll(self, lines: int) -> None:
        """Scroll by some lines."""
        self.query_one(HelpColumns).scroll_relative(y=lines, animate=False)

    def action_page(self, pages: int) -> None:
        """Scroll by pages."""
        body = self.query_one(HelpColumns)
        body.scroll_relative(y=pages * max(body.size.height - 1, 1), animate=False)

    def action_end(self, last: bool) -> None:
        """Scroll to the beginning or the end."""
        body = self.query_one(HelpColumns)
        (body.scroll_end if last else body.scroll_home)(animate=False)


class HelpColumns(ScrollView):
    """What is found, in columns for the width that there is; only the lines that are visible are drawn."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {"help--title", "help--key"}
    DEFAULT_CSS = """
    HelpColumns {
        height: 1fr; padding: 0 1; background: $surface; scrollbar-size-vertical: 1; overflow-x: hidden;
        & > .help--title { color: $primary; text-style: bold; }
        & > .help--key { text-style: bold; }
    }
    """

    def __init__(self, groups: Sequence[Sequence[HelpSection]]) -> None:
        super().__init__()
        self.can_focus = False
        self._groups, self._query, self._room = groups, "", 0
        self._rows: list[list[HelpLine]] = []

    def search(self, query: str) -> None:
        """Show only what matches."""
        self._query = query
        self._fill()

    def on_resize(self) -> None:
        """Lay the columns out for another width."""
        self._fill()

    def _fill(self) -> None:
        width = max(self.scrollable_content_region.width - 2, 8)
        found = [shown for group in self._groups if (shown := found_in(group, self._query))]
        one = _rows(found, width, 1)
        count = 1 if len(one) <= self.size.height else columns_of(width)
        self._room = room_of(width, count)
        self._rows = (one if count == 1 else _rows(found, width, count)) or [[HelpLine("nothing is found")]]
        self.virtual_size = Size(width, len(self._rows))
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """One row of all columns."""
        at, width = y + self.scroll_offset.y, self.size.width
        base = self.rich_style
        row = self._rows[at] if 0 <= at < len(self._rows) else []
        pieces = [Segment(" ", base)]
        for number, line in enumerate(row):
            style = base + self.get_component_rich_style("help--title" if line.title else "help--key", partial=True)
            pieces += [Segment(line.strong, style), Segment(line.words, base)]
            if number < len(row) - 1:
                used = cell_len(line.strong) + cell_len(line.words)
                pieces.append(Segment(" " * (self._room + _GAP - used), base))
        return Strip(pieces).adjust_cell_length(width, base)


def found_in(sections: Sequence[HelpSection], query: str) -> list[HelpSection]:
    """The entries that have all words of a query, by subject; subjects without any are left out."""
    words = query.casefold().split()
    found = (
        HelpSection(section.title, [each for each in section.entries if _matches(section, each, words)])
        for section in sections
    )
    return [section for section in found if section.entries]


def _matches(section: HelpSection, entry: HelpEntry, words: Sequence[str]) -> bool:
    text = f"{section.title} {entry.key} {entry.words} {entry.names}".casefold()
    return all(word in text for word in words)


def columns_of(width: int) -> int:
    """How many columns fit."""
    return min(max((width + _GAP) // (COLUMN + _GAP), 1), MOST_COLUMNS)


def room_of(width: int, count: int) -> int:
    """The cells of each of so many columns."""
    return (width - _GAP * (count - 1)) // count


def _rows(groups: Sequence[Sequence[HelpSection]], width: int, count: int) -> list[list[HelpLine]]:
    """The rows of all groups, with an empty one between them."""
    return [row for group in groups for row in (*in_columns(group, width, count), [])][:-1]


def in_columns(sections: Sequence[HelpSection], width: int, count: int) -> Iterator[list[HelpLine]]:
    """The rows of the sections in so many columns, each read from top to bottom."""
    room = room_of(width, count)
    lines = [line for section in sections for line in _lines(section, room)]
    columns = _columns(lines[:-1], count)
    for y in range(max(map(len, columns), default=0)):
        yield [column[y] if y < len(column) else _EMPTY for column in columns]


def _columns(lines: list[HelpLine], count: int) -> list[list[HelpLine]]:
    """Lines in so many columns of about the same height that begin with a title if one is near, else with an entry."""
    columns = list[list[HelpLine]]()
    rest = lines
    for left in range(count, 0, -1):
        end = _break(rest, -(-len(rest) // left)) if left > 1 else len(rest)
        columns.append(rest[:end])
        rest = rest[end:]
    return columns


def _break(lines: list[HelpLine], wanted: int) -> int:
    """Where the next column begins, near to the line that is wanted."""
    titles = (at for at, line in enumerate(lines) if line.title and abs(at - wanted) <= wanted * _NEAR)
    nearest = min(titles, key=lambda at: abs(at - wanted), default=0)
    if nearest or wanted >= len(lines):
        return nearest or len(lines)
    return next((at for at in range(wanted, 0, -1) if lines[at].strong.strip() and not lines[at - 1].title), len(lines))


def _lines(section: HelpSection, room: int) -> Iterator[HelpLine]:
    """A section as lines: its title, its entries with their keys in a column, and an empty line. Where a key is too
    long for the column, the others are in one only if that takes fewer lines."""
    yield HelpLine(_cut(section.title, room), title=True)
    most = min(room - _LEAST_WORDS - 2, _LONGEST_KEY)
    widths = [cell_len(entry.key) for entry in section.entries]
    keys = max((width for width in widths if width <= most), default=_INDENT)
    beside = list(_entries(section, room, keys))
    below = list(_entries(section, room, _INDENT))
    yield from beside if max(widths, default=0) <= most or len(beside) < len(below) else below
    yield _EMPTY


def _entries(section: HelpSection, room: int, keys: int) -> Iterator[HelpLine]:
    """The entries with a column of so many cells for the keys; what longer keys do is below them."""
    for entry in section.entries:
        words = textwrap.wrap(entry.words, max(room - keys - 2, 6)) or [""]
        if cell_len(entry.key) > keys:
            yield HelpLine(f" {_cut(entry.key, room - 1)}")
        else:
            yield HelpLine(f" {set_cell_size(entry.key, keys)} ", words.pop(0))
        for line in words:
            yield HelpLine(" " * (keys + 2), line)


def _cut(text: str, room: int) -> str:
    """As much as fits, with an ellipsis if it is cut."""
    return text if cell_len(text) <= room else f"{set_cell_size(text, max(room - 1, 0))}…"
