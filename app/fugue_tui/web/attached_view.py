"""A client of a workspace that is shown by a page, and kept for a while when the page loses its connection."""

import asyncio
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from msgspec import Struct

from fugue_tui import attach_protocol, sockets
from fugue_tui.attach_protocol import Bye, Extent, Frames, Hello, Welcome
from fugue_tui.client.attach import welcomed
from fugue_tui.client.host_terminal import enter_sequence
from fugue_tui.errors import FugueError, NotRunning, SocketError
from fugue_tui.sanitize import clean_text
from fugue_tui.web import messages
from fugue_tui.web.page_link import TAKEN, PageLink

CHUNK: Final = 1 << 16
ANSWER_SECONDS: Final = 20.0
"""How long a workspace may take to answer an attach request."""
START_SECONDS: Final = 30.0
"""How long a saved workspace may take to start."""
_RESET: Final = b"\x18\x1bc"
"""Ends a sequence that was sent in part, and resets the terminal (RIS)."""
_WORDS: Final = {"detached": "detached from {}", "replaced": "{}: another terminal took over"}


class Target(Struct, frozen=True):
    """What pages show."""

    path: str
    """The workspace's socket."""
    read_only: bool = False
    prefix: str = ""
    mirror: str = ""


class AttachedView:
    """One client of a workspace. Belongs to the loop of the server."""

    def __init__(self, target: Target, on_end: Callable[["AttachedView"], None]) -> None:
        """`on_end` is called once, when the client is detached."""
        self._target = target
        self._on_end = on_end
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self._early = b""
        """What the workspace sent together with its answer."""
        self._over = False
        self._frames = Frames()
        self._welcome = Welcome()
        self._extent = Extent()
        self._page: PageLink | None = None
        self._reading: asyncio.Task[None] | None = None

    async def open(self, page: PageLink, extent: Extent) -> None:
        """Attach, and show the workspace on a page. Raises FugueError if the workspace does not allow it."""
        self._extent = extent
        await self._attach(self._target.path)
        await self._greet(page, b"", resumed=False)
        self._reading = asyncio.get_running_loop().create_task(self._read())

    async def resume(self, page: PageLink, extent: Extent) -> None:
        """Show the workspace on a page again, from the beginning; another page that shows it is closed."""
        old, self._page = self._page, None
        if old is not None:
            await old.close(TAKEN)
            await self._send(attach_protocol.PAUSE, b"")
        await self._greet(page, _RESET, resumed=True)
        await self.resize(extent)

    async def suspend(self, page: PageLink) -> bool:
        """Draw nothing until a page shows the view again, if it is this page that does now; whether it was."""
        if self._page is not page:
            return False
        self._page = None
        await self._send(attach_protocol.PAUSE, b"")
        return True

    async def type(self, data: bytes) -> None:
        """Send what the page's terminal sent."""
        await self._send(attach_protocol.INPUT, data)

    async def resize(self, extent: Extent) -> None:
        """The page's terminal has this size; also has it drawn on again."""
        self._extent = extent
        await self._send(attach_protocol.SIZE, extent.dump())

    def close(self) -> None:
        """Detach. May be called again."""
        self._over = True
        if self._reading is not None:
            self._reading.cancel()
        self._disconnect()

    async def _attach(self, path: str) -> None:
        """Attach to the workspace at a path. Raises FugueError."""
        extent = self._extent
        hello = Hello(
            extent.cols, extent.rows, extent.xpixel, extent.ypixel, term="xterm-256color", colorterm="truecolor",
            tty="browser", read_only=self._target.read_only, prefix=self._target.prefix, mirror=self._target.mirror,
        )  # fmt: skip
        link, answer, early = await asyncio.to_thread(_request, path, hello)
        if isinstance(answer, Bye):
            link.close()
            raise SocketError(clean_text(answer.message) or "the workspace ended")
        self._streams = await asyncio.open_unix_connection(sock=link, limit=CHUNK)
        self._welcome, self._frames, self._early = answer, Frames(), early

    async def _greet(self, page: PageLink, before: bytes, *, resumed: bool) -> None:
        welcome = self._welcome
        await page.send(messages.Welcome(welcome.workspace, welcome.title, resumed, self._target.read_only))
        await page.draw(before + enter_sequence(welcome.mouse))
        self._page = page

    async def _read(self) -> None:
        """Pass on what the workspace sends until it detaches the client."""
        try:
            while data := await self._next():
                for kind, payload in self._frames.feed(data):
                    await self._take(kind, payload)
        except (OSError, SocketError):
            pass  # The same to the page as an end without notice.
        await self._ended(f"the workspace {self._welcome.workspace} ended unexpectedly")

    async def _next(self) -> bytes:
        """What the workspace sent; empty at the end."""
        early, self._early = self._early, b""
        return early or (b"" if self._streams is None else await self._streams[0].read(CHUNK))

    async def _take(self, kind: bytes, payload: bytes) -> None:
        page = self._page
        if kind == attach_protocol.OUTPUT and page is not None:
            await page.draw(payload)
        elif kind == attach_protocol.NAME:
            self._welcome = Welcome.load(payload)
            if page is not None:
                await page.send(messages.Title(self._welcome.title))
        elif kind == attach_protocol.BYE:
            await self._leave(Bye.load(payload))

    async def _leave(self, bye: Bye) -> None:
        """The workspace has detached the client; it may be to show another one."""
        if bye.reason == attach_protocol.SWITCHED:
            await self._switch(bye.message)
            return
        reason = _WORDS.get(bye.reason, "{} ended").format(self._welcome.workspace)
        message = clean_text(bye.message)
        await self._ended(message if bye.reason == "error" else f"{reason}; {message}" if message else reason)

    async def _switch(self, workspace: str) -> None:
        self._disconnect()
        try:
            await self._attach_or_start(workspace)
        except FugueError as error:
            await self._ended(f"workspace {clean_text(workspace)}: {error}")
            return
        if self._page is not None:
            await self._greet(self._page, _RESET, resumed=False)
        else:
            await self._send(attach_protocol.PAUSE, b"")

    async def _attach_or_start(self, workspace: str) -> None:
        """Attach to a workspace, which is started first if it does not run. Raises FugueError."""
        path = sockets.path_of(workspace)
        try:
            await self._attach(path)
        except NotRunning:
            await _start(workspace)
            await self._attach(path)

    async def _ended(self, message: str) -> None:
        if self._over:
            return
        self._over = True
        self._disconnect()
        page, self._page = self._page, None
        self._on_end(self)
        if page is not None:
            await page.send(messages.End(message))
            await page.close()

    async def _send(self, kind: bytes, payload: bytes) -> None:
        if self._streams is None:
            return
        self._streams[1].write(attach_protocol.frame(kind, payload))
        with suppress(OSError):  # If it is gone, its last output is still read.
            await self._streams[1].drain()

    def _disconnect(self) -> None:
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None


async def _start(workspace: str) -> None:
    """Start a workspace without a terminal. Raises SocketError if it does not answer in time, or says why it cannot."""
    argv = (sys.executable, "-P", "-m", "fugue_tui", "new", workspace, "--detached")
    child = await asyncio.create_subprocess_exec(
        *argv, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE
    )
    try:
        async with asyncio.timeout(START_SECONDS):
            errors = (await child.communicate())[1].decode(errors="replace")
    except TimeoutError:
        child.kill()
        raise SocketError(f"it did not start within {START_SECONDS:.0f} seconds") from None
    if child.returncode:
        raise SocketError(clean_text(errors.removeprefix("fugue-tui: ").strip()) or "it did not start")


def _request(path: str, hello: Hello) -> tuple[socket.socket, Welcome | Bye, bytes]:
    """Connect to a workspace and ask it to attach a client. Raises FugueError."""
    link = sockets.connect(path)
    try:
        link.settimeout(ANSWER_SECONDS)
        link.sendall(attach_protocol.request(hello))
        return link, *welcomed(link, "")
    except OSError as error:
        link.close()
        raise SocketError(f"{path}: {error.strerror or error}") from None
    except FugueError:
        link.close()
        raise
