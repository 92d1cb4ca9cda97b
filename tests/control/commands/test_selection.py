"""What a person selected can be read by who may read the pane, and stays as the person left it."""

import json
import re
from typing import Any

import pytest
from tests.multiplexer.conftest import Room, agent

from fugue_tui.control.commands.pane_info import GetPaneState
from fugue_tui.control.commands.read_pane import Reading, ReadPane, Source
from fugue_tui.control.core.answers import facts
from fugue_tui.control.core.command import USER
from fugue_tui.control.output.page import TextFormat
from fugue_tui.ids import PaneId
from fugue_tui.terminal.copy_mode.copy_mode import Cell
from fugue_tui.terminal.copy_mode.text_units import Unit

SAYS = "one two three\\r\\n\\033[31mred\\033[m and \\033[1mbold\\033[m\\r\\nlast"


@pytest.fixture(params=["ghostty", "pyte"])
def pane(room: Room, request: pytest.FixtureRequest) -> PaneId:
    room.launcher.engine = request.param
    pane = room.opened(f"create-pane --command \"stty -echo; printf '{SAYS}'; exec cat\"")
    room.shows(pane, "last")
    return pane


def select(room: Room, pane: PaneId, start: tuple[int, int], stop: tuple[int, int]) -> None:
    """Select in a pane, from one cell of it to another."""
    terminal = room.mux.terminals[pane]
    terminal.copy_mode.select(Cell(*start))
    terminal.copy_mode.extend(Cell(*stop))


def read(room: Room, pane: str = "active", origin: Any = USER, **fields: Any) -> Reading:
    """Read the selection."""
    return room.run(ReadPane(pane=pane, source=Source.SELECTION, **fields), origin)


def test_what_is_selected_is_read_to_the_column(room: Room, pane: PaneId) -> None:
    select(room, pane, (4, 0), (2, 1))
    found = read(room, str(pane), agent())
    assert (found.text, found.source, found.rows, found.first_line) == ("two three\nred", Source.SELECTION, 2, 0)
    assert not found.nothing_selected
    assert found.untrusted == f"pane {pane}"
    assert room.run(GetPaneState(pane=str(pane))).selected == 2


def test_nothing_selected_is_said(room: Room, pane: PaneId) -> None:
    found = read(room, str(pane), agent())
    assert (found.text, found.rows, found.nothing_selected, found.truncated) == ("", 0, True, False)
    assert facts({"nothing_selected": True}) == {"nothing_selected": True}
    assert room.run(GetPaneState(pane=str(pane))).selected == 0


def test_reading_leaves_the_selection_as_it_is(room: Room, pane: PaneId) -> None:
    select(room, pane, (0, 0), (2, 0))
    before = room.mux.terminals[pane].copy_mode.selected
    for origin in (agent(), agent(pane), USER):
        assert read(room, str(pane), origin).text == "one"
        room.run(ReadPane(pane=str(pane)), origin)
    assert room.mux.terminals[pane].copy_mode.selected == before


def test_without_a_pane_it_is_found_wherever_it_is(room: Room, pane: PaneId) -> None:
    other = room.cat()
    assert read(room, origin=agent(other)).nothing_selected
    select(room, pane, (0, 0), (2, 0))
    found = read(room, origin=agent(other))
    assert (found.text, found.pane) == ("one", str(pane))
    named = read(room, str(other), agent(other))
    assert (named.text, named.pane, named.nothing_selected) == ("", str(other), True)


def test_a_long_selection_is_read_in_pages(room: Room) -> None:
    room.launcher.engine = "ghostty"
    pane = room.opened("create-pane --command 'seq 100 300; exec cat'")
    room.shows(pane, "300")
    terminal = room.mux.terminals[pane]
    terminal.scroll(999)
    terminal.copy_mode.select(Cell(0, 0), Unit.LINE)
    terminal.scroll(-999)
    terminal.copy_mode.extend(Cell(2, 10))
    whole = terminal.copy_mode.selected_text.split("\n")
    assert whole[0] == "100"
    newest = read(room, str(pane), lines=50)
    assert (newest.text.split("\n"), newest.truncated, newest.next_offset) == (whole[-50:], True, 50)
    older = read(room, str(pane), lines=50, offset=50)
    assert older.text.split("\n") == whole[-100:-50]
    assert read(room, str(pane)).text.split("\n") == whole


def test_every_format_holds_what_is_selected_and_no_more(room: Room, pane: PaneId) -> None:
    select(room, pane, (4, 0), (8, 1))
    ansi = read(room, str(pane), format=TextFormat.ANSI).text
    assert re.sub(r"\x1b\[[0-9;]*m", "", ansi) == "two three\nred and b"
    assert ansi != "two three\nred and b"
    html = re.sub("<[^>]*>", "", read(room, str(pane), format=TextFormat.HTML).text)
    assert [line.rstrip() for line in html.split("\n")] == ["    two three", "red and b"]
    rows = json.loads(read(room, str(pane), format=TextFormat.CELLS).text)["rows"]
    assert ["".join(run[0] for run in row).rstrip() for row in rows] == ["    two three", "red and b"]


def test_control_characters_are_removed_from_the_selection(room: Room) -> None:
    room.launcher.engine = "ghostty"
    pane = room.opened("create-pane --command \"printf 'a\\342\\200\\256b\\363\\240\\201\\201c end'; exec cat\"")
    room.shows(pane, "end")
    select(room, pane, (0, 0), (20, 0))
    assert read(room, str(pane), agent()).text == "abc end"


def test_what_the_program_wrote_over_is_not_selected_any_more(room: Room, pane: PaneId) -> None:
    select(room, pane, (0, 0), (2, 0))
    room.mux.terminals[pane].receive(memoryview(b"\x1b[H\x1b[2J"))
    assert read(room, str(pane)).nothing_selected
    assert room.run(GetPaneState(pane=str(pane))).selected == 0


def test_of_a_rectangle_no_more_is_read_than_is_selected(room: Room, pane: PaneId) -> None:
    select(room, pane, (1, 0), (2, 2))
    room.mux.terminals[pane].copy_mode.shape(Cell(2, 2), rectangle=True)
    assert read(room, str(pane), agent()).text == "ne\ned\nas"
    assert read(room, str(pane), agent(), lines=2).text == "ed\nas"
    styled = read(room, str(pane), agent(), format=TextFormat.ANSI).text
    assert re.sub(r"\x1b\[[\d;]*m", "", styled) == "ne\ned\nas"
    assert "\x1b[" in styled
    for text_format in (TextFormat.HTML, TextFormat.CELLS):
        text = read(room, str(pane), agent(), format=text_format).text
        assert "ed" in text
        assert "bold" not in text.replace('"bold"', "")
        assert "two" not in text
