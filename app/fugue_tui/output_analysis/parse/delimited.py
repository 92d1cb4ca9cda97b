"""Comma-, tab-, semicolon- and bar-separated values, told from prose and logs that happen to have commas."""

import csv
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from fugue_tui.output_analysis.results import Parsed, ParsedKind, line_numbers
from fugue_tui.output_analysis.tables.header_spans import is_value

SURE: Final = 0.95
"""The belief in many lines with as many fields each."""
MOST_UNFIT: Final = 0.1
"""The share of records that may have another number of fields."""
GUESSED: Final = 0.8
"""What is left of the belief if only its place says that a line names the fields."""
_DELIMITERS: Final = {",": "commas", "\t": "tabs", ";": "semicolons", "|": "bars"}
_QUOTED: Final = '"'
_FIGURE: Final = re.compile(r"[-+~<>(]?[$€£]?\d")


def read_delimited(lines: Sequence[str], start: int, end: int, *, asked: bool = False) -> Parsed | None:
    """The fields between the delimiter that divides the lines best; `asked` if somebody says that they are such."""
    while end > start and not lines[end - 1]:
        end -= 1
    part = lines[start:end]
    found = [way for way in (_read(part, start, delimiter, asked) for delimiter in _candidates(part)) if way]
    return max(found, key=lambda way: (way.confidence, len(way.headers)), default=None)


def _candidates(part: Sequence[str]) -> list[str]:
    """The delimiters that both of the first two lines have."""
    return [each for each in _DELIMITERS if len(part) > 1 and each in part[0] and each in part[1]]


def _read(part: Sequence[str], start: int, delimiter: str, asked: bool) -> Parsed | None:
    try:
        records = list(_records(part, start, delimiter))
    except csv.Error:
        return None
    if len(records) < 2:
        return None
    count, most = Counter(len(cells) for _, cells in records).most_common(1)[0]
    unfit = [number for number, cells in records if len(cells) != count]
    if count < 2 or len(unfit) > MOST_UNFIT * len(records) or len(records[0][1]) != count:
        return None
    rows = [cells for _, cells in records if len(cells) == count]
    if not asked and (_is_prose(part, delimiter) or (delimiter == "|" and _is_spaced(part))):
        return None
    sure = SURE * most / len(records) * min(1.0, 0.7 + 0.1 * len(rows)) * (0.9 if delimiter == "|" else 1)
    return _told(rows, unfit, sure, delimiter)


def _records(part: Sequence[str], start: int, delimiter: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    """The records and the lines at which they end. Raises csv.Error for quotes that never close."""
    reader = csv.reader((f"{line}\n" for line in part), delimiter=delimiter, quotechar=_QUOTED, strict=True)
    for cells in reader:
        if cells:
            yield start + reader.line_num - 1, tuple(cells)


def _is_prose(part: Sequence[str], delimiter: str) -> bool:
    """Whether most delimiters are followed by a blank, as in sentences and logs, and the fields are of many words."""
    if delimiter == "\t":
        return False
    text = "\n".join(part[:200])
    spaced = text.count(f"{delimiter} ")
    return spaced * 2 > text.count(delimiter) and len(text.split()) > 2 * (text.count(delimiter) + len(part[:200]))


def _is_spaced(part: Sequence[str]) -> bool:
    return " | " in part[0]


def _told(rows: list[tuple[str, ...]], unfit: list[int], sure: float, delimiter: str) -> Parsed:
    notes = [f"{line_numbers(unfit)} had another number of fields, left out"] if unfit else []
    headers: tuple[str, ...] = ()
    if delimiter == "\t":
        rows = [tuple(cell.strip() for cell in row) for row in rows]
    if _names(rows):
        headers, rows = rows[0], rows[1:]
        if not any(_differs(rows, at) for at in range(len(headers))):
            sure *= GUESSED
            notes.append("the first line was taken for the fields' names")
    else:
        sure *= 0.9
        notes.append("no line names the fields")
    return Parsed(
        ParsedKind.CSV,
        round(sure, 2),
        headers,
        tuple(rows),
        parser=f"{_DELIMITERS[delimiter]} between fields",
        notes=tuple(notes),
    )


def _names(rows: Sequence[tuple[str, ...]]) -> bool:
    """Whether the first record can name the fields: each once, and none a value or one that begins with a figure."""
    first = [name.strip() for name in rows[0]]
    values = any(is_value(word) or word[0].isdecimal() for name in first for word in name.split())
    return all(name and len(name) <= 60 for name in first) and not values and len(set(first)) == len(first)


def _differs(rows: Sequence[tuple[str, ...]], column: int) -> bool:
    """Whether nearly all cells of a column begin with a figure, as no name does."""
    cells = [row[column].strip() for row in rows if row[column].strip()]
    return bool(cells) and sum(_FIGURE.match(cell) is not None for cell in cells) >= 0.8 * len(cells)
