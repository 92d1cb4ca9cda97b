"""Whether a line names the columns under it."""

import re
from collections.abc import Sequence
from typing import Final

from fugue_tui.output_analysis.tables.header_spans import is_value

_LETTER: Final = re.compile(r"[^\W\d_]")
_UNIT: Final = re.compile(r"\d+[KMGT]?i?B?-blocks")
_NUMBER: Final = re.compile(r"[-+~<>(]?[$€£]?\d")

CAPITALS: Final = 0.94
"""The belief in a header in capital letters."""
TYPED: Final = 0.82
"""The belief in a header whose words stand over numbers."""
MOST_WORDS: Final = 4
"""Words of one header that is not in capital letters."""


def belief(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> float:
    """How sure it is that these are names of columns: 0 if they look like values themselves."""
    named = [name for name in headers if name]
    if len(named) < 2 or any(is_value(word) for name in named for word in name.split()):
        return 0.0
    if len(set(named)) < len(named) or not all(_LETTER.search(name) or name in ("#", "%") for name in named):
        return 0.0
    if all(name == name.upper() for name in named):
        return CAPITALS
    if any(name[0].isdecimal() and not _UNIT.fullmatch(name) for name in named):
        return 0.0
    if any(name[-1] in ".,;:!?" or len(name.split()) > MOST_WORDS for name in named):
        return 0.0
    return TYPED if any(_numbers(rows, at) for at, name in enumerate(headers) if name) else 0.0


def _numbers(rows: Sequence[Sequence[str]], column: int) -> bool:
    cells = [row[column] for row in rows if row[column]]
    return len(cells) > 0 and sum(_NUMBER.match(cell) is not None for cell in cells) >= 0.8 * len(cells)
