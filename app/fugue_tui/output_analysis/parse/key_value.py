"""Blocks of `key: value`, one record or several."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from fugue_tui.output_analysis.command_line import word_set
from fugue_tui.output_analysis.results import Parsed, ParsedKind, line_numbers
from fugue_tui.output_analysis.text_lines import WIDEST

SURE: Final = 0.9
"""The belief in lines that are all pairs."""
MOST_ODD: Final = 0.15
"""The share of lines that may be neither a pair nor go on from one."""
MOST_WORDS: Final = 5
"""Words of a key."""
_COLON: Final = re.compile(r"( *)([^\s:=|][^:=|]{0,60}?)[ \t]*:(?:[ \t]+(.*))?")
_EQUALS: Final = re.compile(r"( *)([^\s:=|][^:=|]{0,60}?)[ \t]+=[ \t]*(.*)")
_VARIABLE: Final = re.compile(r"()([A-Za-z_][\w.]{0,80})=(.*)")
_BAR: Final = re.compile(r"( *)([^\s|][^|]{0,60}?) *\| ?(.*)")
_MORE: Final = re.compile(r" +\| ?(.*)")
_MARK: Final = re.compile(r"-\[ RECORD \d+ \][-+]*|\*{3,} \d+\. row \*{3,}")
_INNER: Final = re.compile(r"\S(?: {2,}|\t+)[A-Za-z][\w ]{0,30}: \S")
CROWDED: Final = 0.6
"""What is left of the belief if lines hold several pairs, of which only the first is read."""
_TIME: Final = re.compile(r"\d{1,4}[-:/]\d|\d+$")
_SAYING: Final = word_set("debug error errors fatal hint info note notice traceback trace warn warning")


@dataclass(slots=True)
class _Records:
    found: list[dict[str, str]] = field(default_factory=list[dict[str, str]])
    odd: list[int] = field(default_factory=list[int])
    pairs: int = 0
    marks: int = 0
    repeated: int = 0
    indent: int = 0
    """How far the first key of the record is set in."""
    fresh: bool = True
    """Whether the next pair begins a new record."""
    holds: bool = False
    """Whether the last key stood alone on its line, so that lines set in further belong to it."""

    def take(self, at: int, text: str, pattern: re.Pattern[str]) -> None:
        """Add one line."""
        found = pattern.fullmatch(text)
        if not text:
            self.fresh = True
        elif _MARK.fullmatch(text):
            self.fresh, self.marks = True, self.marks + 1
        elif found and _is_key(found[2], pattern) and not self._is_inner(text):
            self._add(len(found[1]), found[2], (found[3] or "").strip())
        elif not (pattern is _BAR and self._more(text)) and not self._go_on(text):
            self.odd.append(at)

    def _add(self, indent: int, key: str, value: str) -> None:
        if self.fresh or not self.found or key == next(iter(self.found[-1]), None):
            self.found.append({})
            self.indent, self.fresh = indent, False
        self.repeated += key in self.found[-1]
        self.found[-1].setdefault(key, value)
        self.pairs, self.holds = self.pairs + 1, not value

    def _is_inner(self, text: str) -> bool:
        return self.holds and not self.fresh and len(text) - len(text.lstrip()) > self.indent

    def _more(self, text: str) -> bool:
        """Add a line that psql says the last value goes on in."""
        found = _MORE.fullmatch(text)
        key = next(reversed(self.found[-1]), None) if self.found else None
        if found is None or key is None or not self.found[-1][key].endswith("+"):
            return False
        self.found[-1][key] = f"{self.found[-1][key][:-1].rstrip()}\n{found[1].strip()}"
        return True

    def _go_on(self, text: str) -> bool:
        """Add a line that is set in further than the record's keys to its last value."""
        if not self.found or self.fresh or len(text) - len(text.lstrip()) <= self.indent:
            return False
        key = next(reversed(self.found[-1]))
        self.found[-1][key] = f"{self.found[-1][key]}\n{text.strip()}".strip("\n")
        return True

    @property
    def hopeless(self) -> bool:
        return len(self.odd) > 40 and len(self.odd) > self.pairs


def read_pairs(lines: Sequence[str], start: int, end: int) -> Parsed | None:
    """The records in a range of lines, by the separator that fits most of them."""
    ways = (_read(lines, start, end, pattern) for pattern in (_COLON, _EQUALS, _VARIABLE, _BAR))
    return max((way for way in ways if way is not None), key=lambda way: way.confidence, default=None)


def _read(lines: Sequence[str], start: int, end: int, pattern: re.Pattern[str]) -> Parsed | None:
    records = _Records()
    for at in range(start, end):
        records.take(at, lines[at][:WIDEST], pattern)
        if records.hopeless:
            return None
    return None if pattern is _BAR and not records.marks else _judged(records)


def _judged(records: _Records) -> Parsed | None:
    total = records.pairs + len(records.odd)
    few = records.pairs < 2 * len(records.found) and not records.marks
    if records.pairs < 2 or few or len(records.odd) > MOST_ODD * total or records.repeated > 0.05 * total:
        return None
    names = tuple(dict.fromkeys(name for record in records.found for name in record))
    alike = len(names) <= 1.5 * min(len(record) for record in records.found)
    sure = SURE * (1 - len(records.odd) / total) * (1 if records.pairs > 2 or records.marks else 0.8)
    notes = [f"{line_numbers(records.odd)} held no pair, left out"] if records.odd else []
    if inner := sum(bool(_INNER.search(value)) for record in records.found for value in record.values()):
        sure *= CROWDED
        notes.append(f"{inner} of the values seem to hold further pairs")
    if records.repeated:
        notes.append("a key stands twice in one block; the first value was kept")
    return Parsed(
        ParsedKind.PAIRS,
        round(sure * (1 if alike else 0.9), 2),
        names if alike else (),
        tuple(tuple(record.get(name, "") for name in names) for record in records.found) if alike else (),
        records.found,
        parser="pairs",
        notes=tuple(notes),
    )


def _is_key(key: str, pattern: re.Pattern[str]) -> bool:
    """Whether a word can name a value: no time of day, and before a colon nothing that introduces what is said."""
    parts = key.split()
    saying = pattern is _COLON and parts[0].lower() in _SAYING
    return len(parts) <= MOST_WORDS and not saying and not _TIME.match(key)
