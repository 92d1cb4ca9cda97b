"""What is selected stays so while its text is there, and no longer."""

import pytest
from tests.terminal.copy_mode.text_selection import SIZE, drag, reversed_text, say, terminal_of
from tests.terminal.copy_mode.text_selection import ghostty as ghostty
from tests.terminal.copy_mode.text_selection import pump as pump
from tests.terminal.copy_mode.text_selection import terminal as terminal

from fugue_tui.geometry import Size
from fugue_tui.terminal.copy_mode.copy_mode import Cell
from fugue_tui.terminal.pty.io_loop import IOLoop
from fugue_tui.terminal.screen.cells import Row
from fugue_tui.terminal.terminal import Terminal


def test_selection_is_kept_while_output_is_elsewhere(terminal: Terminal) -> None:
    say(terminal, "one two\r\nthree\r\n")
    assert drag(terminal, (0, 0), (2, 0)) == "one"
    say(terminal, "more\x1b[1;5Hzwo\x1b[4;1H")
    assert terminal.copy_mode.selected_text == "one"
    assert reversed_text(terminal) == ["one"]


def test_selection_moves_with_its_text_into_the_scrollback(terminal: Terminal) -> None:
    say(terminal, "one\r\ntwo\r\nthree\r\n")
    assert drag(terminal, (1, 0), (1, 1)) == "ne\ntw"
    say(terminal, "\r\n".join(map(str, range(20))))
    assert terminal.copy_mode.selected_text == "ne\ntw"
    assert reversed_text(terminal) == []
    terminal.scroll(99)
    assert reversed_text(terminal) == ["ne" + " " * 17, "tw"]


@pytest.mark.parametrize(
    "output",
    ["\x1b[1;2HX", "\x1b[2J", "\x1b[1;1H\x1b[K", "\x1b[1;1H\x1b[L", "\x1bc", "\x1b[H\x1b[2J\x1b[3J", "\x1b[1;1H\x1b[P"],
)
def test_selection_ends_when_its_text_is_overwritten_or_cleared(terminal: Terminal, output: str) -> None:
    say(terminal, "one two\r\nthree")
    assert drag(terminal, (0, 0), (2, 0)) == "one"
    assert reversed_text(terminal) == ["one"]
    say(terminal, output)
    assert reversed_text(terminal) == []
    assert terminal.copy_mode.selected_text == ""
    assert terminal.copy_mode.selected is None


@pytest.mark.parametrize(("start", "stop"), [((0, 0), (4, 2)), ((1, 0), (1, 0)), ((0, 0), (2, 4)), ((0, 3), (1, 4))])
def test_clearing_the_history_ends_what_is_in_it(
    terminal: Terminal, start: tuple[int, int], stop: tuple[int, int]
) -> None:
    say(terminal, "\r\n".join(f"line {number}" for number in range(8)))
    terminal.scroll(99)
    text = drag(terminal, start, stop)
    say(terminal, "\x1b[3J")
    kept = text if start == (0, 3) else ""
    assert terminal.copy_mode.selected_text == kept
    terminal.seen.refresh()
    assert terminal.copy_mode.shows_selection == bool(kept)


def test_a_text_that_is_pruned_is_not_selected_any_more(ghostty: Terminal) -> None:
    say(ghostty, "one\r\n")
    assert drag(ghostty, (0, 0), (2, 0)) == "one"
    for _ in range(200):
        say(ghostty, "a line\r\n" * 200)
    assert ghostty.copy_mode.selected_text == ""


def test_a_program_that_draws_the_same_again_in_one_update_leaves_it(ghostty: Terminal) -> None:
    terminal = ghostty
    say(terminal, "one\r\ntwo")
    assert drag(terminal, (0, 0), (2, 0)) == "one"
    say(terminal, "\x1b[?2026h\x1b[2J")
    assert terminal.copy_mode.selected is not None
    say(terminal, "\x1b[Hone\r\ntwo\x1b[?2026l")
    assert terminal.copy_mode.selected_text == "one"


def test_selection_is_hidden_while_the_other_screen_is_shown(terminal: Terminal) -> None:
    say(terminal, "one\r\ntwo")
    assert drag(terminal, (0, 0), (2, 0)) == "one"
    say(terminal, "\x1b[?1049h\x1b[Hone")
    assert (terminal.copy_mode.selected, terminal.copy_mode.selected_text, reversed_text(terminal)) == (None, "", [])
    say(terminal, "\x1b[?1049l")
    assert terminal.copy_mode.selected_text == "one"
    assert reversed_text(terminal) == ["one"]


def test_what_was_selected_on_the_other_screen_ends_with_it(terminal: Terminal) -> None:
    say(terminal, "\x1b[?1049h\x1b[Hone")
    assert drag(terminal, (0, 0), (2, 0)) == "one"
    say(terminal, "\x1b[?1049l\x1b[2J\x1b[?1049h")
    assert terminal.copy_mode.selected_text == ""


@pytest.mark.parametrize("size", [Size(12, 5), Size(40, 5), Size(20, 3), Size(20, 12), Size(7, 9)])
def test_selection_keeps_its_text_when_lines_rewrap(ghostty: Terminal, size: Size) -> None:
    say(ghostty, "zero\r\none two three four five\r\nsix seven\r\nend")
    text = drag(ghostty, (4, 1), (2, 3))
    assert text == "two three four five\nsix"
    ghostty.resize(size)
    assert ghostty.copy_mode.selected_text == text
    ghostty.resize(SIZE)
    assert ghostty.copy_mode.selected_text == text
    assert reversed_text(ghostty)[-1] == "six"


def test_a_resize_that_cuts_off_its_text_ends_the_selection(pump: IOLoop) -> None:
    terminal = terminal_of("pyte", pump)
    say(terminal, "one two three four")
    assert drag(terminal, (8, 0), (16, 0)) == "three fou"
    terminal.resize(Size(10, 5))
    assert terminal.copy_mode.selected_text == ""
    terminal.close()


def test_a_closed_terminal_has_nothing_selected(terminal: Terminal) -> None:
    say(terminal, "one")
    drag(terminal, (0, 0), (2, 0))
    terminal.seen.refresh()
    terminal.close()
    assert (terminal.copy_mode.selected, terminal.copy_mode.selected_text, terminal.seen.row(0)) == (None, "", Row(()))
    terminal.copy_mode.select(Cell(0, 0))
    terminal.copy_mode.extend(Cell(1, 0))
    assert terminal.copy_mode.selected is None
