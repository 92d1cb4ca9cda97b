"""Names that people, agents and programs give to things, made fit to be shown anywhere.

A clean name has no control, bidirectional or invisible characters and no line breaks; it is still text, never markup.
"""

import unicodedata

MAX_NAME = 80
"""The longest name, in characters."""

_HIDDEN = {"Cc", "Cf", "Cs", "Cn"}
_SPACES = {"Zs", "Zl", "Zp"}


def clean(name: str) -> str:
    """The name on one line without anything that does not print; cut with an ellipsis at MAX_NAME."""
    seen = "".join(_visible(letter) for letter in name[: MAX_NAME * 16])
    seen = " ".join(seen.split())
    return seen if len(seen) <= MAX_NAME else f"{seen[: MAX_NAME - 1].rstrip()}…"


def _visible(letter: str) -> str:
    if letter in "\t\n\r":
        return " "
    category = unicodedata.category(letter)
    if category in _SPACES:
        return " "
    return "" if category in _HIDDEN else letter
