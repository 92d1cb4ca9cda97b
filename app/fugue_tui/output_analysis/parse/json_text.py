"""JSON and JSON lines, also in the midst of prompts and log lines."""

import json
import math
import re
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any, Final, cast

from fugue_tui.output_analysis.results import Parsed, ParsedKind, line_numbers

SURE: Final = 0.99
"""The belief in a text that is JSON from end to end."""
DEEPEST: Final = 64
"""Levels of objects and lists in one another."""
WHOLE: Final = "json document"
"""The parser's name if the text is one document."""
_TRIES: Final = 12
"""Places at which a document may begin."""
_OPENING: Final = re.compile(r"\s*[{\[]")
_LINE_END: Final = re.compile(r"[^\S\n]*(?:\n|\Z)")
_FIELDS: Final = 200
"""Columns of a table made of objects."""


class _Real(float):
    """A number that remembers how it was written."""

    written: str

    @classmethod
    def of(cls, word: str) -> "_Real":
        """The number that a word says."""
        found = cls(word)
        found.written = word
        return found


class _Reader:
    """One reading; remembers what JSON could not say exactly."""

    def __init__(self) -> None:
        self.notes: set[str] = set()
        self.decoder = json.JSONDecoder(
            object_pairs_hook=self._object,
            parse_float=self._real,
            parse_int=self._whole,
            parse_constant=self._constant,
        )

    def document(self, text: str, start: int = 0) -> tuple[Any, int]:
        """The value that begins at an index of a text, and its end. Raises ValueError or RecursionError."""
        value, end = self.decoder.raw_decode(text, start)
        if _depth(value) > DEEPEST:
            raise ValueError("too deep")
        return value, end

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            self.notes.add("an object has a key twice; the last one counts")
        return found

    def _real(self, word: str) -> float | str:
        value = _Real.of(word)
        return value if math.isfinite(value) else self._kept(word)

    def _whole(self, word: str) -> int | str:
        return int(word) if len(word) < 19 else self._kept(word)

    def _constant(self, word: str) -> str:
        return self._kept(word)

    def _kept(self, word: str) -> str:
        self.notes.add("numbers that JSON cannot carry are given as text")
        return word


def read_whole(text: str) -> Parsed | None:
    """The JSON document that a text is from end to end."""
    reader = _Reader()
    text = text.strip()
    if not text.startswith(("{", "[")):
        return None
    try:
        value, end = reader.document(text)
    except (ValueError, RecursionError):
        return None
    return _told(reader, ParsedKind.JSON, value, (), ()) if end == len(text) else None


def read_json(lines: Sequence[str], start: int, end: int) -> Parsed | None:
    """The JSON in a range of lines: one document, or an object or a list a line."""
    reader = _Reader()
    return _read_lines(reader, lines, start, end) or _read_document(reader, lines, start, end)


def _read_document(reader: _Reader, lines: Sequence[str], start: int, end: int) -> Parsed | None:
    begins = (at for at in range(start, end) if lines[at].lstrip().startswith(("{", "[")))
    for at in islice(begins, _TRIES):
        found, last = _documents(reader, lines, at, end)
        if found and (found[0] or at == start):
            outside = [*range(start, at), *range(last, end)]
            kind, value = (ParsedKind.JSONL, found) if len(found) > 1 else (ParsedKind.JSON, found[0])
            return _told(reader, kind, value, outside, lines)
    return None


def _documents(reader: _Reader, lines: Sequence[str], at: int, end: int) -> tuple[list[Any], int]:
    """The documents that begin at a line, one after the other, each on lines of its own, as `jq` writes them; and the
    line behind them."""
    text, found, stop = "\n".join(lines[at:end]), list[Any](), 0
    while begin := _OPENING.match(text, stop):
        try:
            value, stop_at = reader.document(text, begin.end() - 1)
        except (ValueError, RecursionError):
            break
        if not _LINE_END.match(text, stop_at):
            break
        found.append(value)
        stop = stop_at
    return found, at + text.count("\n", 0, stop) + bool(found)


def _read_lines(reader: _Reader, lines: Sequence[str], start: int, end: int) -> Parsed | None:
    records: list[Any] = []
    other: list[int] = []
    for at in range(start, end):
        value = _record(reader, lines[at].strip())
        if value is None:
            other.append(at)
            if len(other) > 20 and len(other) > 2 * len(records):
                return None
        else:
            records.append(value)
    if len(records) < 2 or len(records) * 2 < sum(bool(lines[at]) for at in other):
        return None
    return _told(reader, ParsedKind.JSONL, records, other, lines)


def _record(reader: _Reader, text: str) -> Any:
    if not (text.startswith("{") and text.endswith("}")) and not (text.startswith("[") and text.endswith("]")):
        return None
    try:
        value, end = reader.document(text)
    except (ValueError, RecursionError):
        return None
    return value if end == len(text) and value else None


def _told(reader: _Reader, kind: ParsedKind, value: Any, other: Iterable[int], lines: Sequence[str]) -> Parsed:
    outside = [at for at in other if lines[at].strip()]
    headers, rows = _tabled(value)
    share = 1 - len(outside) / max(len(lines), 1)
    notes = [f"{line_numbers(outside)} outside the JSON, left out"] if outside else []
    return Parsed(
        kind,
        round(SURE * (0.8 + 0.2 * share), 2),
        headers,
        rows,
        value,
        parser=WHOLE if not lines else "json",
        notes=(*notes, *sorted(reader.notes)),
    )


def _tabled(value: Any) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Headers and cells, if it is a list of objects that hold no others; a key that is not there is an empty cell."""
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in cast("list[Any]", value)):
        return (), ()
    records = cast("list[dict[str, Any]]", value)
    names = tuple(dict.fromkeys(name for record in records for name in record))
    flat = all(not isinstance(each, dict | list) for record in records for each in record.values())
    if not flat or not 0 < len(names) <= _FIELDS:
        return (), ()
    return names, tuple(tuple(_cell(record[name]) if name in record else "" for name in names) for record in records)


def _cell(value: Any) -> str:
    if isinstance(value, str):
        return value
    return value.written if isinstance(value, _Real) else json.dumps(value)


def _depth(value: Any) -> int:
    """The number of levels of objects and lists. Raises RecursionError."""
    parts = cast("dict[str, Any]", value).values() if isinstance(value, dict) else value
    return 1 + max(map(_depth, cast("Iterable[Any]", parts)), default=0) if isinstance(value, dict | list) else 1
