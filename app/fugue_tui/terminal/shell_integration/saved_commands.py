"""What is kept of a terminal beside its text: the commands that its shell ran, and where its view was scrolled to.

It is saved with the text, as places in it, and comes back with it: what the newest commands printed can be read again.
A command that ran at the time counts as over, without an exit code.
"""

import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Annotated, Any, Final, NamedTuple, TypeAlias, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from fugue_tui.errors import InvalidArgument
from fugue_tui.terminal.emulator.command_record import CommandRecord
from fugue_tui.terminal.emulator.protocol import Emulator
from fugue_tui.terminal.emulator.save_format import unpack
from fugue_tui.terminal.screen.pins import Pin, Point
from fugue_tui.validation.annotations import Record
from fugue_tui.validation.field_types import Bounds, Integer, ListOf, Number, Text, Unchecked

MOST: Final = 500
"""Commands that are kept, the newest."""
MOST_CHARACTERS: Final = 1 << 18
"""Characters of their lines and directories."""

_T = TypeVar("_T")
LineFilter: TypeAlias = Callable[[str], str]
Span: TypeAlias = tuple[Point, Point] | None


def _span_of(numbers: list[int]) -> Span:
    first, last = Point(*numbers[:2]), Point(*numbers[2:])
    return (first, last) if first <= last else None


_LINE: Final = Integer(Bounds(ge=0, lt=1 << 31), strict=True)
_TEXT: Final = Text(escapes=True)
_TIME: Final = Number(Bounds(ge=0, lt=1 << 53))


class _Command(NamedTuple):
    number: Annotated[int, Integer(Bounds(ge=1, lt=1 << 53), strict=True)]
    line: Annotated[str, _TEXT]
    cwd: Annotated[str, _TEXT]
    started: Annotated[float, _TIME]
    ended: Annotated[float | None, _TIME] = None
    exit: Annotated[int | None, _LINE] = None
    trusted: bool = False
    span: Annotated[Span, ListOf(_LINE, _span_of, Bounds(ge=4, le=4))] = None


class _Past(NamedTuple):
    commands: Annotated[tuple[Any, ...], ListOf(Unchecked())] = ()
    view: Annotated[int | None, _LINE] = None


class SavedText(Struct, frozen=True):
    """What is known of a text."""

    commands: tuple[CommandRecord, ...] = ()
    """Without their pins, oldest first."""
    spans: tuple[Span, ...] = ()
    """For each of them where its output starts and stops; None if that is not known."""
    view: Point | None = None
    """The line at the top of the view; None if it was not scrolled back."""


class TerminalHandover(Struct, frozen=True):
    """The emulator, commands and title that a new terminal continues with."""

    emulator: Emulator
    commands: tuple[CommandRecord, ...] = ()
    """Those whose text the emulator holds."""
    title: str = ""
    """Untrusted."""


def frozen(emulator: Emulator, records: Sequence[CommandRecord], line_filter: LineFilter = str) -> Callable[[], bytes]:
    """Serializes, later and without the lock, a snapshot made now under the lock.

    `line_filter` removes secrets from a command line."""
    back, now = emulator.scrollback, time.time()
    view = Point(back.top) if back.offset else None
    here = emulator.pin().still() if records and records[-1].running else None
    kept = [(record, _span(record, here)) for record in records[-MOST:]]
    return lambda: _written(kept, view, line_filter, now)


def recall(emulator: Emulator, data: bytes) -> tuple[CommandRecord, ...]:
    """For a fresh emulator: have the text of a save, scrolled back to where it was; the commands that ran in it, with
    their pins. Raises SaveError, and then changes nothing."""
    past = read(unpack(data).past)
    ends = [place for span in past.spans if span for place in span]
    found = iter(emulator.recall(data, [*ends, *((past.view,) if past.view else ())]))
    commands = tuple(
        _pinned(emulator, record, next(found), next(found)) if span else record
        for record, span in zip(past.commands, past.spans, strict=True)
    )
    if past.view and (top := next(found)):
        emulator.scroll(emulator.scrollback.lines - top.line)
    return commands


def read(data: bytes) -> SavedText:
    """What `frozen` wrote; invalid records are left out; empty for other data."""
    try:
        past = _salvaged(_Past, json.loads(data) if data else {})
    except (ValueError, RecursionError, InvalidArgument):
        return SavedText()
    found = list(_valid(past.commands[-MOST:]))
    view = None if past.view is None else Point(past.view)
    return SavedText(tuple(map(_record, found)), tuple(each.span for each in found), view)


def placeless(data: bytes) -> bytes:
    """What `frozen` wrote, for a text of which not all is kept: the commands, and no places."""
    past = read(data)
    return json.dumps({"commands": [_entry(record, None, str, record.started_at) for record in past.commands]}).encode()


def _span(record: CommandRecord, here: Point | None) -> Span:
    """Where a command's output starts and stops; for one that runs, `here` is where it writes."""
    if record.start is None or record.start.alternate or (record.stop and record.stop.alternate):
        return None
    first, last = record.start.still(), record.stop.still() if record.stop else here
    return (first, last) if first and last and first <= last else None


def _written(
    kept: Iterable[tuple[CommandRecord, Span]], view: Point | None, line_filter: LineFilter, now: float
) -> bytes:
    commands, left = list[dict[str, Any]](), MOST_CHARACTERS
    for record, span in reversed(list(kept)):
        left -= len(record.line) + len(record.cwd)
        if left < 0:
            break
        commands.append(_entry(record, span, line_filter, now))
    return json.dumps({"view": view.line if view else None, "commands": commands[::-1]}).encode()


def _entry(record: CommandRecord, span: Span, line_filter: LineFilter, now: float) -> dict[str, Any]:
    return {
        "number": record.number,
        "line": line_filter(record.line),
        "cwd": record.cwd,
        "started": record.started_at,
        "ended": now if record.ended_at is None else record.ended_at,
        "exit": record.confirmed_exit_code,
        "trusted": record.trusted,
        "span": span and [span[0].line, span[0].column, span[1].line, span[1].column],
    }


def _salvaged(kind: type[_T], value: Any) -> _T:
    return Record(kind, closed=False).salvage(value, "", lambda fault: None)


def _valid(entries: Sequence[Any]) -> Iterator[_Command]:
    """The commands in a list that can be read, their numbers ascending."""
    last = 0
    for entry in entries:
        try:
            found = _salvaged(_Command, entry)
        except InvalidArgument:
            continue
        if found.number > last:
            last = found.number
            yield found


def _record(found: _Command) -> CommandRecord:
    began = time.monotonic() - max(0.0, time.time() - found.started)
    seconds = max(0.0, found.ended - found.started) if found.ended is not None else 0.0
    return CommandRecord(
        found.number, found.line, found.cwd, began, found.started, found.trusted,
        began + seconds, found.started + seconds, found.exit,
    )  # fmt: skip


def _pinned(emulator: Emulator, record: CommandRecord, first: Point | None, last: Point | None) -> CommandRecord:
    """A command with pins where its output is now."""
    if first is None or last is None:
        return record
    return replace(record, start=emulator.pin(first), stop=emulator.pin(last))


def repinned(emulator: Emulator, record: CommandRecord) -> CommandRecord:
    """A command of another terminal with the same emulator, with pins that use this terminal's lock."""

    def again(pin: Pin | None) -> Pin | None:
        place = pin and pin.still()
        return emulator.pin(place) if place else None

    start, stop = again(record.start), again(record.stop)
    return replace(record, start=start, stop=stop) if start and stop else replace(record, start=None, stop=None)
