"""Reads a terminal's output into one buffer without releasing the interpreter's lock.

A terminal returns at most 4 KiB a read. Python's own reads release the interpreter's lock each time, and beside a busy
thread each then waits up to a switch interval to get it back: a flood was measured at 6.9 MB/s and an echo beside it at
89 ms. A read that cannot block does not need to release the lock: called with it held, 10 MB/s and 6 ms.
"""

import ctypes
import errno
import os
from typing import Final

SIZE: Final = 64 << 10
"""The most bytes that one turn of one terminal reads: about a millisecond of parsing."""
_SMALL: Final = 1 << 10
"""After a read this short no more output is expected, and a second read would not pay."""
_AGAIN: Final = frozenset({errno.EAGAIN, errno.EWOULDBLOCK, errno.EINTR})

_read = ctypes.PyDLL(None, use_errno=True).read
_read.argtypes = (ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t)
_read.restype = ctypes.c_ssize_t


class ReadBuffer:
    """A buffer that all terminals share, one at a time."""

    def __init__(self) -> None:
        memory = bytearray(SIZE)
        self.view = memoryview(memory)
        """Starts with the bytes of the last `fill`."""
        self._address = ctypes.addressof(ctypes.c_char.from_buffer(memory))

    def fill(self, fd: int, limit: int) -> tuple[int, bool]:
        """Read available bytes up to a limit: how many, and whether the terminal was hung up.

        `fd` must not block."""
        filled = 0
        while filled < limit:
            count = _read(fd, self._address + filled, limit - filled)
            if count <= 0:
                return filled, count == 0 or _hung_up(ctypes.get_errno())
            filled += count
            if count < _SMALL:
                break
        return filled, False


def _hung_up(code: int) -> bool:
    if code in _AGAIN:
        return False
    if code == errno.EIO:
        return True  # Linux reports a hung-up terminal as EIO, not as end of file.
    raise OSError(code, os.strerror(code))
