"""The bytes sent over a socket that its peer has not read: a busy server has read its request, a stuck one has not."""

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
