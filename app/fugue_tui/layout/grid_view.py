"""What the grid of panes shows, as a plain value."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from fugue_tui.ids import PaneId
from fugue_tui.layout.solve import Solution


@dataclass(frozen=True, slots=True)
class Title:
    """What stands on the line above a pane."""

    text: str
    """Cleaned text, such as `%1 vim`."""
    state: str = ""
    """A short mark such as `exit 1` or `history -120`, shown at the right end."""


@dataclass(frozen=True, slots=True)
class GridView:
    """What a grid shows. Rectangles count from the grid's first cell."""

    solution: Solution = field(default_factory=lambda: Solution({}, (), ()))
    titles: Mapping[PaneId, Title] = field(default_factory=lambda: MappingProxyType({}))
    """Empty if no titles are shown."""
    focus: PaneId | None = None
    title_row: bool = False
    """Whether the row above the topmost panes is part of the frame."""
    line_style: str = "thin"
    """`thin`, `thick`, `double` or `ascii`."""
