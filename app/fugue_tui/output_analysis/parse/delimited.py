"""Parses comma-, tab-, semicolon- and bar-separated values, and rejects prose and logs that contain commas."""

import csv
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from fugue_tui.output_analysis.results import Parsed, ParsedKind, line_numbers
from fugue_tui.output_analysis.tables.header_spans import is_numeric, is_value

CONFIDENCE: Final = 0.95
"""If there are many lines with the same number of fields."""
MOST_UNFIT: Final = 0.1
"""The share of records that may have another number of fields."""
GUESSED_HEADER_FACTOR: Final = 0.8
"""Reduces the confidence if the first line is a header only by its position."""
_DELIMITERS: Final = {",": "commas", "\t": "tabs", ";": "semicolons", "|": "bars"}
_QUOTED: Final = '"'


def read_delimited(lines: Sequence[str], start: int, end: int, *, requested: bool = False) -> Parsed | None:
    """The fields, by the delimiter with the highest confidence; `requested` if the caller says that it is CSV."""
    while end > start and not lines[end - 1]:
        end -= 1
    part = lines[start:end]
    results = [_read(part, start, delimiter, requested) for delimiter in _candidates(part)]
    return max(filter(None, results), key=lambda result: (result.confidence, len(result.headers)), default=None)


def _candidates(part: Sequence[str]) -> list[str]:
    """The delimiters that occur in both of the first two lines."""
    return [each for each in _DELIMITERS if len(part) > 1 and each in part[0] and each in part[1]]


def _read(part: Sequence[str], start: int, delimiter: str, requested: bool) -> Parsed | None:
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
    if not requested and (_is_prose(part, delimiter) or (delimiter == "|" and _is_spaced(part))):
        return None
    confidence = CONFIDENCE * most / len(records) * min(1.0, 0.7 + 0.1 * len(rows)) * (0.9 if delimiter == "|" else 1)
    return _result(rows, unfit, confidence, delimiter)


def _records(part: Sequence[str], start: int, delimiter: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    """The records and the lines at which they end. Raises csv.Error for unclosed quotes."""
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


def _result(rows: list[tuple[str, ...]], unfit: list[int], confidence: float, delimiter: str) -> Parsed:
    notes = [f"{line_numbers(unfit)} had another number of fields, left out"] if unfit else []
    headers: tuple[str, ...] = ()
    if delimiter == "\t":
        rows = [tuple(cell.strip() for cell in row) for row in rows]
    if _is_header(rows):
        headers, rows = rows[0], rows[1:]
        if not any(is_numeric(rows, at) for at in range(len(headers))):
            confidence *= GUESSED_HEADER_FACTOR
            notes.append("the first line was taken for the fields' names")
    else:
        confidence *= 0.9
        notes.append("no line names the fields")
    return Parsed(
        ParsedKind.CSV,
        round(confidence, 2),
        headers,
        tuple(rows),
        parser=f"{_DELIMITERS[delimiter]} between fields",
        notes=tuple(notes),
    )


def _is_header(rows: Sequence[tuple[str, ...]]) -> bool:
    """Whether the first record can be a header: distinct names, none of them a value or beginning with a digit."""
    first = [name.strip() for name in rows[0]]
    values = any(is_value(word) or word[0].isdecimal() for name in first for word in name.split())
    return all(name and len(name) <= 60 for name in first) and not values and len(set(first)) == len(first)
