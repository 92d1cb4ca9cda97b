"""Rows that overflowed their columns, of programs whose cells are known to be single words."""

import re
from collections.abc import Sequence
from typing import Final

from fugue_tui.understanding.columns import Columns
from fugue_tui.understanding.parsed import line_numbers
from fugue_tui.understanding.source import Line

_NUMBER: Final = re.compile(r"[-+]?\d[\d.,:]*")


def mend(table: Columns, lines: Sequence[Line]) -> None:
    """Read the lines that did not fit word by word, if they have a word for every column, numbers under numbers.

    A line that fitted and has no word for a column is no row of such a table.
    """
    short = {line.number for line, row in zip(table.fit, table.rows(), strict=True) if not all(row[:-1])}
    table.fit = [line for line in table.fit if line.number not in short]
    table.unfit = sorted({*table.unfit, *short})
    rows = table.rows()
    numeric = [at for at in range(len(table.cuts)) if rows and all(_NUMBER.fullmatch(row[at]) for row in rows)]
    unfit = set(table.unfit)
    mended: dict[int, tuple[str, ...]] = {}
    for line in lines:
        cells = tuple(line.text.split(None, len(table.cuts) - 1)) if line.number in unfit else ()
        if len(cells) == len(table.cuts) and all(_NUMBER.fullmatch(cells[at]) for at in numeric):
            mended[line.number] = cells
    if mended:
        table.mended = mended
        table.unfit = sorted(unfit - set(mended))
        table.notes.append(f"{line_numbers(mended)} ran over their columns, read word by word")
