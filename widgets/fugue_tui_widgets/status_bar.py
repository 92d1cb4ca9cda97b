"""The bottom line: the workspace's name, its windows as tabs, a message or what the prefix offers."""

from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from textual import events
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from fugue_tui.ids import WindowId
from fugue_tui_widgets.steady import Steady


@dataclass(frozen=True, slots=True)
class Tab:
    """One window as the bar shows it."""

    window: WindowId
    label: str
    """Cleaned text, such as `1 vim`."""
    active: bool = False
    marks: str = ""
    """`Z` zoomed, `!` bell, `*` news: shown after the label."""


@dataclass(frozen=True, slots=True)
class StatusPicture:
    """What the bar shows."""

    workspace: str = ""
    session: str = ""
    """Shown beside the workspace if there is more than one."""
    tabs: tuple[Tab, ...] = ()
    hint: str = ""
    alert: str = ""
    """A message in place of the hint and of tabs at the left; an alert of an earlier frame is gone when it is empty."""


class StatusBar(Steady, Widget):
    """One line of workspace, tabs and hint; a click on a tab selects its window."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "status-bar--name",
        "status-bar--tab",
        "status-bar--active",
        "status-bar--hint",
        "status-bar--alert",
    }
    DEFAULT_CSS = """
    StatusBar {
        height: 1; background: $panel; color: $foreground;
        .status-bar--name { background: $primary; color: $background; text-style: bold; }
        .status-bar--tab { background: $panel; color: $text-muted; }
        .status-bar--active { background: $surface-lighten-2; color: $foreground; text-style: bold; }
        .status-bar--hint { background: $panel; color: $text-muted; }
        .status-bar--alert { background: $warning; color: ansi_black; text-style: bold; }
    }
    """

    class TabClicked(Message):
        """A tab was clicked."""

        def __init__(self, window: WindowId) -> None:
            super().__init__()
            self.window = window

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.picture = StatusPicture()
        self._spans: list[tuple[range, WindowId]] = []

    def show(self, picture: StatusPicture) -> None:
        """Draw another picture if it differs."""
        if picture != self.picture:
            self.picture = picture
            self.refresh()

    def render_lines(self, crop: Region) -> list[Strip]:
        """The one line, cut to what is asked for."""
        line = self._line(self.size.width)
        return [line.crop(crop.x, crop.right)] * crop.height

    def _line(self, cols: int) -> Strip:
        picture, style = self.picture, self.get_component_rich_style
        name = picture.workspace + (f"·{picture.session}" if picture.session else "")
        parts = [Segment(f" {name} ", style("status-bar--name"))]
        used = cell_len(parts[0].text)
        self._spans = []
        for tab in _fitting(picture.tabs, cols - used - (cell_len(picture.alert) + 2 if picture.alert else 0)):
            text = _tab_text(tab)
            parts.append(Segment(text, style("status-bar--active" if tab.active else "status-bar--tab")))
            self._spans.append((range(used, used + cell_len(text)), tab.window))
            used += cell_len(text)
        parts += self._right(cols - used)
        return Strip(parts).adjust_cell_length(cols, style("status-bar--hint"))

    def _right(self, room: int) -> list[Segment]:
        """The alert or the hint, at the right end; nothing if there is no room for it."""
        picture = self.picture
        kind = "status-bar--alert" if picture.alert else "status-bar--hint"
        text = f" {picture.alert or picture.hint} "
        if picture.alert and cell_len(text) > room > 8:
            text = set_cell_size(text, room - 1) + "…"
        if room < cell_len(text):
            return []
        gap = Segment(" " * (room - cell_len(text)), self.get_component_rich_style("status-bar--hint"))
        return [gap, Segment(text, self.get_component_rich_style(kind))]

    async def on_click(self, event: events.Click) -> None:
        """Select the window whose tab is under the pointer."""
        event.stop()
        window = next((window for span, window in self._spans if int(event.x) in span), None)
        if window is not None:
            self.post_message(self.TabClicked(window))


def _tab_text(tab: Tab) -> str:
    """The active tab is bracketed, so that it stands out without colour."""
    inner = f"{tab.label}{tab.marks and ' ' + tab.marks}"
    return f"[{inner}]" if tab.active else f" {inner} "


def _fitting(tabs: tuple[Tab, ...], room: int) -> tuple[Tab, ...]:
    """As many tabs as fit, always with the active one: tabs at the left go first."""
    shown = list(tabs)
    while shown and sum(cell_len(_tab_text(tab)) for tab in shown) > room:
        victim = 0 if not shown[0].active else len(shown) - 1
        if shown[victim].active:
            break
        shown.pop(victim)
    return tuple(shown)
