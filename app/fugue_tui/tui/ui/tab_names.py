"""The names of tabs, which do not change with every command that ends at once. Main thread only."""

from collections.abc import Callable, Iterable
from typing import Final

from msgspec import Struct

from fugue_tui.ids import WindowId

SETTLED_SECONDS: Final = 0.7
"""How long a program runs before an automatic name shows it."""
NEW_SECONDS: Final = 2.0
"""For how long the name of a new window changes at once."""


class _Name(Struct):
    shown: str
    since: float
    """When the window was new, on the clock."""
    wanted: str = ""
    """Another name, and since when."""
    wanted_since: float = 0.0


class TabNames:
    """Keeps the automatic name that a tab shows until another has lasted."""

    def __init__(self, clock: Callable[[], float], call_later: Callable[[float], object]) -> None:
        """`call_later` is given the seconds after which a name may change."""
        self._clock, self._call_later = clock, call_later
        self._names: dict[WindowId, _Name] = {}

    def stable(self, window: WindowId, name: str) -> str:
        """The name to show for a window that is called so now."""
        now = self._clock()
        found = self._names.setdefault(window, _Name(name, now))
        if name == found.shown or now - found.since < NEW_SECONDS:
            found.shown, found.wanted = name, ""
        elif name != found.wanted:
            found.wanted, found.wanted_since = name, now
            self._call_later(SETTLED_SECONDS)
        elif now - found.wanted_since >= SETTLED_SECONDS:
            found.shown, found.wanted = name, ""
        return found.shown

    def rename(self, window: WindowId) -> None:
        """The window has a name of its own, which is shown at once."""
        self._names.pop(window, None)

    def keep(self, windows: Iterable[WindowId]) -> None:
        """Forget other windows."""
        for gone in self._names.keys() - set(windows):
            del self._names[gone]
