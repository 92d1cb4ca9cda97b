"""Who runs a command, types into a pane, changes the layout or ends a program."""

from enum import StrEnum

from msgspec import Struct

from fugue_tui.ids import PaneId
from fugue_tui.sanitize import clean


class Kind(StrEnum):
    """The kinds of callers and authors: what the policy and the user's priority decide by."""

    USER = "user"
    """The user at an attached terminal, by keyboard, mouse or palette."""
    SCRIPT = "script"
    """The user's command line, outside of all panes."""
    AGENT = "agent"
    """A program that came out of a pane, over MCP or on the command line. As an author: any MCP client."""
    CLIENT = "client"
    """An MCP client outside of all panes. Never an author."""
    PROGRAM = "program"
    """A program's output (the sideband). As an author: also the command line in a pane."""
    MONITOR = "monitor"
    """The monitor of agents, by rules that the user has given or approved."""

    @property
    def acts_for_user(self) -> bool:
        """Whether it may do everything, and the user has no priority over it."""
        return self in (Kind.USER, Kind.SCRIPT)


class Author(Struct, frozen=True):
    """The author of an input or a change."""

    kind: Kind
    pane: PaneId | None = None
    """Its own pane; None outside of panes."""
    pid: int | None = None
    client: str = ""
    """The client's name for itself: untrusted."""

    @property
    def yields(self) -> bool:
        """Whether the user has priority over it."""
        return not self.kind.acts_for_user

    @property
    def label(self) -> str:
        """In a word or two, as seen by the user: `you`, `agent: claude`, `script`, `program: %3`."""
        match self.kind:
            case Kind.USER:
                return "you"
            case Kind.SCRIPT:
                return "script"
            case _:
                name = clean(self.client, 20) or str(self.pane or "")
                return f"{self.kind}: {name}" if name else str(self.kind)


USER = Author(Kind.USER)
