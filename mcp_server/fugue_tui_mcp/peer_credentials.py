"""The process at the other end of a Unix socket, from the kernel: callers cannot forge it."""

import socket
import struct
import subprocess
import sys
from typing import Final

from msgspec import Struct

MAX_ANCESTORS: Final = 64
"""Maximum number of ancestors."""
_LOCAL_PEERCRED, _LOCAL_PEERPID = 1, 2


class Peer(Struct, frozen=True):
    """A process; `pid` is None where the platform does not report it."""

    uid: int
    pid: int | None


def peer_of(connected: socket.socket) -> Peer:
    """The process that connected. Raises OSError if its user cannot be determined."""
    if sys.platform == "darwin":
        credentials = connected.getsockopt(0, _LOCAL_PEERCRED, 76)
        pid = struct.unpack("i", connected.getsockopt(0, _LOCAL_PEERPID, 4))[0]
        return Peer(struct.unpack_from("=II", credentials)[1], pid)
    pid, uid, _ = struct.unpack("3i", connected.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
    return Peer(uid, pid or None)


def ancestors(pid: int | None) -> tuple[int, ...]:
    """A process and its ancestors, nearest first, as far as they can be determined."""
    found: list[int] = []
    parents = _parents_table() if sys.platform == "darwin" else None
    while pid is not None and pid > 1 and pid not in found and len(found) < MAX_ANCESTORS:
        found.append(pid)
        pid = parents.get(pid) if parents is not None else _parent(pid)
    return tuple(found)


def _parent(pid: int) -> int | None:
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return int(file.read().rpartition(b")")[2].split()[1])
    except (OSError, IndexError, ValueError):
        return None


def _parents_table() -> dict[int, int]:
    try:
        listing = subprocess.run(
            ["/bin/ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True, timeout=5, check=True
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return {}
    return {int(pid): int(parent) for pid, parent in (line.split() for line in listing.splitlines())}
