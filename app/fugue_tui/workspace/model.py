"""Workspace, window and pane, as frozen values. A change is a new value; watchers receive the old and the new one.

A session is a label on windows: it exists as long as a window has it. Live terminals are not part of the state.
"""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType

from msgspec import Struct, field

from fugue_tui.ids import PaneId, WindowId
from fugue_tui.layout.tree import Layout
from fugue_tui.workspace.field_types import Argv, Environment, Line, Metadata, Name, SavedPaneId, Tags

NO_WINDOW = WindowId(0)
"""The active window of a workspace without windows."""


SCRATCH = "scratch"
"""The tag of the pane that floats over whichever window is in front, or is hidden."""


class OnExit(StrEnum):
    """What happens to a pane when its program exits."""

    CLOSE = "close"
    """Close if the program exited with status 0, or was a login shell that the user left; keep otherwise."""
    KEEP = "keep"
    """Keep the text and the exit status; Enter restarts the program."""
    ALWAYS = "always"
    """Close, whatever the exit status."""


class Pane(Struct, frozen=True):
    """One pane and its program. `argv` empty means the login shell."""

    id: SavedPaneId
    name: Name = ""
    """The name that a user or an agent gave it; empty if none."""
    argv: Argv = ()
    cwd: Line = ""
    """The directory that the program was started in; empty for the workspace's own."""
    env: Environment = field(default_factory=lambda: MappingProxyType({}))
    """Changes to the environment that were requested at creation."""
    on_exit: OnExit = OnExit.CLOSE
    tags: Tags = frozenset()
    metadata: Metadata = field(default_factory=lambda: MappingProxyType({}))
    content: Line = ""
    """What Fugue itself shows in the pane, such as `agents`, where no program runs; empty for a program."""


class Window(Struct, frozen=True):
    """One tab: a layout of panes, one of which has the focus."""

    id: WindowId
    name: str
    layout: Layout
    active: PaneId
    session: str
    zoomed: bool = False
    """Whether the tile that had the focus last fills the window, below panes that float."""
    named: bool = False
    """Whether a user or an agent chose the name; if not, it follows the active pane's program."""
    recent: tuple[PaneId, ...] = ()
    """The other panes by latest focus, the latest first."""
    auto: bool = False
    """Whether its layout adapts to the number of panes and to the shape of the terminal, until it is arranged by
    hand."""


class Workspace(Struct, frozen=True):
    """The whole state. `windows` is empty only before the first was opened and after the last was closed."""

    name: str
    windows: tuple[Window, ...] = ()
    active: WindowId = NO_WINDOW
    panes: Mapping[PaneId, Pane] = field(default_factory=lambda: MappingProxyType({}))
    recent: tuple[WindowId, ...] = ()
    """The other windows by latest use, the latest first."""
