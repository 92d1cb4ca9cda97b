"""Who types next: work that must have a pane for itself waits in line, first come, first served. Main thread only."""

from collections import deque
from collections.abc import Callable
from typing import Final, TypeAlias

from fugue_tui.errors import Refused
from fugue_tui.ids import PaneId

MOST: Final = 16
"""Those that may wait for one pane."""

Done: TypeAlias = Callable[[], None]
Begin: TypeAlias = Callable[[Done], None]
"""Begins the work; what it is given must be called when it is over, and may be called again. If this raises, it is."""


class PaneQueue:
    """A line for every pane in which work is done."""

    def __init__(self) -> None:
        self._lines: dict[PaneId, deque[Begin]] = {}

    def waiting(self, pane: PaneId) -> int:
        """How many are in the line of a pane, the one whose turn it is among them."""
        return len(self._lines.get(pane, ()))

    def join(self, pane: PaneId, begin: Begin) -> Done:
        """Get in line, or begin at once if there is none. Raises Refused if it is too long.

        What is returned leaves the line, if the turn has not come yet."""
        line = self._lines.setdefault(pane, deque())
        if len(line) > MOST:
            raise Refused(f"{MOST} commands wait for pane {pane} already; wait for some of them", retry_after_ms=1000)
        line.append(begin)
        if len(line) == 1:
            self._begin(pane)

        def leave() -> None:
            line = self._lines.get(pane, ())
            if begin in tuple(line)[1:]:
                self._lines[pane].remove(begin)

        return leave

    def _begin(self, pane: PaneId) -> None:
        begin = self._lines[pane][0]

        def done() -> None:
            line = self._lines.get(pane)
            if not line or line[0] is not begin:
                return
            line.popleft()
            if line:
                self._begin(pane)
            else:
                del self._lines[pane]

        try:
            begin(done)
        except BaseException:
            done()
            raise
