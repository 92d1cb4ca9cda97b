"""Named screens that callers store to compare with later; in memory only."""

from collections.abc import Iterable
from typing import Final

from msgspec import Struct

from fugue_tui.errors import NotFound
from fugue_tui.imaging.palette import Theme
from fugue_tui.imaging.screen import Screen
from fugue_tui.sanitize import clean

MOST: Final = 32
"""Screens stored at most; the oldest is evicted."""
HEAVIEST: Final = 8 << 20
"""Estimated bytes of all screens at most."""
_ROW, _RUN, _CHARACTER = 120, 200, 4


class StoredScreen(Struct, frozen=True):
    """One stored screen."""

    screen: Screen
    theme: Theme
    source: str
    """The id of the pane or window that it shows."""
    at: float
    """Seconds since the epoch."""


class ScreenStore:
    """The stored screens, by name. Main thread only."""

    def __init__(self) -> None:
        self._screens: dict[str, StoredScreen] = {}

    def __len__(self) -> int:
        """The number of screens."""
        return len(self._screens)

    def keep(self, name: str, screen: StoredScreen) -> tuple[str, ...]:
        """Store a screen, replacing one of the same name; the names of those that were evicted."""
        self._screens.pop(name, None)
        self._screens[name] = screen
        evicted: list[str] = []
        while len(self._screens) > 1 and (len(self._screens) > MOST or self.weight > HEAVIEST):
            oldest = next(iter(self._screens))
            del self._screens[oldest]
            evicted.append(oldest)
        return tuple(evicted)

    @property
    def weight(self) -> int:
        """Estimated bytes of all screens."""
        return sum(map(_weight, self._screens.values()))

    @property
    def names(self) -> tuple[str, ...]:
        """The names, oldest first."""
        return tuple(self._screens)

    def find(self, name: str) -> StoredScreen:
        """The screen of that name. Raises NotFound with the existing names."""
        if name in self._screens:
            return self._screens[name]
        raise NotFound(f"no screenshot {clean(name, 40)}; {_known(self._screens)}")


def _known(names: Iterable[str]) -> str:
    listed = ", ".join(names)
    return f"there are {clean(listed, 400)}" if listed else "screenshot-pane with a name keeps one"


def _weight(screen: StoredScreen) -> int:
    runs = [run for row in screen.screen.rows for run in row.runs]
    return _ROW * len(screen.screen.rows) + sum(_RUN + _CHARACTER * len(run.text) for run in runs)
