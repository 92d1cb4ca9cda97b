"""Limits of how often tags run, and the recognition of repeated ones. Main thread only."""

from collections import OrderedDict
from collections.abc import Callable
from typing import Final

from fugue_tui.sideband.tag import Tag

REPEAT_SECONDS: Final = 60.0
"""For so long after it was last seen the same tag of a pane is a repetition."""
REDRAW_SECONDS: Final = 5.0
"""For so long after a resize every tag that the pane has printed before is a repetition."""
REMEMBERED: Final = 1_000
"""Tags that are remembered of each pane."""


class TokenBucket:
    """Allows `burst` events at once, and `rate` a second after that."""

    def __init__(self, rate: float, burst: int, clock: Callable[[], float]) -> None:
        self._rate, self._burst, self._clock = rate, burst, clock
        self._tokens, self._at = float(burst), clock()

    def take(self) -> bool:
        """Whether another event is allowed now."""
        now = self._clock()
        self._tokens = min(self._burst, self._tokens + (now - self._at) * self._rate)
        self._at = now
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True


class SeenTags:
    """The tags that one pane has printed."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._seen: OrderedDict[int, float] = OrderedDict()
        self._resized = float("-inf")

    def resized(self) -> None:
        """The pane was resized: its program may draw again what it has drawn before."""
        self._resized = self._clock()

    def repeats(self, tag: Tag) -> bool:
        """Whether a tag was printed before: one with an `id` ever, another within the last minute."""
        named, what = tag.attributes.get("id", ""), _identity(tag)
        now, before = self._clock(), self._seen.get(what)
        self._seen[what] = now
        self._seen.move_to_end(what)
        if len(self._seen) > REMEMBERED:
            self._seen.popitem(last=False)
        if before is None:
            return False
        return bool(named) or now - before < REPEAT_SECONDS or now - self._resized < REDRAW_SECONDS

    def forget(self, tag: Tag) -> None:
        """A tag came too fast to be run, and may be printed again."""
        self._seen.pop(_identity(tag), None)


def _identity(tag: Tag) -> int:
    return hash(tag.attributes.get("id", "") or (tag.name, tag.text, *sorted(tag.attributes.items())))
