"""The status bar: declared parts at both sides, windows as tabs, a message or a hint on keys."""

from collections.abc import Iterable
from typing import ClassVar, Final

from msgspec import Struct
from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style as RichStyle
from textual import events
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from fugue_tui.geometry import Rect
from fugue_tui.ids import WindowId
from fugue_tui_widgets.error_boundary import ErrorBoundary

_LEAST_ALERT: Final = 40
"""Cells of a message for which the workspace's name gives way."""


class Tab(Struct, frozen=True):
    """One window as the bar shows it."""

    window: WindowId
    label: str
    """Cleaned text, such as `1 vim`."""
    active: bool = False
    marks: str = ""
    """`Z` zoomed, `!` bell, the states of agents: shown after the label."""
    tone: str = ""
    """The state of the agent that matters most: `blocked`, `error`, `done`, `working`; empty for none."""


class Part(Struct, frozen=True):
    """A part of the bar: one of `WORKSPACE`, `TABS` and `HINT`, or a text."""

    name: str
    text: str = ""
    """Cleaned text; a part without text is not shown."""


WORKSPACE, TABS, HINT = Part("workspace"), Part("tabs"), Part("hint")


class StatusContent(Struct, frozen=True):
    """What the bar shows."""

    workspace: str = ""
    session: str = ""
    """Shown beside the workspace if there is more than one."""
    tabs: tuple[Tab, ...] = ()
    hint: str = ""
    alert: str = ""
    """A message instead of the hint and of tabs at the left; empty for none."""
    mode: str = ""
    """What keys do, in a word or two: shown beside an alert, or where the hint does not fit; precedes all else."""
    help: str = ""
    """The keys that show help, where neither hint nor mode nor message is shown."""
    left: tuple[Part, ...] = (WORKSPACE, TABS)
    """What is at the left, in order."""
    right: tuple[Part, ...] = (HINT,)
    """What is at the right, in order; the message and the mode take the place of the hint."""
    more: tuple[str, str] = ("‹", "›")
    """Marks of tabs that are hidden before and after those that are shown."""
    failed: bool = False
    """Whether the message says what went wrong."""


class StatusBar(ErrorBoundary, Widget):
    """One line of workspace, tabs and hint; a click on a tab selects its window, and tabs can be dragged."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "status-bar--name",
        "status-bar--part",
        "status-bar--tab",
        "status-bar--active",
        "status-bar--hint",
        "status-bar--alert",
        "status-bar--notice",
        "status-bar--mode",
        "status-bar--blocked",
        "status-bar--error",
        "status-bar--done",
        "status-bar--working",
    }
    DEFAULT_CSS = """
    StatusBar {
        height: 1; background: $panel; color: $foreground;
        .status-bar--name, .status-bar--mode {
            background: $block-cursor-background; color: $block-cursor-foreground;
            text-style: $block-cursor-text-style;
        }
        .status-bar--part { background: $panel; color: $foreground; }
        .status-bar--tab { background: $panel; color: $text-muted; }
        .status-bar--active { background: $panel; color: $foreground; text-style: bold; }
        .status-bar--hint { background: $panel; color: $text-muted; }
        .status-bar--blocked { color: $warning; text-style: bold; }
        .status-bar--error { color: $error; text-style: bold; }
        .status-bar--done { color: $success; }
        .status-bar--working { color: $primary; }
        .status-bar--alert { background: $warning; color: $background; text-style: bold; }
        .status-bar--notice { background: $secondary; color: $background; text-style: bold; }
    }
    """

    class TabClicked(Message):
        """A tab was clicked."""

        def __init__(self, window: WindowId) -> None:
            super().__init__()
            self.window = window

    class TabDragged(Message):
        """A tab is dragged: the pointer has left the cell where the button was pressed."""

        def __init__(self, window: WindowId, at: tuple[int, int]) -> None:
            super().__init__()
            self.window = window
            self.at = at
            """The pointer's column and row on the screen."""

    class MenuRequested(Message):
        """The right button was pressed on a tab, or on another part."""

        def __init__(self, window: WindowId | None, at: tuple[int, int]) -> None:
            super().__init__()
            self.window = window
            """The window of the tab; None beside the tabs."""
            self.at = at
            """The pointer's column and row on the screen."""

    class Scrolled(Message):
        """The wheel was turned over the bar, by one step: -1 up, 1 down."""

        def __init__(self, step: int) -> None:
            super().__init__()
            self.step = step

    class HintClicked(Message):
        """A part of the hint was clicked, such as `? help`."""

        def __init__(self, part: str) -> None:
            super().__init__()
            self.part = part

    class PartClicked(Message):
        """A part with a text was clicked, or the workspace's name."""

        def __init__(self, part: str) -> None:
            super().__init__()
            self.part = part

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.content = StatusContent()
        self._spans: list[tuple[range, Message]] = []
        """The columns that can be clicked, and what a click posts."""
        self._pressed: tuple[WindowId, int] | None = None
        """The tab on which the button was pressed, and the column."""
        self._hint_at: int | None = None
        """The column where the hint begins; None if it is not shown."""

    def show(self, content: StatusContent) -> None:
        """Draw other content if it differs."""
        if content != self.content:
            self.content = content
            self.refresh()

    def render_lines(self, crop: Region) -> list[Strip]:
        """The line, cropped."""
        line = self._line(self.size.width)
        return [line.crop(crop.x, crop.right)] * crop.height

    def _line(self, cols: int) -> Strip:
        content, end = self.content, self._end(cols)
        shown = _kept_parts(content, cols - _cells(end))
        right = [part for part in content.right if part is HINT or (part.name in shown and part.text)]
        beside = sum(_width(content, part) for part in right)
        fixed = beside + sum(_width(content, part) for part in content.left if part.name in shown)
        self._spans, self._hint_at = [], None
        left = list[Segment]()
        for part in content.left:
            if part is TABS:
                left += self._tabs(_cells(left), cols - fixed - _cells(end))
            elif part.name in shown:
                self._note(part, _cells(left))
                left += self._part(part)
        room = cols - beside - _cells(left)
        hinted = HINT in right and bool(content.hint) and not content.alert and cell_len(content.hint) + 2 <= room
        if hinted:
            style = "status-bar--mode" if content.mode else "status-bar--hint"
            end = [Segment(f" {content.hint} ", self.get_component_rich_style(style))]
        return self._joined(left, right, end, cols, hinted=hinted)

    def _joined(self, left: list[Segment], right: list[Part], end: list[Segment], cols: int, *, hinted: bool) -> Strip:
        """The line: what is left, a gap, and what is right, with the hint or what takes its place."""
        style = self.get_component_rich_style("status-bar--hint")
        gap = cols - _cells(left) - _cells(end) - sum(_width(self.content, part) for part in right)
        line = [*left, Segment(" " * max(gap, 0), style)]
        for part in right if HINT in right else (*right, HINT):
            if part is HINT:
                self._hint_at = _cells(line) + 1 if hinted else None
                line += end
            else:
                self._note(part, _cells(line))
                line += self._part(part)
        return Strip([piece for piece in line if piece.text]).adjust_cell_length(cols, style)

    def _note(self, part: Part, at: int) -> None:
        """A part at a column can be clicked."""
        self._spans.append((range(at, at + _width(self.content, part)), self.PartClicked(part.name)))

    def _part(self, part: Part) -> list[Segment]:
        """A part with a text, or the workspace's name."""
        if part is WORKSPACE:
            return [Segment(f" {_name(self.content)} ", self.get_component_rich_style("status-bar--name"))]
        return [Segment(f" {part.text} ", self.get_component_rich_style("status-bar--part"))] if part.text else []

    def _tabs(self, used: int, room: int) -> list[Segment]:
        """The tabs that fit from a column on, and how many are hidden at both sides; a click there selects the next."""
        tabs = self.content.tabs
        if room <= 0:
            return []
        first, last = _fitting(tabs, room)
        style = self.get_component_rich_style("status-bar--tab")
        pieces = list[Segment]()
        for at, tab in enumerate(tabs):
            if first <= at <= last:
                found = self._tab(tab, _tab_text(tab))
            elif at in (first - 1, last + 1):
                mark = self.content.more[at > last]
                count = len(tabs) - 1 - last if at > last else first
                found = [Segment(f" {count}{mark}" if at > last else f"{mark}{count} ", style)]
            else:
                continue
            width = _cells(found)
            self._spans.append((range(used, used + width), self.TabClicked(tab.window)))
            used, pieces = used + width, pieces + found
        if _cells(pieces) <= room:
            return pieces
        active = next(tab for tab in tabs if tab.active)
        return [Segment(_cut(_tab_text(active), room, 3), self.get_component_rich_style("status-bar--active"))]

    def _end(self, cols: int) -> list[Segment]:
        """What takes the place of the hint: the message and the mode, or the keys that show help."""
        content, style = self.content, self.get_component_rich_style
        if not content.alert and not content.mode:
            fits = HINT in content.right and content.help and cell_len(content.help) + 2 <= cols
            text = f" {content.help} " if fits else ""
            return [Segment(text, style("status-bar--hint"))] if text else []
        mode = _cut(f" {content.mode} ", cols, 2) if content.mode else ""
        active = next((cell_len(_tab_text(tab)) for tab in content.tabs if tab.active), 0)
        room, name = cols - cell_len(mode) - active, cell_len(_name(content)) + 2 + _marks(content)
        room -= name if room - name >= _LEAST_ALERT else 0
        alert = _cut(f" {content.alert} ", room) if content.alert else ""
        message = style("status-bar--alert" if content.failed else "status-bar--notice")
        pieces = (Segment(alert, message), Segment(mode, style("status-bar--mode")))
        return [piece for piece in pieces if piece.text]

    def _tab(self, tab: Tab, text: str) -> list[Segment]:
        """A tab's text, its marks in the colour of its tone."""
        style = self.get_component_rich_style("status-bar--active" if tab.active else "status-bar--tab")
        if not tab.tone or not tab.marks:
            return [Segment(text, style)]
        at = len(text) - 1 - len(tab.marks)
        tone = style + RichStyle(color=self.get_component_rich_style(f"status-bar--{tab.tone}").color, bold=True)
        return [Segment(text[:at], style), Segment(text[at:-1], tone), Segment(text[-1:], style)]

    def tab_at(self, x: int) -> tuple[WindowId, Rect] | None:
        """The tab at a column of the screen, and its cells there."""
        left, top = self.region.x, self.region.y
        for span, message in self._spans:
            if x - left in span and isinstance(message, self.TabClicked):
                return message.window, Rect(left + span.start, top, len(span), 1)
        return None

    async def on_mouse_down(self, event: events.MouseDown) -> None:
        """The button is pressed on a tab, which may be dragged."""
        tab = self.tab_at(int(event.screen_x))
        self._pressed = (tab[0], int(event.screen_x)) if tab is not None and event.button == 1 else None
        if event.button == 3:
            event.stop()
            at = (int(event.screen_x), int(event.screen_y))
            self.post_message(self.MenuRequested(tab[0] if tab is not None else None, at))

    async def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Report the wheel."""
        event.stop()
        self.post_message(self.Scrolled(-1))

    async def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Likewise."""
        event.stop()
        self.post_message(self.Scrolled(1))

    async def on_mouse_move(self, event: events.MouseMove) -> None:
        """The tab is dragged."""
        if self._pressed is not None and event.button == 1 and int(event.screen_x) != self._pressed[1]:
            window, self._pressed = self._pressed[0], None
            self.post_message(self.TabDragged(window, (int(event.screen_x), int(event.screen_y))))
            event.stop()

    async def on_mouse_up(self, event: events.MouseUp) -> None:
        """The button is released."""
        self._pressed = None

    async def on_click(self, event: events.Click) -> None:
        """Report the tab under the pointer, or the part of the hint."""
        event.stop()
        if event.button != 1:
            return
        clicked = next((message for span, message in self._spans if int(event.x) in span), None)
        if clicked is not None:
            self.post_message(clicked)
        elif self._hint_at is not None and int(event.x) >= self._hint_at:
            self.post_message(self.HintClicked(_part(self.content.hint, int(event.x) - self._hint_at)))


def _part(hint: str, column: int) -> str:
    """The part of a hint at a column; parts are separated by ` · `."""
    used = 0
    for part in hint.split(" · "):
        used += cell_len(part) + 3
        if column < used:
            return part
    return ""


def _cut(text: str, room: int, least: int = 9) -> str:
    """As much of a text as fits, with an ellipsis if it is cut; empty if that is less than so many cells."""
    if cell_len(text) <= room:
        return text
    return set_cell_size(text, room - 1) + "…" if room >= least else ""


def _tab_text(tab: Tab) -> str:
    """The active tab is bracketed, so that it stands out without colour."""
    inner = f"{tab.label}{tab.marks and ' ' + tab.marks}"
    return f"[{inner}]" if tab.active else f" {inner} "


def _cells(pieces: Iterable[Segment]) -> int:
    return sum(cell_len(piece.text) for piece in pieces)


def _name(content: StatusContent) -> str:
    return content.workspace + (f"·{content.session}" if content.session else "")


def _width(content: StatusContent, part: Part) -> int:
    """The cells of a part but the tabs and the hint."""
    text = _name(content) if part is WORKSPACE else part.text
    return cell_len(text) + 2 if text else 0


def _marks(content: StatusContent) -> int:
    """The cells that the marks of hidden tabs may take."""
    return 2 * (cell_len(content.more[0]) + 2) if len(content.tabs) > 1 else 0


def _kept_parts(content: StatusContent, room: int) -> set[str]:
    """The parts beside the tabs that fit with the active tab: those at the right are dropped first, a mode never."""
    active = next((cell_len(_tab_text(tab)) for tab in content.tabs if tab.active), 0) if TABS in content.left else 0
    parts = [part for part in (*content.left, *content.right) if part.name not in (TABS.name, HINT.name)]
    while parts and sum(_width(content, part) for part in parts) > room - active - _marks(content):
        optional = [part for part in parts if part.name != "mode"]
        if not optional:
            break
        parts.remove(optional[-1])
    return {part.name for part in parts}


def _fitting(tabs: tuple[Tab, ...], room: int) -> tuple[int, int]:
    """The first and the last tab that are shown: the active one, and its neighbours as far as they fit with the marks
    of hidden ones; those at the right first."""
    active = next((at for at, tab in enumerate(tabs) if tab.active), 0)
    widths = [cell_len(_tab_text(tab)) for tab in tabs]

    def fits(first: int, last: int) -> bool:
        marks = sum(2 + len(str(hidden)) for hidden in (first, len(tabs) - 1 - last) if hidden)
        return sum(widths[first : last + 1]) + marks <= room

    first = last = active
    if not tabs or not fits(first, last):
        return active, active
    for step in (1, -1):
        while 0 <= (last if step > 0 else first) + step < len(tabs):
            wanted = (first, last + 1) if step > 0 else (first - 1, last)
            if not fits(*wanted):
                break
            first, last = wanted
    return first, last
