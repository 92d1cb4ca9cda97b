"""Addresses, paths, hashes, numbers and quoted texts are found in a view, and labelled."""

import time

import pytest
from tests.terminal.copy_mode.text_selection import pump as pump
from tests.terminal.copy_mode.text_selection import say, terminal_of

from fugue_tui.control.output.quick_select import LETTERS, Hit, HitKind, find_hits, hit_marks, labels, place_of
from fugue_tui.geometry import Size
from fugue_tui.terminal.pty.io_loop import IOLoop
from fugue_tui.terminal.screen.highlight import Mark, MarkKind
from fugue_tui.terminal.screen.pins import Point
from fugue_tui.terminal.terminal import Terminal

URL, PATH, HASH, ADDRESS, QUOTED, NUMBER = HitKind


def hits(terminal: Terminal) -> list[Hit]:
    with terminal.locked() as screen:
        return find_hits(screen)


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("see https://a.org/b(c)?d=1, ok.", [(URL, "https://a.org/b(c)?d=1")]),
        ("(mailto:me@a.org)", [(URL, "mailto:me@a.org")]),
        ("src/app.py:12:5: error in ./x and ~/y.", [(PATH, "src/app.py:12:5"), (PATH, "./x"), (PATH, "~/y")]),
        ('File "/usr/lib/a b.py", line 3', [(QUOTED, "/usr/lib/a b.py")]),
        ('File "/usr/lib/a.py", line 3', [(PATH, "/usr/lib/a.py")]),
        ("main.rs:7 a.b: c", [(PATH, "main.rs:7")]),
        ("commit 1f3c2d9a, 983fa55 deadbeef decade", [(HASH, "1f3c2d9a"), (HASH, "983fa55")]),
        ("a" * 39 + "1 x", [(HASH, "a" * 39 + "1")]),
        ("10.0.0.1:8080 fe80:0:0:0:1 1.2", [(ADDRESS, "10.0.0.1:8080"), (ADDRESS, "fe80:0:0:0:1")]),
        ("pid 12345 0x7f 12 port 8080", [(NUMBER, "12345"), (NUMBER, "0x7f"), (NUMBER, "8080")]),
        ("it's 'so' `git st` \"a b\"", [(QUOTED, "so"), (QUOTED, "git st"), (QUOTED, "a b")]),
        ("漢字/テスト.txt と", [(PATH, "漢字/テスト.txt")]),
        ("", []),
    ],
)
def test_what_is_found_in_a_line(pump: IOLoop, line: str, found: list[tuple[HitKind, str]]) -> None:
    terminal = terminal_of("ghostty", pump, Size(80, 4))
    say(terminal, line)
    least = [(kind, text) for kind, text in found if len(text) > 2]
    assert [(hit.kind, hit.text) for hit in hits(terminal)] == least
    terminal.close()


def test_a_wrapped_address_is_whole_and_marked_in_all_its_rows(pump: IOLoop) -> None:
    terminal = terminal_of("ghostty", pump, Size(10, 4))
    say(terminal, "漢字 https://a.org/b")
    (hit,) = hits(terminal)
    assert (hit.text, hit.span.first, hit.span.last, hit.label) == ("https://a.org/b", Point(0, 5), Point(1, 9), "a")
    with terminal.locked() as screen:
        marks = hit_marks(screen, [hit], "", 0)
    assert marks == {
        0: [Mark(5, 10, MarkKind.MATCH), Mark(5, 6, MarkKind.HINT, "a")],
        1: [Mark(0, 10, MarkKind.MATCH)],
    }
    terminal.close()


def test_equal_texts_have_one_label_and_the_lowest_the_easiest(pump: IOLoop) -> None:
    terminal = terminal_of("ghostty", pump, Size(40, 5))
    say(terminal, "1111 2222\r\n3333 1111")
    assert [(hit.text, hit.label) for hit in hits(terminal)] == [
        ("1111", "a"), ("2222", "d"), ("3333", "s"), ("1111", "a"),
    ]  # fmt: skip
    terminal.close()


@pytest.mark.parametrize("count", [0, 1, 26, 27, 51, 52, 300, 676])
def test_labels_differ_and_none_begins_another(count: int) -> None:
    found = labels(count)
    assert len(set(found)) == count
    assert all(not other.startswith(label) for label in found for other in found if other != label)
    assert all(set(label) <= set(LETTERS) for label in found)


@pytest.mark.parametrize(
    ("path", "place"),
    [("a/b.py:12:3", ("a/b.py", 12)), ("a/b.py:12", ("a/b.py", 12)), ("a/b", ("a/b", 0)), ("a:b/c", ("a:b/c", 0))],
)
def test_the_line_behind_a_path(path: str, place: tuple[str, int]) -> None:
    assert place_of(path) == place


@pytest.mark.parametrize("size", [Size(1, 1), Size(2, 1), Size(3, 2)])
def test_the_smallest_views_are_marked_inside(pump: IOLoop, size: Size) -> None:
    terminal = terminal_of("ghostty", pump, size)
    say(terminal, "12345 /a/漢 99999")
    found = hits(terminal)
    with terminal.locked() as screen:
        marks = hit_marks(screen, found, "", 0)
    assert all(0 <= y < size.rows for y in marks)
    assert all(0 <= mark.start <= mark.stop <= size.cols for row in marks.values() for mark in row)
    terminal.close()


@pytest.mark.parametrize("part", ["a", "a.", "a/", "1", "f", "/", '"', "::", "http://", "a:1:", "a-", "0f"])
def test_no_line_takes_long(pump: IOLoop, part: str) -> None:
    terminal = terminal_of("ghostty", pump, Size(200, 50))
    say(terminal, part * (9_000 // len(part)))
    start = time.process_time()
    hits(terminal)
    assert time.process_time() - start < 5
    terminal.close()
