"""What is selected in a terminal's text: which cells, what of it stays, and how it is drawn. In both engines."""

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fugue_tui.geometry import Size
from fugue_tui.terminal.engines import make_emulator
from fugue_tui.terminal.events import Event
from fugue_tui.terminal.frame import Row
from fugue_tui.terminal.pins import Place
from fugue_tui.terminal.pty import Exit
from fugue_tui.terminal.pump import Pump
from fugue_tui.terminal.selecting import Cell
from fugue_tui.terminal.stretches import Stretch, Unit
from fugue_tui.terminal.terminal import Terminal

SIZE = Size(20, 5)


class Nobody:
    """A watcher that does not listen."""

    def changed(self, terminal: Terminal) -> None: ...

    def said(self, terminal: Terminal, event: Event) -> None: ...

    def ended(self, terminal: Terminal, exit: Exit) -> None: ...


@pytest.fixture(scope="module")
def pump() -> Iterator[Pump]:
    pump = Pump()
    pump.start()
    yield pump
    pump.stop()


@pytest.fixture(params=["ghostty", "pyte"])
def terminal(request: pytest.FixtureRequest, pump: Pump) -> Iterator[Terminal]:
    made = terminal_of(request.param, pump)
    yield made
    made.close()


@pytest.fixture
def ghostty(pump: Pump) -> Iterator[Terminal]:
    made = terminal_of("ghostty", pump)
    yield made
    made.close()


def terminal_of(engine: str, pump: Pump, size: Size = SIZE) -> Terminal:
    return Terminal.waiting(size, pump=pump, emulator=make_emulator(engine, size, 100), watcher=Nobody())


def say(terminal: Terminal, text: str) -> None:
    terminal.receive(memoryview(text.encode()))


def drag(terminal: Terminal, start: tuple[int, int], stop: tuple[int, int], unit: Unit = Unit.CHARACTER) -> str:
    """Select from one cell of the view to another, each as (x, y); the text."""
    terminal.select(Cell(*start), unit)
    terminal.extend(Cell(*stop))
    return terminal.selected_text


def reversed_text(terminal: Terminal) -> list[str]:
    """What is in reverse video, row by row, for rows that have any."""
    terminal.refresh()
    return [part for y in range(terminal.size.rows) if (part := inverse(terminal.row(y)))]


def inverse(row: Row) -> str:
    return "".join(run.text for run in row.runs if run.style.inverse)


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
    assert terminal.selected == Stretch(Place(0, 0), Place(0, 5))
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
    pump: Pump, line: str, column: int, word: str
) -> None:
    terminal = terminal_of("ghostty", pump, Size(60, 3))
    say(terminal, line)
    terminal.select(Cell(column, 0), Unit.WORD)
    assert terminal.selected_text == word
    terminal.close()


def test_a_word_goes_over_the_end_of_a_row(terminal: Terminal) -> None:
    say(terminal, "see https://example.org/a/long/path/to/it now")
    for cell in (Cell(10, 0), Cell(10, 1), Cell(0, 2)):
        terminal.select(cell, Unit.WORD)
        assert terminal.selected_text == "https://example.org/a/long/path/to/it"


def test_a_line_is_all_that_wrapped_and_grows_by_lines(terminal: Terminal) -> None:
    say(terminal, "first\r\n" + "x" * 30 + "\r\nlast")
    terminal.select(Cell(2, 2), Unit.LINE)
    assert terminal.selected_text == "x" * 30
    terminal.extend(Cell(0, 3))
    assert terminal.selected_text == "x" * 30 + "\nlast"
    terminal.extend(Cell(0, 0))
    assert terminal.selected_text == "first\n" + "x" * 30


def test_words_grow_by_words(terminal: Terminal) -> None:
    say(terminal, "one two three four")
    assert drag(terminal, (5, 0), (10, 0), Unit.WORD) == "two three"
    terminal.extend(Cell(1, 0))
    assert terminal.selected_text == "one two"


def test_what_was_begun_by_characters_goes_on_by_lines(terminal: Terminal) -> None:
    say(terminal, "one\r\ntwo\r\nthree")
    drag(terminal, (1, 1), (2, 1))
    terminal.extend(Cell(2, 1), Unit.LINE)
    assert terminal.selected_text == "two"
    terminal.extend(Cell(2, 1), Unit.CHARACTER)
    assert terminal.selected_text == "wo"


def test_a_cell_outside_of_the_view_counts_as_its_edge(terminal: Terminal) -> None:
    say(terminal, "one\r\ntwo")
    assert drag(terminal, (-3, -1), (99, 99)) == "one\ntwo"


# What stays


def test_output_elsewhere_leaves_it(terminal: Terminal) -> None:
    say(terminal, "one two\r\nthree\r\n")
    assert drag(terminal, (0, 0), (2, 0)) == "one"
    say(terminal, "more\x1b[1;5Hzwo\x1b[4;1H")
    assert terminal.selected_text == "one"
    assert reversed_text(terminal) == ["one"]


def test_it_goes_with_its_text_into_the_history(terminal: Terminal) -> None:
    say(terminal, "one\r\ntwo\r\nthree\r\n")
    assert drag(terminal, (1, 0), (1, 1)) == "ne\ntw"
    say(terminal, "\r\n".join(map(str, range(20))))
    assert terminal.selected_text == "ne\ntw"
    assert reversed_text(terminal) == []
    terminal.scroll(99)
    assert reversed_text(terminal) == ["ne" + " " * 17, "tw"]


@pytest.mark.parametrize(
    "output",
    ["\x1b[1;2HX", "\x1b[2J", "\x1b[1;1H\x1b[K", "\x1b[1;1H\x1b[L", "\x1bc", "\x1b[H\x1b[2J\x1b[3J", "\x1b[1;1H\x1b[P"],
)
def test_it_is_over_when_its_text_is_written_over_or_cleared(terminal: Terminal, output: str) -> None:
    say(terminal, "one two\r\nthree")
    assert drag(terminal, (0, 0), (2, 0)) == "one"
    assert reversed_text(terminal) == ["one"]
    say(terminal, output)
    assert reversed_text(terminal) == []
    assert terminal.selected_text == ""
    assert terminal.selected is None


@pytest.mark.parametrize(("start", "stop"), [((0, 0), (4, 2)), ((1, 0), (1, 0)), ((0, 0), (2, 4)), ((0, 3), (1, 4))])
def test_clearing_the_history_ends_what_is_in_it(
    terminal: Terminal, start: tuple[int, int], stop: tuple[int, int]
) -> None:
    say(terminal, "\r\n".join(f"line {number}" for number in range(8)))
    terminal.scroll(99)
    text = drag(terminal, start, stop)
    say(terminal, "\x1b[3J")
    kept = text if start == (0, 3) else ""
    assert terminal.selected_text == kept
    terminal.refresh()
    assert terminal.shows_selection == bool(kept)


def test_a_text_that_is_pruned_is_not_selected_any_more(ghostty: Terminal) -> None:
    say(ghostty, "one\r\n")
    assert drag(ghostty, (0, 0), (2, 0)) == "one"
    for _ in range(200):
        say(ghostty, "a line\r\n" * 200)
    assert ghostty.selected_text == ""


def test_a_program_that_draws_the_same_again_in_one_update_leaves_it(ghostty: Terminal) -> None:
    terminal = ghostty
    say(terminal, "one\r\ntwo")
    assert drag(terminal, (0, 0), (2, 0)) == "one"
    say(terminal, "\x1b[?2026h\x1b[2J")
    assert terminal.selected is not None
    say(terminal, "\x1b[Hone\r\ntwo\x1b[?2026l")
    assert terminal.selected_text == "one"


def test_another_screen_hides_it_until_it_is_back(terminal: Terminal) -> None:
    say(terminal, "one\r\ntwo")
    assert drag(terminal, (0, 0), (2, 0)) == "one"
    say(terminal, "\x1b[?1049h\x1b[Hone")
    assert (terminal.selected, terminal.selected_text, reversed_text(terminal)) == (None, "", [])
    say(terminal, "\x1b[?1049l")
    assert terminal.selected_text == "one"
    assert reversed_text(terminal) == ["one"]


def test_what_was_selected_on_the_other_screen_ends_with_it(terminal: Terminal) -> None:
    say(terminal, "\x1b[?1049h\x1b[Hone")
    assert drag(terminal, (0, 0), (2, 0)) == "one"
    say(terminal, "\x1b[?1049l\x1b[2J\x1b[?1049h")
    assert terminal.selected_text == ""


@pytest.mark.parametrize("size", [Size(12, 5), Size(40, 5), Size(20, 3), Size(20, 12), Size(7, 9)])
def test_it_keeps_its_text_when_lines_wrap_anew(ghostty: Terminal, size: Size) -> None:
    say(ghostty, "zero\r\none two three four five\r\nsix seven\r\nend")
    text = drag(ghostty, (4, 1), (2, 3))
    assert text == "two three four five\nsix"
    ghostty.resize(size)
    assert ghostty.selected_text == text
    ghostty.resize(SIZE)
    assert ghostty.selected_text == text
    assert reversed_text(ghostty)[-1] == "six"


def test_a_size_that_cuts_its_text_off_ends_it(pump: Pump) -> None:
    terminal = terminal_of("pyte", pump)
    say(terminal, "one two three four")
    assert drag(terminal, (8, 0), (16, 0)) == "three fou"
    terminal.resize(Size(10, 5))
    assert terminal.selected_text == ""
    terminal.close()


def test_a_closed_terminal_has_nothing_selected(terminal: Terminal) -> None:
    say(terminal, "one")
    drag(terminal, (0, 0), (2, 0))
    terminal.refresh()
    terminal.close()
    assert (terminal.selected, terminal.selected_text, terminal.row(0)) == (None, "", Row(()))
    terminal.select(Cell(0, 0))
    terminal.extend(Cell(1, 0))
    assert terminal.selected is None


# Drawing


def test_both_ways_of_drawing_show_it_and_only_its_rows_are_damage(terminal: Terminal) -> None:
    say(terminal, "one\r\n\x1b[31mtwo\x1b[m three\r\nfour")
    terminal.frame()
    drag(terminal, (1, 1), (1, 2))
    damage, rows, _ = terminal.frame()
    assert (damage.full, damage.rows) == (False, (1, 2))
    assert rows == [terminal.paint()[1], terminal.paint()[2]]
    assert b"\x1b[0;7;31mwo" in rows[0]
    assert b"\x1b[0;7mfo" in rows[1]
    assert inverse(terminal.row(1)) == "wo three" + " " * 11
    assert terminal.frame()[0].rows == ()
    assert terminal.deselect()
    assert terminal.frame()[0].rows == (1, 2)
    assert not terminal.deselect()


def test_it_moves_up_with_a_scroll_that_moves_the_rest(terminal: Terminal) -> None:
    say(terminal, "\r\n".join(f"line {number}" for number in range(5)))
    drag(terminal, (0, 2), (3, 3))
    terminal.frame()
    painted = terminal.paint()
    say(terminal, "\r\nnew")
    damage, rows, _ = terminal.frame()
    known = painted[damage.shift :] + [b""] * damage.shift
    for y, row in zip(damage.rows, rows, strict=True):
        known[y] = row
    assert known == terminal.paint()
    assert reversed_text(terminal) == ["line 2" + " " * 14, "line"]


def test_what_is_in_reverse_video_already_is_shown_the_other_way_round(terminal: Terminal) -> None:
    say(terminal, "\x1b[7mone two\x1b[m")
    drag(terminal, (0, 0), (2, 0))
    assert reversed_text(terminal) == [" two"]


OUTPUT = st.sampled_from(
    ["a", "\r\n", "some text ", "漢字", "\x1b[31mred\x1b[m", "\x1b[H", "\x1b[2;3H", "\x1b[K", "\x1b[2J", "\x1b[L",
     "\x1b[M", "\x1b[3J", "\x1b[2;4r", "\x1b[r", "\x1b[S", "\x1b[?1049h", "\x1b[?1049l", "x" * 45, "\r\n" * 7, "\x1bc"]
)  # fmt: skip
CELL = st.builds(Cell, st.integers(0, 19), st.integers(0, 4))
STEP = st.one_of(
    st.lists(OUTPUT, min_size=1, max_size=4).map("".join), st.tuples(CELL, st.sampled_from(Unit)), CELL,
    st.integers(-9, 9), st.sampled_from([Size(20, 5), Size(13, 7)]), st.none(),
)  # fmt: skip


def take(terminal: Terminal, step: object) -> None:
    match step:
        case str():
            say(terminal, step)
        case (Cell() as cell, Unit() as unit):
            terminal.select(cell, unit)
        case Cell():
            terminal.extend(step)
        case int():
            terminal.scroll(step)
        case Size():
            terminal.resize(step)
        case _:
            terminal.deselect()


@settings(max_examples=150, deadline=None)
@given(st.lists(STEP, max_size=25), st.sampled_from(["ghostty", "pyte"]))
def test_frames_add_up_to_what_a_repaint_paints_whatever_happens(steps: list[object], engine: str) -> None:
    pump = Pump()
    pump.start()
    terminal = terminal_of(engine, pump)
    known: list[bytes] = []
    for step in steps:
        take(terminal, step)
        damage, rows, _ = terminal.frame()
        known = known[damage.shift :] + [b""] * (terminal.size.rows - len(known) + damage.shift)
        for y, row in zip(damage.rows, rows, strict=True):
            known[y] = row
        known = known[: terminal.size.rows]
        assert known == terminal.paint()
        assert bool(terminal.selected_text) <= (terminal.selected is not None)
    terminal.close()
    pump.stop()


# The cursor of who reads back


def test_a_cursor_for_reading_begins_at_the_programs_own_and_follows_its_text(terminal: Terminal) -> None:
    say(terminal, "one\r\ntwo")
    assert terminal.reader is None
    assert terminal.read(lambda emulator, at: at) == Place(1, 3)
    assert terminal.read(lambda emulator, at: Place(at.line - 1, 1)) == Place(0, 1)
    say(terminal, "\r\n\r\n\r\n\r\nend")
    cursor = terminal.reader
    assert cursor is not None
    assert not cursor.visible
    terminal.read(lambda emulator, at: at)
    assert terminal.scrollback.offset == 1
    cursor = terminal.reader
    assert cursor is not None
    assert (cursor.x, cursor.y, cursor.visible) == (1, 0, True)
    terminal.leave()
    assert terminal.reader is None


def test_a_cursor_for_reading_stays_among_the_lines_that_there_are(terminal: Terminal) -> None:
    say(terminal, "\r\n".join(map(str, range(9))))
    assert terminal.read(lambda emulator, at: Place(-5, -5)) == Place(0, 0)
    assert terminal.scrollback.offset == 4
    assert terminal.read(lambda emulator, at: Place(999, 999)) == Place(8, 19)
    assert terminal.scrollback.offset == 0
