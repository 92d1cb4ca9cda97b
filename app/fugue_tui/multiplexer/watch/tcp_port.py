"""Waits for a listener on a port by connecting repeatedly, as no event reports it.

Connections are closed at once; attempts are 0.05 to 0.5 seconds apart, on the watch thread and without blocking it.
"""

import errno
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from fugue_tui.errors import InvalidArgument
from fugue_tui.multiplexer.watch.watcher import WaitService

FIRST: Final = 0.05
GROWTH: Final = 1.5
LAST: Final = 0.5
"""Seconds between two attempts."""
PATIENCE: Final = 2.0
"""Seconds after which a connection attempt is abandoned for another."""
LOCAL: Final = ("127.0.0.1", "::1")
"""The addresses of `localhost`."""

_PENDING: Final = frozenset({errno.EINPROGRESS, errno.EALREADY, errno.EWOULDBLOCK, errno.EINTR})


class PortWait:
    """One wait for a port. Watch thread only, except `stop`."""

    def __init__(
        self, watch: WaitService, host: str, port: int, seconds: float, on_end: Callable[[bool, float], None]
    ) -> None:
        self._watch, self._port, self._on_end = watch, port, on_end
        self._hosts = addresses(host)
        self._begun = time.monotonic()
        self._until = self._begun + seconds
        self._pause = FIRST
        self._open: dict[str, tuple[socket.socket, float]] = {}
        self._done = False
        self._cancel = watch.after(0, self._attempt)

    def stop(self) -> None:
        """End the wait without a result. Any thread."""
        self._done = True
        self._cancel()
        self._watch.after(0, self._close)

    def _attempt(self) -> None:
        if self._done:
            return
        listening, now = any(self._answers(host) for host in self._hosts), time.monotonic()
        if listening or now >= self._until:
            self._done = True
            self._close()
            self._on_end(listening, now - self._begun)
            return
        self._cancel = self._watch.after(max(0.0, min(self._pause, self._until - now)), self._attempt)
        self._pause = min(LAST, self._pause * GROWTH)

    def _answers(self, host: str) -> bool:
        """Whether a connection is established; a pending one is checked again next time."""
        link, since = self._open.pop(host, (None, time.monotonic()))
        try:
            link = link or _socket(host)
            error = link.connect_ex((host, self._port))
        except OSError:
            if link is not None:
                link.close()
            return False
        if error in _PENDING and time.monotonic() - since < PATIENCE:
            self._open[host] = link, since
            return False
        link.close()
        return error in (0, errno.EISCONN)

    def _close(self) -> None:
        for link, _ in self._open.values():
            with suppress(OSError):
                link.close()
        self._open.clear()


def addresses(host: str) -> tuple[str, ...]:
    """The addresses of a host, `localhost` or an address, without DNS. Raises InvalidArgument."""
    if host in ("", "localhost"):
        return LOCAL
    for family in (socket.AF_INET, socket.AF_INET6):
        with suppress(OSError, ValueError):
            socket.inet_pton(family, host)
            return (host,)
    raise InvalidArgument(f"host: {host[:64]!a} is neither localhost nor an address such as 127.0.0.1")


def _socket(host: str) -> socket.socket:
    link = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    link.setblocking(False)
    return link
