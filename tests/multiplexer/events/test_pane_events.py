"""Events of a pane's program reach the main thread bounded, in order, one post at a time."""

from collections import deque
from collections.abc import Callable
from typing import Any, cast

import pytest
from msgspec.structs import replace
from tests.multiplexer.conftest import Room

from fugue_tui.ids import PaneId
from fugue_tui.multiplexer.events.pane_events import PACE, PaneEvent, PaneReports, Started, TerminalWatcher
from fugue_tui.terminal.emulator.command_record import CommandRecord
from fugue_tui.terminal.emulator.event_queue import FULL, KEPT
from fugue_tui.terminal.emulator.events import (
    Bell,
    CommandFinished,
    Event,
    EventsDropped,
    Notification,
    PromptMark,
    TitleChanged,
)
from fugue_tui.terminal.pty.spawn import Exit
from fugue_tui.terminal.terminal import Terminal

PANE = PaneId(1)


class Owner:
    """The main-thread queue, which the test runs, and a terminal that can be paused."""

    def __init__(self) -> None:
        self.posts: deque[Callable[[], None]] = deque()
        self.timers: list[tuple[float, Callable[[], None]]] = []
        self.reported: list[Any] = []
        self.paused: list[bool] = []
        self.terminal = cast("Terminal", self)
        self.listener = TerminalWatcher(PANE, self.posts.append, self.later, self)

    def later(self, seconds: float, call: Callable[[], None]) -> None:
        self.timers.append((seconds, call))

    def pause_output(self, *, paused: bool) -> None:
        self.paused.append(paused)

    def pane_changed(self, pane: PaneId, terminal: Terminal) -> None: ...

    def pane_event(self, pane: PaneId, terminal: Terminal, event: Event) -> None:
        self.reported.append(event)

    def pane_ended(self, pane: PaneId, terminal: Terminal, exit: Exit) -> None:
        self.reported.append(exit)

    def emit(self, *events: Event) -> None:
        for event in events:
            self.listener.on_event(self.terminal, event)

    def run_posts(self) -> None:
        while self.posts:
            self.posts.popleft()()

    def elapse(self) -> None:
        timers, self.timers = self.timers, []
        for _, call in timers:
            call()
        self.run_posts()


def test_events_are_reported_in_order_and_before_the_end() -> None:
    owner = Owner()
    events: list[Event] = [TitleChanged("a"), PromptMark("A"), Bell(), TitleChanged("b")]
    owner.emit(*events)
    owner.listener.ended(owner.terminal, Exit(0))
    owner.run_posts()
    assert owner.reported == [*events, Exit(0)]
    assert owner.paused == []
    assert owner.timers == []


@pytest.mark.slow
def test_a_hundred_thousand_notifications_cause_one_post_and_leave_a_count() -> None:
    owner = Owner()
    owner.emit(*[Notification("", str(number)) for number in range(100_000)])
    assert len(owner.posts) == 1
    owner.run_posts()
    newest = [Notification("", str(number)) for number in range(100_000 - KEPT, 100_000)]
    assert owner.reported == [EventsDropped(100_000 - KEPT), *newest]


def test_after_a_flood_there_is_a_pause_before_the_next_look() -> None:
    owner = Owner()
    owner.emit(*[Notification("", "")] * 100)
    owner.run_posts()
    owner.emit(Notification("", "last"))
    assert not owner.posts
    assert [seconds for seconds, _ in owner.timers] == [PACE]
    owner.elapse()
    assert owner.reported[-1] == Notification("", "last")
    assert owner.timers == []
    owner.emit(Bell())
    owner.run_posts()
    assert owner.reported[-1] == Bell()


def test_output_is_not_read_while_many_marks_wait_and_none_is_lost() -> None:
    owner = Owner()
    marks = [PromptMark("D", exit_code=number) for number in range(FULL + 10)]
    owner.emit(*marks)
    assert owner.paused == [True]
    owner.run_posts()
    assert owner.reported == marks
    assert owner.paused == [True, False]


def test_other_work_comes_between_the_events_of_a_pane() -> None:
    owner = Owner()
    owner.emit(PromptMark("A"), PromptMark("B"), PromptMark("C"))
    owner.posts.append(lambda: owner.reported.append("a key"))
    owner.run_posts()
    assert owner.reported.index("a key") == 1


def test_a_callback_that_raises_does_not_stop_the_next_event() -> None:
    owner = Owner()
    tell, broken = owner.reported.append, list[Event]()

    def fail(pane: PaneId, terminal: Terminal, event: Event) -> None:
        broken.append(event)
        raise RuntimeError("a fault")

    owner.pane_event = fail
    owner.emit(Bell(), TitleChanged("a"))
    for _ in range(2):
        try:
            owner.run_posts()
        except RuntimeError:
            tell("fault")
    assert broken == [Bell(), TitleChanged("a")]
    assert owner.reported == ["fault", "fault"]


@pytest.mark.slow
def test_a_program_that_floods_with_marks_is_paused_and_none_is_lost(room: Room) -> None:
    count, told = 5_000, list[PaneEvent]()
    room.mux.on_event.connect(lambda pane, event: told.append(event))
    script = f"stty raw; i=0; while [ $i -lt {count} ]; do i=$((i+1)); printf '\\033]133;D;%d\\a' $i; done; echo over"
    pane = room.opened(f'create-pane --command "{script}"')
    listener = room.mux.terminals[pane]._watcher  # pyright: ignore[reportPrivateUsage]
    assert isinstance(listener, TerminalWatcher)
    room.until(lambda: listener._paused, playing=False)  # pyright: ignore[reportPrivateUsage]
    assert room.mux.terminals[pane].exit is None
    assert told == [Started()]
    room.ended(pane)
    codes = [event.exit_code for event in told if isinstance(event, PromptMark)]
    assert codes == list(range(1, count + 1))
    assert not [event for event in told if isinstance(event, EventsDropped)]


def test_the_status_that_another_program_may_have_reported_is_unknown() -> None:
    reports = PaneReports()
    record = CommandRecord(1, "make", "", 0.0, 0.0, trusted=True, ended=1.0, exit_code=0)
    reports.record(CommandFinished(record))
    assert reports.last_status == 0
    reports.record(CommandFinished(replace(record, unconfirmed=True)))
    assert reports.last_status is None
