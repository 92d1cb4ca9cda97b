"""Edits one table of a TOML file in place: it is added at the end or cut out, and the rest of the text stays. Likewise
a line of its own at the beginning.

The caller compares what the result contains with what it should, so that a file written in a way that is not foreseen
here is never damaged.
"""

import json
import re
from collections.abc import Sequence
from typing import Any, Final

from fugue_tui import trusted_files

_TABLE: Final = re.compile(r"[ \t]*\[")
_UNIMPORTANT: Final = re.compile(r"[ \t]*(?:#.*)?[\r\n]*\Z")


def parse(text: str) -> dict[str, Any]:
    """The content of a file. Raises UntrustedFile."""
    return trusted_files.toml(text)


def put(text: str, keys: Sequence[str], value: dict[str, Any]) -> str:
    """The text with a table of its own for the value."""
    text = drop(text, keys)
    line = "\r\n" if "\r\n" in text else "\n"
    head = text if not text or text.endswith("\n") else text + line
    lines = [f"[{'.'.join(keys)}]", *(f"{_key(name)} = {_value(each)}" for name, each in value.items())]
    return head + (line if head else "") + line.join(lines) + line


def drop(text: str, keys: Sequence[str]) -> str:
    """The text without a table and the tables in it."""
    names = r"[ \t]*\.[ \t]*".join(rf"(?:{key}|\"{key}\"|'{key}')" for key in map(re.escape, keys))
    header = re.compile(rf"[ \t]*\[[ \t]*{names}[ \t]*[.\]]")
    kept: list[str] = []
    held: list[str] = []
    inside = False
    for each in text.splitlines(keepends=True):
        if _TABLE.match(each):
            was, inside = inside, bool(header.match(each))
            if inside and not was and kept and not kept[-1].strip():
                kept.pop()
            kept += held if was else []
            held = []
        if not inside:
            kept.append(each)
        elif _UNIMPORTANT.match(each):
            held.append(each)  # It may belong to the next table.
        else:
            held = []
    return "".join(kept + held if inside else kept)


def put_line(text: str, key: str, value: Any) -> str:
    """The text with a line for a key outside of all tables."""
    return f"{_key(key)} = {_value(value)}" + ("\r\n" if "\r\n" in text else "\n") + text


def drop_line(text: str, key: str, value: Any) -> str:
    """The text without the line that `put_line` has added; as it is if there is none."""
    line = f"{_key(key)} = {_value(value)}"
    lines = text.splitlines(keepends=True)
    at = next((at for at, each in enumerate(lines) if each.rstrip() == line), None)
    return text if at is None else "".join(lines[:at] + lines[at + 1 :])


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name)


def _value(value: Any) -> str:
    """A value as TOML, whose strings, numbers and lists of them are written as in JSON."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_key(name)} = {_value(each)}" for name, each in value.items()) + " }"  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    if isinstance(value, list):
        return "[" + ", ".join(_value(each) for each in value) + "]"  # pyright: ignore[reportUnknownVariableType]
    return json.dumps(value)
