"""Prompt marks, wherever the stream is cut."""

from fugue_tui.terminal.events import PromptMark
from fugue_tui.terminal.marks import MarkScanner

_STREAM = (
    b"a\x1b]133;A\x07$ \x1b]133;B\x1b\\ls\x1b]133;C\x07\x1b[31mout\x1b]0;t\x07\x1b]133;D;2;aid=1\x1b\\\x1b]133;L\x07"
)
_MARKS = [PromptMark("A"), PromptMark("B"), PromptMark("C"), PromptMark("D", 2)]


def test_marks_are_found_in_order_with_their_ends() -> None:
    found = MarkScanner().scan(_STREAM)
    assert [mark for _, mark in found] == _MARKS
    assert _STREAM[: found[0][0]] == b"a\x1b]133;A\x07"


def test_every_cut_gives_the_same_marks() -> None:
    for at in range(len(_STREAM) + 1):
        scanner = MarkScanner()
        first, second = scanner.scan(_STREAM[:at]), scanner.scan(_STREAM[at:])
        assert [mark for _, mark in first + second] == _MARKS
        assert all(0 <= end <= at for end, _ in first)
        assert all(0 <= end <= len(_STREAM) - at for end, _ in second)


def test_an_endless_mark_is_forgotten() -> None:
    scanner = MarkScanner()
    for chunk in (b"\x1b]133;A;", b"x" * 5_000, b"\x07"):
        assert scanner.scan(chunk) == []
    assert scanner.scan(b"\x1b]133;D;0\x07") == [(10, PromptMark("D", 0))]


def test_a_mark_that_was_cancelled_is_none() -> None:
    assert MarkScanner().scan(b"\x1b]133;A\x18\x07") == []
