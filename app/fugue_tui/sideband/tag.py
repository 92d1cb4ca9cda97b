"""Sideband tags as values."""

from enum import StrEnum

from msgspec import Struct


class TagForm(StrEnum):
    """How a tag was printed."""

    TEXT = "text"
    """As text, at the start of a line."""
    OSC = "osc"
    """Inside OSC 7770."""
    SCREEN = "screen"
    """As text, on a screen that its program draws by moving the cursor."""


class Tag(Struct, frozen=True):
    """A recognised tag. Everything in it came out of a pane and is untrusted."""

    name: str
    attributes: dict[str, str]
    text: str = ""
    form: TagForm = TagForm.TEXT
    source: str = ""
    """As it was printed, without colour codes."""


class ParseError(Struct, frozen=True):
    """What looked like a tag and is none; it was shown as text."""

    reason: str
    source: str
    """Its beginning: untrusted."""
