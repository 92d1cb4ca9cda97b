"""Motions by words, paragraphs, brackets, characters and prompts."""

from collections.abc import Iterator

import pytest

from fugue_tui.geometry import Size
from fugue_tui.terminal.copy_mode.motions import (
    MOTIONS,
    Motion,
    by_columns,
    by_lines,
    output_at,
    repeated,
    to_character,
)
from fugue_tui.terminal.emulator.protocol import Emulator
from fugue_tui.terminal.engines import make_emulator
from fugue_tui.terminal.screen.pins import Point

PROMPT = "\x1b]133;A\x07$ \x1b]133;B\x07"


@pytest.fixture(params=["ghostty", "pyte"])
def emulator(request: pytest.FixtureRequest) -> Iterator[Emulator]:
    made = make_emulator(request.param, Size(20, 6), 1_000)
    yield made
    made.close()


def go(emulator: Emulator, motion: Motion | str, line: int, column: int = 0) -> tuple[int, int]:
    found = (MOTIONS[motion] if isinstance(motion, str) else motion)(emulator, Point(line, column))
    return found.line, found.column


@pytest.mark.parametrize(
    ("motion", "column", "after"),
    [
        ("next-space", 0, 9),
        ("next-word", 0, 3),
        ("next-space-end", 0, 6),
        ("previous-space", 12, 9),
        ("previous-word", 6, 4),
        ("next-matching-bracket", 0, 6),
        ("next-matching-bracket", 6, 3),
    ],
)
def test_big_words_reach_to_blanks_and_brackets_match(emulator: Emulator, motion: str, column: int, after: int) -> None:
    emulator.feed(b"foo(ab)  bar=1 z")
    assert go(emulator, motion, 0, column) == (0, after)


def test_brackets_match_over_lines(emulator: Emulator) -> None:
    emulator.feed(b"a {\r\n b {}\r\n}\r\n)")
    assert go(emulator, "next-matching-bracket", 0) == (2, 0)
    assert go(emulator, "next-matching-bracket", 2) == (0, 2)
    assert go(emulator, "next-matching-bracket", 3) == (3, 0)


def test_paragraphs_end_at_blank_lines(emulator: Emulator) -> None:
    emulator.feed(b"one\r\ntwo\r\n\r\n\r\nthree\r\nfour\r\n\r\nfive\r\n")
    assert go(emulator, "next-paragraph", 0, 2) == (2, 0)
    assert go(emulator, "next-paragraph", 2) == (6, 0)
    assert go(emulator, "previous-paragraph", 7) == (6, 0)
    assert go(emulator, "previous-paragraph", 5) == (3, 0)
    assert go(emulator, "previous-paragraph", 1) == (0, 0)
    assert go(emulator, repeated(MOTIONS["next-paragraph"], 2), 0) == (6, 0)


def test_characters_of_the_line_are_reached_from_either_side(emulator: Emulator) -> None:
    emulator.feed("a-b-漢-c".encode())
    assert go(emulator, to_character("-", forward=True), 0) == (0, 1)
    assert go(emulator, repeated(to_character("-", forward=True), 2), 0) == (0, 3)
    assert go(emulator, to_character("-", forward=True, till=True), 0) == (0, 2)
    assert go(emulator, to_character("c", forward=True, till=True), 0) == (0, 6)
    assert go(emulator, to_character("漢", forward=False, till=True), 0, 7) == (0, 4)
    assert go(emulator, to_character("x", forward=True), 0, 2) == (0, 2)


def test_a_free_cursor_goes_past_the_end_of_a_line(emulator: Emulator) -> None:
    emulator.feed(b"ab\r\nlong line")
    assert go(emulator, by_lines(-1, 6, free=True), 1, 6) == (0, 6)
    assert go(emulator, by_lines(-1, 6), 1, 6) == (0, 1)
    assert go(emulator, by_columns(50), 0) == (0, 19)


def test_prompts_and_outputs_are_found_by_their_marks() -> None:
    emulator = make_emulator("ghostty", Size(20, 6), 1_000)
    long = "echo a very long line that wraps twice over it"
    emulator.feed(f"{PROMPT}ls\r\n\x1b]133;C\x07a\r\nb\r\n\x1b]133;D;0\x07{PROMPT}\r\n\x1b]133;D\x07".encode())
    emulator.feed(f"{PROMPT}{long}\r\n\x1b]133;C\x07out\r\n\r\n\x1b]133;D\x07{PROMPT}".encode())
    assert emulator.lines(3, 10) == ["$", "$ echo a very long l", "ine that wraps twice", " over it", "out", "", "$"]
    assert [go(emulator, "previous-prompt", line)[0] for line in (9, 8, 4, 3, 2, 0)] == [4, 4, 3, 0, 0, 0]
    assert [go(emulator, "next-prompt", line)[0] for line in (0, 3, 4, 9)] == [3, 4, 9, 9]
    assert [go(emulator, "previous-output", line)[0] for line in (9, 7, 1)] == [7, 1, 1]
    assert [go(emulator, "next-output", line)[0] for line in (0, 1, 7)] == [1, 7, 7]
    for line, output in ((0, (1, 2)), (2, (1, 2)), (4, (7, 7)), (6, (7, 7)), (8, (7, 7)), (3, (1, 2)), (9, (7, 7))):
        found = output_at(emulator, Point(line))
        assert found is not None
        assert (found[0].line, found[1].line) == output


def test_where_no_prompts_are_known_the_cursor_stays(emulator: Emulator) -> None:
    emulator.feed(b"a\r\nb\r\nc")
    for name in ("previous-prompt", "next-prompt", "previous-output", "next-output"):
        assert go(emulator, name, 1) == (1, 0)
    assert output_at(emulator, Point(1)) is None
