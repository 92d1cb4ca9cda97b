"""How a selection is drawn, and the cursor of who reads back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.hypothesis_profiles import examples
from tests.terminal.copy_mode.text_selection import drag, inverse, reversed_text, say, terminal_of
from tests.terminal.copy_mode.text_selection import ghostty as ghostty
from tests.terminal.copy_mode.text_selection import pump as pump
from tests.terminal.copy_mode.text_selection import terminal as terminal

from fugue_tui.geometry import Size
from fugue_tui.terminal.copy_mode.copy_mode import Cell
from fugue_tui.terminal.copy_mode.text_units import Unit
from fugue_tui.terminal.pty.io_loop import IOLoop
from fugue_tui.terminal.screen.pins import Point
from fugue_tui.terminal.terminal import Terminal


def test_both_ways_of_drawing_show_it_and_only_its_rows_are_damage(terminal: Terminal) -> None:
    say(terminal, "one\r\n\x1b[31mtwo\x1b[m three\r\nfour")
    terminal.seen.frame()
    drag(terminal, (1, 1), (1, 2))
    damage, rows, _ = terminal.seen.frame()
    assert (damage.full, damage.rows) == (False, (1, 2))
    assert rows == [terminal.seen.paint()[1], terminal.seen.paint()[2]]
    assert b"\x1b[0;7;31mwo" in rows[0]
    assert b"\x1b[0;7mfo" in rows[1]
    assert inverse(terminal.seen.row(1)) == "wo three" + " " * 11
    assert terminal.seen.frame()[0].rows == ()
    assert terminal.copy_mode.deselect()
    assert terminal.seen.frame()[0].rows == (1, 2)
    assert not terminal.copy_mode.deselect()


def test_it_moves_up_with_a_scroll_that_moves_the_rest(terminal: Terminal) -> None:
    say(terminal, "\r\n".join(f"line {number}" for number in range(5)))
    drag(terminal, (0, 2), (3, 3))
    terminal.seen.frame()
    painted = terminal.seen.paint()
    say(terminal, "\r\nnew")
    damage, rows, _ = terminal.seen.frame()
    known = painted[damage.shift :] + [b""] * damage.shift
    for y, row in zip(damage.rows, rows, strict=True):
        known[y] = row
    assert known == terminal.seen.paint()
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
            terminal.copy_mode.select(cell, unit)
        case Cell():
            terminal.copy_mode.extend(step)
        case int():
            terminal.scroll(step)
        case Size():
            terminal.resize(step)
        case _:
            terminal.copy_mode.deselect()


@pytest.mark.slow
@examples(150)
@given(st.lists(STEP, max_size=25), st.sampled_from(["ghostty", "pyte"]))
def test_frames_add_up_to_what_a_repaint_paints_whatever_happens(steps: list[object], engine: str) -> None:
    pump = IOLoop()
    pump.start()
    terminal = terminal_of(engine, pump)
    known: list[bytes] = []
    for step in steps:
        take(terminal, step)
        damage, rows, _ = terminal.seen.frame()
        known = known[damage.shift :] + [b""] * (terminal.size.rows - len(known) + damage.shift)
        for y, row in zip(damage.rows, rows, strict=True):
            known[y] = row
        known = known[: terminal.size.rows]
        assert known == terminal.seen.paint()
        assert bool(terminal.copy_mode.selected_text) <= (terminal.copy_mode.selected is not None)
    terminal.close()
    pump.stop()


def test_a_cursor_for_reading_begins_at_the_programs_own_and_follows_its_text(terminal: Terminal) -> None:
    say(terminal, "one\r\ntwo")
    assert terminal.copy_mode.reader is None
    assert terminal.copy_mode.read(lambda emulator, at: at) == Point(1, 3)
    assert terminal.copy_mode.read(lambda emulator, at: Point(at.line - 1, 1)) == Point(0, 1)
    say(terminal, "\r\n\r\n\r\n\r\nend")
    for _ in range(2):
        assert terminal.scrollback.offset == 1
        cursor = terminal.copy_mode.reader
        assert cursor is not None
        assert (cursor.x, cursor.y, cursor.visible) == (1, 0, True)
        terminal.copy_mode.read(lambda emulator, at: at)
    terminal.copy_mode.leave()
    assert terminal.copy_mode.reader is None


def test_a_cursor_for_reading_stays_among_the_lines_that_there_are(terminal: Terminal) -> None:
    say(terminal, "\r\n".join(map(str, range(9))))
    assert terminal.copy_mode.read(lambda emulator, at: Point(-5, -5)) == Point(0, 0)
    assert terminal.scrollback.offset == 4
    assert terminal.copy_mode.read(lambda emulator, at: Point(999, 999)) == Point(8, 19)
    assert terminal.scrollback.offset == 0


def test_the_view_stays_where_it_is_while_there_is_a_cursor_and_output_comes(terminal: Terminal) -> None:
    say(terminal, "".join(f"line {n}\r\n" for n in range(20)))
    terminal.copy_mode.read(lambda emulator, at: at)
    terminal.seen.refresh()
    for flood in ("more\r\n" * 3, "more\r\n" * 30):
        say(terminal, flood)
        terminal.seen.refresh()
        assert [terminal.seen.row(y).text for y in range(4)] == [f"line {n}" for n in range(16, 20)]
    terminal.scroll(-2)
    terminal.seen.refresh()
    assert terminal.seen.row(0).text == "line 18"
    terminal.copy_mode.leave()
    terminal.scroll_to_bottom()
    say(terminal, "last\r\n")
    terminal.seen.refresh()
    assert terminal.seen.row(3).text == "last"
