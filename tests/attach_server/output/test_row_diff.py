"""The change from one painted row to the next."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tui.host_programs import cells

from fugue_tui.attach_server.output.row_diff import Delta
from fugue_tui.geometry import Size
from fugue_tui.terminal.ghostty.emulator import GhosttyEmulator

COLS = 12
PIECES = st.lists(
    st.tuples(st.sampled_from(["", "31", "0;1", "0;4:3", "7", "48;5;20", "0"]), st.text("ab cd~é│…", max_size=5)),
    max_size=4,
)


def painted(pieces: list[tuple[str, str]]) -> bytes:
    """A row as an emulator paints it: it ends in the default style, default blanks at its end left out."""
    emulator = GhosttyEmulator(Size(COLS, 1))
    emulator.feed("".join(f"\x1b[{look}m{text}" if look else text for look, text in pieces).encode())
    emulator.refresh()
    return emulator.paint(0, 1)[0]


@pytest.mark.slow
@given(old=PIECES.map(painted), new=PIECES.map(painted))
def test_the_spans_turn_the_old_row_into_the_new_one(old: bytes, new: bytes) -> None:
    parts = Delta().spans(old, new, COLS)
    assert parts is not None
    shown, wanted = GhosttyEmulator(Size(COLS, 2)), GhosttyEmulator(Size(COLS, 2))
    shown.feed(b"\x1b[?7l" + old)
    wanted.feed(b"\x1b[?7l" + new)
    for column, text, _ in parts:
        shown.feed(b"\x1b[1;%dH" % (column + 1) + text)
    shown.refresh()
    wanted.refresh()
    assert cells(shown.row(0)) == cells(wanted.row(0))
    assert all(column + width <= COLS for column, _, width in parts)


def test_a_row_that_is_the_same_needs_nothing() -> None:
    assert Delta().spans(b"\x1b[31mred\x1b[m text", b"\x1b[31mred\x1b[m text", 20) == []


def test_one_changed_letter_is_one_short_piece() -> None:
    assert Delta().spans(b"hello world", b"hello_world", 20) == [(5, b"_", 1)]


def test_letters_and_lines_of_any_language_are_compared() -> None:
    assert Delta().spans("│ é 1 │".encode(), "│ é 2 │".encode(), 20) == [(4, b"2", 1)]
    assert Delta().spans("│ a │".encode(), "│ ü… │".encode(), 20) == [(2, "ü… │".encode(), 4)]


@pytest.mark.parametrize(
    "row", ["漢字", "e\u0301", "\u00ad", "\u200b", "▶\ufe0f", "\x1b]8;;https://x.example/\x1b\\x\x1b]8;;\x1b\\"]
)
def test_a_row_of_other_than_plain_cells_is_written_whole(row: str) -> None:
    assert Delta().spans(b"abc", row.encode(), 20) is None


@pytest.mark.slow
def test_a_program_that_shows_ever_new_styles_is_still_compared() -> None:
    delta = Delta()

    def row(first: int) -> bytes:
        return b"".join(b"\x1b[0;38;5;%dmx" % style for style in range(first, first + 200)) + b"\x1b[m"

    for first in range(0, 70_000, 200):
        assert delta.spans(b"a", row(first), 201) is not None
    assert delta.spans(row(0), row(0)[:-3] + b"y", 201) == [(200, b"\x1b[0;38;5;199my\x1b[m", 1)]
