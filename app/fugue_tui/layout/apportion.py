"""Integer apportionment: shares to weights, and weights to cells.

Shares are exact fractions during an edit, so that an edit and its inverse cancel without drift.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import gcd, lcm

LIMIT = 10**12
"""The largest sum of a split's weights; finer proportions are rounded to it."""


def whole(shares: Sequence[Fraction | int]) -> tuple[int, ...]:
    """Positive integers proportional to positive shares, in lowest terms."""
    scale = lcm(*(share.denominator for share in shares))
    weights = [share.numerator * (scale // share.denominator) for share in shares]
    if sum(weights) > LIMIT:
        weights = _rounded(weights)
    divisor = gcd(*weights)
    return tuple(weight // divisor for weight in weights)


def _rounded(weights: Sequence[int]) -> list[int]:
    """Weights of at least 1 that sum to LIMIT; the largest absorbs the rounding error."""
    total = sum(weights)
    small = [max(1, weight * LIMIT // total) for weight in weights]
    small[small.index(max(small))] += LIMIT - sum(small)
    return small


def apportion(weights: Sequence[int], bounds: Sequence[int], total: int) -> list[int]:
    """Share out `total` cells by weight, none below its bound; `total` must cover the bounds.

    This is Webster's method: one cell more makes exactly one share one cell larger, and no share ever shrinks for it.
    Between equals, the first gets the odd cell.
    """
    cells = _near(weights, bounds, total)
    missing = total - sum(cells)
    while missing > 0:
        cells[_neediest(weights, cells)] += 1
        missing -= 1
    while missing < 0:
        cells[_richest(weights, cells, bounds)] -= 1
        missing += 1
    return cells


def _near(weights: Sequence[int], bounds: Sequence[int], total: int) -> list[int]:
    """Each share rounded by itself, after those below their bounds are fixed."""
    cells = list(bounds)
    free: list[int] = list(range(len(weights)))
    while free:
        room = total - sum(bounds) + sum(bounds[i] for i in free)
        weight = sum(weights[i] for i in free)
        large: list[int] = [i for i in free if weights[i] * room >= bounds[i] * weight]
        if len(large) == len(free):
            for i in free:
                cells[i] = max(bounds[i], (2 * weights[i] * room + weight) // (2 * weight))
            break
        free = large
    return cells


def _neediest(weights: Sequence[int], cells: Sequence[int]) -> int:
    """The index with the strongest claim to another cell, the first between equals."""
    return max(range(len(cells)), key=lambda i: (weights[i] / (2 * cells[i] + 1), -i))


def _richest(weights: Sequence[int], cells: Sequence[int], bounds: Sequence[int]) -> int:
    """The index above its bound with the weakest claim to its last cell, the last between equals."""
    above = (i for i in range(len(cells)) if cells[i] > bounds[i])
    return min(above, key=lambda i: (weights[i] / (2 * cells[i] - 1), -i))
