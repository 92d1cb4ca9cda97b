"""Parses the output of commands that print neither tables nor pairs, with the library jc.

jc accepts any text and makes records of error messages. So a text must first match the command's format. jc also
guesses where a line is not as expected, so its result is rejected unless all values occur in the text; values are not
converted. It is imported for the first such command (20 ms).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, cast

from msgspec import Struct

from fugue_tui.output_analysis.command_line import Stage, word_set
from fugue_tui.output_analysis.results import Parsed, ParsedKind

CONFIDENCE: Final = 0.9
"""The confidence in jc's result if all of it occurs in the text."""
MOST_TEXT: Final = 1 << 16
"""Most characters of a text that jc parses; its patterns are not safe for untrusted text of any length."""
LONGEST: Final = 1000
"""Most characters of a line that jc parses."""


class _Format(Struct, frozen=True):
    """The format of a command's output without errors, and the name of jc's parser."""

    name: str
    first_line: str = ""
    """A pattern that the beginning of the first line must match."""
    some_line: str = ""
    """A pattern that the beginning of some line must match."""
    every_line: str = ""
    """A pattern that every whole line must match."""
    generated: frozenset[str] = frozenset()
    """Fields with values that jc generates."""

    def fits(self, lines: Sequence[str]) -> bool:
        """Whether non-blank lines are in the format."""
        return (
            bool(lines and re.match(self.first_line, lines[0]))
            and any(re.match(self.some_line, line) for line in lines)
            and (not self.every_line or all(re.fullmatch(self.every_line, line) for line in lines))
        )


_TIMES: Final = r"(?:[*\d][\d*/,-]*\s+){2}"
_DAYS: Final = r"(?:[*\dA-Za-z][\w*/,-]*\s+){3}"
_DAY: Final = r"(?:\d{4}-\d\d-\d\d|[A-Z][a-z]{2} +\d{1,2}) \d\d:\d\d"
_LOSS: Final = r"\d+ packets transmitted, \d+ (?:packets )?received, [\d.]+% packet loss"
_FORMATS: Final[Mapping[str, _Format]] = {
    "crontab": _Format("crontab", every_line=rf"\s*(?:#.*|\w+\s*=.*|@\w+\s+\S.*|{_TIMES}{_DAYS}\S.*)"),
    "dig": _Format("dig", some_line=r";; ->>HEADER<<- "),
    "dpkg": _Format("dpkg-l", some_line=r"\|\|/ Name "),
    "git log": _Format("git-log", first_line=r"commit [0-9a-f]{7,64}(?: \(|$)"),
    "id": _Format("id", first_line=r"uid=\d+\("),
    "iptables": _Format("iptables", first_line=r"Chain \S+ \("),
    "last": _Format("last", every_line=rf"\S+ +\S.* {_DAY}.*|\S+ begins .*"),
    "mount": _Format("mount", every_line=r"\S.* on /.* type \S+ \(.*\)"),
    "ping": _Format("ping", r"PING \S+ ?\(", some_line=_LOSS, generated=word_set("duplicate duplicates type")),
    "route": _Format("route", some_line=r"Destination +Gateway +Genmask "),
    "stat": _Format("stat", first_line=r" *File: ", some_line=r"Device: .*\sInode: \d"),
    "systemctl": _Format("systemctl", first_line=r" *UNIT +LOAD +ACTIVE +SUB "),
    "uptime": _Format("uptime", first_line=r" *\d{1,2}:\d\d(?::\d\d)? +up .* load averages?: "),
    "who": _Format("who", every_line=rf"\S+ +.*{_DAY}.*"),
}
"""By program, or program and subcommand."""


def read_with_jc(lines: Sequence[str], start: int, end: int, stage: Stage | None) -> Parsed | None:
    """The records that jc parses from a range of lines.

    None if the command has no parser, the lines are not in its format, or a value does not occur in the text.
    """
    known = _FORMATS.get(stage.program) or _FORMATS.get(f"{stage.program} {stage.subcommand}") if stage else None
    text = "\n".join(lines[start:end])
    filled = [line for line in lines[start:end] if line.strip()]
    if known is None or len(text) > MOST_TEXT or any(len(line) > LONGEST for line in filled) or not known.fits(filled):
        return None
    records = _parsed(known, text)
    words = " ".join(text.split())
    if not records or not all(_occurs(leaf, words) for leaf in _leaves(records)):
        return None
    count = len(cast("Sequence[Any]", records)) if isinstance(records, list) else 1
    notes = (f"{count} records out of {len(filled)} lines",) if count != len(filled) else ()
    return Parsed(ParsedKind.RECORDS, CONFIDENCE, records=records, parser=f"jc {known.name}", notes=notes)


def _parsed(known: _Format, text: str) -> Any:
    import jc

    try:
        records = cast("Any", jc.parse(known.name, text, raw=True, quiet=True))  # pyright: ignore[reportUnknownMemberType]
    except Exception:  # noqa: BLE001  # jc raises whatever its string handling runs into
        return None
    return _cleaned(records, known.generated)


def _cleaned(value: Any, generated: frozenset[str]) -> Any:
    """The value without generated fields, and with the refs of a commit in a field of their own."""
    if isinstance(value, list):
        return [_cleaned(each, generated) for each in cast("list[Any]", value)]
    if not isinstance(value, dict):
        return value
    pairs = cast("dict[str, Any]", value).items()
    fields = {key: _cleaned(each, generated) for key, each in pairs if key not in generated}
    commit, decorated, refs = str(fields.get("commit", "")).partition(" (")
    return fields | {"commit": commit, "refs": refs.removesuffix(")")} if decorated else fields


def _leaves(value: Any) -> Iterator[Any]:
    level: list[Any] = [value]
    while level:
        each = level.pop()
        if isinstance(each, Mapping):
            level.extend(cast("Mapping[str, Any]", each).values())
        elif isinstance(each, list | tuple):
            level.extend(cast("Sequence[Any]", each))
        elif each is not None:
            yield each


def _occurs(leaf: Any, text: str) -> bool:
    """Whether a value occurs in the text, in whole words and apart from blanks; `ms` may follow a number."""
    written = " ".join(str(leaf).split())
    pattern = rf"(?<![0-9A-Za-z]){re.escape(written)}(?:(?![0-9A-Za-z])|(?=ms\b))"
    return not written or re.search(pattern, text) is not None
