"""A saved workspace: the workspace itself, and the state of its panes at the time of the save."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from fugue_tui.geometry import Size
from fugue_tui.ids import PaneId
from fugue_tui.terminal.pty.spawn import Exit
from fugue_tui.workspace.model import Workspace


@dataclass(frozen=True, slots=True)
class SavedPane:
    """The state of a pane at the time of the save, beyond its record in the workspace."""

    cwd: str = ""
    """The working directory of its program; empty if unknown."""
    title: str = ""
    """The title set by its program: sanitized."""
    argv: tuple[str, ...] = ()
    """The program in its foreground; empty if unknown."""
    exit: Exit | None = None
    """The exit status of its program; None if it was running."""
    size: Size = Size(80, 24)
    text: str = ""
    """The digest in the store of its text and its commands; empty if they were not saved."""
    resume: tuple[str, ...] = ()
    """The command that resumes its program; empty if there is none."""
    withheld: tuple[str, ...] = ()
    """What was withheld as secret, sorted: `env.NAME`, `metadata.KEY`, `argv`, `foreground`, `resume`, `tags`,
    `title`. A withheld `argv` cannot be run as it is: it contains `WITHHELD`."""


@dataclass(frozen=True, slots=True)
class SavedWorkspace:
    """A workspace at one point in time."""

    workspace: Workspace
    area: Size = Size(80, 24)
    """The total size of its panes in cells."""
    seen: Mapping[PaneId, SavedPane] = field(default_factory=lambda: MappingProxyType({}))
    """The state of each pane, as far as known."""
    saved_at: float = 0.0
    """Unix time in seconds: for display, not for deciding which save is newer."""
    ended: bool = False
    """Whether the workspace was ended deliberately."""
    last_pane: int = 0
    """The highest pane id ever used; ids are not reused."""
    last_window: int = 0
    """The highest window id ever used."""
