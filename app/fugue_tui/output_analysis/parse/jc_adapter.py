"""Outputs that are neither tables nor pairs, left to `jc`, which has a parser for each of these commands.

jc takes any text for what its command prints, and makes records of error messages. So it is asked only about text of
the right form. And it guesses where a line is not what it expects, so what it says counts only if every word of it
stands in the text; its values are never converted. It is imported when the first such command is met (20 ms).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from fugue_tui.output_analysis.command_line import Stage, word_set
from fugue_tui.output_analysis.results import Parsed, ParsedKind

SURE: Final = 0.9
"""The belief in what jc read, if all of it stands in the text."""
MOST_TEXT: Final = 1 << 16
"""Characters that jc is given; its patterns are not made for hostile text of any length."""
LONGEST: Final = 1000
"""Characters of a line that jc is given."""


@dataclass(frozen=True, slots=True)
class _Form:
    """What a command prints if all is well, and jc's name for it."""

    name: str
    begins: str = ""
    """A pattern that the first line must match, from its beginning."""
    holds: str = ""
    """A pattern that a line must match, from its beginning."""
    every: str = ""
    """A pattern that every line must match, whole."""
    made: frozenset[str] = frozenset()
    """Fields that jc fills with words of its own."""

    def fits(self, lines: Sequence[str]) -> bool:
        """Whether lines are what the command prints."""
        return (
            bool(lines and re.match(self.begins, lines[0]))
            and any(re.match(self.holds, line) for line in lines)
            and (not self.every or all(re.fullmatch(self.every, line) for line in lines))
        )


_TIMES: Final = r"(?:[*\d][\d*/,-]*\s+){2}"
_DAYS: Final = r"(?:[*\dA-Za-z][\w*/,-]*\s+){3}"
_DAY: Final = r"(?:\d{4}-\d\d-\d\d|[A-Z][a-z]{2} +\d{1,2}) \d\d:\d\d"
_LOSS: Final = r"\d+ packets transmitted, \d+ (?:packets )?received, [\d.]+% packet loss"
_FORMS: Final[Mapping[str, _Form]] = {
    "crontab": _Form("crontab", every=rf"\s*(?:#.*|\w+\s*=.*|@\w+\s+\S.*|{_TIMES}{_DAYS}\S.*)"),
    "dig": _Form("dig", holds=r";; ->>HEADER<<- "),
    "dpkg": _Form("dpkg-l", holds=r"\|\|/ Name "),
    "git log": _Form("git-log", begins=r"commit [0-9a-f]{7,64}(?: \(|$)"),
    "id": _Form("id", begins=r"uid=\d+\("),
    "iptables": _Form("iptables", begins=r"Chain \S+ \("),
    "last": _Form("last", every=rf"\S+ +\S.* {_DAY}.*|\S+ begins .*"),
    "mount": _Form("mount", every=r"\S.* on /.* type \S+ \(.*\)"),
    "ping": _Form("ping", begins=r"PING \S+ ?\(", holds=_LOSS, made=word_set("duplicate duplicates type")),
    "route": _Form("route", holds=r"Destination +Gateway +Genmask "),
    "stat": _Form("stat", begins=r" *File: ", holds=r"Device: .*\sInode: \d"),
    "systemctl": _Form("systemctl", begins=r" *UNIT +LOAD +ACTIVE +SUB "),
    "uptime": _Form("uptime", begins=r" *\d{1,2}:\d\d(?::\d\d)? +up .* load averages?: "),
    "who": _Form("who", every=rf"\S+ +.*{_DAY}.*"),
}
"""Programs, with their subcommand where they have one."""


def read_elsewhere(lines: Sequence[str], start: int, end: int, stage: Stage | None) -> Parsed | None:
    """What jc makes of a range of lines.

    None if the command has no parser, the lines are not what it prints, or not all of the answer is in the text.
    """
    form = _FORMS.get(stage.program) or _FORMS.get(f"{stage.program} {stage.subcommand}") if stage else None
    text = "\n".join(lines[start:end])
    filled = [line for line in lines[start:end] if line.strip()]
    if form is None or len(text) > MOST_TEXT or any(len(line) > LONGEST for line in filled) or not form.fits(filled):
        return None
    found = _parsed(form, text)
    whole = " ".join(text.split())
    if not found or not all(_stands(leaf, whole) for leaf in _leaves(found)):
        return None
    count = len(cast("Sequence[Any]", found)) if isinstance(found, list) else 1
    notes = (f"{count} records out of {len(filled)} lines",) if count != len(filled) else ()
    return Parsed(ParsedKind.RECORDS, SURE, records=found, parser=f"jc {form.name}", notes=notes)


def _parsed(form: _Form, text: str) -> Any:
    import jc

    try:
        found = cast("Any", jc.parse(form.name, text, raw=True, quiet=True))  # pyright: ignore[reportUnknownMemberType]
    except Exception:  # noqa: BLE001  # jc raises whatever its string handling runs into
        return None
    return _own(found, form.made)


def _own(value: Any, made: frozenset[str]) -> Any:
    """The value without the fields that are made up, and with the names beside a commit apart from it."""
    if isinstance(value, list):
        return [_own(each, made) for each in cast("list[Any]", value)]
    if not isinstance(value, dict):
        return value
    fields = {key: _own(each, made) for key, each in cast("dict[str, Any]", value).items() if key not in made}
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


def _stands(leaf: Any, text: str) -> bool:
    """Whether a value stands in the text as it is, whole but for its blanks; a number may have `ms` behind it."""
    written = " ".join(str(leaf).split())
    pattern = rf"(?<![0-9A-Za-z]){re.escape(written)}(?:(?![0-9A-Za-z])|(?=ms\b))"
    return not written or re.search(pattern, text) is not None
