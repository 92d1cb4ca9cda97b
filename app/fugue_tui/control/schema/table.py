"""Formats a command's result for a terminal: a table for a list of records, `key: value` for one; records in records
are indented, and those in rows follow their table."""

import json
from collections.abc import Iterator
from textwrap import indent
from typing import Any, Final, cast

from fugue_tui.sanitize import clean, clean_text

WIDEST: Final = 48
"""Characters of one cell of a table."""
_INDENT: Final = "  "


def render(value: Any) -> str:
    """A JSON value as text; nothing for null."""
    if value is None:
        return ""
    if not isinstance(value, dict):
        return _plain(value)
    parts: list[str] = []
    for name, each in cast("dict[str, Any]", value).items():
        if rows := _records(each):
            parts.append(_table(rows))
        elif isinstance(each, dict) and each and not _cell(each):
            parts.append(f"{name}:\n{indent(render(each), _INDENT)}")
        elif isinstance(each, str) and "\n" in each:
            parts.append(f"{name}:\n{clean_text(each).rstrip()}")
        elif each not in (None, "", [], {}):
            parts.append(f"{name}: {_cell(each)}")
    return "\n".join(parts)


def _plain(value: Any) -> str:
    return clean(value, 1 << 16) if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _records(value: Any) -> list[dict[str, Any]]:
    """The records of a list of them; none for anything else."""
    found = cast("list[Any]", value) if isinstance(value, list) else []
    return cast("list[dict[str, Any]]", found) if all(isinstance(each, dict) for each in found) else []


def _table(rows: list[dict[str, Any]]) -> str:
    """The rows, and then what they have that is no cell."""
    inner = [name for name in rows[0] if any(_is_inner(row.get(name)) for row in rows)]
    shown = [{name: value for name, value in row.items() if name not in inner} for row in rows]
    return "\n".join((_grid(shown), *(part for row in rows for part in _inside(row, inner))))


def _is_inner(value: Any) -> bool:
    return bool(_records(value)) or (isinstance(value, dict) and value != {} and not _cell(value))


def _inside(row: dict[str, Any], names: list[str]) -> Iterator[str]:
    """The records in a row, each below its name and that of the row."""
    title = clean(_cell(next(iter(row.values()))), WIDEST)
    for name in names:
        if row.get(name):
            inside = {name: row[name]} if _records(row[name]) else row[name]
            yield f"{name} of {title}:\n{indent(render(inside), _INDENT)}"


def _grid(rows: list[dict[str, Any]]) -> str:
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
        case dict():
            return ""
        case list() if all(isinstance(each, str) for each in cast("list[Any]", value)):
            return " ".join(cast("list[str]", value))
        case _:
            return _plain(value)
