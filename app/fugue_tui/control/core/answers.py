"""Answers that are a text to be read as it is, with facts beside it, and maybe a picture."""

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from fugue_tui.sanitize import clean_styled, clean_text, spelled


@dataclass(frozen=True, slots=True, kw_only=True)
class TextAnswer:
    """A text, which doors print as it is. What derives from it adds the facts."""

    text: str
    """The text: untrusted, as a program printed it."""

    @property
    def styled(self) -> bool:
        """Whether colours and attributes (SGR) are part of the text."""
        return False

    @property
    def untrusted(self) -> str:
        """Whose text it is, if a program's: doors for models fence it. Empty if it is our own."""
        return ""

    @property
    def for_people(self) -> str:
        """The text for a terminal."""
        return clean_styled(self.text) if self.styled else clean_text(self.text, len(self.text))

    @property
    def for_models(self) -> str:
        """The text for a model; escape characters are spelled."""
        return spelled(self.text) if self.styled else clean_text(self.text, len(self.text))


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageAnswer(TextAnswer):
    """A picture with what is to be said of it, or in `text` a picture that is text."""

    image: str
    """The picture as base64; empty if it is text."""
    media_type: str
    """What kind of file it is, such as image/png."""

    @property
    def for_people(self) -> str:
        """The text for a terminal, which shows no picture."""
        told = clean_styled(self.text) if self.styled else clean_text(self.text, len(self.text))
        return f"{told}\n--output FILE writes the picture" if self.image else told


@runtime_checkable
class VerdictAnswer(Protocol):
    """An answer about something that may have gone wrong, though the command that answers did what it was to do."""

    @property
    def exit_status(self) -> int:
        """What `fugue-tui COMMAND` ends with: 0 if all went well."""
        ...

    @property
    def aside(self) -> str:
        """What it says on stderr besides; empty for nothing."""
        ...


TIMED_OUT = 124
"""The exit status of what was not over in time, as that of timeout(1)."""


_PARTS = frozenset({"text", "image"})


def facts(value: Any) -> dict[str, Any]:
    """Of an answer as JSON, what is told beside the text and the picture: all that says something."""
    return {name: each for name, each in value.items() if name not in _PARTS and not _says_nothing(each)}


def _says_nothing(value: Any) -> bool:
    return value is None or value is False or value in ("", [])
