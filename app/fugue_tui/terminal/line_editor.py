"""Whether a program edits a line on its terminal, as shells do at their prompt: told by the terminal's settings."""

import termios


def edits_lines(fd: int) -> bool:
    """Whether keys are read one by one and not echoed, Enter among them or the key that quotes the next one.

    A program that only wants one key, or a password, leaves these two to the kernel. False if nobody can tell."""
    try:
        iflag, _, _, lflag, _, _, keys = termios.tcgetattr(fd)
    except termios.error:
        return False
    plain = iflag & termios.ICRNL and keys[termios.VLNEXT] != b"\0"
    return not (lflag & (termios.ICANON | termios.ECHO) or plain)
