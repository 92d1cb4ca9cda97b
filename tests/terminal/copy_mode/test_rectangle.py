"""A rectangle is selected, copied and drawn column by column, and a selection is turned around."""

from tests.terminal.copy_mode.text_selection import pump as pump
from tests.terminal.copy_mode.text_selection import reversed_text, say
from tests.terminal.copy_mode.text_selection import terminal as terminal

from fugue_tui.terminal.copy_mode.text_units import Unit
from fugue_tui.terminal.screen.pins import Point
from fugue_tui.terminal.terminal import Terminal


def test_a_rectangle_is_a_part_of_each_row(terminal: Terminal) -> None:
    say(terminal, "abcdef\r\nab\r\nabcdef\r\nxyz")
    terminal.copy_mode.select(Point(2, 3))
    terminal.copy_mode.shape(Point(0, 1), rectangle=True)
    assert terminal.copy_mode.selected_text == "bcd\nb\nbcd"
    assert reversed_text(terminal) == ["bcd", "b  ", "bcd"]
    terminal.copy_mode.extend(Point(3, 1))
    assert terminal.copy_mode.selected_text == "bcd\nyz"
    terminal.copy_mode.shape(Point(3, 1), rectangle=False)
    assert terminal.copy_mode.selected_text == "def\nxy"


def test_a_rectangle_follows_its_text_and_is_dropped_with_it(terminal: Terminal) -> None:
    say(terminal, "abcdef\r\nabcdef\r\nabcdef\r\n")
    terminal.copy_mode.select(Point(0, 1))
    terminal.copy_mode.shape(Point(2, 2), rectangle=True)
    say(terminal, "\x1b[2;5HX\x1b[5;1H" + "more\r\n" * 4)
    assert terminal.copy_mode.selected_text == "bc\nbc\nbc"
    terminal.copy_mode.select(Point(4, 1))
    terminal.copy_mode.shape(Point(6, 2), rectangle=True)
    say(terminal, "\x1b[2;2HX")
    assert terminal.copy_mode.selected is None


def test_wide_characters_are_in_a_rectangle_with_the_column_they_begin_in(terminal: Terminal) -> None:
    say(terminal, "a漢字d\r\nabcdef\r\n")
    terminal.copy_mode.select(Point(0, 1))
    terminal.copy_mode.shape(Point(1, 2), rectangle=True)
    assert terminal.copy_mode.selected_text == "漢\nbc"


def test_a_selection_is_turned_around(terminal: Terminal) -> None:
    say(terminal, "one two three")
    terminal.copy_mode.select(Point(0, 4))
    terminal.copy_mode.extend(Point(0, 6))
    assert terminal.copy_mode.swap(Point(0, 6)) == Point(0, 4)
    assert terminal.copy_mode.selected_text == "two"
    terminal.copy_mode.extend(Point(0, 0))
    assert terminal.copy_mode.selected_text == "one two"
    terminal.copy_mode.deselect()
    assert terminal.copy_mode.swap(Point(0, 0)) is None
    terminal.copy_mode.select(Point(0, 0), Unit.LINE)
    assert terminal.copy_mode.swap(Point(0, 0)) == Point(0, 0)
