"""The audit log: each request, its origin and outcome, in memory."""

import time
from collections import deque
from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from fugue_tui.control.core.command import Origin
from fugue_tui.sanitize import clean

KEPT: Final = 1000
"""Entries kept in memory."""
LONGEST: Final = 200
"""Characters kept of one field."""


class AuditEntry(Struct, frozen=True):
    """One request. All text is cleaned and truncated."""

    time: float
    """Seconds since the epoch."""
    door: str
    pane: str
    """The caller's own pane; empty if it is in none."""
    client: str
    pid: int | None
    command: str
    """The command as words."""
    outcome: str
    """`done`, the error's code, or `started` for a deferred result, which is recorded again when it is done."""
    reason: str
    """The error's message; empty without an error."""
    seconds: float | None = None
    """The duration; None while it runs."""


class Audit:
    """The newest entries. Main thread only."""

    def __init__(self) -> None:
        self._entries: deque[AuditEntry] = deque(maxlen=KEPT)

    def __iter__(self) -> Iterator[AuditEntry]:
        """The entries kept, oldest first."""
        return iter(tuple(self._entries))

    def record(
        self, origin: Origin, words: str, outcome: str = "done", reason: str = "", seconds: float | None = None
    ) -> None:
        """Record a request."""
        entry = AuditEntry(
            time=time.time(),
            door=str(origin.door),
            pane="" if origin.pane is None else str(origin.pane),
            client=clean(origin.client, LONGEST),
            pid=origin.pid,
            command=clean(words, LONGEST),
            outcome=outcome,
            reason=clean(reason, LONGEST),
            seconds=None if seconds is None else round(seconds, 6),
        )
        self._entries.append(entry)
