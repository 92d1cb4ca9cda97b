"""Prompt marks and status reports, wherever the stream is cut."""

from fugue_tui.terminal.emulator.events import PromptMark, StatusQuery, StatusReport
from fugue_tui.terminal.emulator.osc_scanner import OscScanner

_STREAM = (
    b"a\x1b]133;A\x07$ \x1b]133;B\x1b\\ls\x1b]133;C\x07\x1b[31mout\x1b]0;t\x07\x1b]133;D;2;aid=1\x1b\\\x1b]133;L\x07"
    b"\x1b]7501;?\x1b\\\x1b]7501;state=working:app=make\x07"
)
_MARKS = [
    PromptMark("A"),
    PromptMark("B"),
    PromptMark("C"),
    PromptMark("D", 2, aid="1"),
    StatusQuery(),
    StatusReport("working", "make"),
]


def test_marks_are_found_in_order_with_their_ends() -> None:
    found = OscScanner().scan(_STREAM)
    assert [mark for _, mark in found] == _MARKS
    assert _STREAM[: found[0][0]] == b"a\x1b]133;A\x07"


def test_every_cut_gives_the_same_marks() -> None:
    for at in range(len(_STREAM) + 1):
        scanner = OscScanner()
        first, second = scanner.scan(_STREAM[:at]), scanner.scan(_STREAM[at:])
        assert [mark for _, mark in first + second] == _MARKS
        assert all(0 <= end <= at for end, _ in first)
        assert all(0 <= end <= len(_STREAM) - at for end, _ in second)


def test_an_endless_mark_is_forgotten() -> None:
    scanner = OscScanner()
    for chunk in (b"\x1b]133;A;", b"x" * 70_000, b"\x07"):
        assert scanner.scan(chunk) == []
    assert scanner.scan(b"\x1b]133;D;0\x07") == [(10, PromptMark("D", 0))]


def test_a_mark_that_was_cancelled_is_none() -> None:
    assert OscScanner().scan(b"\x1b]133;A\x18\x07") == []


def test_marks_tell_the_line_that_was_typed() -> None:
    told = {
        b"133;C;cmdline_url=echo%20a%3Bb%0A%C3%BC;fugue=n": "echo a;b\n\u00fc",
        b"133;C;cmdline=echo\\ a\\;b": "echo a;b",
        b"133;C;cmdline=$'a\\nb\\x41\\'\\e'": "a\nbA'\x1b",
        b"133;C;cmdline=\"a \\$b\"'c d'": "a $bc d",
        b"633;E;a\\x3bb\\\\n\\x0ac;nonce": "a;b\\n\nc",
        "133;C;cmdline_url=\u65e5\u672c".encode(): "\u65e5\u672c",
    }
    for payload, line in told.items():
        [(_, mark)] = OscScanner().scan(b"\x1b]" + payload + b"\x07")
        assert isinstance(mark, PromptMark)
        assert mark.line == line
        assert mark.kind in ("C", "E")


def test_marks_tell_their_options() -> None:
    scanner = OscScanner()
    [(_, mark)] = scanner.scan(b"\x1b]133;A;k=s;fugue=abc;redraw=0\x07")
    assert isinstance(mark, PromptMark)
    assert (mark.kind, mark.nonce, mark.continues) == ("A", "abc", True)
    [(_, mark)] = scanner.scan(b"\x1b]133;D;1;fugue=abc;eol=%\x07")
    assert isinstance(mark, PromptMark)
    assert (mark.exit_code, mark.nonce, mark.eol) == (1, "abc", "%")
    [(_, mark)] = scanner.scan(b"\x1b]133;P;k=i\x07")
    assert isinstance(mark, PromptMark)
    assert (mark.kind, mark.continues) == ("A", False)


def test_a_line_that_makes_no_sense_is_still_a_mark() -> None:
    for line in (b"%zz%", b"%ff%fe", b"\xff\xfe"):
        [(_, mark)] = OscScanner().scan(b"\x1b]133;C;cmdline_url=" + line + b"\x07")
        assert isinstance(mark, PromptMark)
        assert mark.line is not None
    [(_, mark)] = OscScanner().scan(b"\x1b]633;E;\\Uffffffff\\\x07")
    assert isinstance(mark, PromptMark)
    assert mark.line == "\ufffd\\"
