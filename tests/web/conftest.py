"""A workspace, `fugue-tui web` on a terminal, and a page that is the test itself."""

import json
import re
import ssl
from collections.abc import Generator
from contextlib import contextmanager, suppress
from typing import Any

import httpx2
import pytest
from tests.e2e.background_workspaces import CAT
from tests.e2e.conftest import Launch, Running
from tests.e2e.conftest import launch as launch
from tests.e2e.conftest import room as room
from tests.tui.host_programs import Host
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from fugue_tui.geometry import Size
from fugue_tui.terminal.ghostty.emulator import GhosttyEmulator

LINK = re.compile(r"(https?://\S+/)#([\w-]{43})")
SIZE = {"cols": 100, "rows": 30, "xpixel": 800, "ypixel": 480}


class Page:
    """What a page does, without a browser."""

    def __init__(self, socket: ClientConnection, tab: str = "a", **size: int) -> None:
        self.socket = socket
        self.output = bytearray()
        wanted = SIZE | size
        self.screen = GhosttyEmulator(Size(wanted["cols"], wanted["rows"]))
        self.said: list[dict[str, Any]] = []
        self.say(type="show", tab=tab, size=SIZE | size)

    def say(self, **message: object) -> None:
        """Send a message."""
        self.socket.send(json.dumps(message))

    def type(self, data: bytes) -> None:
        """Send what a terminal sends."""
        self.socket.send(data)

    def read(self) -> None:
        """Read one message, and say that it was shown."""
        message = self.socket.recv(40)
        if isinstance(message, str):
            self.said.append(json.loads(message))
        else:
            self.output += message
            self.screen.feed(message)
            self.screen.take_events()
            with suppress(ConnectionClosed):  # What comes last can still be read.
                self.say(type="read", count=len(message))

    def shows(self, data: bytes) -> None:
        """Wait for output, or for text on the screen, of which the cells are sent that have changed."""
        while data not in self.output and data.decode() not in self.text:
            self.read()

    @property
    def text(self) -> str:
        """The screen, one line a row."""
        self.screen.refresh()
        return "\n".join(self.screen.row(y).text for y in range(self.screen.size.rows))

    def hears(self, kind: str, count: int = 1) -> dict[str, Any]:
        """Wait for that many messages of a type; the last of them."""
        while len(found := [each for each in self.said if each["type"] == kind]) < count:
            self.read()
        return found[count - 1]


class Web:
    """A running `fugue-tui web`."""

    def __init__(self, running: Running, *words: str) -> None:
        self.running = running
        self.host: Host = running.again("web", running.name, *words)
        self.host.wait_until(lambda: LINK.search(self._said))
        self.url = LINK.findall(self._said)[-1][0]

    @property
    def token(self) -> str:
        """The token of the newest link."""
        return LINK.findall(self._said)[-1][1]

    @property
    def tokens(self) -> set[str]:
        """The tokens of all links."""
        return {token for _, token in LINK.findall(self._said)}

    @property
    def _said(self) -> str:
        return self.host.received.decode()

    def request(self, method: str, path: str, **wanted: Any) -> httpx2.Response:
        """The answer to a request, by a client without cookies."""
        with httpx2.Client(trust_env=False, verify=False) as client:
            return client.request(method, self.url + path, **wanted)

    @property
    def origin(self) -> str:
        """The origin of its pages."""
        return self.url.rstrip("/")

    def log_in(self) -> tuple[str, str]:
        """Use the newest link: the session's id, and its cookie."""
        answer = self.request("POST", "login", content=self.token, headers={"Origin": self.origin})
        assert answer.status_code == 200, answer.text
        cookie = re.match(r"fugue=([\w-]{43});", answer.headers["set-cookie"])
        assert cookie
        return answer.json()["session"], cookie[1]

    @contextmanager
    def page(self, session: str, cookie: str, tab: str = "a", **size: int) -> Generator[Page]:
        """A page that shows the workspace."""
        with self.connect(session, cookie) as socket:
            yield Page(socket, tab, **size)

    def connect(self, session: str, cookie: str, origin: str | None = "", **headers: str) -> ClientConnection:
        """A WebSocket of a session."""
        url = f"{self.url.replace('http', 'ws', 1)}s/{session}/socket"
        sent = {"Cookie": f"fugue={cookie}", **headers}
        return connect(
            url,
            origin=None if origin is None else Origin(origin or self.origin),
            additional_headers=sent,
            compression=None,
            proxy=None,
            max_size=None,
            ssl=_unverified() if url.startswith("wss") else None,
        )


def _unverified() -> ssl.SSLContext:
    """Accepts any certificate."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


@pytest.fixture
def running(launch: Launch) -> Running:
    """A workspace with a pane that echoes."""
    running = launch(*CAT, server=True)
    running.ready()
    running.host.wait_text("ready")
    return running


@pytest.fixture
def web(running: Running) -> Web:
    """A server of pages."""
    return Web(running)
