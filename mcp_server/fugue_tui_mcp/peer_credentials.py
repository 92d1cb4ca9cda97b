"""The process at the other end of a Unix socket, from the kernel: callers cannot forge it. Imports little."""

import socket
import struct
import sys

from fugue_tui.records import Record, record

_LOCAL_PEERCRED, _LOCAL_PEERPID = 1, 2


@record(frozen=True, slots=True)
class Peer(Record):
    """A process; `pid` is None where the platform does not report it."""

    uid: int = -1
    pid: int | None = None


def peer_of(connected: socket.socket) -> Peer:
    """The process that connected. Raises OSError if its user cannot be determined."""
    if sys.platform == "darwin":
        credentials = connected.getsockopt(0, _LOCAL_PEERCRED, 76)
        pid = struct.unpack("i", connected.getsockopt(0, _LOCAL_PEERPID, 4))[0]
        return Peer(struct.unpack_from("=II", credentials)[1], pid)
    pid, uid, _ = struct.unpack("3i", connected.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
    return Peer(uid, pid or None)
