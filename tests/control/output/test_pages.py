"""Long texts are read in pages, as large as the reader takes them, without a gap."""

import pytest
from msgspec.structs import replace
from tests.control.scripted_program import Driven
from tests.control.scripted_program import driven as driven
from tests.multiplexer.conftest import Room, agent

from fugue_tui.control.commands.read_pane import ReadPane, Source
from fugue_tui.control.output.page import TextFormat
from fugue_tui.errors import InvalidArgument
from fugue_tui.geometry import Size


def test_a_long_text_is_read_on_in_pages(driven: Driven) -> None:
    cursor = driven.read().cursor
    driven.does("echo; seq 1 100")
    pages: list[str] = []
    more = True
    while more:
        page = driven.read(cursor, lines=30)
        pages.append(page.text)
        cursor, more = page.cursor, page.truncated
    assert len(pages) == 4
    assert [line for page in pages for line in page.splitlines() if line] == [*map(str, range(1, 101)), "<1>"]


def test_no_page_ends_in_the_middle_of_a_wrapped_line(driven: Driven) -> None:
    driven.room.mux.resize(Size(40, 24))
    cursor = driven.read().cursor
    driven.does("echo; for i in $(seq 1001 1030); do printf '%s %090d|\\n' $i 0; done")
    expected = [f"{number} {'0' * 90}|" for number in range(1001, 1031)]
    back: list[str] = []
    offset: int | None = 0
    while offset is not None:
        page = driven.read(source=Source.SCROLLBACK, lines=10, offset=offset)
        back, offset = [*page.text.splitlines(), *back], page.next_offset
    assert back == ["ready", *expected, "<1>"]
    on: list[str] = []
    more = True
    while more:
        page = driven.read(cursor, lines=10)
        on, cursor, more = [*on, *page.text.split("\n")], page.cursor, page.truncated
    assert [line for line in on if line] == [*expected, "<1>"]
    assert driven.read(lines=1, offset=1).text == "0" * 15 + "|"


def test_a_full_screen_program_is_read_in_pages_that_come_to_an_end(driven: Driven) -> None:
    cursor = driven.read().cursor
    driven.does("printf '\\033[?1049h\\033[H'; seq 1 20")
    pages: list[str] = []
    more = True
    while more and len(pages) < 9:
        page = driven.read(cursor, lines=8)
        pages.append(page.text)
        cursor, more = page.cursor, page.truncated
    assert "\n".join(pages).split() == [*map(str, range(1, 21)), "<1>"]
    first = driven.read(lines=8, offset=0, source=Source.SCREEN).cursor
    driven.does("printf '\\033[H'; seq 101 120")
    assert driven.read(first, lines=8).text.split()[0] == "101"


def test_a_page_of_a_repainted_screen_is_followed_by_the_whole_screen(driven: Driven) -> None:
    cursor = driven.read().cursor
    driven.does("printf '\\033[?1049h\\033[H'; seq 1 20")
    page = driven.read(cursor, lines=8)
    driven.does("printf '\\033[H'; seq 101 120")
    found = driven.read(page.cursor)
    assert (found.text.split()[0], found.redrawn) == ("101", True)


def test_the_scrollback_tells_how_to_page_back(driven: Driven) -> None:
    driven.does("echo; seq 1 300")
    lines: list[str] = []
    offset: int | None = 0
    while offset is not None:
        page = driven.read(source=Source.SCROLLBACK, lines=70, offset=offset)
        assert page.first_line + page.rows + offset == page.total_lines
        lines = [*page.text.splitlines(), *lines]
        assert page.truncated == (page.next_offset is not None)
        offset = page.next_offset
    assert lines == ["ready", *map(str, range(1, 301)), "<1>"]


def paged(room: Room, driven: Driven, takes: int) -> tuple[list[str], int]:
    """The scrollback as an agent gets it that takes so many characters: its lines, and in how many pages."""
    lines, pages, offset = list[str](), 0, 0
    while offset is not None:
        reading = ReadPane(pane=str(driven.pane), source=Source.SCROLLBACK, lines=10_000, offset=offset)
        page = room.run(reading, replace(agent(), takes=takes))
        assert len(page.text) <= takes
        lines, pages, offset = [*page.text.splitlines(), *lines], pages + 1, page.next_offset
    return lines, pages


@pytest.mark.parametrize(("takes", "most"), [(262_144, 1), (20_000, 3), (2_000, 25)])
def test_an_agent_gets_as_many_short_rows_at_once_as_a_model_takes(room: Room, takes: int, most: int) -> None:
    room.launcher.scrollback = 10_000
    driven = Driven(room)
    driven.does("echo; seq 1 8000")
    lines, pages = paged(room, driven, takes)
    assert lines == ["ready", *map(str, range(1, 8001)), "<1>"]
    assert pages <= most


def test_rows_of_every_length_are_paged_without_a_gap(room: Room) -> None:
    room.launcher.scrollback = 10_000
    driven = Driven(room)
    driven.does("echo; seq 1 2000; for i in $(seq 2001 2300); do printf '%s%070d\\n' $i 0; done; seq 2301 4300")
    expected = [str(number) + "0" * 70 * (2000 < number <= 2300) for number in range(1, 4301)]
    lines, pages = paged(room, driven, 20_000)
    assert lines == ["ready", *expected, "<1>"]
    assert pages <= 6


@pytest.mark.slow
@pytest.mark.parametrize("format", [TextFormat.ANSI, TextFormat.CELLS, TextFormat.HTML])
def test_what_its_styles_make_too_long_for_a_model_is_refused_and_never_cut(room: Room, format: TextFormat) -> None:
    room.mux.resize(Size(400, 150))
    driven = Driven(room)
    driven.does("for i in $(seq 1 9000); do printf '\\033[38;5;%dmx\\033[48;5;%dmy' $((i % 256)) $((i % 255)); done")
    reading = ReadPane(pane=str(driven.pane), source=Source.SCROLLBACK, lines=200, format=format)
    with pytest.raises(InvalidArgument, match="ask for fewer lines, or for plain"):
        room.run(reading, agent())
    assert room.run(reading).rows > 40
