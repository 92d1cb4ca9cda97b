"""Orphans: processes that left their pane by a double fork.

On Linux they become children of this process instead of init, so that everything that came out of a pane is known to
be below it (PR_SET_CHILD_SUBREAPER: prctl(2)). It must reap them, and only them.
"""

import os
import sys
from threading import Lock
from typing import Final

from fugue_tui.terminal.pty import process

_PR_SET_CHILD_SUBREAPER: Final = 36

lock: Final = Lock()
"""Held while a child is started and put into `own`."""
own: Final[set[int]] = set()
"""The children that are reaped elsewhere; a child of this process's own session always is."""


def adopt() -> bool:
    """Become the parent of orphaned descendants, from now on; False where the system cannot."""
    if sys.platform != "linux":
        return False
    import ctypes

    return ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0


def reap() -> list[int]:
    """Reap the orphans that have ended: their pids. Any thread."""
    parent, session = os.getpid(), os.getsid(0)
    with lock:
        ended = [each.pid for each in process.zombies(parent) if each.session != session and each.pid not in own]
        for pid in ended:
            os.waitpid(pid, os.WNOHANG)
    return ended
