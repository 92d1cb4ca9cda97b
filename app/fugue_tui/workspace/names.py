"""Names that users, agents and programs give to panes, windows and sessions: one short printable line."""

from fugue_tui import sanitize

MAX_NAME = 80
"""Most characters of a name."""
MAX_GIVEN = 4096
"""Most characters of the input that are processed."""


def clean(name: str) -> str:
    """The sanitized name; it may be empty. Idempotent."""
    return sanitize.clean(name[:MAX_GIVEN], MAX_NAME)
