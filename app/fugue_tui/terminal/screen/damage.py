"""Compares two snapshots of a screen, row by row, and distinguishes a scroll from a change.

Neighbouring numbers, as spans.
"""

from collections.abc import Iterable, Iterator, Sequence

from fugue_tui.terminal.screen.cells import Damage


def spans(numbers: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Ascending numbers as (first, count) of each contiguous range."""
    first, count = 0, 0
    for number in numbers:
        if count and number == first + count:
            count += 1
            continue
        if count:
            yield first, count
        first, count = number, 1
    if count:
        yield first, count


def compare(old: Sequence[bytes], new: Sequence[bytes]) -> Damage:
    """What turns `old` into `new`: a plain list of rows, or a scroll and fewer rows."""
    if len(old) != len(new):
        return Damage(full=True, rows=tuple(range(len(new))))
    changed = _changed(old, new, 0)
    if len(changed) < 3:
        return Damage(rows=changed)
    shift = _shift(old, new, changed)
    scrolled = _changed(old, new, shift) if shift else changed
    if shift and len(scrolled) + 1 < len(changed):
        return Damage(rows=scrolled, shift=shift)
    return Damage(full=len(changed) == len(new), rows=changed)


def _changed(old: Sequence[bytes], new: Sequence[bytes], shift: int) -> tuple[int, ...]:
    """The rows of `new` that differ from `old` moved up by `shift`."""
    kept = len(new) - shift
    differing = [y for y, (before, after) in enumerate(zip(old[shift:], new, strict=False)) if before != after]
    return (*differing, *range(kept, len(new)))


def _shift(old: Sequence[bytes], new: Sequence[bytes], changed: Sequence[int]) -> int:
    """How far most of a few distinctive rows moved up; 0 if they did not."""
    places = {row: y for y, row in enumerate(old) if row}
    counts: dict[int, int] = {}
    for y in [y for y in changed if new[y]][:: max(1, len(changed) // 8)]:
        if (moved := places.get(new[y], y) - y) > 0:
            counts[moved] = counts.get(moved, 0) + 1
    return max(counts, key=lambda moved: counts[moved], default=0)
