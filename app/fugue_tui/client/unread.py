"""How much of what was sent over a socket its peer has not read: tells a stuck server from one that is busy."""

import fcntl
import socket
import sys
import termios


def unread(link: socket.socket) -> int:
    """How much of what was sent the peer has not read, in a platform-specific unit; 0 where the system does not
    report it."""
    try:
        return int.from_bytes(fcntl.ioctl(link, termios.TIOCOUTQ, bytes(4)), sys.byteorder)
    except OSError:
        return 0
