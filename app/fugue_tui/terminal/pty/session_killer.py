"""Ends the programs of closed terminals: SIGHUP to every process group of the session, then SIGKILL to what is left.

Everything here runs on the I/O loop's thread, and no call waits.
"""

import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from msgspec import Struct

from fugue_tui.terminal.pty import process

GRACE: Final = 2.5
"""Seconds between SIGHUP and SIGKILL."""
_SOONEST: Final = 0.01
_LATEST: Final = 0.25
_HOPELESS: Final = 5.0


class _Session(Struct):
    kill_at: float
    hung_up: bool = False


class SessionKiller:
    """The sessions that are being ended; one read of the process table serves all of them."""

    def __init__(self, later: Callable[[float, Callable[[], None]], None]) -> None:
        self._later = later
        self._sessions: dict[int, _Session] = {}
        self._pause = _SOONEST
        self._ticking = False

    def __len__(self) -> int:
        return len(self._sessions)

    def add(self, session: int, grace: float = GRACE) -> None:
        """End a session; adding it again can only shorten its grace."""
        kill_at = time.monotonic() + grace
        found = self._sessions.setdefault(session, _Session(kill_at))
        found.kill_at = min(found.kill_at, kill_at)
        self._pause = _SOONEST
        if not self._ticking:
            self._ticking = True
            self._later(0, self._tick)

    def shorten_grace(self, grace: float) -> None:
        """Shorten every session's grace."""
        for session in list(self._sessions):
            self.add(session, grace)

    def _tick(self) -> None:
        members = process.session_members(self._sessions)
        now = time.monotonic()
        for number, session in list(self._sessions.items()):
            if number not in members or now > session.kill_at + _HOPELESS:
                del self._sessions[number]
            else:
                _press(session, members[number], now)
        self._ticking = bool(self._sessions)
        if self._ticking:
            self._later(self._pause, self._tick)
            self._pause = min(self._pause * 2, _LATEST)


def _press(session: _Session, members: list[process.Process], now: float) -> None:
    if now >= session.kill_at:
        for member in members:
            with suppress(OSError):
                os.kill(member.pid, signal.SIGKILL)
    elif not session.hung_up:
        session.hung_up = True
        for group in {member.group for member in members}:
            with suppress(OSError):
                os.killpg(group, signal.SIGHUP)
                os.killpg(group, signal.SIGCONT)
