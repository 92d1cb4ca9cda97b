"""Text is found in every pane, on the screen and in what scrolled away, and can be read on from."""

import math
import time
from collections.abc import Sequence
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.control.output.test_continuation import Driven
from tests.multiplexer.conftest import Room, agent

from fugue_tui.control.commands.read_pane import ReadPane
from fugue_tui.control.commands.search import Matches, SearchPanes
from fugue_tui.control.output import full_text as terminal_text
from fugue_tui.control.output.full_text import full_text, starts_of
from fugue_tui.control.schema.command_schema import payload
from fugue_tui.errors import InvalidArgument, NotFound
from fugue_tui.geometry import Size
from fugue_tui.terminal.emulator.protocol import Emulator


def search(room: Room, pattern: str, **fields: object) -> Matches:
    return room.run(SearchPanes(pattern=pattern, **fields), agent())  # type: ignore[arg-type]


@pytest.fixture(params=["ghostty", "pyte"])
def driven(room: Room, request: pytest.FixtureRequest) -> Driven:
    return Driven(room, request.param)


def test_a_line_that_scrolled_away_is_found_and_read_on_from(driven: Driven) -> None:
    driven.does("echo; seq 1 60; echo needle here; seq 61 90")
    found = search(driven.room, "needle")
    (hit,) = found.matches
    assert (hit.pane, hit.text, hit.match, found.found) == (str(driven.pane), "needle here", "needle", 1)
    assert hit.line == 61
    text = driven.room.run(ReadPane(cursor=hit.cursor)).text
    assert text.splitlines() == ["needle here", *map(str, range(61, 91)), "<1>"]
    driven.does("echo; echo later")
    assert driven.room.run(ReadPane(cursor=hit.cursor)).text.endswith("90\n<1>\nlater\n<2>")


def test_a_hit_in_a_full_screen_program_is_read_on_from(driven: Driven) -> None:
    driven.does("printf '\\033[?1049h\\033[H'; seq 1 5; echo needle; seq 6 9")
    (hit,) = search(driven.room, "needle").matches
    assert driven.room.run(ReadPane(cursor=hit.cursor)).text.split() == ["needle", "6", "7", "8", "9", "<1>"]


def test_a_match_goes_over_wrapped_rows_and_the_row_is_that_of_its_line(driven: Driven) -> None:
    driven.does("echo; for i in 1 2 3; do printf '%0150d end\\n' $i; done; echo last")
    found = search(driven.room, r"0{100}2 end$", regex=True)
    (hit,) = found.matches
    assert hit.line == 3 == driven.room.run(ReadPane(cursor=hit.cursor)).first_line
    assert driven.room.run(ReadPane(cursor=hit.cursor)).text.startswith("2 end".zfill(154))


def test_all_panes_are_searched_unless_some_are_named(room: Room) -> None:
    one, other = Driven(room), Driven(room, "pyte")
    one.does("echo; echo common")
    other.does("echo; echo COMMON")
    assert [hit.pane for hit in search(room, "common").matches] == [str(one.pane)]
    both = search(room, "common", ignore_case=True)
    assert [hit.pane for hit in both.matches] == [str(one.pane), str(other.pane)]
    assert both.panes_searched == 2
    named = search(room, "(?i)common", regex=True, panes=(str(other.pane),))
    assert [hit.text for hit in named.matches] == ["COMMON"]
    with pytest.raises(NotFound, match="%99"):
        search(room, "x", panes=("%99",))


def test_the_newest_hits_of_each_pane_are_given_if_there_are_too_many(room: Room) -> None:
    many, few = Driven(room), Driven(room)
    many.does("echo; seq -f 'hit %g' 1 40")
    few.does("echo; seq -f 'hit %g' 1 2")
    found = search(room, "hit", limit=6)
    assert [hit.text for hit in found.matches] == ["hit 37", "hit 38", "hit 39", "hit 40", "hit 1", "hit 2"]
    assert found.found == 42


def test_context_is_given_before_and_after(driven: Driven) -> None:
    driven.does("echo; seq 1 9")
    (hit,) = search(driven.room, "5", context=2).matches
    assert (hit.before, hit.after) == (("3", "4"), ("6", "7"))


def test_anchors_hold_for_each_line(driven: Driven) -> None:
    driven.does("echo; echo error one; echo no error; echo error two")
    found = search(driven.room, "^error .*$", regex=True)
    assert [hit.match for hit in found.matches] == ["error one", "error two"]


def test_a_cursor_of_a_hit_is_refused_once_the_pane_has_another_width(driven: Driven) -> None:
    driven.does("echo; echo needle")
    (hit,) = search(driven.room, "needle").matches
    driven.room.mux.resize(Size(50, 24))
    driven.room.mux.resize(Size(60, 24))
    with pytest.raises(InvalidArgument, match="search again"):
        driven.room.run(ReadPane(cursor=hit.cursor))


def test_what_a_hit_shows_is_clean(driven: Driven) -> None:
    driven.does("printf '\\nneedle \\033[31mred\\033[0m \\342\\200\\256x 👨‍👩‍👧\\n'")
    found = search(driven.room, "needle")
    said = payload(SearchPanes, found)
    assert said is not None
    assert not {"\x1b", "\u202e"} & set(str(said["matches"][0]["text"]))
    assert "👨" in said["matches"][0]["text"]


def test_a_row_of_blanks_at_the_end_of_a_line_belongs_to_it(driven: Driven) -> None:
    cols = driven.room.mux.terminals[driven.pane].size.cols
    driven.does(f"echo; printf '%-{cols + 5}s\\nneedle\\n\\nneedle two\\n' padded")
    hits = search(driven.room, "needle").matches
    assert [hit.line for hit in hits] == [3, 5]
    for hit in hits:
        assert driven.room.run(ReadPane(cursor=hit.cursor)).text.startswith(hit.text)


def test_a_line_break_is_in_no_line_and_the_refusal_says_so(room: Room) -> None:
    room.cat()
    with pytest.raises(InvalidArgument, match="pattern: has a line break, but lines are searched one by one"):
        search(room, "one\ntwo")


def test_a_pattern_that_is_wrong_is_refused_with_its_place(room: Room) -> None:
    room.cat()
    with pytest.raises(InvalidArgument, match=r"^pattern: .* at 1"):
        search(room, "a(b", regex=True)
    with pytest.raises(InvalidArgument, match="pattern: is empty"):
        search(room, "")


def test_a_costly_pattern_takes_linear_time(room: Room) -> None:
    driven = Driven(room)
    driven.does("echo; for i in $(seq 1 300); do printf '%0500d\\n' 0; done")
    found = search(room, "(0+)+0*(0|00)+x", regex=True)
    assert found.matches == ()


def test_a_very_long_line_is_cut_around_its_match(room: Room) -> None:
    driven = Driven(room)
    driven.does("echo; printf '%05000dneedle%05000d\\n' 0 0")
    (hit,) = search(room, "needle").matches
    assert len(hit.text) <= 1000
    assert "needle" in hit.text


WORDS = st.lists(st.text("ab 漢", max_size=30).map(str.rstrip), max_size=12)


@pytest.mark.slow
@given(WORDS, st.integers(1, 7))
def test_lines_are_found_again_among_their_rows(lines: Sequence[str], width: int) -> None:
    rows: list[str] = []
    wanted: list[int] = []
    for line in lines:
        wanted.append(len(rows))
        rows += [line[at : at + width].rstrip() for at in range(0, max(1, len(line)), width)]
    assert starts_of(lines, rows, width) == wanted


def test_a_long_text_is_read_in_pieces_that_cut_no_line(driven: Driven, monkeypatch: pytest.MonkeyPatch) -> None:
    driven.does("echo; for i in $(seq 1 60); do printf '%s 漢字   %0*d|\\n\\n' $i $((i * 3)) 0; done")
    driven.does("printf '%-100s|\\n' x")
    terminal = driven.room.mux.terminals[driven.pane]
    whole = full_text(terminal, math.inf)
    for rows in (1, 2, 3, 10):
        monkeypatch.setattr(terminal_text, "ROWS", rows)
        pieces = full_text(terminal, math.inf)
        assert pieces is not None
        assert whole is not None
        assert [line.rstrip() for line in pieces.lines] == [line.rstrip() for line in whole.lines]
        assert (pieces.starts, pieces.last) == (whole.starts, whole.last)


def test_a_resize_while_a_long_text_is_read_starts_the_reading_again(
    driven: Driven, monkeypatch: pytest.MonkeyPatch
) -> None:
    driven.does("echo; seq 1 100")
    terminal, monotonic = driven.room.mux.terminals[driven.pane], time.monotonic

    def resized() -> float:
        terminal.resize(Size(terminal.size.cols - 1, terminal.size.rows))
        monkeypatch.undo()
        return monotonic()

    monkeypatch.setattr(terminal_text, "ROWS", 10)
    monkeypatch.setattr(terminal_text, "time", SimpleNamespace(monotonic=resized))
    found = full_text(terminal, math.inf)
    assert found is not None
    assert {str(number) for number in range(1, 101)} <= set(found.lines)


@pytest.mark.slow
def test_searching_a_long_text_does_not_block_the_main_loop(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    room.launcher.scrollback = 50_000
    driven = Driven(room)
    driven.does("echo; seq 1 30000")
    with room.mux.terminals[driven.pane].locked() as screen:
        emulator = screen.emulator
    asked: list[int] = []

    def lines(self: Emulator, start: int, stop: int, *, joined: bool = False) -> list[str]:
        asked.append(stop - start)
        return read(self, start, stop, joined=joined)

    read = type(emulator).lines
    monkeypatch.setattr(type(emulator), "lines", lines)
    found = search(room, "999", limit=500)
    assert found.found == sum("999" in str(number) for number in range(1, 30_001))
    assert max(asked) <= terminal_text.ROWS < 30_000
    assert [hit.line for hit in found.matches[:2]] == [999, 1999]


@pytest.mark.slow
def test_lines_pruned_during_a_search_cause_no_error(room: Room) -> None:
    driven = Driven(room)
    driven.does("echo; seq 1 9000")
    room.mux.terminals[driven.pane].write(b"yes 0123456789\n")
    room.shows(driven.pane, "0123456789")
    for _ in range(20):
        found = search(room, "0123456789", limit=1)
        assert found.found > 0
        assert found.matches[0].text.startswith("0123456789")
