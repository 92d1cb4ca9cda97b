"""Workspace, window and pane, as frozen values. A change is a new value; watchers get the old and the new and compare.

A session is a label on a window: it exists as long as a window carries it. Live terminals are not state.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from fugue_tui.ids import PaneId, WindowId
from fugue_tui.layout.tree import Node

NO_WINDOW = WindowId(0)
"""What is active in a workspace without windows."""


class OnExit(StrEnum):
    """What becomes of a pane when its program ends."""

    CLOSE = "close"
    """Close if the program ended well (status 0, or a login shell that somebody left); keep otherwise."""
    KEEP = "keep"
    """Keep the text and the exit status; Enter runs the program again."""


@dataclass(frozen=True, slots=True)
class Pane:
    """One program's place. `argv` empty means the login shell."""

    id: PaneId
    name: str = ""
    """The name that a person or an agent gave it; empty if none."""
    argv: tuple[str, ...] = ()
    cwd: str = ""
    """The directory in which the program was started; empty for the workspace's own."""
    env: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """Changes to the environment that were asked for at creation."""
    on_exit: OnExit = OnExit.CLOSE
    tags: frozenset[str] = frozenset()
    metadata: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class Window:
    """One tab: a layout of panes, one of which has the focus."""

    id: WindowId
    name: str
    layout: Node
    active: PaneId
    session: str
    zoomed: bool = False
    named: bool = False
    """True once somebody chose the name; until then it follows the active pane's program."""
    recent: tuple[PaneId, ...] = ()
    """The other panes that had the focus, the latest first."""


@dataclass(frozen=True, slots=True)
class Workspace:
    """Everything there is. `windows` is empty only before the first has opened and after the last has closed."""

    name: str
    windows: tuple[Window, ...] = ()
    active: WindowId = NO_WINDOW
    panes: Mapping[PaneId, Pane] = field(default_factory=lambda: MappingProxyType({}))
    recent: tuple[WindowId, ...] = ()
    """The other windows that were on the screen, the latest first."""
