"""Screens that callers kept under names, to compare with later. In memory alone: they go with the workspace."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from fugue_tui.errors import NotFound
from fugue_tui.imaging.palette import Theme
from fugue_tui.imaging.screen import Screen
from fugue_tui.sanitize import clean

MOST: Final = 32
"""Screens that are kept; the oldest makes room."""
HEAVIEST: Final = 8 << 20
"""Bytes, as estimated, that all of them may take."""
_ROW, _RUN, _CHARACTER = 120, 200, 4


@dataclass(frozen=True, slots=True)
class StoredScreen:
    """One screen."""

    screen: Screen
    theme: Theme
    source: str
    """The pane or window that it shows, by its id."""
    at: float
    """Seconds since the epoch."""


class ScreenStore:
    """The screens that are kept. Main thread only."""

    def __init__(self) -> None:
        self._kept: dict[str, StoredScreen] = {}

    def __len__(self) -> int:
        """How many are kept."""
        return len(self._kept)

    def keep(self, name: str, kept: StoredScreen) -> tuple[str, ...]:
        """Keep a screen, in the place of another of that name; the names of those that had to make room."""
        self._kept.pop(name, None)
        self._kept[name] = kept
        gone: list[str] = []
        while len(self._kept) > 1 and (len(self._kept) > MOST or self.weight > HEAVIEST):
            oldest = next(iter(self._kept))
            del self._kept[oldest]
            gone.append(oldest)
        return tuple(gone)

    @property
    def weight(self) -> int:
        """Bytes that all of them take, as estimated."""
        return sum(map(_weight, self._kept.values()))

    @property
    def names(self) -> tuple[str, ...]:
        """The names, oldest first."""
        return tuple(self._kept)

    def find(self, name: str) -> StoredScreen:
        """The screen of that name. Raises NotFound with the names there are."""
        if name in self._kept:
            return self._kept[name]
        raise NotFound(f"no screenshot {clean(name, 40)}; {_known(self._kept)}")


def _known(names: Iterable[str]) -> str:
    listed = ", ".join(names)
    return f"there are {clean(listed, 400)}" if listed else "screenshot-pane with a name keeps one"


def _weight(kept: StoredScreen) -> int:
    runs = [run for row in kept.screen.rows for run in row.runs]
    return _ROW * len(kept.screen.rows) + sum(_RUN + _CHARACTER * len(run.text) for run in runs)
