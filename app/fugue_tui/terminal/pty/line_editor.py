"""Whether a program edits a line on its terminal, as shells do at their prompt: told by the terminal's settings."""

import fcntl
import struct
import termios


def edits_lines(fd: int) -> bool:
    """Whether keys are read one by one and not echoed, Enter among them or the key that quotes the next one.

    A program that only wants one key, or a password, leaves these two to the kernel. False if nobody can tell, or while
    something is unread that it may have printed before."""
    try:
        iflag, _, _, lflag, _, _, keys = termios.tcgetattr(fd)
        (unread,) = struct.unpack("i", fcntl.ioctl(fd, termios.FIONREAD, b"\0\0\0\0"))
    except (termios.error, OSError):
        return False
    plain = iflag & termios.ICRNL and keys[termios.VLNEXT] != b"\0"
    return not (unread or lflag & (termios.ICANON | termios.ECHO) or plain)
