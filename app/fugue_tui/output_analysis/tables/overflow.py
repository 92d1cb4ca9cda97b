"""Parses rows that overflow their columns: wrapped after the first cell, or with cells that are single words."""

import re
from collections.abc import Sequence
from typing import Final

from fugue_tui.output_analysis.command_line import word_set
from fugue_tui.output_analysis.results import line_numbers
from fugue_tui.output_analysis.tables.columns import Columns
from fugue_tui.output_analysis.text_lines import Line

MOST_UNFIT: Final = 0.25
"""The share of rows that may have another number of words."""
_NUMBER: Final = re.compile(r"[-+]?\d[\d.,:]*")
_TIME: Final = re.compile(r"[\d-]*\d[:.]\d[\d:.]*[sm]?|\d+days|\?")
_NUMBERS: Final = word_set(
    "r b swpd free buff cache inact active si so bi bo in cs us sy id wa st gu "
    "PID PPID PGID SID LWP NLWP %CPU %MEM VSZ RSS SZ NI PRI C"
)
_TIMES: Final = word_set("TIME IDLE JCPU PCPU")
_WORDS: Final = word_set(
    "USER UID RUSER GROUP TT TTY STAT S F STARTED START STIME WCHAN ADDR COMMAND CMD FROM LOGIN@ WHAT"
)


def read_by_words(table: Columns, lines: Sequence[Line]) -> None:
    """Split the lines that did not fit at blanks, if they have a word for every column, numbers in columns of numbers.

    A line that fitted but has no word for a column is not a row of such a table. Does nothing if a row that fitted has
    several words in a cell.
    """
    if any(" " in cell for row in table.rows() for cell in row[:-1]):
        return
    short = {line.number for line, row in zip(table.fit, table.rows(), strict=True) if not all(row[:-1])}
    table.fit = [line for line in table.fit if line.number not in short]
    table.unfit = sorted({*table.unfit, *short})
    rows = table.rows()
    numeric = [at for at in range(len(table.cuts)) if rows and all(_NUMBER.fullmatch(row[at]) for row in rows)]
    unfit = set(table.unfit)
    by_words: dict[int, tuple[str, ...]] = {}
    for line in lines:
        cells = tuple(line.text.split(None, len(table.cuts) - 1)) if line.number in unfit else ()
        if len(cells) == len(table.cuts) and all(_NUMBER.fullmatch(cells[at]) for at in numeric):
            by_words[line.number] = cells
    if by_words:
        table.overflowed |= by_words
        table.unfit = sorted(unfit - set(by_words))
        table.notes.append(f"{line_numbers(by_words)} ran over their columns, read word by word")


def join_wrapped_rows(table: Columns) -> None:
    """Join lines that have only a first cell with the next line that has all the others, as `df` prints long names;
    unless another line has no first cell."""
    rows = dict(zip((line.number for line in table.fit), table.rows(), strict=True)) if not table.overflowed else {}
    headless = [number for number, row in rows.items() if not row[0] and len(row) > 2 and all(row[1:])]
    alone = {number for number, row in rows.items() if row[0] and not any(row[1:])}
    lacking = sum(not row[0] for row in rows.values())
    if not headless or lacking > len(headless) or any(number - 1 not in alone for number in headless):
        return
    gone = {number for each in headless for number in (each - 1, each)}
    table.fit = [line for line in table.fit if line.number not in gone]
    table.overflowed = {number: (rows[number - 1][0], *rows[number][1:]) for number in headless}
    table.notes.append(f"{line_numbers(gone)} are one row{' for every two' if len(headless) > 1 else ''}")


def word_by_word(header: Line, lines: Sequence[Line]) -> Columns | None:
    """A table whose lines do not keep to the columns, split at blanks; None if a word of the header is unknown, or a
    cell is no number where one is expected."""
    names = header.text.split()
    if len(names) < 3 or not set(names) <= _NUMBERS | _WORDS | _TIMES:
        return None
    read = {line.number: tuple(line.text.split(None, len(names) - 1)) for line in lines}
    rows = {number: row for number, row in read.items() if len(row) == len(names) and _is_typed(names, row)}
    unfit = sorted(read.keys() - rows.keys())
    if not rows or len(unfit) > max(1, MOST_UNFIT * len(read)):
        return None
    note = f"{line_numbers(rows)} ran over their columns, read word by word"
    return Columns(names, [*range(len(names))], unfit=unfit, overflowed=rows, ambiguities=[note])


def _is_typed(names: Sequence[str], row: Sequence[str]) -> bool:
    return all(
        (name not in _NUMBERS or _NUMBER.fullmatch(cell)) and (name not in _TIMES or _TIME.fullmatch(cell))
        for name, cell in zip(names, row, strict=True)
    )
