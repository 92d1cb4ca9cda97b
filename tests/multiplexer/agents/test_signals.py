"""Which of several signals tells what an agent does."""

import pytest

from fugue_tui.multiplexer.agents.signals import RECORDS, SETTLED_SECONDS, SILENT_SECONDS, Seen, Signals, seen
from fugue_tui.multiplexer.agents.state import AgentState, AgentStatus, BlockedBy, Reading, Signal
from fugue_tui.terminal.emulator.events import StatusReport

IDLE, WORKING, DONE = (Reading(AgentState(state)) for state in ("idle", "working", "done"))
BLOCKED = Reading(AgentState.BLOCKED, BlockedBy.PERMISSION, "may I?")


def told(signals: Signals, now: float) -> tuple[Signal, AgentState]:
    status = signals.status(now)
    assert status is not None
    return status.signal, status.state


def reported(*reports: tuple[str, str] | str) -> AgentStatus | None:
    signals = Signals()
    for now, each in enumerate(reports):
        state, record = each if isinstance(each, tuple) else (each, "")
        signals.add_report(StatusReport(state, record=record, message=f"m{now}"), float(now))
    return signals.status(100.0)


def test_without_an_agent_and_reports_there_is_no_state() -> None:
    assert Signals().status(0.0) is None
    assert Signals(title=Seen(WORKING, 0.0)).status(0.0) is None


def test_a_report_counts_before_everything_else() -> None:
    signals = Signals(agent="claude", screen=Seen(BLOCKED, 5.0), hook=Seen(WORKING, 6.0), title=Seen(WORKING, 7.0))
    signals.add_report(StatusReport("done", "claude-code", message="built", title="build", progress=3), 1.0)
    status = signals.status(8.0)
    assert status == AgentStatus("claude", Reading(AgentState.DONE, None, "built", "build", 3), Signal.REPORT, 1.0, ())
    signals.add_report(StatusReport("clear"), 9.0)
    assert told(signals, 9.0)[0] is Signal.SCREEN


def test_a_program_that_is_no_agent_is_named_by_its_reports() -> None:
    signals = Signals()
    signals.add_report(StatusReport("working", "make"), 1.0)
    signals.add_report(StatusReport("working"), 2.0)
    status = signals.status(3.0)
    assert status is not None
    assert (status.program, status.since) == ("make", 1.0)


@pytest.mark.parametrize(
    ("reports", "state"),
    [
        (["working", ("done", "a")], "working"),
        (["idle", ("working", "a")], "working"),
        (["done", ("working", "a"), ("done", "a")], "done"),
        (["working", ("blocked", "a")], "blocked"),
        (["blocked", ("working", "a")], "blocked"),
        (["error", ("working", "a")], "error"),
        ([("working", "a")], "working"),
        (["idle", ("blocked", "a/b"), ("clear", "a")], "idle"),
        (["idle", ("blocked", "ab"), ("clear", "a")], "blocked"),
        (["idle", ("blocked", "a"), "clear"], None),
    ],
)
def test_tasks_count_where_the_program_itself_does_not_say_more(
    reports: list[tuple[str, str] | str], state: str | None
) -> None:
    status = reported(*reports)
    assert (status.state.value if status else None) == state


def test_records_are_limited_and_the_oldest_go() -> None:
    signals = Signals()
    for number in range(2 * RECORDS):
        signals.add_report(StatusReport("working", record=f"t{number}"), float(number))
        signals.add_report(StatusReport("working", record="kept"), float(number))
    assert len(signals.tasks) < RECORDS
    assert "kept" in signals.tasks
    assert "t0" not in signals.tasks


def test_a_report_ends_with_its_program_unless_it_says_how_that_ended() -> None:
    for state, after in (("working", None), ("blocked", None), ("idle", None), ("done", "done"), ("error", "error")):
        signals = Signals(agent="claude", hook=Seen(WORKING, 0.0))
        signals.add_report(StatusReport(state, "x"), 1.0)
        signals.add_report(StatusReport("working", "x", "task"), 1.0)
        signals.end_program()
        status = signals.status(2.0)
        assert (status.state.value if status else None) == after
        assert not signals.tasks


def test_a_dialog_on_the_screen_counts_before_hooks_and_titles() -> None:
    signals = Signals(agent="claude", screen=Seen(BLOCKED, 1.0), hook=Seen(WORKING, 2.0), title=Seen(WORKING, 2.0))
    assert told(signals, 2.0) == (Signal.SCREEN, AgentState.BLOCKED)
    signals.hook = Seen(BLOCKED, 2.0)
    assert told(signals, 99.0) == (Signal.HOOK, AgentState.BLOCKED)


def test_a_hook_without_words_keeps_those_of_its_state_or_leaves_them_to_the_screen() -> None:
    wordless = Reading(AgentState.BLOCKED, BlockedBy.PERMISSION)
    signals = Signals(agent="claude", screen=Seen(BLOCKED, 1.0))
    signals.add_hook(wordless, 2.0)
    assert told(signals, 3.0)[0] is Signal.SCREEN
    signals.add_hook(BLOCKED, 3.0)
    signals.add_hook(wordless, 9.0)
    assert signals.hook == Seen(BLOCKED, 2.0)
    assert told(signals, 9.0)[0] is Signal.HOOK
    signals.add_hook(DONE, 10.0)
    signals.add_hook(wordless, 11.0)
    assert signals.hook == Seen(wordless, 11.0)


def test_a_hook_counts_until_the_title_has_shown_something_else_for_a_while() -> None:
    signals = Signals(agent="claude", hook=Seen(WORKING, 10.0), title=Seen(IDLE, 9.0))
    assert told(signals, 10.0) == (Signal.HOOK, AgentState.WORKING)
    assert told(signals, 9.9 + SETTLED_SECONDS) == (Signal.HOOK, AgentState.WORKING)
    assert told(signals, 10.0 + SETTLED_SECONDS) == (Signal.TITLE, AgentState.IDLE)
    signals.hook = Seen(DONE, 10.0)
    assert told(signals, 99.0) == (Signal.HOOK, AgentState.DONE)


def test_a_hook_that_was_blocked_is_over_once_the_program_works() -> None:
    signals = Signals(agent="claude", hook=Seen(BLOCKED, 10.0), title=Seen(WORKING, 9.0))
    assert told(signals, 11.0) == (Signal.HOOK, AgentState.BLOCKED)
    signals.title = Seen(WORKING, 10.5)
    assert told(signals, 11.0) == (Signal.TITLE, AgentState.WORKING)


def test_a_notification_counts_until_something_is_typed_or_the_program_works() -> None:
    signals = Signals(agent="codex", notification=Seen(BLOCKED, 10.0), title=Seen(IDLE, 9.0))
    assert told(signals, 11.0) == (Signal.NOTIFICATION, AgentState.BLOCKED)
    signals.title = Seen(WORKING, 10.5)
    assert told(signals, 11.0) == (Signal.TITLE, AgentState.WORKING)
    signals.title, signals.typed_at = Seen(IDLE, 9.0), 10.2
    assert told(signals, 11.0) == (Signal.TITLE, AgentState.IDLE)


def test_silence_is_the_last_resort() -> None:
    signals = Signals(agent="aider", found_at=10.0, printed_at=5.0)
    assert told(signals, 11.0) == (Signal.SILENCE, AgentState.UNKNOWN)
    signals.printed_at = 20.0
    assert told(signals, 20.5) == (Signal.SILENCE, AgentState.WORKING)
    assert told(signals, 20.0 + SILENT_SECONDS) == (Signal.SILENCE, AgentState.IDLE)
    signals.typed_at = 19.9  # What is printed is the echo.
    assert told(signals, 20.5) == (Signal.SILENCE, AgentState.IDLE)


def test_a_state_lasts_since_it_was_first_seen() -> None:
    first = seen(None, WORKING, 1.0)
    assert seen(first, Reading(AgentState.WORKING, words="more"), 2.0).at == 1.0
    assert seen(first, BLOCKED, 3.0).at == 3.0


def test_a_report_without_words_has_those_of_the_screen() -> None:
    signals = Signals(agent="codex")
    signals.add_report(StatusReport("blocked", kind="permission"), 1.0)
    assert signals.needs_screen
    signals.screen = Seen(Reading(AgentState.BLOCKED, BlockedBy.PERMISSION, "Run it?"), 2.0)
    status = signals.status(3.0)
    assert status is not None
    assert (status.signal, status.reading.words, status.since) == (Signal.REPORT, "Run it?", 1.0)
    signals.add_report(StatusReport("blocked", kind="permission", message="Do it?"), 4.0)
    assert not signals.needs_screen
    status = signals.status(5.0)
    assert status is not None
    assert status.reading.words == "Do it?"
    signals.add_report(StatusReport("working"), 6.0)
    assert not signals.needs_screen


def test_a_screen_with_an_error_counts_before_a_title_of_a_program_at_rest() -> None:
    signals = Signals(agent="gemini", title=Seen(Reading(AgentState.IDLE), 1.0))
    signals.screen = Seen(Reading(AgentState.ERROR, None, "API Error"), 2.0)
    assert [each and (each.signal, each.state) for each in [signals.status(3.0)]] == [(Signal.SCREEN, AgentState.ERROR)]
    signals.title = Seen(Reading(AgentState.WORKING), 4.0)
    assert [each and each.signal for each in [signals.status(5.0)]] == [Signal.TITLE]
