"""Parses JSON and JSON lines, also between prompts and log lines."""

import json
import math
import re
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any, Final, cast

from fugue_tui.output_analysis.results import Parsed, ParsedKind, line_numbers

CONFIDENCE: Final = 0.99
"""If the whole text is JSON."""
DEEPEST: Final = 64
"""Most levels of nested objects and lists."""
WHOLE: Final = "json document"
"""The parser's name if the text is one document."""
_MAX_TRIES: Final = 12
"""Most lines that are tried as the beginning of a document."""
_OPENING: Final = re.compile(r"\s*[{\[]")
_LINE_END: Final = re.compile(r"[^\S\n]*(?:\n|\Z)")
_MAX_FIELDS: Final = 200
"""Most columns of a table of objects."""


class _Real(float):
    """A number that keeps its source text."""

    written: str

    @classmethod
    def of(cls, word: str) -> "_Real":
        """The number with a source text."""
        found = cls(word)
        found.written = word
        return found


class _Reader:
    """A JSON decoder that keeps what a float or an int cannot represent, and notes it."""

    def __init__(self) -> None:
        self.notes: set[str] = set()
        self.decoder = json.JSONDecoder(
            object_pairs_hook=self._object,
            parse_float=self._real,
            parse_int=self._whole,
            parse_constant=self._constant,
        )

    def document(self, text: str, start: int = 0) -> tuple[Any, int] | None:
        """The value that begins at an index of a text, and its end; None if it is no JSON, or nested too deep."""
        try:
            value, end = self.decoder.raw_decode(text, start)
            return (value, end) if _depth(value) <= DEEPEST else None
        except (ValueError, RecursionError):
            return None

    def whole(self, text: str) -> Any:
        """The object or list that a whole text is; else None."""
        found = self.document(text) if text[:1] + text[-1:] in ("{}", "[]") else None
        return found[0] if found and found[1] == len(text) else None

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            self.notes.add("an object has a key twice; the last one counts")
        return found

    def _real(self, word: str) -> float | str:
        value = _Real.of(word)
        return value if math.isfinite(value) else self._as_text(word)

    def _whole(self, word: str) -> int | str:
        return int(word) if len(word) < 19 else self._as_text(word)

    def _constant(self, word: str) -> str:
        return self._as_text(word)

    def _as_text(self, word: str) -> str:
        self.notes.add("numbers that JSON cannot carry are given as text")
        return word


def read_whole(text: str) -> Parsed | None:
    """The JSON document that a whole text is."""
    reader = _Reader()
    value = reader.whole(text.strip())
    return _result(reader, ParsedKind.JSON, value, (), ()) if value is not None else None


def read_json(lines: Sequence[str], start: int, end: int) -> Parsed | None:
    """The JSON in a range of lines: documents, or an object or a list per line."""
    reader = _Reader()
    return _read_lines(reader, lines, start, end) or _read_document(reader, lines, start, end)


def _read_document(reader: _Reader, lines: Sequence[str], start: int, end: int) -> Parsed | None:
    begins = (at for at in range(start, end) if lines[at].lstrip().startswith(("{", "[")))
    for at in islice(begins, _MAX_TRIES):
        found, last = _documents(reader, lines, at, end)
        if found and (found[0] or at == start):
            outside = [*range(start, at), *range(last, end)]
            kind, value = (ParsedKind.JSONL, found) if len(found) > 1 else (ParsedKind.JSON, found[0])
            return _result(reader, kind, value, outside, lines)
    return None


def _documents(reader: _Reader, lines: Sequence[str], at: int, end: int) -> tuple[list[Any], int]:
    """Consecutive documents from a line on, each on lines of its own, as `jq` prints them; and the line after them."""
    text, found, stop = "\n".join(lines[at:end]), list[Any](), 0
    while begin := _OPENING.match(text, stop):
        document = reader.document(text, begin.end() - 1)
        if document is None or not _LINE_END.match(text, document[1]):
            break
        found.append(document[0])
        stop = document[1]
    return found, at + text.count("\n", 0, stop) + bool(found)


def _read_lines(reader: _Reader, lines: Sequence[str], start: int, end: int) -> Parsed | None:
    records: list[Any] = []
    other: list[int] = []
    for at in range(start, end):
        if value := reader.whole(lines[at].strip()):
            records.append(value)
            continue
        other.append(at)
        if len(other) > 20 and len(other) > 2 * len(records):
            return None
    if len(records) < 2 or len(records) * 2 < sum(bool(lines[at]) for at in other):
        return None
    return _result(reader, ParsedKind.JSONL, records, other, lines)


def _result(reader: _Reader, kind: ParsedKind, value: Any, other: Iterable[int], lines: Sequence[str]) -> Parsed:
    outside = [at for at in other if lines[at].strip()]
    headers, rows = _as_table(value)
    share = 1 - len(outside) / max(len(lines), 1)
    notes = [f"{line_numbers(outside)} outside the JSON, left out"] if outside else []
    return Parsed(
        kind,
        round(CONFIDENCE * (0.8 + 0.2 * share), 2),
        headers,
        rows,
        value,
        parser=WHOLE if not lines else "json",
        notes=(*notes, *sorted(reader.notes)),
    )


def _as_table(value: Any) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Headers and cells of a list of flat objects; a missing key is an empty cell."""
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in cast("list[Any]", value)):
        return (), ()
    records = cast("list[dict[str, Any]]", value)
    names = tuple(dict.fromkeys(name for record in records for name in record))
    flat = all(not isinstance(each, dict | list) for record in records for each in record.values())
    if not flat or not 0 < len(names) <= _MAX_FIELDS:
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
