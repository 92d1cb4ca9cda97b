"""A table as text: its columns, as wide as there is room for, and without the less important ones where there is not.

Pure; the caller measures text in cells.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Final, TypeAlias

from msgspec import Struct

GAP: Final = 2
"""Cells between two columns."""
_SMALLEST: Final = 6
"""Cells that are worth a column."""

Measure: TypeAlias = Callable[[str], int]
"""The cells of a text."""


class Column(Struct, frozen=True):
    """A column."""

    title: str
    importance: int
    """Those with the lowest number stay longest where there is no room."""
    least: int = 1
    """The width below which it is left out, if there is more to show."""
    most: int = 48
    right: bool = False
    """Whether it is aligned to the right."""
    toned: bool = False
    """Whether it has the tone of its row."""
    optional: bool = False
    """Whether it is left out while all of its cells are empty."""
    fills: bool = False
    """Whether it has the room that the others leave."""


class TableRow(Struct, frozen=True):
    """A row, as cleaned text."""

    key: str
    """Identifies the row while others come and go."""
    cells: tuple[str, ...]
    """The text for each column."""
    tone: str = ""
    """What its state means, for its colour, such as `blocked` or `done`; empty for nothing special."""
    ranks: tuple[tuple[int | str, ...], ...] = ((),)
    """Its place in each of the table's orders."""
    spans: tuple[tuple[int, int, int, str], ...] = ()
    """Parts of cells with a text style of their own, such as `bold`: the column, which is aligned to the left, the
    first character and the one after the last, in order, and the style."""
    searched: str = ""
    """Where the filter looks for its words; empty for the cells."""


def wanted(columns: Sequence[Column], rows: Sequence[TableRow], measure: Measure) -> list[int]:
    """The width at which each column shows all of its cells, up to its most; 0 for one that is left out."""
    widths = list[int]()
    for number, column in enumerate(columns):
        cells = max((measure(row.cells[number]) for row in rows), default=0)
        shown = cells or not column.optional
        widths.append(min(max(cells, measure(column.title), 1), column.most) if shown else 0)
    return widths


def fit(columns: Sequence[Column], widths: Sequence[int], room: int) -> list[int]:
    """The width of each column in so many cells, from the wanted ones; 0 for one that is left out."""
    least = [min(column.least, width) for column, width in zip(columns, widths, strict=True)]
    shown = [number for number, width in enumerate(widths) if width]
    dropped = -1
    for number in sorted(shown, key=lambda number: -columns[number].importance):
        if len(shown) == 1 or _total([least[each] for each in shown]) <= room:
            break
        shown.remove(dropped := number)
    left = room - _total([least[each] for each in shown]) - GAP
    if dropped >= 0 and left >= _SMALLEST:
        shown, least[dropped] = sorted((*shown, dropped)), min(least[dropped], left)
    fitted = [least[number] if number in shown else 0 for number in range(len(columns))]
    left = room - _total([fitted[number] for number in shown])
    while left > 0 and (narrow := [number for number in shown if fitted[number] < widths[number]]):
        share = max(left // len(narrow), 1)
        for number in narrow[:left]:
            more = min(share, widths[number] - fitted[number])
            fitted[number], left = fitted[number] + more, left - more
    if filling := [number for number in shown if columns[number].fills]:
        fitted[filling[0]] += max(left, 0)
    return [min(width, max(room, 0)) for width in fitted]


def cells_of(
    columns: Sequence[Column], widths: Sequence[int], texts: Sequence[str], measure: Measure
) -> list[tuple[int, str]]:
    """The cells of one row that are shown: the number of the column, and its text with the gap before it."""
    shown = [number for number, width in enumerate(widths) if width]
    return [
        (
            number,
            " " * (GAP * (number != shown[0]))
            + _padded(texts[number], widths[number], measure, right=columns[number].right),
        )
        for number in shown
    ]


def text_of(columns: Sequence[Column], rows: Sequence[TableRow], cols: int, measure: Measure) -> str:
    """The whole table as lines of at most so many cells."""
    widths = fit(columns, wanted(columns, rows, measure), cols)
    lines = [[column.title for column in columns], *(row.cells for row in rows)]
    return "\n".join("".join(text for _, text in cells_of(columns, widths, line, measure)).rstrip() for line in lines)


def cut(text: str, width: int, measure: Measure) -> str:
    """The text in so many cells, with an ellipsis where some of it is missing."""
    if measure(text) <= width:
        return text
    text = text[: max(width - 1, 0)]
    while text and measure(text) > width - 1:
        text = text[:-1]
    return text + "…" * (width > 0)


@lru_cache(maxsize=1024)
def _padded(text: str, width: int, measure: Measure, *, right: bool) -> str:
    text = cut(text, width, measure)
    blank = " " * (width - measure(text))
    return blank + text if right else text + blank


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + GAP * max(len(widths) - 1, 0)
