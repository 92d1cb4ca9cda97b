"""The caller whose command runs now: whose the panes are that it opens. Tasks and timers that it starts inherit it."""

from contextvars import ContextVar
from typing import Final

danger_approved: Final[ContextVar[bool]] = ContextVar("danger_approved", default=False)
"""Whether the user has approved what matches `dangerous_patterns`."""
current_owner: Final[ContextVar[str]] = ContextVar("current_owner", default="")
"""The owner of the panes that are opened; empty for the user."""
