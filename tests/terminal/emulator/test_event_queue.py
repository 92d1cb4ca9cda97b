"""The queue of a terminal's events: order, bounds, and what is counted instead of kept."""

import pytest

from fugue_tui.terminal.emulator.event_queue import FULL, KEPT, MOST, EventQueue
from fugue_tui.terminal.emulator.events import (
    Bell,
    ClipboardWrite,
    CwdChanged,
    Event,
    EventsDropped,
    Notification,
    PromptMark,
    TitleChanged,
)


def test_a_few_events_come_out_as_they_went_in() -> None:
    queue = EventQueue[Event]()
    events: list[Event] = [
        TitleChanged("a"),
        PromptMark("A"),
        TitleChanged("b"),
        Bell(),
        CwdChanged("/"),
        PromptMark("B"),
    ]
    for event in events:
        queue.put(event)
    assert queue.take() == events
    assert queue.take() == []
    assert not queue


@pytest.mark.slow
def test_a_flood_of_notifications_leaves_the_newest_and_a_count() -> None:
    queue = EventQueue[Event]()
    for number in range(100_000):
        queue.put(Notification("", str(number)))
        queue.put(ClipboardWrite(str(number)))
        queue.put(Bell())
    assert len(queue) == KEPT + 2 + 1
    dropped, *kept = queue.take()
    assert dropped == EventsDropped(100_000 - KEPT + 100_000 - 1)
    assert [event for event in kept if isinstance(event, Notification)] == [
        Notification("", str(number)) for number in range(100_000 - KEPT, 100_000)
    ]
    assert [event for event in kept if not isinstance(event, Notification)] == [ClipboardWrite("99999"), Bell()]


def test_marks_are_never_thinned_before_the_queue_has_been_full_for_long() -> None:
    queue = EventQueue[Event]()
    marks = [PromptMark("D", exit_code=number) for number in range(MOST)]
    for mark in marks[: FULL - 1]:
        queue.put(mark)
    assert not queue.full
    for mark in marks[FULL - 1 :]:
        queue.put(mark)
    assert queue.full
    assert queue.take() == marks
    assert not queue.full
    for _ in range(10 * MOST):
        queue.put(PromptMark("A"))
    assert queue.take() == [EventsDropped(9 * MOST), *[PromptMark("A")] * MOST]


def test_counts_of_dropped_events_add_up() -> None:
    queue = EventQueue[Event]()
    queue.put(EventsDropped(3))
    queue.put(Bell())
    queue.put(EventsDropped(4))
    assert queue.take() == [EventsDropped(7), Bell()]
