"""The processes at the other end of a TCP connection of this machine, from the kernel: callers cannot forge them.

Linux only: see proc_pid_net(5) for the tables of sockets, proc_pid_fd(5) for their owners.
"""

import os
import socket
import struct
from contextlib import suppress

from msgspec import Struct

_TABLES = ("/proc/net/tcp", "/proc/net/tcp6")
_ESTABLISHED = "01"


class TcpPeer(Struct, frozen=True):
    """What is known of a peer."""

    uid: int | None = None
    """Its user; None if unknown."""
    pids: tuple[int, ...] = ()
    """The processes that hold its socket; empty if unknown."""


def peer_of(local: tuple[str, int], remote: tuple[str, int]) -> TcpPeer:
    """The peer of a connection between two addresses, of which `local` is ours. Reads /proc: not on the main thread."""
    for table in _TABLES:
        with suppress(OSError), open(table) as lines:
            for line in lines:
                fields = line.split()
                if len(fields) > 9 and fields[3] == _ESTABLISHED and _is(fields[1], remote) and _is(fields[2], local):
                    return TcpPeer(int(fields[7]), _holders(fields[9]))
    return TcpPeer()


def _is(entry: str, address: tuple[str, int]) -> bool:
    """Whether an entry of a table, such as 0100007F:1F90, is an address, or that address mapped to IPv6."""
    host, _, port = entry.partition(":")
    (number,) = struct.unpack("=I", socket.inet_aton(address[0]))
    return int(port, 16) == address[1] and host[-8:] == f"{number:08X}"


def _holders(inode: str) -> tuple[int, ...]:
    """The processes that hold a socket, as far as they can be inspected."""
    wanted = f"socket:[{inode}]"
    return tuple(int(pid) for pid in os.listdir("/proc") if pid.isdecimal() and _holds(pid, wanted))


def _holds(pid: str, wanted: str) -> bool:
    folder = f"/proc/{pid}/fd"
    try:
        descriptors = os.listdir(folder)
    except OSError:
        return False
    for each in descriptors:
        with suppress(OSError):
            if os.readlink(f"{folder}/{each}") == wanted:
                return True
    return False
