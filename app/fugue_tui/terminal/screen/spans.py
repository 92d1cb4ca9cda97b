"""Neighbouring numbers, as spans."""

from collections.abc import Iterable, Iterator


def spans(numbers: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Ascending numbers as (first, count) of each unbroken stretch."""
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
