"""Formats a command's result for a terminal: a table for a list of records, `key: value` for one."""

import json
from typing import Any, Final, cast

from fugue_tui.sanitize import clean, clean_text

WIDEST: Final = 48
"""Characters of one cell of a table."""


def render(value: Any) -> str:
    """A JSON value as text; nothing for null."""
    if value is None:
        return ""
    if not isinstance(value, dict):
        return _plain(value)
    parts: list[str] = []
    for name, each in cast("dict[str, Any]", value).items():
        if isinstance(each, list) and each and all(isinstance(row, dict) for row in cast("list[Any]", each)):
            parts.append(_table(cast("list[dict[str, Any]]", each)))
        elif isinstance(each, str) and "\n" in each:
            parts.append(f"{name}:\n{clean_text(each).rstrip()}")
        elif each not in (None, "", [], {}):
            parts.append(f"{name}: {_cell(each)}")
    return "\n".join(parts)


def _plain(value: Any) -> str:
    return clean(value, 1 << 16) if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _table(rows: list[dict[str, Any]]) -> str:
    names = [name for name in rows[0] if any(row.get(name) not in (None, "", [], {}) for row in rows)]
    cells = [
        [name.upper() for name in names],
        *([clean(_cell(row.get(name)), WIDEST) for name in names] for row in rows),
    ]
    widths = [max(len(row[column]) for row in cells) for column in range(len(names))]
    return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in cells)


def _cell(value: Any) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case {"x": x, "y": y, "cols": cols, "rows": rows}:
            return f"{cols}x{rows}+{x}+{y}"
        case {"cols": cols, "rows": rows, **rest} if not rest:
            return f"{cols}x{rows}"
        case list() if all(isinstance(each, str) for each in cast("list[Any]", value)):
            return " ".join(cast("list[str]", value))
        case _:
            return _plain(value)
