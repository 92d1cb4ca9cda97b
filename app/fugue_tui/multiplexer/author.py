"""Who types into a pane, changes the layout or ends a program."""

from enum import StrEnum

from msgspec import Struct

from fugue_tui.ids import PaneId
from fugue_tui.sanitize import clean


class AuthorKind(StrEnum):
    """The kinds of authors."""

    USER = "user"
    """The user at an attached terminal, by keyboard, mouse or palette."""
    SCRIPT = "script"
    """The command line outside of panes."""
    AGENT = "agent"
    """An MCP client."""
    PROGRAM = "program"
    """A program in a pane, by the command line or the sideband."""


class Author(Struct, frozen=True):
    """The author of an input or a change."""

    kind: AuthorKind
    pane: PaneId | None = None
    """Its own pane; None outside of panes."""
    pid: int | None = None
    client: str = ""
    """The client's name for itself: untrusted."""

    @property
    def yields(self) -> bool:
        """Whether the user has priority over it."""
        return self.kind in (AuthorKind.AGENT, AuthorKind.PROGRAM)

    @property
    def label(self) -> str:
        """In a word or two, as seen by the user: `you`, `agent: claude`, `script`, `program: %3`."""
        match self.kind:
            case AuthorKind.USER:
                return "you"
            case AuthorKind.SCRIPT:
                return "script"
            case _:
                name = clean(self.client, 20) or str(self.pane or "")
                return f"{self.kind}: {name}" if name else str(self.kind)


USER = Author(AuthorKind.USER)
