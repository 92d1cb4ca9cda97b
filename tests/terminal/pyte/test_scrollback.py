"""The fallback engine's history: bounded, read while output goes on, and kept over other sizes."""

from tests.terminal.pyte.pyte_screens import fed, numbered, texts

from fugue_tui.geometry import Size
from fugue_tui.terminal.screen.cells import Scrollback


def test_a_view_of_the_history_stays_while_output_continues() -> None:
    emulator = fed(numbered(30))
    emulator.scroll(10)
    seen = texts(emulator)
    assert seen == ["15", "16", "17", "18", "19"]
    emulator.feed(("\r\n" + numbered(7)).encode())
    assert texts(emulator) == seen
    assert emulator.scrollback == Scrollback(32, 17)
    assert not emulator.cursor.visible
    emulator.scroll_to_bottom()
    assert texts(emulator)[-1] == "6"
    assert emulator.cursor.visible


def test_the_view_stops_at_either_end() -> None:
    emulator = fed(numbered(12))
    emulator.scroll(99)
    assert texts(emulator)[0] == "0"
    emulator.scroll(-99)
    assert emulator.scrollback.offset == 0


def test_history_is_bounded_and_can_be_read() -> None:
    emulator = fed(numbered(500), scrollback=50)
    assert emulator.scrollback.lines == 50
    assert emulator.lines(0, 3) == ["445", "446", "447"]
    assert emulator.lines(48, 52) == ["493", "494", "495", "496"]
    assert emulator.lines(54, 99) == ["499"]
    assert emulator.lines(99, 3) == []
    assert fed(numbered(9), scrollback=0).scrollback.lines == 0


def test_lines_that_wrapped_softly_can_be_joined() -> None:
    emulator = fed("a" * 45 + "\r\nb")
    assert emulator.lines(0, 5) == ["a" * 20, "a" * 20, "a" * 5, "b", ""]
    assert emulator.lines(0, 5, joined=True) == ["a" * 45, "b", ""]


def test_a_wrapped_line_that_is_written_again_ends_at_its_edge() -> None:
    emulator = fed("a" * 25 + "\x1b[H" + "b" * 20)
    assert emulator.lines(0, 2, joined=True) == ["b" * 20, "a" * 5]


def test_erasing_the_history_empties_it() -> None:
    emulator = fed(numbered(30))
    emulator.scroll(5)
    emulator.feed(b"\x1b[3J")
    assert emulator.scrollback == Scrollback(0, 0)
    assert texts(emulator)[-1] == "29"


def test_shrinking_keeps_the_bottom_and_puts_the_top_into_the_history() -> None:
    emulator = fed(numbered(5) + "$")
    emulator.resize(Size(20, 2))
    assert texts(emulator) == ["3", "4$"]
    assert emulator.cursor.y == 1
    emulator.resize(Size(20, 6))
    assert texts(emulator) == ["3", "4$", "", "", "", ""]
    assert emulator.cursor.y == 1
    assert emulator.lines(0, 3) == ["0", "1", "2"]


def test_shrinking_drops_blank_lines_under_the_cursor_first() -> None:
    emulator = fed("$ ls\r\n$ ", rows=10)
    emulator.resize(Size(20, 3))
    assert texts(emulator) == ["$ ls", "$", ""]
    assert emulator.scrollback.lines == 0


def test_wide_and_marked_text_is_restored_from_the_history() -> None:
    emulator = fed("漢e\u0301\x1b[31mx\x1b[0m\r\n2\r\n3\r\n4\r\n5")
    before = emulator.row(0)
    emulator.resize(Size(20, 1))
    emulator.scroll(4)
    emulator.refresh()
    assert emulator.row(0) == before


def test_a_narrower_view_shows_the_beginnings_of_wider_lines() -> None:
    emulator = fed("漢字 and more text\r\n" * 9)
    emulator.resize(Size(3, 5))
    emulator.scroll(9)
    assert set(texts(emulator)) == {"漢"}


def test_a_resize_in_the_alternate_screen_keeps_the_shell() -> None:
    emulator = fed("\r\n".join("abcde") + "\x1b[?1049h\x1b[5;1Hbottom")
    emulator.resize(Size(12, 3))
    assert texts(emulator)[-1] == "bottom"
    emulator.resize(Size(20, 5))
    emulator.feed(b"\x1b[?1049l")
    assert "e" in texts(emulator)
