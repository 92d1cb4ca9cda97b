"""The last lines that a server logged: bounded however much it writes. Any thread."""

from collections import deque
from threading import Lock
from typing import Final

from fugue_tui.multiplexer.mcp_servers.model import LogLine
from fugue_tui.sanitize import clean

LINES: Final = 1_000
"""Lines that are kept."""
LONGEST: Final = 1_000
"""Characters of a line that are kept."""


class LogBuffer:
    """The lines of one server."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._lines: deque[LogLine] = deque(maxlen=LINES)

    def add(self, text: str, level: str = "") -> None:
        """Add a text of one or several lines: untrusted."""
        lines = [LogLine(clean(line[: 4 * LONGEST], LONGEST), level) for line in text.splitlines()[-LINES:]]
        with self._lock:
            self._lines.extend(line for line in lines if line.text)

    def lines(self) -> tuple[LogLine, ...]:
        """What is kept, the oldest first."""
        with self._lock:
            return tuple(self._lines)

    @property
    def last_error(self) -> str:
        """The last line that was written on stderr; empty if there is none."""
        return next((line.text for line in reversed(self.lines()) if not line.level), "")
