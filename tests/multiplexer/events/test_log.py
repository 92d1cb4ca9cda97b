"""The event log is numbered, bounded, in order, and cheap."""

import time
from collections.abc import Callable
from types import SimpleNamespace

import pytest
from tests.multiplexer.conftest import Room

from fugue_tui.ids import PaneId
from fugue_tui.multiplexer.events import log as log
from fugue_tui.multiplexer.events.derive import EventKind
from fugue_tui.multiplexer.events.log import LogEntry


def kinds(room: Room, after: int = 0) -> list[EventKind]:
    entries, _ = room.mux.event_log.since(after)
    return [entry.kind for entry in entries]


def entries(room: Room, kind: EventKind, pane: PaneId | None = None) -> list[LogEntry]:
    found, _ = room.mux.event_log.since(0)
    return [entry for entry in found if entry.kind is kind and pane in (None, entry.pane)]


def has(room: Room, kind: EventKind, pane: PaneId) -> LogEntry:
    room.until(lambda: entries(room, kind, pane), lambda: f"no {kind} in {kinds(room)}")
    return entries(room, kind, pane)[-1]


def test_what_happens_is_numbered_from_one_without_gaps(room: Room) -> None:
    assert room.mux.event_log.newest == 0
    pane = room.cat("one")
    other = room.cat()
    room.say(f"rename-pane {pane} two")
    room.say(f"focus-pane {pane}")
    room.say(f"close-pane {other}")
    found, missed = room.mux.event_log.since(0)
    assert [entry.number for entry in found] == list(range(1, len(found) + 1))
    assert not missed
    told = [(entry.kind, entry.pane) for entry in found]
    assert told[:4] == [
        (EventKind.WINDOW_OPENED, None),
        (EventKind.PANE_OPENED, pane),
        (EventKind.FOCUS, pane),
        (EventKind.STARTED, pane),
    ]
    assert (EventKind.PANE_RENAMED, pane) in told
    assert (EventKind.PANE_CLOSED, other) in told
    assert EventKind.LAYOUT in kinds(room)
    assert found[0].facts == {"name": "one"} or "name" in found[0].facts


def test_output_comes_as_counts_and_before_the_end_of_its_program(room: Room) -> None:
    pane = room.opened("create-pane --on-exit keep -- sh -c 'printf \"one\\ntwo\\n\"; exit 3'")
    ended = has(room, EventKind.EXIT, pane)
    (printed,) = entries(room, EventKind.OUTPUT, pane)
    assert (printed.facts["bytes"], printed.facts["lines"]) == (10, 2)
    assert printed.number < ended.number
    assert dict(ended.facts) == {"exit": "exit 3", "code": 3, "signal": None}


def test_what_programs_say_is_written_down_and_clean(room: Room) -> None:
    script = r"printf '\a\033]2;a \342\200\256title\007\033]9;hello\007\033]7;file:///tmp\007'; cat"
    pane = room.opened(f'create-pane -- sh -c "{script}"')
    has(room, EventKind.BELL, pane)
    assert has(room, EventKind.TITLE, pane).facts["title"] == "a title"
    assert has(room, EventKind.NOTIFICATION, pane).facts["body"] == "hello"
    assert has(room, EventKind.CWD, pane).facts["cwd"] == "/tmp"


def test_commands_of_a_shell_that_marks_them_are_written_down(room: Room) -> None:
    script = r"printf '\033]133;A\007$ \033]133;B\007make\n\033]133;C\007out\n\033]133;D;2\007'; cat"
    pane = room.opened(f'create-pane -- sh -c "{script}"')
    assert has(room, EventKind.COMMAND_STARTED, pane).facts["number"] == 1
    finished = has(room, EventKind.COMMAND_FINISHED, pane)
    assert finished.facts["exit_code"] == 2
    assert finished.facts["trusted"] is False


def test_the_log_is_bounded_and_says_what_is_lost(room: Room) -> None:
    for _ in range(log.KEPT + 5):
        room.mux.event_log.record(EventKind.BELL, PaneId(1))
    found, missed = room.mux.event_log.since(4)
    assert (len(found), missed) == (log.KEPT, True)
    assert found[0].number == 6
    found, missed = room.mux.event_log.since(5)
    assert (len(found), missed) == (log.KEPT, False)
    assert room.mux.event_log.since(log.KEPT + 5) == ([], False)


def test_subscribers_are_notified_at_once_and_of_output_at_a_bounded_rate(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    timers: list[tuple[float, Callable[[], object]]] = []

    def call_later(seconds: float, call: Callable[[], object]) -> None:
        timers.append((seconds, call))

    monkeypatch.setattr(log, "time", SimpleNamespace(time=time.time, monotonic=lambda: room.now))
    monkeypatch.setattr(log, "call_later", call_later)
    told: list[LogEntry] = []

    def output() -> list[int]:
        return [entry.facts["bytes"] for entry in told if entry.kind is EventKind.OUTPUT]

    stop = room.mux.event_log.follow(told.append)
    pane = room.opened("create-pane -- sh -c 'yes | head -c 200000; echo over; cat'")
    room.shows(pane, "over")
    room.until(output)
    room.mux.terminals[pane].write(b"on\n")
    room.shows(pane, "on\non")
    room.until(lambda: timers)
    (seconds, elapsed), total = timers.pop(), room.mux.terminals[pane].fed
    entries, others = (
        len(output()),
        [entry for entry in told if entry.pane == pane and entry.kind is not EventKind.OUTPUT],
    )
    assert (seconds, timers) == (log.PACE, [])
    assert entries <= 1 + len(others), told  # Output is counted before any other entry of its pane, too.
    room.now += log.PACE
    elapsed()
    assert (len(output()), timers) == (entries + 1, [])
    assert sum(output()) >= total
    stop()
    before = len(told)
    room.mux.terminals[pane].write(b"more\n")
    room.shows(pane, "more")
    room.mux.event_log.record(EventKind.BELL)
    assert len(told) == before


def test_terminals_are_observed_only_while_there_are_subscribers(room: Room) -> None:
    pane = room.cat()
    observers = room.mux.terminals[pane]._observers  # pyright: ignore[reportPrivateUsage]
    assert observers._callbacks == ()  # pyright: ignore[reportPrivateUsage]
    stop = room.mux.event_log.follow(lambda entry: None)
    assert len(observers._callbacks) == 1  # pyright: ignore[reportPrivateUsage]
    stop()
    assert observers._callbacks == ()  # pyright: ignore[reportPrivateUsage]
    assert not room.mux.wait_service.awake
