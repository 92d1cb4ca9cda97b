"""What a page and the server say to each other besides bytes: JSON in text messages.

Binary messages are what the terminal sends and what it is to show.
"""

from typing import Final

import msgspec
from msgspec import Struct

from fugue_tui.attach_protocol import Extent

TAB_LENGTH: Final = 64


class Size(Struct, frozen=True):
    """A terminal's size, in cells and in pixels."""

    cols: int
    rows: int
    xpixel: int = 0
    ypixel: int = 0

    @property
    def extent(self) -> Extent:
        """The same for the attach protocol."""
        return Extent(self.cols, self.rows, self.xpixel, self.ypixel)


class Show(Struct, frozen=True, tag="show"):
    """The first message of a page: what it is to show."""

    tab: str
    """A random word by which a page that lost its connection finds its view again."""
    size: Size


class Resize(Struct, frozen=True, tag="resize"):
    """The terminal has another size."""

    size: Size


class Read(Struct, frozen=True, tag="read"):
    """The terminal has shown so many bytes more."""

    count: int


class Ping(Struct, frozen=True, tag="ping"):
    """Is the connection alive? A Pong answers it."""


class Welcome(Struct, frozen=True, tag="welcome"):
    """The page shows a workspace."""

    workspace: str
    title: str
    resumed: bool
    """Whether it is the view that the page had before its connection was lost."""
    read_only: bool


class Title(Struct, frozen=True, tag="title"):
    """The workspace has another name."""

    title: str


class Pong(Struct, frozen=True, tag="pong"):
    """The connection is alive."""


class End(Struct, frozen=True, tag="end"):
    """The page shows nothing any more; the last message."""

    message: str


FromPage = Show | Resize | Read | Ping
ToPage = Welcome | Title | Pong | End

_decoder: Final = msgspec.json.Decoder(FromPage)
_encoder: Final = msgspec.json.Encoder()


def parse(text: str) -> FromPage:
    """The message of a page. Raises ValueError if it is none."""
    message = _decoder.decode(text)
    if isinstance(message, Show) and not 0 < len(message.tab) <= TAB_LENGTH:
        raise ValueError(f"a tab's word has 1 to {TAB_LENGTH} characters")
    return message


def dump(message: ToPage) -> str:
    """A message as JSON."""
    return _encoder.encode(message).decode()
