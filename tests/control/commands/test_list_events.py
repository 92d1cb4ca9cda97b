"""Asking what happened, and waiting for what happens next."""

import json
import time

import pytest
from msgspec.structs import replace
from tests.multiplexer.conftest import Room, agent

from fugue_tui.control.commands.list_events import EventInfo, EventList, ListEvents
from fugue_tui.control.core.command import USER
from fugue_tui.control.core.deferred import Deferred
from fugue_tui.errors import Cancelled, NotFound
from fugue_tui.multiplexer.events.derive import EventKind
from fugue_tui.validation.annotations import dump


def asked(room: Room, **more: object) -> EventList:
    found = room.run(ListEvents(**more), agent())  # pyright: ignore[reportArgumentType]
    assert isinstance(found, EventList)
    return found


def waits(room: Room, **more: object) -> Deferred[EventList]:
    found = ListEvents(**more).run(room.mux, USER)  # pyright: ignore[reportArgumentType]
    assert isinstance(found, Deferred)
    return found


def test_what_happened_after_an_event_is_reported_page_by_page(room: Room) -> None:
    room.cat()
    room.cat()
    first = asked(room, after=0, limit=3)
    rest = asked(room, after=first.next)
    assert [event.number for event in (*first.events, *rest.events)] == list(range(1, rest.newest + 1))
    assert rest.next == rest.newest
    assert not first.missed
    assert [event.number for event in asked(room, limit=2).events] == [rest.newest - 1, rest.newest]


def test_kinds_and_panes_narrow_it(room: Room) -> None:
    first, second = room.cat(), room.cat()
    room.say(f"close-pane {second}")
    told = asked(room, after=0, kinds=(EventKind.PANE_OPENED, EventKind.PANE_CLOSED), panes=(str(second),)).events
    assert [(event.kind, event.pane) for event in told] == [("pane-opened", str(second)), ("pane-closed", str(second))]
    assert room.say(f"list-events --after 0 --kinds pane-opened --panes {first}").events[0].pane == str(first)
    with pytest.raises(NotFound):
        asked(room, panes=("nobody",))


def test_a_wait_ends_with_the_first_event_that_is_wanted(room: Room) -> None:
    pane = room.opened("create-pane --on-exit keep -- sh -c 'read x; exit 4'")
    later = waits(room, kinds=(EventKind.EXIT,), wait_ms=100_000)
    room.cat()
    assert not later.done
    room.mux.terminals[pane].write(b"\n")
    (event,) = room.awaited(later).events
    assert (event.kind, event.pane, event.facts["code"]) == ("exit", str(pane), 4)


def test_output_wakes_a_wait(room: Room) -> None:
    pane = room.cat()
    later = waits(room, kinds=(EventKind.OUTPUT,), panes=(str(pane),), wait_ms=100_000)
    room.mux.terminals[pane].write(b"x\n")
    assert room.awaited(later).events[0].facts["bytes"] > 0


def test_a_wait_without_events_ends_empty_and_not_before_its_time(room: Room) -> None:
    room.cat()
    begun = time.monotonic()
    found = room.awaited(waits(room, kinds=(EventKind.BELL,), wait_ms=150))
    assert found.events == ()
    assert found.next == found.newest
    assert time.monotonic() - begun > 0.1
    assert asked(room, after=0, wait_ms=100_000).events


def test_a_cancelled_wait_removes_its_subscription(room: Room) -> None:
    later = waits(room, wait_ms=100_000)
    assert later.cancel()
    with pytest.raises(Cancelled):
        later.result()
    room.until(lambda: not room.mux.wait_service.awake)
    room.cat()
    assert room.mux.event_log.newest > 0


def test_lost_events_are_reported(room: Room) -> None:
    for _ in range(10_010):
        room.mux.event_log.record(EventKind.BELL)
    assert asked(room, after=5).missed
    assert not asked(room, after=10_000).missed


def test_a_restarted_log_is_listed_from_its_start(room: Room) -> None:
    room.cat()
    for wait_ms in (0, 100_000):
        found = asked(room, after=5_000, wait_ms=wait_ms)
        assert found.missed
        assert [event.number for event in found.events] == list(range(1, found.newest + 1))
        assert found.next == found.newest
        assert found.begun == asked(room).begun <= found.events[0].at
    assert asked(room, after=found.next).events == ()
    assert not asked(room, after=found.next).missed


def test_events_come_in_pages_of_what_the_caller_takes(room: Room) -> None:
    for number in range(300):
        room.mux.event_log.record(EventKind.NOTIFICATION, title=f"\u00e9 {number}", body="x" * 200)
    caller = replace(agent(), takes=5_000)
    read, after = list[EventInfo](), 0
    while page := room.run(ListEvents(after=after, limit=1_000), caller).events:
        assert len(json.dumps(dump(page), ensure_ascii=False)) < 5_000
        read += page
        after = room.run(ListEvents(after=after, limit=1_000), caller).next
    assert [event.number for event in read] == list(range(1, room.mux.event_log.newest + 1))
    newest = room.run(ListEvents(limit=1_000), caller).events
    assert newest[-1].number == room.mux.event_log.newest
    assert 5 < len(newest) < 40


def test_one_event_is_returned_however_small_the_limit(room: Room) -> None:
    room.mux.event_log.record(EventKind.NOTIFICATION, title="t" * 1_000, body="b" * 1_000)
    room.mux.event_log.record(EventKind.BELL)
    found = room.run(ListEvents(after=0), replace(agent(), takes=500))
    assert [event.kind for event in found.events] == ["notification"]
    assert found.next == 1
