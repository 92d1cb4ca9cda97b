"""Outputs that are neither tables nor pairs, left to `jc`, which has a parser for each of these commands.

jc guesses where a line is not what it expects. What it says counts only if every word of it stands in the text; its
values are never converted. It is imported when the first such command is met (20 ms).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, cast

from fugue_tui.understanding.invocation import Stage
from fugue_tui.understanding.parsed import Kind, Parsed

SURE: Final = 0.9
"""The belief in what jc read, if all of it stands in the text."""
MOST_TEXT: Final = 1 << 16
"""Characters that jc is given; its patterns are not made for hostile text of any length."""
LONGEST: Final = 1000
"""Characters of a line that jc is given."""
_PARSERS: Final[Mapping[str, str]] = {
    "crontab": "crontab",
    "dig": "dig",
    "dpkg": "dpkg-l",
    "git log": "git-log",
    "id": "id",
    "iptables": "iptables",
    "last": "last",
    "mount": "mount",
    "ping": "ping",
    "route": "route",
    "stat": "stat",
    "systemctl": "systemctl",
    "uptime": "uptime",
    "wc": "wc",
    "who": "who",
}
"""Programs, with their subcommand where they have one, and jc's name for their output."""


def read_elsewhere(lines: Sequence[str], start: int, end: int, stage: Stage | None) -> Parsed | None:
    """What jc makes of a range of lines; None if the command has no parser or not all of the answer is in the text."""
    name = _PARSERS.get(stage.program) or _PARSERS.get(f"{stage.program} {stage.subcommand}") if stage else None
    text = "\n".join(lines[start:end])
    if name is None or len(text) > MOST_TEXT or any(len(line) > LONGEST for line in lines[start:end]):
        return None
    found = _parsed(name, text)
    if not found or not all(_stands(leaf, text) for leaf in _leaves(found)):
        return None
    count = len(cast("Sequence[Any]", found)) if isinstance(found, list) else 1
    filled = sum(bool(line.strip()) for line in lines[start:end])
    notes = (f"{count} records out of {filled} lines",) if count != filled else ()
    return Parsed(Kind.RECORDS, SURE, records=found, parser=f"jc {name}", notes=notes)


def _parsed(name: str, text: str) -> Any:
    import jc

    try:
        return cast("Any", jc.parse(name, text, raw=True, quiet=True))  # pyright: ignore[reportUnknownMemberType]
    except Exception:  # noqa: BLE001  # jc raises whatever its string handling runs into
        return None


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
    """Whether a value stands in the text as it is, whole."""
    written = str(leaf)
    if "\n" in written:
        return all(line.strip() in text for line in written.splitlines())
    return not written or re.search(rf"(?<![0-9A-Za-z]){re.escape(written)}(?![0-9A-Za-z])", text) is not None
