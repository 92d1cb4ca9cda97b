"""Runs the server in the foreground until a signal ends it."""

import asyncio
import os
import socket
import ssl
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Final

from msgspec import Struct
from uvicorn import Config, Server

from fugue_tui import attach_protocol, tcp_listener
from fugue_tui.errors import SocketError
from fugue_tui.web.access import LINK_MINUTES, Access, Names, is_loopback
from fugue_tui.web.application import WebApplication
from fugue_tui.web.attached_view import Target
from fugue_tui.web.certificate import load_certificate
from fugue_tui.web.views import Views
from fugue_tui_mcp.protocol.http_connection import HttpConnection

CONNECTIONS: Final = 256
"""Connections at a time, WebSockets included; further requests are refused."""
KEEP_ALIVE_SECONDS: Final = 30
PING_SECONDS: Final = 20.0
"""How often a page is asked whether it is there, and how long it may take to answer."""
STOP_SECONDS: Final = 2
HANDSHAKE_SECONDS: Final = 10.0
"""How long a TLS handshake may take."""


class WebOptions(Struct, frozen=True):
    """How to serve pages."""

    target: Target
    name: str
    """The workspace's name, for the user."""
    bind: str = "127.0.0.1"
    port: int = 0
    """0 for one that is free."""
    hosts: tuple[str, ...] = ()
    """Further names of the server."""
    certificate: str = ""
    """A file with the certificate chain; empty for no TLS."""
    key: str = ""
    """The file with its key; empty if the key is in the same file."""
    link_minutes: int = LINK_MINUTES
    """How long a link is valid."""


def run(options: WebOptions) -> int:
    """Serve until a signal ends it; the exit status. Raises FugueError if it cannot listen there, or the certificate
    cannot be used."""
    scheme = "https" if options.certificate else "http"
    with _listen(options.bind, options.port) as listening:
        link = _Link(options, scheme, listening.getsockname()[1])
        names = Names(options.bind, scheme, (*options.hosts, _printable(options.bind)))
        application = WebApplication(link.access, names, Views(options.target), scheme, link.used)
        server = PageServer(config_of(application, options))
        _warn(options)
        with suppress(KeyboardInterrupt):  # The server has ended in good order.
            asyncio.run(_serve(server, listening, link))
    return 0


def config_of(application: WebApplication, options: WebOptions) -> Config:
    """Raises FugueError if the certificate cannot be used."""
    config = Config(
        application.asgi, http=HttpConnection, ws="websockets-sansio", ws_max_size=attach_protocol.LONGEST,
        ws_per_message_deflate=False, ws_ping_interval=PING_SECONDS, ws_ping_timeout=PING_SECONDS, log_config=None,
        access_log=False, proxy_headers=False, server_header=False, limit_concurrency=CONNECTIONS,
        h11_max_incomplete_event_size=1 << 14, timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=STOP_SECONDS, lifespan="on",
    )  # fmt: skip
    if options.certificate:
        certificate = load_certificate(options.certificate, options.key)
        config.ssl_context_factory = partial(_given, certificate)
    config.load()
    return config


def _given(certificate: ssl.SSLContext, config: Config, default: Callable[[], ssl.SSLContext]) -> ssl.SSLContext:
    return certificate


class PageServer(Server):
    """Ends slow TLS handshakes, which uvicorn gives no deadline of its own."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen at the sockets."""
        await self.lifespan.startup()
        loop, config = asyncio.get_running_loop(), self.config
        made = partial(HttpConnection, config, self.server_state, self.lifespan.state, loop)
        seconds = HANDSHAKE_SECONDS if config.ssl is not None else None
        self.servers = [
            await loop.create_server(made, sock=each, ssl=config.ssl, ssl_handshake_timeout=seconds)
            for each in sockets or ()
        ]
        self.started = True


async def _serve(server: Server, listening: socket.socket, link: "_Link") -> None:
    loop = asyncio.get_running_loop()
    link.print_new()
    if sys.stdin is not None and os.isatty(0):
        loop.add_reader(0, link.read_terminal, loop)
    try:
        await server.serve([listening])
    finally:
        loop.remove_reader(0)


class _Link:
    """Prints the links."""

    def __init__(self, options: WebOptions, scheme: str, port: int) -> None:
        self.access = Access(60 * options.link_minutes)
        self._minutes = options.link_minutes
        self._workspace = options.name or "the workspace"
        self._read_only = options.target.read_only
        bind = options.hosts[0] if options.hosts else _printable(options.bind)
        self._url = f"{scheme}://{bind}:{port}/"

    def print_new(self) -> None:
        """Print a new link; the one before it is no longer valid."""
        end = " to look on" if self._read_only else ""
        minutes = "a minute" if self._minutes == 1 else f"{self._minutes} minutes"
        _say(f"{self._workspace} in a browser{end}; this link works once, within {minutes}:\n")
        _say(f"    {self._url}#{self.access.new_token()}\n")
        _say("Enter prints another link, Ctrl+C ends this and leaves the workspace as it is.")

    def used(self) -> None:
        """Say that the link was used."""
        _say("The link was used. Enter prints another one.")

    def read_terminal(self, loop: asyncio.AbstractEventLoop) -> None:
        """The user has pressed Enter, unless this process is in the background."""
        in_foreground = os.tcgetpgrp(0) == os.getpgrp()
        if in_foreground and os.read(0, 1024):
            self.print_new()
        else:
            loop.remove_reader(0)


def _listen(bind: str, port: int) -> socket.socket:
    """Raises SocketError."""
    try:
        return tcp_listener.listen(bind, port)
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise SocketError(
            f"cannot listen at {bind} port {port}: {reason}; choose others by --bind and --port"
        ) from None


def _warn(options: WebOptions) -> None:
    if is_loopback(options.bind):
        return
    danger = "" if options.certificate else (
        " WITHOUT ENCRYPTION: whoever is on the way reads all that you see and type, and can take the session over; "
        "give --certificate and --key, or bind to 127.0.0.1 and use an SSH tunnel"
    )  # fmt: skip
    sys.stderr.write(f"fugue-tui: WARNING: other machines can reach this server at {options.bind}{danger}\n")


def _printable(bind: str) -> str:
    """The host of a URL for an address that is listened at."""
    if bind in tcp_listener.ALL_ADDRESSES:
        return socket.gethostname()
    return f"[{bind}]" if ":" in bind else bind


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()
