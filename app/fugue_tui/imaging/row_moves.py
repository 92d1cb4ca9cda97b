"""Finds blocks of rows that moved up or down while the rest stayed, as when an editor deletes a line."""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Final

from msgspec import Struct

from fugue_tui.terminal.screen.cells import Row

_LEAST: Final = 2
"""Fewest different rows of a block: single rows, and borders, recur by chance."""


class Move(Struct, frozen=True):
    """Adjacent rows that moved."""

    first: int
    """The first row after the move, counted from 0."""
    rows: int
    """The number of rows."""
    up: int
    """The distance in rows, positive for up."""

    @property
    def old(self) -> range:
        """The rows before the move."""
        return range(self.first + self.up, self.first + self.up + self.rows)

    @property
    def new(self) -> range:
        """The rows after the move."""
        return range(self.first, self.first + self.rows)

    @property
    def words(self) -> str:
        """The move as a sentence."""
        way, far = "up" if self.up > 0 else "down", abs(self.up)
        return f"rows {self.first + 1} to {self.first + self.rows} moved {way} by {far} row{'s' * (far > 1)}"


def moves(before: Sequence[Row], after: Sequence[Row]) -> tuple[Move, ...]:
    """The blocks that moved, from the top; they do not overlap."""
    return tuple(_moves(before, after))


def _moves(before: Sequence[Row], after: Sequence[Row]) -> Iterator[Move]:
    old_runs, new_runs = [row.runs for row in before], [row.runs for row in after]
    for old, new, count in SequenceMatcher(None, old_runs, new_runs, autojunk=False).get_matching_blocks():
        while count and not after[new].text:
            old, new, count = old + 1, new + 1, count - 1
        while count and not after[new + count - 1].text:
            count -= 1
        stayed = sum(old_runs[y] == new_runs[y] for y in range(new, min(new + count, len(before))))
        texts = {row.text for row in after[new : new + count]} - {""}
        if old != new and len(texts) >= _LEAST and stayed * 2 < count:
            yield Move(new, count, old - new)
