"""Names that people, agents and programs give to panes, windows and sessions: one short line, fit to show anywhere."""

from fugue_tui import sanitize

MAX_NAME = 80
"""The longest name, in characters."""
MAX_GIVEN = 4096
"""How much of what was given is looked at."""


def clean(name: str) -> str:
    """The name as it is kept; it may be empty. Cleaning it again changes nothing."""
    return sanitize.clean(name[:MAX_GIVEN], MAX_NAME)
