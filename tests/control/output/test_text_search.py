"""A terminal's text is searched as a whole, over wrapped lines and wide characters."""

import pytest
from tests.terminal.copy_mode.text_selection import pump as pump
from tests.terminal.copy_mode.text_selection import say, terminal_of
from tests.terminal.copy_mode.text_selection import terminal as terminal

from fugue_tui.control.output.text_search import MOST_MATCHES, Found, Query, find_all, view_matches
from fugue_tui.errors import InvalidArgument
from fugue_tui.geometry import Size
from fugue_tui.terminal.pty.io_loop import IOLoop
from fugue_tui.terminal.screen.highlight import Mark, MarkKind
from fugue_tui.terminal.screen.pins import Point
from fugue_tui.terminal.terminal import Terminal


def search(terminal: Terminal, text: str, *, literal: bool = False) -> Found:
    found = find_all(terminal, Query(text, literal).pattern())
    assert found is not None
    return found


def places(found: Found) -> list[tuple[Point, Point]]:
    spans = [found.span(number) for number in range(found.count)]
    return [(span.first, span.last) for span in spans]


def test_matches_are_where_they_are_on_the_screen(terminal: Terminal) -> None:
    say(terminal, "one two\r\n漢字 two\r\n" + "x" * 18 + "two")
    found = search(terminal, "two")
    assert places(found) == [
        (Point(0, 4), Point(0, 6)),
        (Point(1, 5), Point(1, 7)),
        (Point(2, 18), Point(3, 0)),
    ]
    assert [found.index(at) for at in (Point(0, 3), Point(0, 4), Point(1, 9), Point(3, 0))] == [0, 1, 2, 3]
    assert places(search(terminal, "字")) == [(Point(1, 2), Point(1, 3))]


def test_a_wide_character_that_does_not_fit_is_found_in_the_next_row(terminal: Terminal) -> None:
    say(terminal, "x" * 19 + "漢字")
    assert places(search(terminal, "漢")) == [(Point(1, 0), Point(1, 1))]


@pytest.mark.parametrize(
    ("pattern", "count"), [("two", 3), ("Two", 1), (r"\Stwo", 1), (r"T\wo", 1), ("^two$", 1), ("t[wv]o", 3)]
)
def test_case_counts_once_a_capital_is_typed(terminal: Terminal, pattern: str, count: int) -> None:
    say(terminal, "one Two\r\n.TWO\r\ntwo")
    assert search(terminal, pattern).count == count


def test_a_literal_is_no_expression(terminal: Terminal) -> None:
    say(terminal, "a.c abc A.C")
    assert places(search(terminal, "a.c", literal=True)) == [(Point(0, 0), Point(0, 2))]


@pytest.mark.parametrize(("pattern", "words"), [("(", "missing"), ("a*", "nothing"), ("(?=a)", "look-around")])
def test_a_broken_pattern_is_refused_in_words(pattern: str, words: str) -> None:
    with pytest.raises(InvalidArgument, match=words):
        Query(pattern).pattern()


def test_matches_move_with_their_text(terminal: Terminal) -> None:
    say(terminal, "".join(f"line {n}\r\n" for n in range(120)))
    found = search(terminal, "line 11[0-9]")
    assert found.count == 10
    first = found.span(0).first.line
    say(terminal, "more\r\n" * 3)
    with terminal.locked() as screen:
        now = first + found.shift()
        assert screen.emulator.lines(now, now + 1) == ["line 110"]


def test_the_newest_of_very_many_matches_are_kept(pump: IOLoop) -> None:
    terminal = terminal_of("ghostty", pump, Size(200, 50))
    say(terminal, ("e" * 199 + "\r\n") * 49)
    assert (search(terminal, "e").count, search(terminal, "e").cut) == (49 * 199, False)
    say(terminal, ("e" * 199 + "\r\n") * 100)
    found = search(terminal, "e")
    assert found.cut
    assert MOST_MATCHES < found.count < MOST_MATCHES + (1 << 15)
    assert found.span(found.count - 1).first.column == 198
    terminal.close()


def test_the_view_marks_its_matches_and_the_one_at_the_cursor(terminal: Terminal) -> None:
    say(terminal, "aXb\r\n" + "y" * 19 + "XX\r\nlast")
    with terminal.locked() as screen:
        marks = view_matches(screen, Query("X+").pattern(), Point(2, 0))
    assert marks == {
        0: [Mark(1, 2, MarkKind.MATCH)],
        1: [Mark(19, 20, MarkKind.CURRENT)],
        2: [Mark(0, 1, MarkKind.CURRENT)],
    }


def test_a_closed_terminal_has_no_matches(terminal: Terminal) -> None:
    terminal.close()
    assert find_all(terminal, Query("x").pattern()) is None
