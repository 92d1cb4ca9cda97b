"""Results as models get them: without what is empty, or what the call itself says. Pure.

The command line gives scripts every field. A field is left out here if it is null, an empty text, list or object, or
has the value that the call gave for an argument of its name; in an entry of a list also if it is false. A result that
says things twice has a `brief` form. Free-form values, such as records of a program's output, stay as they are.
"""

import re
from collections.abc import Mapping, Sequence, Set
from enum import Enum
from typing import Any, Final, cast

from msgspec import Struct

from fugue_tui.control.core.answers import BriefAnswer
from fugue_tui.control.introspection import tool_words
from fugue_tui.validation.annotations import dump

OWN_WORDS: Final = frozenset(
    {
        "cursor", "engine", "exit", "known_by", "lacks", "layout_applied", "method", "modes", "note", "notes", "parser",
        "position", "session", "session_id", "session_name", "steps", "version", "workspace",
    }
)  # fmt: skip
"""Fields of results whose texts are Fugue's own, or names that users and clients gave, never a program's words."""
_HINTS: Final = frozenset({"note", "notes"})
"""Fields that may name commands."""
_ID: Final = re.compile(r"[%@]\d+", re.ASCII)


def lean(result: Any, asked: Mapping[str, Any]) -> Any:
    """A result of a call with such arguments as JSON; of one in which all is empty, the first field stays."""
    value = _lean(result, "", entry=False)
    if not isinstance(value, dict):
        return value
    fields = cast("dict[str, Any]", value)
    kept = {name: each for name, each in fields.items() if name not in asked or asked[name] != each}
    return kept or fields or dict([*dump(result).items()][:1])


def holds_program_text(result: Any, name: str = "") -> bool:
    """Whether a result, or a field of that name, has a text that a program may have chosen."""
    match result:
        case Enum() | None:
            return False
        case str():
            return bool(result) and name not in OWN_WORDS and not _ID.fullmatch(result)
        case Struct():
            return any(holds_program_text(getattr(result, each), each) for each in result.__struct_fields__)
        case Mapping():
            return any(holds_program_text(each, "") for each in cast("Mapping[Any, Any]", result).values())
        case Sequence() | Set():
            return any(holds_program_text(each, name) for each in cast("Sequence[Any]", result))
        case _:
            return False


def is_empty(value: Any) -> bool:
    """Whether a JSON value is null, or an empty text, list or object."""
    return value is None or (isinstance(value, str | list | dict) and not value)


def _lean(value: Any, name: str, *, entry: bool) -> Any:
    """`entry` says whether the value is one of a list."""
    match value:
        case Struct():
            shown = value.brief if isinstance(value, BriefAnswer) else value
            found = {each: _lean(getattr(shown, each), each, entry=False) for each in shown.__struct_fields__}
            return {each: kept for each, kept in found.items() if not is_empty(kept) and not (entry and kept is False)}
        case list() | tuple():
            return [_lean(each, name, entry=True) for each in cast("Sequence[Any]", value)]
        case str() if name in _HINTS and not isinstance(value, Enum):
            return tool_words(value)
        case _:
            return dump(value)
