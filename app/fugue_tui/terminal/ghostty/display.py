"""What of a terminal is on show, and what of it changed since someone last looked.

A program that draws in synchronized updates is shown as it was before the one that it has not finished.
"""

from collections.abc import Callable
from typing import Final

from fugue_tui.terminal.emulator.pending_events import Inbox
from fugue_tui.terminal.ghostty.viewport import Picture
from fugue_tui.terminal.screen.cells import Damage
from fugue_tui.terminal.screen.damage import compare

HOLD_LIMIT: Final = 1.0
"""Seconds that a synchronized update may hold the old picture."""
_HOLD_STEP: Final = 0.008
"""Seconds between the pictures that are kept for programs that hold most of the time."""
_LOOKING: Final = 0.25
"""Seconds after a refresh for which a pane counts as looked at."""


class Display:
    """The picture that is shown, and during a synchronized update the one that is next. Pictures come from `make`,
    their size from the inbox, which tells of updates once `hold` is its `on_hold`."""

    def __init__(self, make: Callable[[], Picture], inbox: Inbox, clock: Callable[[], float]) -> None:
        self._make, self._inbox, self._clock = make, inbox, clock
        self._held_since: float | None = None
        self._captured = self._looked = clock()
        self.front = make()
        """What is shown."""
        self.front.capture(inbox.size)
        self._aside: Picture | None = None
        self._shown: list[bytes] = []

    def hold(self, held: bool) -> None:
        """Keep a picture of what the program wants to leave on the screen while it draws the next."""
        now = self._clock()
        self._held_since = now if held else None
        if not held or now - self._captured < _HOLD_STEP or now - self._looked > _LOOKING:
            return
        self._captured = now
        if self._aside is None:
            self._aside = self._make()
        self._aside.capture(self._inbox.size)

    def _is_held(self) -> bool:
        return self._held_since is not None and self._clock() - self._held_since < HOLD_LIMIT

    def refresh(self) -> Damage:
        """Bring the picture up to date, unless it is held, and say what changed."""
        self._looked = self._clock()
        if self._aside is not None:
            self.front, self._aside = self._aside, None
        if not self._is_held():
            self._captured = self._looked
            self.front.capture(self._inbox.size)
        return self._damage()

    def _damage(self) -> Damage:
        rows, relinked = self.front.rows, self.front.relinked
        damage = compare(self._shown, rows)
        self._shown = rows.copy()
        if relinked:
            damage = Damage(damage.full, tuple(sorted(relinked.union(damage.rows))), damage.shift)
            relinked.clear()
        return damage

    def glance(self) -> Picture:
        """The viewport as it is now, whatever is on show; what `refresh` will say stays as it was."""
        picture = self._make()
        picture.capture(self._inbox.size)
        for robbed in (self.front, self._aside):
            if robbed is not None:
                robbed.mistrust()
        return picture

    def close(self) -> None:
        """Let go of what is not on show."""
        self._aside = None
