"""Results that come later, and commands that answer with one."""

import asyncio
import threading
from types import SimpleNamespace
from typing import Any, cast

import pytest

from fugue_tui.config.model import McpSettings
from fugue_tui.control.core.command import USER, Command, Effect, Origin
from fugue_tui.control.core.deferred import Deferred, Progress, reporter, run_task
from fugue_tui.control.dispatch.dispatcher import Dispatcher
from fugue_tui.control.dispatch.thread_gateway import Answer, Caller, ThreadGateway
from fugue_tui.errors import Cancelled, NotFound, TimedOut
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer.input.lease import Lease
from fugue_tui.multiplexer.pane_contents import PaneContents
from fugue_tui.multiplexer.undo.closed_panes import ClosedPanes
from fugue_tui.workspace.model import Pane

DEADLINE = 40.0


class LaterProbe(Command[str], name="later-probe", effect=Effect.READ):
    """Answer later."""

    pane: str = "%1"

    def run(self, mux: Any, origin: Origin) -> Deferred[str]:
        later = Deferred[str]()
        later.on_cancel = lambda: mux.stopped.append(threading.current_thread())
        mux.asked.append(later)
        return later


class _Main:
    """A main thread that runs what is posted when the test says so."""

    def __init__(self) -> None:
        self.posted: list[Any] = []
        self.asked: list[Deferred[str]] = []
        self.stopped: list[threading.Thread] = []
        self.post = self.posted.append
        self.terminals = {PaneId(1): SimpleNamespace(pid=100)}
        self.workspace = SimpleNamespace(panes={PaneId(1): Pane(PaneId(1))})
        self.contents = PaneContents(cast("Any", self))
        self.permissions = McpSettings(trust="full")
        self.lease = Lease(cast("Any", self), lambda: 0.0)
        self.closed_panes = ClosedPanes(cast("Any", self))
        self.dispatcher = Dispatcher(cast("Any", self))
        self.gate = ThreadGateway(self.dispatcher, self.post)

    def play(self) -> None:
        while self.posted:
            self.posted.pop(0)()

    def outcomes(self) -> list[str]:
        self.play()
        return [entry.outcome for entry in self.dispatcher.audit]


@pytest.fixture
def main() -> _Main:
    return _Main()


def caller() -> Caller:
    return Caller(USER.interface)


def elsewhere(call: Any) -> None:
    thread = threading.Thread(target=call)
    thread.start()
    thread.join(DEADLINE)


def test_a_result_is_settled_once_and_from_any_thread() -> None:
    later, told = Deferred[int](), list[str]()
    later.on_done(lambda: told.append("over"))
    elsewhere(lambda: later.settle(3))
    assert later.done
    assert later.result() == 3
    assert not later.settle(4)
    assert not later.fail(NotFound("nothing"))
    assert later.result() == 3
    later.on_done(lambda: told.append("late"))
    assert told == ["over", "late"]


def test_waiting_for_a_result_ends_with_the_deadline() -> None:
    with pytest.raises(TimeoutError):
        Deferred[int]().result()


def test_cancelling_stops_the_work_once_and_never_after_a_result() -> None:
    stops = list[str]()
    later = Deferred[int](lambda: stops.append("stop"))
    assert later.cancel()
    assert not later.cancel()
    assert not later.settle(1)
    assert isinstance(later.error, Cancelled)
    done = Deferred[int](lambda: stops.append("done"))
    done.settle(1)
    assert not done.cancel()
    assert stops == ["stop"]


async def test_an_error_of_the_task_is_its_result_even_a_bug() -> None:
    async def fail(error: Exception) -> int:
        raise error

    for error in (NotFound("nothing"), ZeroDivisionError("a bug")):
        later = run_task(fail(error))
        await asyncio.sleep(0)
        assert later.error is error


def test_one_of_many_that_end_it_together_wins() -> None:
    for _ in range(50):
        stops, won = race()
        assert sum(won.values()) == 1
        assert (stops == ["stop"]) is won["cancel"]


def race() -> tuple[list[str], dict[str, bool]]:
    stops, won = list[str](), dict[str, bool]()
    later, barrier = Deferred[int](lambda: stops.append("stop")), threading.Barrier(3)
    calls = {"settle": lambda: later.settle(1), "cancel": later.cancel, "fail": lambda: later.fail(NotFound(""))}

    def enter(name: str) -> None:
        barrier.wait(DEADLINE)
        won[name] = calls[name]()

    threads = [threading.Thread(target=enter, args=(name,)) for name in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(DEADLINE)
    return stops, won


def test_progress_is_reported_until_the_result() -> None:
    later, told = Deferred[int](), list[Progress]()
    later.on_progress(told.append)
    later.report("half", 0.5)
    later.settle(1)
    later.report("more")
    assert told == [Progress("half", 0.5)]


async def test_work_that_is_cancelled_has_begun_and_cleans_up_after_its_caller_was_answered() -> None:
    told = list[str]()

    async def work() -> None:
        try:
            told.append("begun")
            await asyncio.Event().wait()
        finally:
            told.append("clean")

    later = run_task(work())
    assert later.cancel()
    assert (later.done, told) == (True, [])
    while "clean" not in told:
        await asyncio.sleep(0)
    assert told == ["begun", "clean"]
    assert isinstance(later.error, Cancelled)


async def test_a_cancelled_task_does_not_continue_when_its_future_is_done() -> None:
    told, wanted = list[str](), asyncio.get_running_loop().create_future()

    async def work() -> None:
        await wanted
        told.append("went on")

    later = run_task(work())
    await asyncio.sleep(0)
    wanted.set_result(None)
    assert later.cancel()
    for _ in range(5):
        await asyncio.sleep(0)
    assert told == []


def test_work_whose_loop_ends_is_reported_as_timed_out() -> None:
    async def begun() -> Deferred[None]:
        later = run_task(asyncio.sleep(60))
        await asyncio.sleep(0)
        return later

    assert isinstance(asyncio.run(begun()).error, TimedOut)


async def test_a_task_reports_its_progress() -> None:
    async def work() -> None:
        await asyncio.to_thread(reporter(), "half", 0.5)

    told = list[Progress]()
    later = run_task(work())
    later.on_progress(told.append)
    while not later.done:
        await asyncio.sleep(0)
    assert told == [Progress("half", 0.5)]


def test_a_deferred_result_is_set_on_the_callers_future(main: _Main) -> None:
    told = list[Progress]()
    answered = main.gate.run(LaterProbe(), caller(), told.append)
    main.play()
    assert not answered.done()
    main.asked[0].report("on the way")
    elsewhere(lambda: main.asked[0].settle("here"))
    assert answered.result(0) == Answer("here", PaneId(1))
    assert told == [Progress("on the way")]


def test_start_and_ending_are_recorded_with_the_time_it_took(main: _Main) -> None:
    main.gate.run(LaterProbe(), caller())
    main.gate.run(LaterProbe(), caller())
    main.gate.run(LaterProbe(), caller())
    main.play()
    main.asked[2].settle("first")
    main.asked[0].fail(NotFound("it is gone; look elsewhere"))
    main.asked[1].fail(ValueError("secret"))
    main.play()
    entries = list(main.dispatcher.audit)
    assert [entry.outcome for entry in entries] == ["started"] * 3 + ["done", "not_found", "internal"]
    assert [entry.reason for entry in entries[3:]] == ["", "it is gone; look elsewhere", "ValueError"]
    assert [entry.seconds is None for entry in entries] == [True] * 3 + [False] * 3


def test_cancelling_later_stops_the_work_on_the_main_thread_once(main: _Main) -> None:
    answered = main.gate.run(LaterProbe(), caller())
    main.play()
    elsewhere(answered.cancel)
    assert not main.stopped
    main.play()
    answered.cancel()
    main.play()
    assert main.stopped == [threading.current_thread()]
    assert not main.asked[0].settle("too late")
    assert main.outcomes() == ["started", "cancelled"]


def test_cancelling_after_the_answer_stops_nothing(main: _Main) -> None:
    answered = main.gate.run(LaterProbe(), caller())
    main.play()
    main.asked[0].settle("here")
    assert not answered.cancel()
    assert main.outcomes() == ["started", "done"]
    assert not main.stopped


def test_what_is_cancelled_before_it_began_does_not_begin(main: _Main) -> None:
    main.gate.run(LaterProbe(), caller()).cancel()
    main.play()
    assert main.asked == main.stopped == main.outcomes() == []


def test_a_result_that_arrives_after_cancelling_is_dropped(main: _Main) -> None:
    answered = main.gate.run(LaterProbe(), caller())
    main.play()
    answered.cancel()
    main.asked[0].settle("crossed")
    main.play()
    assert answered.cancelled()
    assert not main.stopped
    assert main.outcomes() == ["started", "done"]


def test_ending_the_loop_fails_all_pending_results(main: _Main) -> None:
    answered = [main.gate.run(LaterProbe(), caller()) for _ in range(3)]
    main.play()
    main.asked[1].on_cancel = lambda: 1 // 0
    with pytest.raises(ZeroDivisionError):
        main.dispatcher.leave()
    for each in answered:
        with pytest.raises(TimedOut, match="being left"):
            each.result(0)
    assert len(main.stopped) == 2
    assert main.outcomes() == ["started"] * 3 + ["timed_out"] * 3
    main.dispatcher.leave()
    assert len(main.outcomes()) == 6


def test_a_task_that_could_not_begin_before_the_loop_ended_fails_its_result() -> None:
    results: list[Deferred[str]] = []

    async def work() -> str:
        raise AssertionError("it began")

    async def leave() -> None:
        task = asyncio.current_task()
        assert task is not None
        task.add_done_callback(lambda _: results.append(run_task(work())))

    asyncio.run(leave())
    (later,) = results
    assert isinstance(later.error, TimedOut)
    assert not later.cancel()


def test_cancelling_after_the_loop_has_closed_is_harmless() -> None:
    results: list[Deferred[None]] = []

    async def work() -> None:
        await asyncio.Event().wait()

    loop = asyncio.new_event_loop()

    async def begin() -> None:
        results.append(run_task(work()))

    loop.run_until_complete(begin())
    loop.close()
    assert results[0].cancel()
