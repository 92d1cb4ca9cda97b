"""Opens TCP ports that servers listen at."""

import socket
from typing import Final

BACKLOG: Final = 128
ALL_ADDRESSES: Final = ("0.0.0.0", "::")
"""What listens at every address of the machine; `::` at those of IPv4, too."""


def listen(host: str, port: int, backlog: int = BACKLOG) -> socket.socket:
    """A non-blocking socket that listens at a host's first address; port 0 is one that is free. Raises OSError."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    family, kind, protocol, _, address = found[0]
    listening = socket.socket(family, kind, protocol)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # Linux refuses a port that is listened on.
        if family == socket.AF_INET6:
            listening.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, host != "::")
        listening.bind(address)
        listening.listen(backlog)
        listening.setblocking(False)
    except OSError:
        listening.close()
        raise
    return listening
