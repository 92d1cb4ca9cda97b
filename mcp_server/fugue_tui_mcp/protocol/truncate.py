"""Sanitizes and truncates results for a model. Pure."""

import json
from collections.abc import Callable
from typing import Any, Final, NamedTuple, cast

from msgspec import Struct

from fugue_tui.sanitize import clean_text

SHORTEST: Final = 64
"""Characters kept of a text at least."""
_NOTICE: Final = "\n[... {} characters are left out ...]\n"
_NOTICE_SIZE: Final = 64
"""Characters of the notice at most."""


class Fitted(NamedTuple):
    """A value within the limit, and what was omitted."""

    value: Any
    left_out: tuple[str, ...]
    """Path and amount: `panes: 40 of 100`."""


class _Cut(Struct):
    """A shortened list or text."""

    whole: Any
    kept: int

    def shorter(self, value: Any, excess: int) -> Any:
        """The present value shortened by `excess` more characters; a list keeps its beginning, a text both ends."""
        if isinstance(self.whole, str):
            self.kept = max(SHORTEST, self.kept - max(excess, _NOTICE_SIZE))
            head = self.kept // 3
            notice = _NOTICE.format(len(self.whole) - self.kept)
            text = self.whole[:head] + notice + self.whole[head - self.kept :]
            return clean_text(text, len(text))
        while excess > 0 and self.kept > 1:
            self.kept -= 1
            excess -= size(value[self.kept]) + 2
        return value[: self.kept]

    def __str__(self) -> str:
        return f"{self.kept} of {len(self.whole)}{' characters' if isinstance(self.whole, str) else ''}"


class _Largest(NamedTuple):
    """The part of a value to shorten next."""

    path: str
    value: Any
    replace: Callable[[Any], None]
    """Replaces it."""


def cleaned(value: Any) -> Any:
    """A copy of a JSON value with all texts and names sanitized."""
    match value:
        case str():
            return clean_text(value, len(value))
        case dict():
            entries = cast("dict[str, Any]", value)
            return {clean_text(name, len(name)): cleaned(each) for name, each in entries.items()}
        case list():
            return [cleaned(each) for each in cast("list[Any]", value)]
        case _:
            return value


def size(value: Any) -> int:
    """The length of a value as JSON."""
    return len(written(value))


def written(value: Any) -> str:
    """A value as JSON for a model."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def fitted(value: dict[str, Any], limit: int) -> Fitted:
    """A JSON object of at most `limit` characters, if possible: repeatedly halves the largest list at its end or
    the longest text in its middle."""
    if size(value) <= limit:
        return Fitted(value, ())
    value, cuts = cleaned(value), dict[str, _Cut]()
    while (excess := size(value) - limit) > 0 and (largest := _find_largest(value)) is not None:
        cut = cuts.setdefault(largest.path, _Cut(largest.value, len(largest.value)))
        largest.replace(cut.shorter(largest.value, min(excess, size(largest.value) // 2)))
    return Fitted(value, tuple(f"{path}: {cut}" for path, cut in cuts.items()))


def tail(text: str, limit: int) -> str:
    """The end of a text, from the beginning of a line if one is near."""
    if len(text) <= limit:
        return text
    start = len(text) - limit
    newline = text.find("\n", start - 1, start + 512)
    return text[max(start, newline + 1) :]


def _find_largest(value: Any, path: str = "", replace: Callable[[Any], None] | None = None) -> _Largest | None:
    """The largest part that can be shortened, as a rule inside of the largest entry: a text, or a list without a
    dominant entry. What is in a smaller entry is found if the larger ones cannot be shortened."""
    parts = list[tuple[int, str, Any, Any]]()
    whole = None
    match value:
        case str():
            if replace is not None and len(value) > SHORTEST + _NOTICE_SIZE:
                return _Largest(path, value, replace)
        case list():
            entries = cast("list[Any]", value)
            whole = _Largest(path, entries, replace) if replace is not None and len(entries) > 1 else None
            parts = [(size(each), f"{path}[{at}]", at, each) for at, each in enumerate(entries)]
            if whole and max(parts, key=_size)[0] * 2 <= sum(map(_size, parts)):
                return whole
        case dict():
            fields = cast("dict[str, Any]", value)
            parts = [(size(each), f"{path}.{name}".lstrip("."), name, each) for name, each in fields.items()]
        case _:
            return None
    for _, name, key, each in sorted(parts, key=_size, reverse=True):
        if found := _find_largest(each, name, _setter(value, key)):
            return found
    return whole


def _size(part: tuple[int, str, Any, Any]) -> int:
    return part[0]


def _setter(container: Any, key: Any) -> Callable[[Any], None]:
    def set_item(value: Any) -> None:
        container[key] = value

    return set_item
