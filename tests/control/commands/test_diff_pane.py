"""What changed since a cursor is told row by row: after output, redraws, other screens and other sizes."""

import pytest
from tests.control.scripted_program import Driven
from tests.multiplexer.conftest import Room, agent

from fugue_tui.control.commands.diff_pane import Columns, DiffPane, PaneDifference
from fugue_tui.control.commands.read_pane import ReadPane
from fugue_tui.control.schema.command_schema import payload
from fugue_tui.errors import InvalidArgument
from fugue_tui.geometry import Size


@pytest.fixture(params=["ghostty", "pyte"])
def driven(room: Room, request: pytest.FixtureRequest) -> Driven:
    return Driven(room, request.param)


def cursor(driven: Driven) -> str:
    return driven.room.run(ReadPane(pane=str(driven.pane))).cursor


def diff(driven: Driven, since: str) -> PaneDifference:
    return driven.room.run(DiffPane(cursor=since), agent())


def test_nothing_changed_is_said_as_such(driven: Driven) -> None:
    since = cursor(driven)
    found = diff(driven, since)
    assert (found.changed, found.summary, found.rows, found.new_text) == (False, "nothing changed", (), "")
    assert found.cursor == since


def test_rows_that_were_painted_over_are_reported_with_their_columns(driven: Driven) -> None:
    driven.does("printf '\\033[2J\\033[Hload 10%%\\nidle\\n'")
    since = cursor(driven)
    driven.does("printf '\\033[Hload 95%%\\033[3;1H'")
    found = diff(driven, since)
    row = found.rows[0]
    assert (row.row, row.before, row.after, row.columns) == (0, "load 10%", "load 95%", (Columns(5, 7),))
    assert (found.scrolled, found.lines_missed, found.changed) == (0, 0, True)
    assert found.summary.splitlines()[0] == "row 1: “load 10%” became “load 95%”"


def test_another_colour_alone_is_a_change(driven: Driven) -> None:
    driven.does("printf '\\033[2J\\033[Hword\\n'")
    since = cursor(driven)
    driven.does("printf '\\033[H\\033[31mword\\033[0m\\033[2;4H'")
    first = diff(driven, since).rows[0]
    assert (first.row, first.restyled, first.after) == (0, True, "word")


def test_lines_that_scrolled_by_are_given_and_rows_that_only_moved_are_not(driven: Driven) -> None:
    driven.does("echo; seq 1 30")
    since = cursor(driven)
    driven.does("echo; seq 31 33")
    found = diff(driven, since)
    assert found.scrolled == 4
    assert found.new_text.split() == ["31", "32", "33", "<2>"]
    assert [row.after for row in found.rows] == ["31", "32", "33", "<2>"]
    assert diff(driven, found.cursor).changed is False


def test_a_flood_is_reported_in_part_and_continues_from_its_end(driven: Driven) -> None:
    since = cursor(driven)
    driven.does("echo; seq 1 300")
    found = diff(driven, since)
    assert found.new_text_truncated
    assert len(found.new_text.splitlines()) <= 200
    assert diff(driven, found.cursor).changed is False
    driven.does("echo; echo after")
    assert diff(driven, found.cursor).new_text.split() == ["after", "<2>"]


def test_another_screen_is_reported(driven: Driven) -> None:
    since = cursor(driven)
    driven.does("printf '\\033[?1049h\\033[2J\\033[Hmenu'")
    found = diff(driven, since)
    assert (found.screen, found.other_screen, found.new_text) == ("alternate", True, "")
    assert found.summary.startswith("the other screen is active")
    inside = found.cursor
    driven.does("printf '\\033[Hmain'")
    again = diff(driven, inside)
    assert (again.other_screen, again.rows[0].row) == (False, 0)
    assert again.rows[0].after.startswith("main")


def test_another_size_is_reported(driven: Driven) -> None:
    since = cursor(driven)
    driven.room.mux.resize(Size(60, 20))
    found = diff(driven, since)
    assert found.resized_from == Size(81, 24)
    assert found.changed
    assert "81 x 24" in found.summary


def test_what_is_returned_is_sanitized_and_fits_its_schema(driven: Driven) -> None:
    since = cursor(driven)
    driven.does("printf '\\na\\342\\200\\256b\\033[31m👨‍👩‍👧\\n'")
    said = payload(DiffPane, diff(driven, since))
    assert said is not None
    assert not {"\x1b", "\u202e"} & set(str(said))


def test_a_cursor_that_is_not_known_is_refused(driven: Driven) -> None:
    with pytest.raises(InvalidArgument, match="not known"):
        diff(driven, "c0.1.1")
