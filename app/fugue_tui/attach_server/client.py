"""One attached client: its link, what its terminal can do, and how it is drawn on."""

import asyncio
from base64 import b64encode
from collections.abc import Mapping
from enum import Enum, auto
from typing import Final, Protocol

from fugue_tui.attach_protocol import Bye, Extent, Hello, Welcome
from fugue_tui.attach_server.capabilities import Capabilities
from fugue_tui.attach_server.input.input_parser import HostParser
from fugue_tui.attach_server.output.viewport import Viewport
from fugue_tui.attach_server.output.writer import HostWriter
from fugue_tui.control.keymap import canonical
from fugue_tui.errors import FugueError
from fugue_tui.geometry import Size
from fugue_tui.multiplexer.clients import AttachedTerminal
from fugue_tui.terminal.input.keys import KeyPress, parse_key

SLOW_SECONDS: Final = 0.15
"""The round trip above which a link is slow."""
_LARGEST: Final = Size(1_500, 800)
"""The largest screen that is drawn, whatever size a client reports."""


class DrawMode(Enum):
    """How a client is drawn on."""

    WAITING = auto()
    """Not yet: the screen is about to be laid out again."""
    MIRROR = auto()
    """It gets the same bytes as the other mirrors."""
    OWN = auto()
    """It gets frames of its own, at its own pace."""
    SUSPENDED = auto()
    """It was stopped (SIGTSTP) and must not be drawn on."""


class Link(Protocol):
    """The connection to a client's terminal."""

    writer: HostWriter

    def rename(self, welcome: Welcome) -> None:
        """Send the workspace's new name."""
        ...

    def part(self, bye: Bye) -> None:
        """Detach the client and close, without waiting. Raises Refused for the program's own terminal."""
        ...

    def finish(self, bye: Bye) -> None:
        """Detach the client at the end of the program: waits for unsent output, for a bounded time."""
        ...


class AttachedClient:
    """An attached client. Main thread only."""

    def __init__(self, number: int, link: Link, hello: Hello, *, pid: int | None = None, local: bool = False) -> None:
        """`local` is the terminal that the program itself was started in."""
        self.id = number
        self.link = link
        self.writer = link.writer
        self.local = local
        self.pid = pid
        self.hello = hello
        self.size = drawable(hello.cols, hello.rows)
        self.capabilities = Capabilities(hello)
        self.read_only = hello.read_only
        self.prefixes = frozenset[KeyPress]()
        """Prefix keys besides the workspace's own."""
        self.environment: Mapping[str, str] | None = None
        """The variables that it sent for new panes; None if it has sent none."""
        self.parser = HostParser()
        self.escape_timer: asyncio.TimerHandle | None = None
        """Ends an incomplete sequence, which may be the Escape key."""
        self.focused = True
        """Whether its terminal has the focus."""
        self.last_used = 0
        """Rank by its last use; the highest is the latest client."""
        self.draw_mode = DrawMode.WAITING
        self.lagging = False
        """Whether it was too slow for a mirror, and has not caught up for long enough since."""
        self.scrolled_back = False
        """Whether it shows other text than the mirrors: scrollback, or a message of its own."""
        self.viewport = Viewport(self.size)
        """The part of the screen that it shows; replaced when its content is unknown."""
        self.drawn_version = -1
        """The version of the screen that was drawn on it last, if it is no mirror."""
        self.next_frame = 0.0
        """When it may be drawn on again, on the monotonic clock."""

    def query(self) -> None:
        """Query its capabilities."""
        self.writer.write(self.capabilities.queries())

    def query_colours(self) -> None:
        """Query its default colours again."""
        self.writer.write(self.capabilities.colour_queries())

    def resize(self, extent: Extent) -> None:
        """Its terminal has another size."""
        self.size = drawable(extent.cols, extent.rows)
        self.capabilities.measure(self.size.cols, self.size.rows, extent.xpixel, extent.ypixel)
        self.invalidate()

    def invalidate(self) -> None:
        """What it shows is unknown."""
        self.viewport = Viewport(self.size)

    def send(self, data: bytes, *, to_read_only: bool = True) -> None:
        """Send what has no place on the screen, such as a bell, if it can accept that now."""
        accepts = self.draw_mode is not DrawMode.SUSPENDED and not self.writer.busy
        if accepts and (to_read_only or not self.read_only):
            self.writer.write(data)

    @property
    def is_slow(self) -> bool:
        """Whether its link is slow: it took long to answer, or does not keep up with the output."""
        return self.capabilities.round_trip > SLOW_SECONDS or self.lagging or self.writer.busy

    @property
    def info(self) -> AttachedTerminal:
        """What commands report of it, except for `latest`."""
        hello, capabilities = self.hello, self.capabilities
        return AttachedTerminal(
            self.id,
            self.size,
            hello.tty,
            hello.term,
            self.pid,
            self.read_only,
            colours=capabilities.depth.colours,
            kitty_keyboard=bool(capabilities.keyboard),
            synchronized_output=capabilities.synchronized,
            cell_pixels=capabilities.cell,
        )


def prefixes(hello: Hello, nested: str) -> frozenset[KeyPress]:
    """The further prefix keys of a client: its own, or else `nested` if it runs in another multiplexer.

    Raises InvalidArgument if its own is no key."""
    wanted = hello.prefix or (nested if hello.nested else "")
    try:
        return frozenset((canonical(parse_key(wanted)),)) if wanted else frozenset()
    except FugueError:
        if hello.prefix:
            raise
        return frozenset()


def clipboard_sequence(text: str) -> bytes:
    """OSC 52: sets the clipboard of a terminal."""
    return b"\x1b]52;c;" + b64encode(text.encode("utf-8", "replace")) + b"\a"


def drawable(cols: int, rows: int) -> Size:
    """The nearest size that can be drawn."""
    return Size(max(1, min(cols, _LARGEST.cols)), max(1, min(rows, _LARGEST.rows)))
