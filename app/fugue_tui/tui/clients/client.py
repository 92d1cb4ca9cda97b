"""One attached terminal: what it can show, what it sends, and how it is drawn on now."""

from collections.abc import Iterable
from enum import Enum, auto
from typing import TYPE_CHECKING, Final, Protocol

from fugue_tui.attach_protocol import Bye, Extent, Hello, Welcome
from fugue_tui.control.keymap import canonical
from fugue_tui.errors import FugueError
from fugue_tui.geometry import Size
from fugue_tui.multiplexer.clients import AttachedTerminal
from fugue_tui.terminal.input.keys import KeyPress, parse_key
from fugue_tui.tui.clients.capabilities import Capabilities
from fugue_tui.tui.clients.host_input import HostInput
from fugue_tui.tui.vt_output.client_view import ClientView
from fugue_tui.tui.vt_output.color_depth import Depth
from fugue_tui.tui.vt_output.writer import HostWriter

if TYPE_CHECKING:
    from textual.message import Message

_MOST: Final = Size(1_500, 800)
"""No larger screen is drawn, whatever a terminal says of itself."""


class DrawMode(Enum):
    """How a terminal is drawn on."""

    WAITING = auto()
    """Not yet: the screen is about to be laid out anew."""
    MIRROR = auto()
    """It gets the bytes that the other mirrors get."""
    OWN = auto()
    """It gets a picture of its own, at its own pace."""
    AWAY = auto()
    """It was stopped and must not be drawn on."""


class Link(Protocol):
    """How a terminal is reached."""

    writer: HostWriter

    def rename(self, welcome: Welcome) -> None:
        """Tell the terminal what the workspace is called now."""
        ...

    def part(self, bye: Bye) -> None:
        """Send the terminal away and close, without waiting."""
        ...

    def finish(self, bye: Bye) -> None:
        """The same at the end of everything: waits for what is unsent, for a bounded time."""
        ...


class AttachedClient:
    """An attached terminal. Main thread only."""

    def __init__(self, number: int, link: Link, hello: Hello, *, pid: int | None = None, local: bool = False) -> None:
        """`local` is the terminal that the program itself was started in."""
        self.id = number
        self.link = link
        self.writer = link.writer
        self.local = local
        self.pid = pid
        self.hello = hello
        self.size = sane(hello.cols, hello.rows)
        self.abilities = Capabilities(hello)
        self.read_only = hello.read_only
        self.prefixes = frozenset[KeyPress]()
        """Keys that start a key command besides the workspace's own."""
        self.place = DrawMode.WAITING
        self.used = 0
        """When it was used last; the highest is the latest."""
        self.lagging = False
        """Whether it was too slow for the mirror, and has not shown otherwise yet."""
        self.reads_back = False
        """Whether it shows older text than the others."""
        self.focused = True
        self.picture = ClientView(self.size, self.depth)
        """What it was sent while it had a picture of its own."""
        self.input = HostInput(self.abilities.hear)

    @property
    def depth(self) -> Depth:
        """How many colours it shows."""
        return self.abilities.depth

    def ask(self) -> None:
        """Ask it what it can do."""
        self.writer.write(self.abilities.questions())

    def resize(self, extent: Extent) -> None:
        """Its terminal has another size."""
        self.size = sane(extent.cols, extent.rows)
        self.abilities.measure(self.size.cols, self.size.rows, extent.xpixel, extent.ypixel)
        self.begin_anew()

    def begin_anew(self) -> None:
        """Nothing is known of what it shows."""
        self.picture = ClientView(self.size, self.depth)

    def feed(self, data: bytes) -> "Iterable[Message]":
        """What it sent, as messages."""
        return self.input.feed(data)

    @property
    def info(self) -> AttachedTerminal:
        """What commands may know of it; `latest` is for the caller to say."""
        hello, able = self.hello, self.abilities
        return AttachedTerminal(
            self.id,
            self.size,
            hello.tty,
            hello.term,
            self.pid,
            self.read_only,
            colours=able.depth.colours,
            kitty_keyboard=bool(able.keyboard),
            synchronized_output=able.synchronized,
            cell_pixels=able.cell,
        )


def prefixes(hello: Hello, nested: str) -> frozenset[KeyPress]:
    """The further prefix keys of a terminal: its own, else `nested` if it runs in another multiplexer.

    Raises InvalidArgument for what is no key."""
    wanted = hello.prefix or (nested if hello.nested else "")
    try:
        return frozenset((canonical(parse_key(wanted)),)) if wanted else frozenset()
    except FugueError:
        if hello.prefix:
            raise
        return frozenset()


def sane(cols: int, rows: int) -> Size:
    """A size that can be drawn."""
    return Size(max(1, min(cols, _MOST.cols)), max(1, min(rows, _MOST.rows)))
