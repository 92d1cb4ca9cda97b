"""The schedule of saves: soon after structural changes, periodically for output, with a backoff after errors.

Pure: times are seconds on the caller's monotonic clock.
"""

from math import inf
from typing import Final

SOON: Final = 1.0
"""Seconds for which structural changes are collected, and the least between two saves."""
FIRST_RETRY: Final = 5.0
"""Seconds after the first error; every further one doubles them."""
LAST_RETRY: Final = 300.0


class SaveSchedule:
    """When to take the next snapshot."""

    def __init__(self, seconds: float, *, on: bool = True) -> None:
        self.seconds = seconds
        """Seconds after which other changes are saved."""
        self.on = on
        """Whether to save automatically at all."""
        self._changed: float | None = None
        self._saved_at = -inf
        self._failures = 0

    def changed(self, now: float) -> None:
        """The structure changed."""
        if self._changed is None:
            self._changed = now

    def started(self) -> None:
        """A snapshot was taken; later changes need another."""
        self._changed = None

    def done(self, now: float) -> None:
        """The snapshot is saved."""
        self._saved_at, self._failures = now, 0

    def failed(self, now: float) -> None:
        """The snapshot could not be saved."""
        self._saved_at, self._failures = now, self._failures + 1

    @property
    def due(self) -> float:
        """When to take the next snapshot; infinity for never."""
        if not self.on:
            return inf
        if self._failures:
            return self._saved_at + min(FIRST_RETRY * 2.0 ** min(self._failures - 1, 16), LAST_RETRY)
        if self._changed is not None:
            return max(self._changed, self._saved_at) + min(SOON, self.seconds)
        return self._saved_at + self.seconds
