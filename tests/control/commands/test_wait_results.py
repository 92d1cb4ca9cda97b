"""What ends a wait besides what it is for: ends, silence, time, a word too many; and what it is told."""

import pytest
from tests.control.wait_helpers import begun, enter, ran, sh, waited
from tests.multiplexer.conftest import Room, agent

from fugue_tui.control.commands.wait import MAX_TIMEOUT, PatternSpec, WaitForOutput
from fugue_tui.control.core.command import USER
from fugue_tui.control.core.deferred import Deferred
from fugue_tui.errors import Cancelled, InvalidArgument, NotFound
from fugue_tui.multiplexer.watch.wait import WaitOutcome


@pytest.mark.slow
def test_output_before_the_exit_matches_before_the_exit_ends_the_wait(room: Room) -> None:
    for _ in range(20):
        pane = sh(room, "echo done; exit 3")
        later = begun(room, pane, "done", exit=True)
        over = begun(room, pane, "never")
        enter(room, pane)
        assert room.awaited(later).outcome is WaitOutcome.MATCHED
        ended = room.awaited(over)
        assert ended.outcome is WaitOutcome.EXITED
        assert ended.exit is not None
        assert "3" in ended.exit
        assert ended.screen is not None
        assert "done" in ended.screen
        room.say(f"close-pane {pane}")


def test_a_program_that_has_ended_is_reported_at_once(room: Room) -> None:
    pane = sh(room, "echo over")
    cursor = waited(room, pane, idle_ms=1).cursor
    enter(room, pane)
    room.ended(pane)
    assert waited(room, pane, "more").outcome is WaitOutcome.EXITED
    assert waited(room, pane, exit=True).outcome is WaitOutcome.EXITED
    assert waited(room, pane, "over", cursor=cursor).outcome is WaitOutcome.MATCHED


def test_the_end_of_a_pane_that_closes_with_its_program_is_an_exit(room: Room) -> None:
    pane = room.opened("create-pane --on-exit close --command 'cat'")
    later = begun(room, pane, "never")
    room.mux.terminals[pane].write(b"\x04")
    assert room.awaited(later).outcome is WaitOutcome.EXITED


def test_closing_the_pane_ends_the_wait(room: Room) -> None:
    pane = room.cat()
    later = begun(room, pane, "never", exit=True)
    room.say(f"close-pane {pane}")
    found = room.awaited(later)
    assert (found.outcome, found.pane, found.cursor) == (WaitOutcome.CLOSED, str(pane), None)


def test_a_wait_on_several_panes_ends_with_the_first_match(room: Room) -> None:
    first, second, third = sh(room, "exit 1"), sh(room, "echo here; cat"), sh(room, "cat")
    both = WaitForOutput(panes=tuple(map(str, (first, second, third))), any_of=("here",)).run(room.mux, USER)
    enter(room, first)
    room.ended(first)
    enter(room, second)
    assert isinstance(both, Deferred)
    found = room.awaited(both)
    assert (found.outcome, found.pane) == (WaitOutcome.MATCHED, str(second))


def test_idle_output_ends_a_wait(room: Room) -> None:
    pane = sh(room, "for i in 1 2 3 4 5; do echo $i; sleep 0.05; done; cat")
    later = begun(room, pane, idle_ms=400)
    enter(room, pane)
    found = room.awaited(later)
    assert found.outcome is WaitOutcome.IDLE
    assert found.elapsed >= 0.6
    assert found.screen is not None
    assert "5" in found.screen


def test_the_timeout_is_clamped_and_reported(room: Room) -> None:
    later = begun(room, room.cat(), "never", timeout=100_000.0)
    room.mux.terminals[room.open[0]].write(b"never\n")
    assert room.awaited(later).timeout == MAX_TIMEOUT
    assert waited(room, "%1", "nothing", timeout=0.0).outcome is WaitOutcome.TIMEOUT


def test_a_wait_that_is_cancelled_ends_at_once_and_leaves_the_pane_alone(room: Room) -> None:
    pane = room.cat()
    later = begun(room, pane, "hello")
    assert later.cancel()
    with pytest.raises(Cancelled):
        later.result()
    room.until(lambda: room.mux.wait_service.busy == 0)
    room.mux.terminals[pane].write(b"hello\n")
    assert "hello" in room.shows(pane, "hello")


def test_fifty_waits_on_one_busy_pane_all_end_and_free_their_resources(room: Room) -> None:
    pane = sh(room, "for i in $(seq 50); do echo number $i.; done; cat")
    laters = [begun(room, pane, f"number {number}.") for number in range(1, 51)]
    enter(room, pane)
    assert [room.awaited(later).outcome for later in laters] == [WaitOutcome.MATCHED] * 50
    room.until(lambda: not room.mux.wait_service.awake)


@pytest.mark.parametrize(
    ("pattern", "told"),
    [
        ("(a", r"any_of\[0\]: missing \) at 0"),
        ("ok)", r"any_of\[0\]: unexpected \) at 2"),
        ("x(?<=a)b", r"at 1: \(\?<=; look-around"),
        (".{1000}", "too large"),
        ("a*", "would match at once"),
        ("", "is empty"),
        ("x" * 1001, "1000 fit"),
    ],
)
def test_a_pattern_that_is_wrong_is_refused_with_the_place(room: Room, pattern: str, told: str) -> None:
    with pytest.raises(InvalidArgument, match=told):
        begun(room, room.cat(), PatternSpec(pattern, regex=True))


def test_what_cannot_be_waited_for_is_refused(room: Room) -> None:
    pane = room.cat()
    with pytest.raises(InvalidArgument, match="nothing to wait for"):
        begun(room, pane)
    with pytest.raises(NotFound):
        begun(room, "%9", "x")
    with pytest.raises(InvalidArgument, match="panes: name the panes"):
        WaitForOutput(any_of=("x",)).run(room.mux, agent())
    with pytest.raises(InvalidArgument, match="cursor"):
        begun(room, pane, "x", cursor="c1.2.3")


def test_wait_for_output_is_available_on_the_command_line(room: Room) -> None:
    pane = sh(room, "echo it is READY; cat")
    found = room.mux.wait_service
    assert found.busy == 0
    enter(room, pane)
    room.shows(pane, "READY")
    assert room.say(f"wait-for-output {pane} --any-of nothing --any-of neither --timeout 0.1").outcome == "timeout"
    enter(room, pane)
    assert room.say(f"wait-for-output {pane} --exit --idle-ms 50").outcome == "idle"


def test_what_is_restored_is_clean(room: Room) -> None:
    found = ran(room, r'printf "x\342\200\256evil\342\200\254 \302\233 end\n"; cat', "evil")
    assert found.excerpt is not None
    assert found.excerpt.isprintable()


def test_wait_for_output_reports_progress(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fugue_tui.multiplexer.watch.wait.REPORTED", 0.05)
    told: list[str] = []
    later = begun(room, room.cat(), "never", timeout=0.5)
    later.on_progress(lambda progress: told.append(progress.text))
    assert room.awaited(later).outcome is WaitOutcome.TIMEOUT
    assert told[0] == "waiting for %1: 0 of 0 s"


def test_a_wait_without_time_that_is_looked_at_late_is_a_timeout(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fugue_tui.multiplexer.watch.wait.REPORTED", 0.0)
    assert waited(room, room.cat(), "never", timeout=0.0).outcome is WaitOutcome.TIMEOUT
