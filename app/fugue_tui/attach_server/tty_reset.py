"""Resets the terminal of a client that was killed, as a tmux server does."""

import os
from contextlib import suppress
from typing import Final

from fugue_tui.attach_protocol import Hello
from fugue_tui.client.host_terminal import leave_sequence, terminal_id

_CANCEL: Final = b"\x18\x1b[?2026l"
"""Ends a sequence and a frame that were sent in part."""
_FLAGS: Final = os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC


def reset(hello: Hello) -> None:
    """Reset the modes of a client's terminal; nothing happens unless it is the very terminal, and the user's.

    The line discipline is left to the shell, which restores it after a job that was killed."""
    if not hello.tty_id or not hello.tty.startswith("/dev/"):
        return
    with suppress(OSError, ValueError):
        fd = os.open(hello.tty, _FLAGS)
        try:
            if os.isatty(fd) and os.fstat(fd).st_uid == os.geteuid() and terminal_id(fd) == hello.tty_id:
                os.write(fd, _CANCEL + leave_sequence(mouse=True, title=True))
        finally:
            os.close(fd)
