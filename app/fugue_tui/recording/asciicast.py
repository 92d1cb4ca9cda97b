"""The asciicast format, versions 1 to 3: a header and timed events.

Source: "asciicast v3", "asciicast v2" and "asciicast v1" of the asciinema documentation. Version 3 gives each event the
seconds since the event before it, the others since the beginning (version 1 as version 3). What a file
says is untrusted.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from typing import Any, Final, cast

from msgspec import Struct

from fugue_tui.errors import FugueError
from fugue_tui.geometry import Size

NEWEST: Final = 3
LARGEST: Final = 1 << 28
"""Bytes of the largest file that is read."""
_COLS: Final = 1_500
_ROWS: Final = 800
_LONGEST_SECONDS: Final = 1e7


class BadRecording(FugueError):
    """A file is no recording, or a damaged one."""

    code = "bad_recording"


class EventCode(StrEnum):
    """The kinds of events."""

    OUTPUT = "o"
    """The program printed the data."""
    INPUT = "i"
    """The data was typed."""
    MARKER = "m"
    """A place to jump to, with its label."""
    RESIZE = "r"
    """The terminal has another size, such as 80x24."""
    EXIT = "x"
    """The program ended with an exit status."""


_CODES: Final = {code.value: code for code in EventCode}


class CastEvent(Struct, frozen=True):
    """One event, at its seconds since the beginning."""

    time: float
    code: EventCode
    data: str


class CastHeader(Struct, frozen=True):
    """What a recording says of itself."""

    size: Size
    timestamp: int | None = None
    """When it began, in seconds since the epoch."""
    title: str = ""
    command: str = ""
    term: str = ""
    """The terminal's type, as in TERM."""
    idle_time_limit: float | None = None
    """Seconds that a player shortens pauses to; None for as they were."""


class Cast(Struct, frozen=True):
    """A whole recording."""

    header: CastHeader
    events: tuple[CastEvent, ...]

    @property
    def seconds(self) -> float:
        """How long it is."""
        return self.events[-1].time if self.events else 0.0

    @property
    def markers(self) -> tuple[CastEvent, ...]:
        """The places to jump to."""
        return tuple(event for event in self.events if event.code is EventCode.MARKER)


class CastEncoder:
    """Encodes one recording, line by line. Events come in the order of their times."""

    def __init__(self, version: int = NEWEST) -> None:
        self._version = version
        self._last = 0.0

    def header(self, header: CastHeader) -> bytes:
        """The first line."""
        self._last = 0.0
        about: dict[str, Any] = {"version": self._version}
        if self._version == 2:
            about |= {"width": header.size.cols, "height": header.size.rows}
            about |= {"env": {"TERM": header.term}} if header.term else {}
        else:
            term = {"cols": header.size.cols, "rows": header.size.rows}
            about["term"] = term | ({"type": header.term} if header.term else {})
        optional = ("timestamp", "title", "command", "idle_time_limit")
        return _line(about | {name: value for name in optional if (value := getattr(header, name)) not in (None, "")})

    def event(self, event: CastEvent) -> bytes:
        """A line. Rounding does not add up."""
        if self._version == 2:
            return _line([round(event.time, 6), event.code.value, event.data])
        interval = round(max(0.0, event.time - self._last), 3)
        self._last += interval
        return _line([interval, event.code.value, event.data])


def _line(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def decode(data: bytes) -> Cast:
    """The recording in a file's bytes; an incomplete last line, as after a crash, is left out.

    Raises BadRecording, which names the line."""
    first, _, rest = data.partition(b"\n")
    head = _parsed(first, 1)
    if head is None and data.lstrip()[:1] == b"{":  # Version 1 is one object, often on many lines.
        head, rest = _parsed(data, 1), b""
    if not isinstance(head, dict):
        raise BadRecording("line 1: no header of an asciicast, which is a JSON object")
    about = cast("dict[str, Any]", head)
    match about.get("version"):
        case 1:
            return Cast(_header(about, about), tuple(_timed(_rows(about.get("stdout")), relative=True)))
        case 2:
            return Cast(_header(about, about), tuple(_timed(_lines(rest), relative=False)))
        case 3:
            term = about.get("term")
            return Cast(
                _header(about, cast("dict[str, Any]", term) if isinstance(term, dict) else {}),
                tuple(_timed(_lines(rest), relative=True)),
            )
        case other:
            raise BadRecording(f"line 1: version {str(other)[:20]!a} of asciicast is not known; 1, 2 and 3 are")


def _parsed(line: bytes, number: int) -> object | None:
    """The value of a line; None if it is no JSON."""
    try:
        return cast("object", json.loads(line.decode("utf-8", "replace")))
    except RecursionError:
        raise BadRecording(f"line {number}: nested too deeply") from None
    except ValueError:
        return None


def _header(about: Mapping[str, Any], term: Mapping[str, Any]) -> CastHeader:
    cols, rows = term.get("cols", term.get("width")), term.get("rows", term.get("height"))
    if not (_is_whole(cols) and _is_whole(rows)):
        raise BadRecording("line 1: the header has no size of a terminal")
    env = about.get("env")
    kind = term.get("type") or (cast("dict[str, Any]", env).get("TERM") if isinstance(env, dict) else "")
    limit, began = about.get("idle_time_limit"), about.get("timestamp")
    return CastHeader(
        Size(min(max(cols, 1), _COLS), min(max(rows, 1), _ROWS)),
        int(began) if isinstance(began, int | float) and 0 < began < 1e11 else None,
        _text(about.get("title")),
        _text(about.get("command")),
        _text(kind),
        float(limit) if isinstance(limit, int | float) and 0 < limit < _LONGEST_SECONDS else None,
    )


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _text(value: object) -> str:
    return value[:1_000] if isinstance(value, str) else ""


def _lines(data: bytes) -> Iterator[tuple[int, object]]:
    """The events of a file, with the numbers of their lines; version 3 has comments."""
    lines = data.split(b"\n")
    for number, line in enumerate(lines, 2):
        if not line.strip() or line.startswith(b"#"):
            continue
        value = _parsed(line, number)
        if value is None:
            if number > len(lines):
                return
            raise BadRecording(f"line {number}: no JSON")
        yield number, value


def _rows(stdout: object) -> Iterator[tuple[int, object]]:
    """The events of version 1, which has output alone."""
    if not isinstance(stdout, list):
        raise BadRecording("line 1: version 1 has no list called stdout")
    for number, row in enumerate(cast("list[Any]", stdout), 1):
        yield number, [row[0], "o", row[1]] if isinstance(row, list) and len(cast("list[Any]", row)) == 2 else None


def _timed(rows: Iterable[tuple[int, object]], *, relative: bool) -> Iterator[CastEvent]:
    """The events of known kinds at their times since the beginning, which never go back."""
    now = 0.0
    for number, row in rows:
        fields = cast("list[Any]", row) if isinstance(row, list) else []
        if (
            len(fields) < 3
            or not isinstance(fields[0], int | float)
            or not all(isinstance(at, str) for at in fields[1:3])
        ):
            raise BadRecording(f"line {number}: no event, which is [seconds, kind, text]")
        time, code, data = fields[:3]
        if not 0 <= time < _LONGEST_SECONDS:
            raise BadRecording(f"line {number}: {str(time)[:20]} is no time")
        now = now + float(time) if relative else max(now, float(time))
        if code in _CODES:
            yield CastEvent(now, _CODES[code], data)
