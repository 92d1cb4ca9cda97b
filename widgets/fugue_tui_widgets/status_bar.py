"""The status bar: the workspace's name, its windows as tabs, a message or a hint on keys."""

from typing import ClassVar

from msgspec import Struct
from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style as RichStyle
from textual import events
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from fugue_tui.ids import WindowId
from fugue_tui_widgets.error_boundary import ErrorBoundary


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
    """What keys do, in a word or two: shown beside an alert, or where the hint does not fit; precedes tabs."""
    key_mode: str = ""
    """The mode of keys, such as `LOCKED`: always shown, after the name; empty for none."""


class StatusBar(ErrorBoundary, Widget):
    """One line of workspace, tabs and hint; a click on a tab selects its window."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "status-bar--name",
        "status-bar--tab",
        "status-bar--active",
        "status-bar--hint",
        "status-bar--alert",
        "status-bar--mode",
        "status-bar--blocked",
        "status-bar--error",
        "status-bar--done",
        "status-bar--working",
    }
    DEFAULT_CSS = """
    StatusBar {
        height: 1; background: $panel; color: $foreground;
        .status-bar--name { background: $primary; color: $background; text-style: bold; }
        .status-bar--tab { background: $panel; color: $text-muted; }
        .status-bar--active { background: $surface-lighten-2; color: $foreground; text-style: bold; }
        .status-bar--hint { background: $panel; color: $text-muted; }
        .status-bar--mode { background: $primary; color: $background; text-style: bold; }
        .status-bar--blocked { color: $warning; text-style: bold; }
        .status-bar--error { color: $error; text-style: bold; }
        .status-bar--done { color: $success; }
        .status-bar--working { color: $primary; }
        .status-bar--alert { background: $warning; color: ansi_black; text-style: bold; }
    }
    """

    class TabClicked(Message):
        """A tab was clicked."""

        def __init__(self, window: WindowId) -> None:
            super().__init__()
            self.window = window

    class HintClicked(Message):
        """A part of the hint was clicked, such as `? help`."""

        def __init__(self, part: str) -> None:
            super().__init__()
            self.part = part

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.content = StatusContent()
        self._spans: list[tuple[range, WindowId]] = []
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
        content, style = self.content, self.get_component_rich_style
        name = content.workspace + (f"·{content.session}" if content.session else "")
        parts = [Segment(f" {name} ", style("status-bar--name"))]
        if content.key_mode:
            parts.append(Segment(f" {content.key_mode} ", style("status-bar--alert")))
        used = sum(cell_len(part.text) for part in parts)
        self._spans = []
        kept = sum(cell_len(text) + 2 for text in (content.alert, content.mode) if text)
        for tab in _fitting(content.tabs, cols - used - kept):
            text = _tab_text(tab)
            parts += self._tab(tab, text)
            self._spans.append((range(used, used + cell_len(text)), tab.window))
            used += cell_len(text)
        self._hint_at = None
        parts += self._right(cols - used)
        if not content.alert and cell_len(content.hint) + 2 <= cols - used:
            self._hint_at = cols - cell_len(content.hint) - 1
        return Strip(parts).adjust_cell_length(cols, style("status-bar--hint"))

    def _tab(self, tab: Tab, text: str) -> list[Segment]:
        """A tab's text, its marks in the colour of its tone."""
        style = self.get_component_rich_style("status-bar--active" if tab.active else "status-bar--tab")
        if not tab.tone or not tab.marks:
            return [Segment(text, style)]
        at = len(text) - 1 - len(tab.marks)
        tone = style + RichStyle(color=self.get_component_rich_style(f"status-bar--{tab.tone}").color, bold=True)
        return [Segment(text[:at], style), Segment(text[at:-1], tone), Segment(text[-1:], style)]

    def _right(self, room: int) -> list[Segment]:
        """At the right end: the alert and the mode, or the hint, or if that does not fit the mode alone."""
        content, style = self.content, self.get_component_rich_style
        if not content.alert and cell_len(content.hint) + 2 <= room:
            pieces = [Segment(f" {content.hint} ", style("status-bar--hint"))]
        else:
            mode = f" {content.mode} " if content.mode and cell_len(content.mode) + 2 <= room else ""
            pieces = [Segment(mode, style("status-bar--mode"))]
            alert = _cut(f" {content.alert} ", room - cell_len(mode)) if content.alert else ""
            pieces.insert(0, Segment(alert, style("status-bar--alert")))
        used = sum(piece.cell_length for piece in pieces)
        gap = Segment(" " * (room - used), style("status-bar--hint"))
        return [piece for piece in (gap, *pieces) if piece.text] if used else []

    async def on_click(self, event: events.Click) -> None:
        """Report the tab under the pointer, or the part of the hint."""
        event.stop()
        window = next((window for span, window in self._spans if int(event.x) in span), None)
        if window is not None:
            self.post_message(self.TabClicked(window))
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


def _cut(text: str, room: int) -> str:
    """As much of a message as fits, with an ellipsis if it is cut; empty if hardly a word fits."""
    if cell_len(text) <= room:
        return text
    return set_cell_size(text, room - 1) + "…" if room > 8 else ""


def _tab_text(tab: Tab) -> str:
    """The active tab is bracketed, so that it stands out without colour."""
    inner = f"{tab.label}{tab.marks and ' ' + tab.marks}"
    return f"[{inner}]" if tab.active else f" {inner} "


def _fitting(tabs: tuple[Tab, ...], room: int) -> tuple[Tab, ...]:
    """As many tabs as fit, always with the active one: tabs at the left are dropped first."""
    shown = list(tabs)
    while shown and sum(cell_len(_tab_text(tab)) for tab in shown) > room:
        victim = 0 if not shown[0].active else len(shown) - 1
        if shown[victim].active:
            break
        shown.pop(victim)
    return tuple(shown)
