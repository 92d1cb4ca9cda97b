"""Results that are printed as text, with metadata and possibly an image."""

from typing import Any, Protocol, runtime_checkable

from msgspec import Struct

from fugue_tui.sanitize import clean_styled, clean_text, spelled


class TextAnswer(Struct, frozen=True, kw_only=True):
    """A result that is printed as text; subclasses add metadata fields."""

    text: str
    """The text: untrusted, as a program printed it."""

    @property
    def styled(self) -> bool:
        """Whether colours and attributes (SGR) are part of the text."""
        return False

    @property
    def untrusted(self) -> str:
        """Which program printed the text, so that output for models is fenced; empty if it is Fugue's own."""
        return ""

    @property
    def from_programs(self) -> tuple[str, ...]:
        """The fields that programs decide, which for models are fenced with the text."""
        return ()

    @property
    def for_terminal(self) -> str:
        """The text for a terminal."""
        return clean_styled(self.text) if self.styled else clean_text(self.text, len(self.text))

    @property
    def for_model(self) -> str:
        """The text for a model; escape characters are written out."""
        return spelled(self.text) if self.styled else clean_text(self.text, len(self.text))


class ImageAnswer(TextAnswer, frozen=True, kw_only=True):
    """An image with its description; an image format that is text itself goes into `text`."""

    image: str
    """The image as base64; empty if it is text."""
    media_type: str
    """The media type, such as image/png."""

    @property
    def for_terminal(self) -> str:
        """The text for a terminal, which shows no image."""
        text = clean_styled(self.text) if self.styled else clean_text(self.text, len(self.text))
        return f"{text}\n--output FILE writes the picture" if self.image else text


@runtime_checkable
class ExitStatusAnswer(Protocol):
    """A result with an exit status of its own: the command succeeded, what it reports on may have failed."""

    @property
    def exit_status(self) -> int:
        """The exit status of `fugue-tui COMMAND`: 0 for success."""
        ...

    @property
    def aside(self) -> str:
        """A line for stderr; empty for none."""
        ...


@runtime_checkable
class BriefAnswer(Protocol):
    """A result that says some things twice, for scripts."""

    @property
    def brief(self) -> Struct:
        """The same for a model: what stays empty is left out."""
        ...


TIMED_OUT = 124
"""The exit status after a time-out, as that of timeout(1)."""


_PARTS = frozenset({"text", "image"})


def facts(value: Any) -> dict[str, Any]:
    """The non-empty fields of a result as JSON, without its text and image."""
    return {name: each for name, each in value.items() if name not in _PARTS and not _is_empty(each)}


def _is_empty(value: Any) -> bool:
    return value is None or value is False or value in ("", [])
