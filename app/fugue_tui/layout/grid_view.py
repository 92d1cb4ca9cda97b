"""The view model of the grid of panes."""

from collections.abc import Mapping
from types import MappingProxyType

from msgspec import Struct, field

from fugue_tui.ids import PaneId
from fugue_tui.layout.solve import Solution


class Title(Struct, frozen=True):
    """The title line above a pane."""

    text: str
    """Sanitized text, such as `%1 vim`."""
    state: str = ""
    """A short state such as `exit 1` or `history -120`, shown at the right end."""
    tone: str = ""
    """What the state means, for its colour: `blocked`, `working`, `done`, `error`; empty for nothing special."""
    colour: str = ""
    """The colour of the text as Rich writes it, such as `blue`, `color(208)` or `#ff8000`; empty for the frame's."""
    mode: str = ""
    """What keys do in the pane besides reaching its program, such as `copy mode`: precedes the state, and is
    shown however narrow the pane is."""


class GridView(Struct, frozen=True):
    """The state of a grid. Rectangles are relative to the grid's first cell."""

    solution: Solution = field(default_factory=lambda: Solution({}, (), ()))
    titles: Mapping[PaneId, Title] = field(default_factory=lambda: MappingProxyType({}))
    """Empty if titles are off."""
    focus: PaneId | None = None
    title_row: bool = False
    """Whether the row above the topmost panes is part of the frame."""
    line_style: str = "thin"
    """`thin`, `thick`, `double` or `ascii`."""
    synchronized: frozenset[PaneId] = frozenset()
    """The panes that get the same input, whose frames show that."""
