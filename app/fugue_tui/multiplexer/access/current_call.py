"""The call of a command that runs now, for what it opens, types and changes. Its tasks and timers inherit it."""

from collections.abc import Callable
from contextvars import ContextVar
from typing import Final

from msgspec import Struct

from fugue_tui.multiplexer.author import Author


class Call(Struct, frozen=True):
    """What the multiplexer knows of a call."""

    author: Author | None = None
    """Whose the changes are; None outside of commands."""
    owner: str = ""
    """The owner of the panes that are opened; empty for the user."""
    danger_approved: bool = False
    """Whether the user has approved what matches `dangerous_patterns`."""
    check: Callable[[], object] = lambda: None
    """Raises Refused if the policy does not allow the call any more."""


_NONE: Final = Call()
current_call: Final[ContextVar[Call]] = ContextVar("current_call", default=_NONE)
"""The call that runs now."""
