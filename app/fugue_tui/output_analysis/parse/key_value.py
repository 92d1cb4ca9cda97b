"""Parses blocks of `key: value`, `key = value` and `key | value` into records."""

import re
from collections.abc import Sequence
from typing import Final

from msgspec import Struct, field

from fugue_tui.output_analysis.command_line import word_set
from fugue_tui.output_analysis.results import Parsed, ParsedKind, line_numbers
from fugue_tui.output_analysis.text_lines import WIDEST

CONFIDENCE: Final = 0.9
"""If all lines are pairs."""
MOST_UNFIT: Final = 0.15
"""The share of lines that may be neither a pair nor its continuation."""
MOST_WORDS: Final = 5
"""Most words of a key."""
_COLON: Final = re.compile(r"( *)([^\s:=|][^:=|]{0,60}?)[ \t]*:(?:[ \t]+(.*))?")
_EQUALS: Final = re.compile(r"( *)([^\s:=|][^:=|]{0,60}?)[ \t]+=[ \t]*(.*)")
_VARIABLE: Final = re.compile(r"()([A-Za-z_][\w.]{0,80})=(.*)")
_BAR: Final = re.compile(r"( *)([^\s|][^|]{0,60}?) *\| ?(.*)")
_MORE: Final = re.compile(r" +\| ?(.*)")
_MARK: Final = re.compile(r"-\[ RECORD \d+ \][-+]*|\*{3,} \d+\. row \*{3,}")
_INNER: Final = re.compile(r"\S(?: {2,}|\t+)[A-Za-z][\w ]{0,30}: \S")
_NESTED: Final = re.compile(r" +(?:- |[A-Za-z_][\w.-]*:(?: |$))")
_STEP: Final = re.compile(r"(?:step|part|chapter|section|figure|example|phase|task) \d+", re.IGNORECASE)
SEVERAL_PAIRS_FACTOR: Final = 0.6
"""Reduces the confidence if lines contain several pairs, of which only the first is parsed."""
_TIME: Final = re.compile(r"\d{1,4}[-:/]\d|\d+$")
_MESSAGE_WORDS: Final = word_set("debug error errors fatal hint info note notice traceback trace warn warning")


class _Records(Struct):
    found: list[dict[str, str]] = field(default_factory=list[dict[str, str]])
    unfit: list[int] = field(default_factory=list[int])
    pairs: int = 0
    marks: int = 0
    repeated: int = 0
    indent: int = 0
    """The indentation of the record's first key."""
    new_record: bool = True
    """Whether the next pair starts a record."""
    inner: int = 0
    """Lines below a key that are pairs or entries of a list themselves."""
    open_key: bool = False
    """Whether the last key had no value on its line, so that lines indented further are its value."""

    def add_line(self, at: int, text: str, pattern: re.Pattern[str]) -> None:
        """Add one line."""
        found = pattern.fullmatch(text)
        if not text:
            self.new_record = True
        elif _MARK.fullmatch(text):
            self.new_record, self.marks = True, self.marks + 1
        elif found and _is_key(found[2], pattern) and not self._is_nested(text):
            self._add(len(found[1]), found[2], (found[3] or "").strip())
        elif not (pattern is _BAR and self._continue_psql_value(text)) and not self._continue_value(text):
            self.unfit.append(at)

    def _add(self, indent: int, key: str, value: str) -> None:
        if self.new_record or not self.found or key == next(iter(self.found[-1]), None):
            self.found.append({})
            self.indent, self.new_record = indent, False
        self.repeated += key in self.found[-1]
        self.found[-1].setdefault(key, value)
        self.pairs, self.open_key = self.pairs + 1, not value

    def _is_nested(self, text: str) -> bool:
        return self.open_key and not self.new_record and len(text) - len(text.lstrip()) > self.indent

    def _continue_psql_value(self, text: str) -> bool:
        """Add a line that psql marks as a continuation of the last value."""
        found = _MORE.fullmatch(text)
        key = next(reversed(self.found[-1]), None) if self.found else None
        if found is None or key is None or not self.found[-1][key].endswith("+"):
            return False
        self.found[-1][key] = f"{self.found[-1][key][:-1].rstrip()}\n{found[1].strip()}"
        return True

    def _continue_value(self, text: str) -> bool:
        """Add a line that is indented further than the record's keys to its last value."""
        if not self.found or self.new_record or len(text) - len(text.lstrip()) <= self.indent:
            return False
        key = next(reversed(self.found[-1]))
        self.inner += bool(_NESTED.match(text))
        self.found[-1][key] = f"{self.found[-1][key]}\n{text.strip()}".strip("\n")
        return True

    @property
    def is_rejected(self) -> bool:
        return len(self.unfit) > 40 and len(self.unfit) > self.pairs


def read_pairs(lines: Sequence[str], start: int, end: int) -> Parsed | None:
    """The records in a range of lines, by the separator with the highest confidence."""
    results = [_read(lines, start, end, pattern) for pattern in (_COLON, _EQUALS, _VARIABLE, _BAR)]
    return max(filter(None, results), key=lambda result: result.confidence, default=None)


def _read(lines: Sequence[str], start: int, end: int, pattern: re.Pattern[str]) -> Parsed | None:
    records = _Records()
    for at in range(start, end):
        records.add_line(at, lines[at][:WIDEST], pattern)
        if records.is_rejected:
            return None
    return None if pattern is _BAR and not records.marks else _result(records)


def _result(records: _Records) -> Parsed | None:
    total = records.pairs + len(records.unfit)
    few = records.pairs < 2 * len(records.found) and not records.marks
    if records.pairs < 2 or few or len(records.unfit) > MOST_UNFIT * total or records.repeated > 0.05 * total:
        return None
    names = tuple(dict.fromkeys(name for record in records.found for name in record))
    alike = len(names) <= 1.5 * min(len(record) for record in records.found)
    confidence = CONFIDENCE * (1 - len(records.unfit) / total) * (1 if records.pairs > 2 or records.marks else 0.8)
    notes = [f"{line_numbers(records.unfit)} are not key and value, left out"] if records.unfit else []
    if inner := sum(bool(_INNER.search(value)) for record in records.found for value in record.values()):
        confidence *= SEVERAL_PAIRS_FACTOR
        notes.append(f"{inner} of the values seem to hold further pairs")
    if records.inner:
        confidence *= SEVERAL_PAIRS_FACTOR
        notes.append(f"{records.inner} lines below a key are pairs or a list themselves, and were not parsed")
    if records.repeated:
        notes.append("a key occurs twice in one block; the first value was kept")
    return Parsed(
        ParsedKind.PAIRS,
        round(confidence * (1 if alike else 0.9), 2),
        names if alike else (),
        tuple(tuple(record.get(name, "") for name in names) for record in records.found) if alike else (),
        records.found,
        parser="pairs",
        notes=tuple(notes),
    )


def _is_key(key: str, pattern: re.Pattern[str]) -> bool:
    """Whether words can be a key: no time, and before a colon no word that introduces a message (`error:`)."""
    parts = key.split()
    message = pattern is _COLON and parts[0].lower() in _MESSAGE_WORDS
    return len(parts) <= MOST_WORDS and not message and not _STEP.fullmatch(key) and not _TIME.match(key)
