"""A saved workspace: the workspace itself, and the state of its panes at the time of the save."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated

from msgspec import Struct, field

from fugue_tui.geometry import Size
from fugue_tui.ids import PaneId
from fugue_tui.terminal.pty.spawn import Exit
from fugue_tui.validation.annotations import Record
from fugue_tui.validation.field_types import Null, OneOf
from fugue_tui.workspace.field_types import Line, Lines, Projects, SavedSize, Title
from fugue_tui.workspace.model import Workspace


class SavedPane(Struct, frozen=True):
    """The state of a pane at the time of the save, beyond its record in the workspace."""

    cwd: Line = ""
    """The working directory of its program; empty if unknown."""
    title: Title = ""
    """The title set by its program: sanitized."""
    argv: Lines = ()
    """The program in its foreground; empty if unknown."""
    exit: Annotated[Exit | None, OneOf((Record(Exit, closed=False), Null()))] = None
    """The exit status of its program; None if it was running."""
    size: SavedSize = Size(80, 24)
    text: Line = ""
    """The digest in the store of its text and its commands; empty if they were not saved."""
    resume: Lines = ()
    """The command that resumes its program; empty if there is none."""
    withheld: Lines = ()
    """What was withheld as secret, sorted: `env.NAME`, `metadata.KEY`, `argv`, `foreground`, `resume`, `tags`,
    `title`. A withheld `argv` cannot be run as it is: it contains `WITHHELD`."""


class SavedWorkspace(Struct, frozen=True):
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
    projects: Projects = field(default_factory=lambda: MappingProxyType({}))
    """The directories of the project files that have MCP servers, by the path of the file."""
