"""What is selected in a terminal's text: which cells, what of it stays, and how it is drawn. In both engines."""

import pytest
from tests.terminal.copy_mode.text_selection import drag, reversed_text, say, terminal_of
from tests.terminal.copy_mode.text_selection import ghostty as ghostty
from tests.terminal.copy_mode.text_selection import pump as pump
from tests.terminal.copy_mode.text_selection import terminal as terminal

from fugue_tui.geometry import Size
from fugue_tui.terminal.copy_mode.copy_mode import Cell
from fugue_tui.terminal.copy_mode.text_units import TextSpan, Unit
from fugue_tui.terminal.pty.io_loop import IOLoop
from fugue_tui.terminal.screen.pins import Point
from fugue_tui.terminal.terminal import Terminal

# Which cells


def test_a_selection_goes_from_cell_to_cell_whichever_comes_first(terminal: Terminal) -> None:
    say(terminal, "one two\r\nthree four\r\nfive")
    assert drag(terminal, (4, 0), (4, 1)) == "two\nthree"
    assert drag(terminal, (4, 1), (4, 0)) == "two\nthree"
    assert drag(terminal, (2, 1), (2, 1)) == "r"
    assert drag(terminal, (0, 2), (19, 4)) == "five"


def test_rows_that_wrapped_are_one_line(terminal: Terminal) -> None:
    say(terminal, "0123456789" * 4 + "\r\nend")
    assert drag(terminal, (15, 0), (4, 1)) == "5678901234"
    assert drag(terminal, (15, 0), (0, 2)) == "56789" + "0123456789" * 2 + "\ne"


def test_wide_characters_are_selected_whole(terminal: Terminal) -> None:
    say(terminal, "漢字かな ok")
    assert drag(terminal, (1, 0), (4, 0)) == "漢字か"
    assert terminal.copy_mode.selected == TextSpan(Point(0, 0), Point(0, 5))
    assert reversed_text(terminal) == ["漢字か"]
    assert drag(terminal, (5, 0), (3, 0)) == "字か"


@pytest.mark.parametrize("text", ["e\u0301tude", "👩‍👩‍👧 family", "🇩🇪 flag"])
def test_characters_of_several_signs_are_selected_whole(ghostty: Terminal, text: str) -> None:
    say(ghostty, text)
    first = text[: text.index(" ")] if " " in text else text[:2]
    assert drag(ghostty, (0, 0), (0, 0)) == first


@pytest.mark.parametrize(
    ("line", "column", "word"),
    [
        ("see /usr/share/doc.txt, ok", 8, "/usr/share/doc.txt"),
        ("at ~/src/my-app/x_1.py:12:5: E501", 10, "~/src/my-app/x_1.py"),
        ("at x_1.py:12:5: E501", 11, "12"),
        ("(https://example.org/a_(b)?q=1&r=2#x).", 12, "https://example.org/a_(b)?q=1&r=2#x"),
        ("go to http://localhost:8000/, then", 8, "http://localhost:8000/"),
        ('name="some value"', 12, "value"),
        ('name="some value"', 1, "name="),
        ("user@host.example", 6, "user@host.example"),
        ("The end. Next", 5, "end"),
        ("ls .. ", 3, ".."),
        ("a   b", 2, ""),
        ("a(b)", 1, "("),
        ("grep --colour=auto -n", 8, "--colour=auto"),
        ("im Gehäuse größer", 12, "größer"),
        ("漢字 words", 6, "words"),
    ],
)
def test_a_word_is_a_path_or_an_address_or_what_stands_between_blanks(
    pump: IOLoop, line: str, column: int, word: str
) -> None:
    terminal = terminal_of("ghostty", pump, Size(60, 3))
    say(terminal, line)
    terminal.copy_mode.select(Cell(column, 0), Unit.WORD)
    assert terminal.copy_mode.selected_text == word
    terminal.close()


def test_a_word_goes_over_the_end_of_a_row(terminal: Terminal) -> None:
    say(terminal, "see https://example.org/a/long/path/to/it now")
    for cell in (Cell(10, 0), Cell(10, 1), Cell(0, 2)):
        terminal.copy_mode.select(cell, Unit.WORD)
        assert terminal.copy_mode.selected_text == "https://example.org/a/long/path/to/it"


def test_a_line_is_all_that_wrapped_and_grows_by_lines(terminal: Terminal) -> None:
    say(terminal, "first\r\n" + "x" * 30 + "\r\nlast")
    terminal.copy_mode.select(Cell(2, 2), Unit.LINE)
    assert terminal.copy_mode.selected_text == "x" * 30
    terminal.copy_mode.extend(Cell(0, 3))
    assert terminal.copy_mode.selected_text == "x" * 30 + "\nlast"
    terminal.copy_mode.extend(Cell(0, 0))
    assert terminal.copy_mode.selected_text == "first\n" + "x" * 30


def test_words_grow_by_words(terminal: Terminal) -> None:
    say(terminal, "one two three four")
    assert drag(terminal, (5, 0), (10, 0), Unit.WORD) == "two three"
    terminal.copy_mode.extend(Cell(1, 0))
    assert terminal.copy_mode.selected_text == "one two"


def test_what_was_begun_by_characters_continues_by_lines(terminal: Terminal) -> None:
    say(terminal, "one\r\ntwo\r\nthree")
    drag(terminal, (1, 1), (2, 1))
    terminal.copy_mode.extend(Cell(2, 1), Unit.LINE)
    assert terminal.copy_mode.selected_text == "two"
    terminal.copy_mode.extend(Cell(2, 1), Unit.CHARACTER)
    assert terminal.copy_mode.selected_text == "wo"


def test_a_cell_outside_of_the_view_counts_as_its_edge(terminal: Terminal) -> None:
    say(terminal, "one\r\ntwo")
    assert drag(terminal, (-3, -1), (99, 99)) == "one\ntwo"
