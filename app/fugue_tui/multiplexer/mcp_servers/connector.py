"""The interface to what speaks MCP, on a thread of its own: `fugue_tui_mcp.client`."""

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import Protocol, TypeAlias

from msgspec import Struct

from fugue_tui.config.servers import ServerSettings
from fugue_tui.multiplexer.mcp_servers.model import (
    ArgumentQuery,
    Call,
    Catalog,
    Content,
    Elicitation,
    ElicitationAnswer,
    LogLine,
)

Progress: TypeAlias = Callable[[str, float | None], None]
"""Receives progress on any thread: words, and the share that is done or None."""


class Launch(Struct, frozen=True):
    """How a server is started or connected to."""

    settings: ServerSettings
    """With the values of variables."""
    env: Mapping[str, str]
    """Its whole environment."""
    cwd: str


class Handler(Protocol):
    """Receives what servers do by themselves. Every method is called on the connector's thread, and returns at once."""

    def changed(self, server: str, catalog: Catalog) -> None:
        """A server offers something else now."""
        ...

    def ended(self, server: str, reason: str) -> None:
        """The connection to a server that had been connected has ended, and nobody asked for that."""
        ...

    def logged(self, server: str) -> None:
        """A server wrote lines on stderr, or sent logging messages; called a few times a second at most."""
        ...

    def updated(self, server: str, uri: str) -> None:
        """A resource has changed that is subscribed to."""
        ...

    def elicit(self, question: Elicitation) -> "Future[ElicitationAnswer]":
        """A server asks the user something."""
        ...

    def roots(self, server: str) -> "Future[tuple[str, ...]]":
        """A server asks for the directories that the user shares."""
        ...

    def authorize(self, server: str, url: str) -> None:
        """The user has to open a page to log in; with an empty URL, that is over, whether or not it succeeded."""
        ...


class Connector(Protocol):
    """Connections to servers, by name. Any thread. Futures fail with FugueError, and may be cancelled."""

    def connect(self, server: str, launch: Launch) -> "Future[Catalog]":
        """Connect to a server that is not connected."""
        ...

    def request(self, server: str, call: Call, seconds: float, progress: Progress) -> "Future[Content]":
        """Send a request to a connected server."""
        ...

    def complete(self, server: str, query: ArgumentQuery) -> "Future[tuple[str, ...]]":
        """The values that an argument may have; none from a server that completes nothing."""
        ...

    def subscribe(self, server: str, uri: str, *, on: bool) -> "Future[None]":
        """Be told of changes of a resource, or no more."""
        ...

    def log(self, server: str) -> tuple[LogLine, ...]:
        """The last lines that a server logged, also after it has ended."""
        ...

    def roots_changed(self) -> None:
        """Tell the connected servers that other directories are shared."""
        ...

    def disconnect(self, server: str) -> "Future[None]":
        """End a connection and the server's program; nothing happens if there is none."""
        ...

    def close(self) -> None:
        """End all connections and programs, within a few seconds."""
        ...
