"""Waits for a listener on a port by connecting repeatedly, as no event reports it; connections are closed at once."""

import asyncio
import socket
import time
from contextlib import suppress
from typing import Final

from msgspec import Struct

from fugue_tui.errors import InvalidArgument

FIRST: Final = 0.05
GROWTH: Final = 1.5
LAST: Final = 0.5
"""Seconds between two attempts."""
PATIENCE: Final = 2.0
"""Seconds after which a connection attempt is abandoned for another."""
LOCAL: Final = ("127.0.0.1", "::1")
"""The addresses of `localhost`."""


class PortResult(Struct, frozen=True):
    """How a wait for a port ended."""

    listening: bool
    """Whether something listens on it; false after a time-out."""
    elapsed: float
    """Seconds that the wait took."""


async def wait_for_port(port: int, host: str = "localhost", seconds: float = 30.0) -> PortResult:
    """Wait until something listens on a TCP port of a host, on the main loop. Raises InvalidArgument."""
    if not 0 < port < 1 << 16:
        raise InvalidArgument(f"port: {port} is not a port; ports go from 1 to 65535")
    started_at = time.monotonic()
    attempts = [asyncio.create_task(_connect(address, port)) for address in addresses(host)]
    try:
        done, _ = await asyncio.wait(attempts, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for attempt in attempts:
            attempt.cancel()
    return PortResult(bool(done), round(time.monotonic() - started_at, 3))


async def _connect(host: str, port: int) -> None:
    """Return once a connection was established."""
    pause = FIRST
    while not await _accepts(host, port):
        await asyncio.sleep(pause)
        pause = min(LAST, pause * GROWTH)


async def _accepts(host: str, port: int) -> bool:
    try:
        with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as link:
            link.setblocking(False)
            async with asyncio.timeout(PATIENCE):
                await asyncio.get_running_loop().sock_connect(link, (host, port))
    except OSError:  # Also TimeoutError.
        return False
    return True


def addresses(host: str) -> tuple[str, ...]:
    """The addresses of a host, `localhost` or an address, without DNS. Raises InvalidArgument."""
    if host in ("", "localhost"):
        return LOCAL
    for family in (socket.AF_INET, socket.AF_INET6):
        with suppress(OSError, ValueError):
            socket.inet_pton(family, host)
            return (host,)
    raise InvalidArgument(f"host: {host[:64]!a} is neither localhost nor an address such as 127.0.0.1")
