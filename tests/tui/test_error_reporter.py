"""Internal errors are logged and shown, the same one only now and then."""

import asyncio
from types import SimpleNamespace

import pytest

from fugue_tui.tui import error_reporter
from fugue_tui.tui.error_reporter import ErrorReporter


def test_the_same_error_is_reported_once_a_second_and_another_at_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    now, told = 1_000.0, list[str]()
    monkeypatch.setattr(error_reporter, "time", SimpleNamespace(monotonic=lambda: now))
    errors = ErrorReporter(told.append)
    for _ in range(50):
        errors.report("a widget", RuntimeError("one"))
    assert len(told) == 1
    errors.report("a widget", RuntimeError("two"))
    errors.report("a callback", RuntimeError("one"))
    assert len(told) == 3
    now += 0.9
    errors.report("a widget", RuntimeError("one"))
    assert len(told) == 3
    now += 0.2
    errors.report("a widget", RuntimeError("one"))
    assert told == ["internal error: RuntimeError; the log has the details"] * 4
    assert [entry.message for entry in caplog.records] == ["a widget", "a widget", "a callback", "a widget"]


def test_an_error_of_the_loop_without_an_exception_is_reported_by_its_message() -> None:
    told = list[str]()
    loop = asyncio.new_event_loop()
    ErrorReporter(told.append).on_loop_error(loop, {"message": "it broke"})
    loop.close()
    assert told == ["internal error: it broke; the log has the details"]
