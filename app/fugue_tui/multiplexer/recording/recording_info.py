"""What is told of recordings, without what makes them: that is loaded with the first."""

from msgspec import Struct


class RecordingInfo(Struct, frozen=True):
    """A recording that is being made."""

    source: str
    """The id of the pane or window."""
    path: str
    """The file."""
    seconds: float
    """How long it is so far."""
    written: int
    """Bytes written so far, of all its files."""
    input: bool
    """Whether what is typed is recorded, too."""
