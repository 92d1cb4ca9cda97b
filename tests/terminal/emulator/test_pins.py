"""Places in a terminal's text, in both engines."""

import gc
import threading

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fugue_tui.geometry import Size
from fugue_tui.terminal.emulator.locked_screen import passage
from fugue_tui.terminal.emulator.protocol import Emulator
from fugue_tui.terminal.engines import make_emulator
from fugue_tui.terminal.ghostty.emulator import GhosttyEmulator
from fugue_tui.terminal.screen.pins import Point

SIZE = Size(20, 5)


@pytest.fixture(params=["ghostty", "pyte"])
def emulator(request: pytest.FixtureRequest) -> Emulator:
    return make_emulator(request.param, SIZE, 100)


def test_a_pin_is_where_the_program_writes_next(emulator: Emulator) -> None:
    emulator.feed(b"one\r\ntwo")
    assert emulator.pin().place == Point(1, 3)


def test_a_pin_follows_its_text_into_the_history(emulator: Emulator) -> None:
    emulator.feed(b"one\r\ntwo")
    pin = emulator.pin()
    emulator.feed(b" and more" + b"\r\n" * 12 + b"end")
    line = pin.line
    assert line is not None
    assert emulator.lines(line, line + 1) == ["two and more"]
    assert (pin.line, pin.column, pin.alternate, pin.gone) == (1, 3, False, False)


def test_text_between_two_pins_is_exact_to_the_column(emulator: Emulator) -> None:
    emulator.feed(b"$ ls")
    start = emulator.pin()
    emulator.feed(b" -la\r\n\r\n  a\r\nb  ")
    stop = emulator.pin()
    emulator.feed(b"$ ")
    assert passage(emulator, start, stop).text == " -la\n\n  a\nb"
    assert passage(emulator, start).text == " -la\n\n  a\nb  $"
    assert passage(emulator, 2, stop).text == "  a\nb"
    assert passage(emulator, 0, 2).text == "$ ls -la"


def test_nothing_lies_between_a_pin_and_itself_or_a_later_one(emulator: Emulator) -> None:
    emulator.feed(b"abc")
    start = emulator.pin()
    emulator.feed(b"def")
    later = emulator.pin()
    assert passage(emulator, start, start).text == ""
    assert passage(emulator, later, start).text == ""
    assert passage(emulator, 3, 99).text == ""


def test_soft_wraps_are_joined_unless_rows_are_asked_for(emulator: Emulator) -> None:
    text = "0123456789" * 5
    start = emulator.pin()
    emulator.feed(text.encode() + b"\r\nend")
    assert passage(emulator, start).text == f"{text}\nend"
    rows = [text[:20], text[20:40], text[40:], "end"]
    assert passage(emulator, start, joined=False).text.split("\n") == rows


def test_a_pin_past_the_last_column_belongs_to_the_next_row(emulator: Emulator) -> None:
    emulator.feed(b"x" * SIZE.cols)
    full = emulator.pin()
    emulator.feed(b"Z")
    after = emulator.pin()
    assert passage(emulator, 0, full).text == "x" * SIZE.cols
    assert passage(emulator, full, after).text == "Z"


def test_nothing_lies_below_the_last_line(emulator: Emulator) -> None:
    end = emulator.scrollback.lines + SIZE.rows
    assert emulator.between(Point(end, SIZE.cols), Point(end + 1, 3)) == ""
    assert emulator.between(Point(end - 1, SIZE.cols), Point(end + 1, 3)) == ""


def test_wide_characters_are_cut_where_they_begin(emulator: Emulator) -> None:
    emulator.feed("日本".encode())
    start = emulator.pin()
    emulator.feed("語e\u0301x".encode())
    stop = emulator.pin()
    emulator.feed(b"tail")
    assert passage(emulator, start, stop).text == "語e\u0301x"


def test_a_wide_character_that_wrapped_belongs_to_its_own_row_alone(emulator: Emulator) -> None:
    emulator.feed("1234567890123456789語next\r\nend".encode())
    for joined in (True, False):
        assert emulator.between(Point(0), Point(1), joined=joined) == "1234567890123456789"
        assert emulator.between(Point(1), Point(2), joined=joined) == "語next"
        assert emulator.lines(0, 1, joined=joined) == ["1234567890123456789"]
    assert emulator.between(Point(0), Point(2)) == "1234567890123456789語next"


def test_vt_text_keeps_colours_and_ends_in_the_default_style(emulator: Emulator) -> None:
    emulator.feed(b"\x1b[32mskipped ")
    start = emulator.pin()
    emulator.feed(b"green\x1b[0m plain\r\n\x1b[1mbold")
    text = passage(emulator, start, ansi=True).text
    other = make_emulator(emulator.engine, SIZE, 0)
    other.feed(text.replace("\n", "\r\n").encode() + b"!")
    other.refresh()
    emulator.refresh()
    assert [run.style for run in other.row(0).runs] == [run.style for run in emulator.row(0).runs]
    assert other.row(1).runs[-1].text == "!"
    assert other.row(1).runs[0].style == emulator.row(1).runs[0].style
    assert [row.text for row in (other.row(0), other.row(1))] == ["green plain", "bold!"]


def test_a_pruned_pin_is_gone_and_what_followed_it_is_still_reported(emulator: Emulator) -> None:
    emulator.feed(b"first")
    pin = emulator.pin()
    emulator.feed(
        b"".join(b"\r\nline %d" % number for number in range(40_000 if emulator.engine == "ghostty" else 300))
    )
    assert pin.gone
    assert pin.line is None
    found = passage(emulator, pin)
    assert found.missed
    assert not found.hidden
    assert found.text.split("\n")[0] == emulator.lines(0, 1)[0]
    assert passage(emulator, 0, pin).missed


def test_the_other_screen_hides_a_pin_until_it_is_back(emulator: Emulator) -> None:
    emulator.feed(b"shell")
    pin = emulator.pin()
    emulator.feed(b"\x1b[?1049h\x1b[Hvim")
    inside = emulator.pin()
    assert (pin.line, pin.gone) == (None, False)
    assert passage(emulator, pin).hidden
    assert (inside.alternate, inside.place) == (True, emulator.pin().place)
    emulator.feed(b"\x1b[?1049l")
    assert pin.place == Point(0, 5)
    assert inside.line is None
    assert passage(emulator, inside).text == ""


def test_a_place_can_be_pinned(emulator: Emulator) -> None:
    emulator.feed(b"one\r\ntwo three\r\nfour")
    pin = emulator.pin(Point(1, 4))
    emulator.feed(b"\r\n" * 10)
    assert passage(emulator, pin, 2).text == "three"


def test_a_pin_keeps_its_character_when_lines_rewrap() -> None:
    emulator = GhosttyEmulator(Size(40, 6), 100)
    emulator.feed(b"some words that are followed by ")
    pin = emulator.pin()
    emulator.feed(b"this\r\n$ ")
    for cols in (11, 7, 60, 40):
        emulator.resize(Size(cols, 6))
        place = pin.place
        assert place is not None
        assert passage(emulator, pin).text == "this\n$"


def test_dropped_pins_are_given_back_from_any_thread() -> None:
    emulator = GhosttyEmulator(SIZE, 100)
    pins = [emulator.pin() for _ in range(50)]
    dropper = threading.Thread(target=pins.clear)
    dropper.start()
    dropper.join()
    gc.collect()
    emulator.feed(b"x")
    assert not emulator._pins.dropped  # pyright: ignore[reportPrivateUsage]


def test_a_pin_outlives_its_terminal() -> None:
    emulator = GhosttyEmulator(SIZE, 100)
    pin = emulator.pin()
    emulator.close()
    del emulator
    gc.collect()
    assert pin.place == Point(0)


WORDS = st.lists(st.sampled_from([b"word ", b"\r\n", b"long" * 9, b"\x1b[31m", b"  "]), max_size=30)


@pytest.mark.slow
@example(before=[], inside=[b"x" * 40, b" ", b"  ", b"\r\n", b"end"], after=[], cols=41)
@example(before=[b"long" * 9], inside=[b"  ", b"\r\n", b"word "], after=[], cols=9)
@given(before=WORDS, inside=WORDS, after=WORDS, cols=st.integers(8, 50))
def test_both_engines_give_the_same_text_between_two_pins(
    before: list[bytes], inside: list[bytes], after: list[bytes], cols: int
) -> None:
    told: list[str] = []
    for engine in ("ghostty", "pyte"):
        emulator = make_emulator(engine, Size(cols, 6), 1_000)
        emulator.feed(b"".join(before))
        start = emulator.pin()
        emulator.feed(b"".join(inside))
        stop = emulator.pin()
        emulator.feed(b"".join(after))
        told.append(passage(emulator, start, stop).text)
    assert told[0] == told[1]
