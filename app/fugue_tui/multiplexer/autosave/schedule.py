"""When a workspace is saved: soon after its structure changed, now and then while programs print, later after faults.

Pure: times are seconds on a clock that never jumps, and belong to the caller.
"""

from math import inf
from typing import Final

SOON: Final = 1.0
"""Seconds for which changes of the structure are gathered, and the least between two looks."""
FIRST_RETRY: Final = 5.0
"""Seconds after the first fault; every further one doubles them."""
LAST_RETRY: Final = 300.0


class SaveSchedule:
    """When to look next whether there is something to save."""

    def __init__(self, seconds: float, *, on: bool = True) -> None:
        self.seconds = seconds
        """How long a change may wait that is not one of the structure."""
        self.on = on
        """Whether to save by itself at all."""
        self._changed: float | None = None
        self._looked = -inf
        self._faults = 0

    def changed(self, now: float) -> None:
        """The structure is another."""
        if self._changed is None:
            self._changed = now

    def begun(self) -> None:
        """What there is now is being looked at; what changes from now on comes with the next time."""
        self._changed = None

    def done(self, now: float) -> None:
        """What was looked at is saved."""
        self._looked, self._faults = now, 0

    def failed(self, now: float) -> None:
        """What was looked at could not be saved."""
        self._looked, self._faults = now, self._faults + 1

    @property
    def due(self) -> float:
        """When to look next; infinity for never."""
        if not self.on:
            return inf
        if self._faults:
            return self._looked + min(FIRST_RETRY * 2.0 ** min(self._faults - 1, 16), LAST_RETRY)
        if self._changed is not None:
            return max(self._changed, self._looked) + min(SOON, self.seconds)
        return self._looked + self.seconds
