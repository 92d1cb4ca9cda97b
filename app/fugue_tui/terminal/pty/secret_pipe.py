"""Hands a secret to one program by a pipe, as its environment could be read by all programs of the user."""

import os
from typing import Final

from fugue_tui.terminal.pty import process

VARIABLE: Final = "FUGUE_SHELL_NONCE"
"""Names the pipe to the program."""


class SecretPipe:
    """A pipe that holds a secret until the program has read it, once."""

    __slots__ = ("_fd", "inherited")

    def __init__(self, secret: str, *, inherited: bool) -> None:
        """Raises OSError. With `inherited` the program gets the descriptor; else it opens /proc, where there is one."""
        self._fd, end = os.pipe()
        os.write(end, f"{secret}\n".encode())
        os.close(end)
        self.inherited = (self._fd,) if inherited or not process.has_proc() else ()
        """The descriptor that the program inherits, if any."""

    @property
    def path(self) -> str:
        """The path by which the program opens the pipe."""
        return f"/dev/fd/{self._fd}" if self.inherited else f"/proc/{os.getpid()}/fd/{self._fd}"

    def close(self) -> None:
        """Close this process's end; no effect the second time."""
        fd, self._fd = self._fd, -1
        if fd >= 0:
            os.close(fd)
