"""Edits one member of a JSON file in place, or elements of one array, so that comments, formatting, order and all else
stay.

JSON with comments (JSONC), as VS Code, Zed, Gemini CLI and opencode read it. Comments and trailing commas are replaced
by spaces of the same length, so that positions in what is left are positions in the text.
"""

import json
import re
from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

from fugue_tui import trusted_files
from fugue_tui.trusted_files import UntrustedFile

_STRING: Final = r'"(?:\\.|[^"\\])*"'
_COMMENT: Final = re.compile(rf"{_STRING}|//[^\n]*|/\*.*?\*/|\ufeff", re.DOTALL)
_TRAILING_COMMA: Final = re.compile(rf"{_STRING}|,(?=\s*[}}\]])", re.DOTALL)
_SPACE: Final = re.compile(r"\s*")
_DECODER: Final = json.JSONDecoder()


class _Member(NamedTuple):
    """A member of an object or an element of an array, with its positions in the text."""

    key: str
    """Empty for an element."""
    start: int
    value: int
    end: int


class _Container(NamedTuple):
    """An object or an array, with the positions of its brackets."""

    start: int
    members: list[_Member]
    end: int

    def find(self, key: str) -> _Member | None:
        """The member of that name; of several the last, which counts."""
        return next((each for each in reversed(self.members) if each.key == key), None)


def parse(text: str) -> dict[str, Any]:
    """The content of a file; an empty one has none. Raises UntrustedFile if it is no object in JSON."""
    if not text.strip("\ufeff \t\r\n"):
        return {}
    found = trusted_files.json(_plain(_uncommented(text)))
    if not isinstance(found, dict):
        raise UntrustedFile("not an object")
    return found  # pyright: ignore[reportUnknownVariableType]


def put(text: str, keys: Sequence[str], value: dict[str, Any]) -> str:
    """The text with a member set, and what it is in created. Raises UntrustedFile if something else is in its place."""
    if not parse(text):
        bare = text.strip("\ufeff \t\r\n")
        if bare in ("", "{}"):
            return json.dumps(_nested(keys, value), indent=2, ensure_ascii=False) + "\n"
    found = _object(text, 0)
    for depth, key in enumerate(keys):
        member = found.find(key)
        if member is None:
            return _insert(text, found, key, _nested(keys[depth + 1 :], value))
        if depth == len(keys) - 1:
            return text[: member.value] + _written(text, found, value) + text[member.end :]
        found = _inner(text, member)
    raise AssertionError("no keys")


def drop(text: str, keys: Sequence[str]) -> str:
    """The text without a member, and without what it was in if nothing else is there."""
    path = [_object(text, 0)]
    for key in keys[:-1]:
        member = path[-1].find(key)
        if member is None:
            return text
        path.append(_inner(text, member))
    while len(path) > 1 and len(path[-1].members) == 1 and path[-1].find(keys[len(path) - 1]):
        path.pop()
    member = path[-1].find(keys[len(path) - 1])
    return text if member is None else _without(text, path[-1], member)


def append(text: str, keys: Sequence[str], value: dict[str, Any]) -> str:
    """The text with an element added to an array, which is created. Raises UntrustedFile if something else is in its
    place."""
    if not parse(text) and text.strip("\ufeff \t\r\n") in ("", "{}"):
        return json.dumps(_nested(keys, [value]), indent=2, ensure_ascii=False) + "\n"
    found = _object(text, 0)
    for depth, key in enumerate(keys[:-1]):
        member = found.find(key)
        if member is None:
            return _insert(text, found, key, _nested(keys[depth + 1 :], [value]))
        found = _inner(text, member)
    member = found.find(keys[-1])
    return _insert(text, found, keys[-1], [value]) if member is None else _insert(text, _array(text, member), "", value)


def drop_elements(text: str, keys: Sequence[str], positions: Collection[int]) -> str:
    """The text without elements of an array, and without what they were in if nothing else is there."""
    found = _object(text, 0)
    for key in keys[:-1]:
        member = found.find(key)
        if member is None:
            return text
        found = _inner(text, member)
    member = found.find(keys[-1])
    if member is None:
        return text
    count = len(_array(text, member).members)
    if count == len(positions):
        return drop(text, keys)
    for at in sorted(positions, reverse=True):
        array = _array(text, member)
        text = _without(text, array, array.members[at])
    return text


def _without(text: str, container: _Container, member: _Member) -> str:
    uncommented = _uncommented(text)
    at = container.members.index(member)
    following = container.members[at + 1].start if at + 1 < len(container.members) else container.end
    start = len(text[: member.start].rstrip())
    comma = uncommented.find(",", member.end, following)
    if comma >= 0:
        return text[:start] + text[member.end : comma] + text[comma + 1 :]
    before = uncommented.rfind(",", container.members[at - 1].end, member.start) if at else -1
    kept = text[:start] if before < 0 else text[:before] + text[before + 1 : max(start, before + 1)]
    return kept + text[member.end :]


def _insert(text: str, container: _Container, key: str, value: Any) -> str:
    """Add a member at the end of an object, or an element without a key at the end of an array."""
    body = text[container.start : container.end]
    line, indent, outer = _newline(text), _indent(text, container), _line_indent(text, container.end)
    tail = len(text[: container.end].rstrip())
    name = f"{json.dumps(key)}: " if key else ""
    if container.members and "\n" not in body:
        written = f" {name}{json.dumps(value, ensure_ascii=False)}"
    else:
        written = f"{line}{indent}{name}{_written(text, container, value)}"
    closing = "" if "\n" in text[tail : container.end] or (container.members and "\n" not in body) else line + outer
    if not container.members:
        return text[:tail] + written + closing + text[tail:]
    last = container.members[-1].end
    if "," in _uncommented(text)[last : container.end]:
        return text[:tail] + written + "," + closing + text[tail:]
    return text[:last] + "," + text[last:tail] + written + closing + text[tail:]


def _written(text: str, container: _Container, value: Any) -> str:
    unit = _indent(text, _object(text, 0)) or "  "
    dumped = json.dumps(value, indent=unit, ensure_ascii=False)
    return dumped.replace("\n", _newline(text) + _indent(text, container))


def _indent(text: str, container: _Container) -> str:
    """The indentation of an object's members."""
    for member in container.members:
        head = text[text.rfind("\n", 0, member.start) + 1 : member.start]
        if not head.strip():
            return head
    outer = _line_indent(text, container.start)
    root = _object(text, 0)
    return outer + ("  " if container.start == root.start else _indent(text, root) or "  ")


def _line_indent(text: str, at: int) -> str:
    """The indentation of the line of a position."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _inner(text: str, member: _Member) -> _Container:
    if text[member.value] != "{":
        raise UntrustedFile(f"{member.key} is not an object")
    return _object(text, member.value)


def _array(text: str, member: _Member) -> _Container:
    if text[member.value] != "[":
        raise UntrustedFile(f"{member.key} is not an array")
    return _object(text, member.value)


def _object(text: str, at: int) -> _Container:
    """The object or array that starts at a position, after white space and comments."""
    plain = _plain(_uncommented(text))
    start = at = _after_space(plain, at)
    members: list[_Member] = []
    while plain[at := _after_space(plain, at + 1)] not in "}]":
        first, key = at, ""
        if plain[start] == "{":
            key, at = _DECODER.raw_decode(plain, at)
            at = _after_space(plain, _after_space(plain, at) + 1)
        _, end = _DECODER.raw_decode(plain, at)
        members.append(_Member(key, first, at, end))
        at = _after_space(plain, end)
        if plain[at] in "}]":
            break
    return _Container(start, members, at)


def _after_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    assert found is not None
    return found.end()


def _nested(keys: Sequence[str], value: Any) -> Any:
    for key in reversed(keys):
        value = {key: value}
    return value


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


@lru_cache(maxsize=4)
def _uncommented(text: str) -> str:
    return _COMMENT.sub(lambda found: found[0] if found[0][0] == '"' else re.sub(r"[^\n]", " ", found[0]), text)


@lru_cache(maxsize=4)
def _plain(uncommented: str) -> str:
    return _TRAILING_COMMA.sub(lambda found: " " if found[0] == "," else found[0], uncommented)
