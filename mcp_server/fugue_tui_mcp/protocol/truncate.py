"""Makes an answer fit to send to a model: every text in it cleaned, and the whole not larger than is allowed. Pure."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, cast

from fugue_tui.sanitize import clean_text

SHORTEST: Final = 64
"""Characters that are left of a text at least."""
_MARK: Final = "\n[... {} characters are left out ...]\n"
_MARK_SIZE: Final = 64
"""Characters that the mark takes at most."""


class Fitted(NamedTuple):
    """A value that fits, and what was left out of it."""

    value: Any
    left_out: tuple[str, ...]
    """Where, and how much: `panes: 40 of 100`."""


@dataclass(slots=True)
class _Cut:
    """A list or a text that is shortened, once or more often."""

    whole: Any
    kept: int

    def shorter(self, excess: int) -> Any:
        """What is left of it when it takes so many characters less; a list keeps its first, a text its ends."""
        if isinstance(self.whole, str):
            self.kept = max(SHORTEST, self.kept - max(excess, _MARK_SIZE))
            head = self.kept // 3
            mark = _MARK.format(len(self.whole) - self.kept)
            text = self.whole[:head] + mark + self.whole[head - self.kept :]
            return clean_text(text, len(text))
        while excess > 0 and self.kept > 1:
            self.kept -= 1
            excess -= size(self.whole[self.kept]) + 2
        return self.whole[: self.kept]

    def __str__(self) -> str:
        return f"{self.kept} of {len(self.whole)}{' characters' if isinstance(self.whole, str) else ''}"


class _Heavy(NamedTuple):
    """The part of a value that is best cut."""

    path: str
    value: Any
    put: Callable[[Any], None]
    """Puts another in its place."""


def cleaned(value: Any) -> Any:
    """A copy of a JSON value in which no text, nor name, holds what a model must not see."""
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
    """The characters that a value takes as JSON."""
    return len(written(value))


def written(value: Any) -> str:
    """A value as JSON for a model."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def fitted(value: dict[str, Any], limit: int) -> Fitted:
    """A JSON object of at most `limit` characters, as far as its shape allows that: the largest lists lose their ends
    and the longest texts their middles, by halves until it fits."""
    if size(value) <= limit:
        return Fitted(value, ())
    value, cuts = cleaned(value), dict[str, _Cut]()
    while (excess := size(value) - limit) > 0 and (heavy := _heaviest(value)) is not None:
        cut = cuts.setdefault(heavy.path, _Cut(heavy.value, len(heavy.value)))
        heavy.put(cut.shorter(min(excess, size(heavy.value) // 2)))
    return Fitted(value, tuple(f"{path}: {cut}" for path, cut in cuts.items()))


def tail(text: str, limit: int) -> str:
    """The end of a text, from the beginning of a line where there is one near."""
    if len(text) <= limit:
        return text
    start = len(text) - limit
    newline = text.find("\n", start - 1, start + 512)
    return text[max(start, newline + 1) :]


def _heaviest(value: Any) -> _Heavy | None:
    """Go to where most of the weight is: a text, or a list of which no one entry is most."""
    path, place = "", None
    while True:
        match value:
            case str():
                return _Heavy(path, value, place) if place is not None and len(value) > SHORTEST + _MARK_SIZE else None
            case list() if place is not None and len(cast("list[Any]", value)) > 1:
                entries = cast("list[Any]", value)
                weights = [size(each) for each in entries]
                at = max(range(len(entries)), key=weights.__getitem__)
                if weights[at] * 2 <= sum(weights):
                    return _Heavy(path, entries, place)
                path, place, value = f"{path}[{at}]", _putter(entries, at), entries[at]
            case list() if value:
                entries = cast("list[Any]", value)
                path, place, value = f"{path}[0]", _putter(entries, 0), entries[0]
            case dict() if value:
                fields = cast("dict[str, Any]", value)
                name = max(fields, key=lambda each: size(fields[each]))
                path, place, value = f"{path}.{name}".lstrip("."), _putter(fields, name), fields[name]
            case _:
                return None


def _putter(container: Any, key: Any) -> Callable[[Any], None]:
    def put(value: Any) -> None:
        container[key] = value

    return put
