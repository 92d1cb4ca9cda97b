"""The times at which a player shows the events of a recording: pauses are shortened."""

from bisect import bisect_right
from itertools import accumulate, pairwise
from typing import Final

from fugue_tui.recording.asciicast import Cast, EventCode


class Timeline:
    """A recording's events in the time of the player, in seconds from its start."""

    def __init__(self, cast: Cast, idle: float = 0.0) -> None:
        """Pauses longer than `idle` seconds last so long; 0 leaves them as they were."""
        self.cast: Final = cast
        times = [0.0, *(event.time for event in cast.events)]
        pauses = (min(after - before, idle) if idle else after - before for before, after in pairwise(times))
        self.times: Final = list(accumulate(pauses))
        """When each event is shown."""

    @property
    def seconds(self) -> float:
        """How long playing it takes at its own speed."""
        return self.times[-1] if self.times else 0.0

    def count(self, position: float) -> int:
        """How many events have been shown at a position."""
        return bisect_right(self.times, position)

    @property
    def markers(self) -> list[tuple[float, str]]:
        """The markers' times and labels."""
        events = zip(self.times, self.cast.events, strict=True)
        return [(time, event.data) for time, event in events if event.code is EventCode.MARKER]
