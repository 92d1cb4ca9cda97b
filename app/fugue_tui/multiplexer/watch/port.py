"""Waiting until something listens on a port: by connecting to it again and again, for no event tells of that.

A connection is made and closed at once, at intervals that grow from a twentieth of a second to half a second, on the
watch's thread and without blocking it.
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
"""Seconds after which a connection that is neither made nor refused is given up for another."""
LOCAL: Final = ("127.0.0.1", "::1")
"""Where `localhost` is looked for."""

_PENDING: Final = frozenset({errno.EINPROGRESS, errno.EALREADY, errno.EWOULDBLOCK, errno.EINTR})


class PortWait:
    """One wait for a port. Belongs to the watch's thread; `stop` may be called from any."""

    def __init__(
        self, watch: WaitService, host: str, port: int, seconds: float, told: Callable[[bool, float], None]
    ) -> None:
        self._watch, self._port, self._told = watch, port, told
        self._hosts = addresses(host)
        self._begun = time.monotonic()
        self._until = self._begun + seconds
        self._pause = FIRST
        self._open: dict[str, tuple[socket.socket, float]] = {}
        self._over = False
        self._call_off = watch.after(0, self._attempt)

    def stop(self) -> None:
        """End it without a word."""
        self._over = True
        self._call_off()
        self._watch.after(0, self._close)

    def _attempt(self) -> None:
        if self._over:
            return
        listening, now = any(self._answers(host) for host in self._hosts), time.monotonic()
        if listening or now >= self._until:
            self._over = True
            self._close()
            self._told(listening, now - self._begun)
            return
        self._call_off = self._watch.after(max(0.0, min(self._pause, self._until - now)), self._attempt)
        self._pause = min(LAST, self._pause * GROWTH)

    def _answers(self, host: str) -> bool:
        """Whether a connection is made; one that is on its way is looked at again next time."""
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
    """The addresses that a host means, without asking anyone: `localhost`, or an address. Raises InvalidArgument."""
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
