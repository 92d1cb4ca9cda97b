"""What was typed last, and whether it was entered."""

from collections.abc import Callable
from threading import Thread
from types import SimpleNamespace

import pytest

from fugue_tui.terminal.input import typed_ahead
from fugue_tui.terminal.input.keys import parse_key
from fugue_tui.terminal.input.typed_ahead import TypedAhead

SHELL, OTHER = 10, 11


@pytest.mark.parametrize(
    ("key", "entered"), [("Enter", True), ("C-c", True), ("C-d", True), ("Up", False), ("a", False)]
)
def test_a_line_is_left_until_it_is_entered_or_cleared_away(key: str, entered: bool) -> None:
    sent = TypedAhead()
    assert not sent.is_left_at(SHELL)
    sent.wrote(b"ls", SHELL)
    assert sent.is_left_at(SHELL)
    sent.pressed(parse_key(key), SHELL)
    assert sent.is_left_at(SHELL) is not entered


def test_what_went_to_another_program_is_not_left_at_the_shell() -> None:
    sent = TypedAhead()
    sent.wrote(b"q", OTHER)
    assert not sent.is_left_at(SHELL)


def test_text_that_ends_a_line_was_entered_and_a_paste_was_not() -> None:
    sent = TypedAhead()
    sent.wrote(b"ls\r", SHELL)
    assert not sent.is_left_at(SHELL)
    sent.wrote(b"\x1b[200~ls\r\x1b[201~", SHELL)
    assert sent.is_left_at(SHELL)


def test_nothing_was_typed_since_a_command_that_was_entered_began() -> None:
    sent = TypedAhead()
    assert sent.nothing_since
    sent.wrote(b"ls\r", SHELL)
    assert not sent.nothing_since
    sent.settle()
    assert sent.nothing_since
    sent.wrote(b"more", SHELL)
    sent.settle()
    assert not sent.nothing_since


def test_a_line_is_cleared_away_once_the_shell_has_said_something(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1_000.0
    monkeypatch.setattr(typed_ahead, "time", SimpleNamespace(monotonic=lambda: now))
    sent = TypedAhead()
    sent.wrote(b"ls", SHELL)
    sent.pressed(parse_key("C-c"), SHELL)
    assert sent.is_clearing(now - 1)
    assert not sent.is_clearing(now + 1)
    assert sent.is_clearing()
    assert (sent.is_left_at(SHELL), sent.is_left_at(SHELL, marks=True)) == (False, True)
    now += 100
    assert not sent.is_clearing()
    now -= 100
    sent.prompted()
    assert not sent.is_left_at(SHELL, marks=True)
    assert not sent.is_clearing()


def test_a_command_that_begins_while_a_key_is_noted_counts_before_or_after_it() -> None:
    sent = Interrupted()
    sent.wrote(b"ls\r", SHELL)
    sent.between = sent.settle
    sent.pressed(parse_key("a"), SHELL)
    sent.settled.join()
    assert not sent.nothing_since


class Interrupted(TypedAhead):
    """Has another thread do something halfway through each note, as far as it is let."""

    between: Callable[[], None] | None = None
    settled: Thread

    def __setattr__(self, name: str, value: object) -> None:
        super().__setattr__(name, value)
        if name == "count" and self.between:
            self.settled = Thread(target=self.between)
            self.settled.start()
            if not self._lock.locked():
                self.settled.join()
