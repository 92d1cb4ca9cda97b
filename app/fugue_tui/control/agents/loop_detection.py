"""Finds out whether a program repeats itself: the same three lines, or the same command, again and again.

Screens are compared, as a program may paint the same row many times for one line: a line appears when a screen, with
what has scrolled off it, has it more often than those before. Numbers are ignored, so that a clock is nothing new.
"""

import re
from collections import Counter, deque
from collections.abc import Iterable, Sequence
from typing import Final

from fugue_tui.sanitize import clean
from fugue_tui.terminal.emulator.protocol import Emulator

LINES: Final = 3
"""Lines that have to come together; a single one may come often for good reasons."""
SCREENS: Final = 3
"""Screens that are compared with the next one: a look may come while a program has painted half of it."""
MOST_SCROLLED: Final = 500
"""Lines that are read above a screen."""
_KEPT: Final = 2_000
"""Groups of lines that are counted at a time; those that came first go first."""
_NUMBER: Final = re.compile(r"\d[\d.,:]*")
_SYMBOLS: Final = re.compile(r"^\W+|\W+$")
_SHORTEST: Final = 3
"""Letters and digits of a line that counts."""


class NewLines:
    """The lines that appear on a screen, from one look to the next."""

    def __init__(self) -> None:
        self._screens = deque[Counter[str]](maxlen=SCREENS)
        self._first: int | None = None

    def take(self, emulator: Emulator) -> list[str]:
        """The lines that have appeared since the last look, in order and without numbers; at the first look none. The
        caller holds the terminal's lock."""
        first, rows = emulator.scrollback.lines, emulator.size.rows
        before, self._first = self._first, first
        scrolled = 0 if before is None else min(MOST_SCROLLED, max(0, first - before))
        text = [without_numbers(each) for each in emulator.lines(first - scrolled, first + rows)]
        seen = Counter[str]()
        for screen in self._screens:
            seen |= screen
        self._screens.append(Counter(text[scrolled:]))
        return [] if before is None else appeared(seen, text)


class Repetition:
    """What a program has shown and run lately, and whether it repeats itself."""

    def __init__(self, repeats: int, seconds: float) -> None:
        """More often than `repeats` within so many seconds is a repetition."""
        self._repeats, self._seconds = repeats, seconds
        self._tail = deque[str](maxlen=LINES)
        self._times: dict[tuple[str, ...], deque[float]] = {}
        self._found: tuple[str, ...] = ()

    def add_lines(self, lines: Iterable[str], now: float) -> None:
        """Lines have appeared."""
        for line in lines:
            self._tail.append(line)
            if len(self._tail) == LINES:
                self._add(tuple(self._tail), now)

    def add_command(self, line: str, now: float) -> None:
        """A command was run."""
        self._add((line,), now)

    def clear(self) -> None:
        """Forget what was shown and run."""
        self._tail.clear()
        self._times.clear()
        self._found = ()

    def found(self, now: float) -> str:
        """What is repeated, on one line; empty if nothing is."""
        times = self._times.get(self._found)
        if not times or not self._is_repeated(times, now):
            return ""
        return clean(" / ".join(dict.fromkeys(self._found)), 200)

    def _add(self, key: tuple[str, ...], now: float) -> None:
        times = self._times.pop(key, None) or deque[float](maxlen=self._repeats + 1)
        times.append(now)
        self._times[key] = times
        if len(self._times) > _KEPT:
            del self._times[next(iter(self._times))]
        if self._is_repeated(times, now):
            self._found = key

    def _is_repeated(self, times: Sequence[float], now: float) -> bool:
        return len(times) > self._repeats and now - times[0] <= self._seconds


def appeared(seen: Counter[str], text: Sequence[str]) -> list[str]:
    """The lines of a text that are in it more often than they were seen, in order; those without words are left out."""
    left, found = seen.copy(), list[str]()
    for line in text:
        if left[line] > 0:
            left[line] -= 1
        elif sum(map(str.isalnum, line)) >= _SHORTEST:
            found.append(line)
    return found


def without_numbers(line: str) -> str:
    """A line with a # for each number, and without the symbols around it, such as a spinner or a frame."""
    return _SYMBOLS.sub("", _NUMBER.sub("#", line))
