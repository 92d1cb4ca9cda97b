"""Tables as text: which columns there is room for, and how wide they are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fugue_tui.layout.table import Column, TableRow, cut, fit, text_of, wanted

COLUMNS = (
    Column("", 0),
    Column("pane", 1, least=4),
    Column("doing", 3, least=8),
    Column("cost", 4, least=5, right=True, optional=True),
    Column("says", 2, least=10, most=20),
)
ROWS = (
    TableRow("%1", ("*", "%1 writer", "fix the parser", "", "a very long question about it")),
    TableRow("%2", ("-", "%2", "", "", "idle")),
)


def text(cols: int, rows: tuple[TableRow, ...] = ROWS) -> list[str]:
    return text_of(COLUMNS, rows, cols, len).splitlines()


def test_all_of_it_is_shown_where_there_is_room() -> None:
    assert text(80) == [
        "   pane       doing           says",
        "*  %1 writer  fix the parser  a very long questio…",
        "-  %2                         idle",
    ]


def test_less_important_columns_go_first() -> None:
    assert text(34)[:2] == ["   pane    doing       says", "*  %1 wr…  fix the p…  a very lon…"]
    assert text(20)[:2] == ["   pane   says", "*  %1 w…  a very lo…"]
    assert text(10)[:2] == ["   pane", "*  %1 wri…"]


def test_what_is_left_over_goes_to_the_most_important_that_was_dropped() -> None:
    assert text(15)[:2] == ["   pane  says", "*  %1 …  a ver…"]


def test_a_column_without_values_is_left_out() -> None:
    told = TableRow("%3", ("*", "%3", "", "$1.50", ""))
    assert "cost" not in text(80)[0]
    assert "cost" in text(80, (*ROWS, told))[0]
    assert "$1.50" in text(80, (*ROWS, told))[3]


@given(st.integers(-2, 90), st.lists(st.integers(0, 60), min_size=5, max_size=5))
def test_no_line_is_wider_than_the_room(room: int, widths: list[int]) -> None:
    fitted = fit(COLUMNS, widths, room)
    shown = [width for width in fitted if width]
    assert sum(shown) + 2 * max(len(shown) - 1, 0) <= max(room, 0)
    assert all(width <= most for width, most in zip(fitted, widths, strict=True))


@pytest.mark.parametrize(("room", "widths"), [(30, [19, 3, 4]), (14, [9, 3, 0]), (8, [8, 0, 0])])
def test_a_column_that_fills_has_what_the_others_leave(room: int, widths: list[int]) -> None:
    columns = (Column("task", 0, least=6, most=100, fills=True), Column("for", 1), Column("cost", 2, least=4))
    assert fit(columns, [8, 3, 4], room) == widths


def test_no_rows_have_titles_alone() -> None:
    assert wanted(COLUMNS, (), len) == [1, 4, 5, 0, 4]


@pytest.mark.parametrize(("width", "shown"), [(5, "words"), (4, "wor…"), (1, "…"), (0, "")])
def test_a_cut_text_ends_in_an_ellipsis(width: int, shown: str) -> None:
    assert cut("words", width, len) == shown


def test_wide_characters_are_not_cut_in_half() -> None:
    assert cut("漢字漢字", 6, lambda text: sum(2 if char != "…" else 1 for char in text)) == "漢字…"
