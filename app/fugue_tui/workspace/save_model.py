"""What a saved workspace holds: the workspace itself, and what was seen of its panes when it was saved."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from fugue_tui.geometry import Size
from fugue_tui.ids import PaneId
from fugue_tui.terminal.pty.spawn import Exit
from fugue_tui.workspace.model import Workspace


@dataclass(frozen=True, slots=True)
class SavedPane:
    """What a pane was like when it was saved, besides what the workspace says of it."""

    cwd: str = ""
    """Where its program worked; empty if that is not known."""
    title: str = ""
    """The title that its program gave: clean."""
    argv: tuple[str, ...] = ()
    """The program in its foreground; empty if that is not known."""
    exit: Exit | None = None
    """How its program had ended; None if it ran."""
    size: Size = Size(80, 24)
    text: str = ""
    """The digest of its text in the store, with what is known of the commands in it; empty if it was not saved."""
    resume: tuple[str, ...] = ()
    """What to run instead to go on where it was; empty if there is no such thing."""
    withheld: tuple[str, ...] = ()
    """What was not saved because it is secret, sorted: `env.NAME`, `metadata.KEY`, `argv`, `foreground`, `resume`,
    `tags`, `title`. What has `argv` here cannot be run as it is: `sieve.WITHHELD` stands where a secret was."""


@dataclass(frozen=True, slots=True)
class SavedWorkspace:
    """A workspace at one moment."""

    workspace: Workspace
    area: Size = Size(80, 24)
    """The cells that its panes had between them."""
    seen: Mapping[PaneId, SavedPane] = field(default_factory=lambda: MappingProxyType({}))
    """For each pane of which anything is known."""
    saved_at: float = 0.0
    """Seconds since 1970 by the wall clock: for people, not for deciding which is newer."""
    ended: bool = False
    """Whether the workspace was left on purpose."""
    last_pane: int = 0
    """The highest pane id that was ever given; no new pane may have it."""
    last_window: int = 0
    """The highest window id that was ever given."""
