"""Two screens are compared by place and in words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from fugue_tui.imaging.difference import compare, marked
from fugue_tui.imaging.palette import Theme
from fugue_tui.imaging.png import SIZE, metrics
from fugue_tui.imaging.screen import Screen, plain
from fugue_tui.terminal.screen.cells import Row, Run, Style

COLS = 40


def shown(*lines: str) -> Screen:
    """Lines as a screen."""
    return plain(lines, COLS)


def test_the_same_screen_has_no_difference() -> None:
    difference = compare(shown("a", "b"), shown("a", "b"))
    assert (difference.rows, difference.cells, difference.summary) == ((), 0, "nothing changed")


def test_a_changed_word_is_reported_with_its_row() -> None:
    difference = compare(shown("", "tests: 3 failed, 12 passed"), shown("", "tests: 0 failed, 15 passed"))
    assert difference.cells == 2
    assert difference.rows[0].columns == ((7, 8), (18, 19))
    assert difference.summary == "row 2: “3” became “0”, “12” became “15” in “tests: 0 failed, 15 passed”"


def test_new_and_emptied_rows_are_reported() -> None:
    assert compare(shown("", "old"), shown("new", "")).summary == "row 1: new: “new”\nrow 2: emptied, was “old”"


def test_rows_that_only_moved_up_are_not_changes() -> None:
    before, after = shown("one", "two", "three", "four"), shown("two", "three", "four", "five")
    difference = compare(before, after)
    assert difference.scrolled == 1
    assert difference.summary == "the text moved up by 1 row\nrow 4: new: “five”"


def test_how_far_the_text_moved_can_be_known_better_than_it_can_be_guessed() -> None:
    before, after = shown("a", "b", "same", "same"), shown("same", "same", "same", "x")
    assert compare(before, after, 2).summary == "the text moved up by 2 rows\nrow 3: new: “same”\nrow 4: new: “x”"
    assert compare(before, after, 4).scrolled == 4
    assert len(compare(before, after, 4).rows) == 4


def test_a_block_that_moved_up_or_down_is_reported_as_such() -> None:
    before = shown("top", "first", "second", "one", "two", "three", "four", "status 1")
    deleted = compare(before, shown("top", "one", "two", "three", "four", "", "", "status 2"))
    assert deleted.summary.splitlines() == [
        "rows 2 to 5 moved up by 2 rows",
        "row 2: gone: “first”",
        "row 3: gone: “second”",
        "row 8: “status 1” became “status 2”",
    ]
    added = compare(before, shown("top", "new", "first", "second", "one", "two", "three", "status 1"))
    assert added.summary.splitlines() == [
        "rows 3 to 7 moved down by 1 row",
        "row 2: new: “new”",
        "row 7: gone: “four”",
    ]
    assert (added.scrolled, [change.row for change in added.rows]) == (0, [1, 6])


def test_a_row_has_moved_whether_or_not_its_text_went_on_below() -> None:
    before = shown("top", "first", "one", "two", "three", "status")
    moved = [replace(row, wrapped=True) for row in shown("top", "one", "two", "three", "", "status").rows]
    assert compare(before, Screen(COLS, tuple(moved))).summary.splitlines() == [
        "rows 2 to 4 moved up by 1 row",
        "row 2: gone: “first”",
    ]


def test_rows_that_are_alike_have_not_moved() -> None:
    before = shown("+----+", "|    |", "|    |", "|    |", "+----+", "~", "~", "~", "~")
    after = shown("+----+", "|    |", "|    |", "+----+", "~", "~", "~", "~", "~")
    assert compare(before, after).moves == ()


def test_another_colour_is_reported_as_such() -> None:
    red = Screen(COLS, (Row((Run("word", Style(fg=1), 4),)),))
    difference = compare(shown("word"), red)
    assert difference.cells == 4
    assert difference.rows[0].restyled
    assert "other colours" in difference.summary


def test_screens_of_two_sizes_are_compared_from_their_first_cell() -> None:
    assert compare(plain(["ab"], 2), plain(["ab", "c"], 3)).summary == "row 2: new: “c”"


def test_the_picture_marks_what_differs() -> None:
    cell, theme = metrics(SIZE), Theme()
    image = marked(shown("same", "old"), shown("same", "new"), theme)
    assert image.getpixel((0, cell.height)) == (255, 64, 96)
    assert image.getpixel((0, 0)) != (255, 64, 96)


LINES = st.lists(st.text("ab 漢", max_size=8), min_size=1, max_size=5)


@pytest.mark.slow
@given(LINES, LINES)
def test_no_change_is_found_exactly_between_equals(one: list[str], other: list[str]) -> None:
    same = [line.rstrip() for line in one] == [line.rstrip() for line in other]
    difference = compare(shown(*one), shown(*other))
    if same:
        assert difference.cells == 0
    elif len(one) == len(other):
        assert difference.cells > 0
        assert difference.rows or difference.scrolled or difference.moves
