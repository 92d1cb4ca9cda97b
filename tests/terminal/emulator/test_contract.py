"""What both engines promise. What one says it lacks is not asked of it."""

from collections.abc import Callable

import pytest
from tests.terminal.engine_pair import Make, replies
from tests.terminal.engine_pair import make as make

from fugue_tui.geometry import Size
from fugue_tui.terminal.emulator.protocol import Emulator
from fugue_tui.terminal.screen.cells import CursorShape, MouseTracking, Style, Underline, rgb


def texts(emulator: Emulator) -> list[str]:
    emulator.refresh()
    return [emulator.row(y).text for y in range(emulator.size.rows)]


def test_text_appears_on_the_screen(make: Make) -> None:
    emulator = make()
    emulator.feed(b"hello\r\nworld")
    assert texts(emulator) == ["hello", "world", "", "", ""]
    assert (emulator.cursor.x, emulator.cursor.y, emulator.cursor.visible) == (5, 1, True)


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_any_buffer_can_be_fed(make: Make, kind: Callable[[bytes], bytes]) -> None:
    emulator = make()
    emulator.feed(kind(b"buffer"))
    assert texts(emulator)[0] == "buffer"


def test_characters_and_sequences_may_be_cut_anywhere(make: Make) -> None:
    whole, cut = make(), make()
    data = "é漢\x1b[31mred\x1b[0m \x1b]0;title\x07\x1b[3;4Hthere".encode()
    whole.feed(data)
    for byte in data:
        cut.feed(bytes([byte]))
    assert texts(cut) == texts(whole)
    assert cut.title == whole.title == "title"
    assert [cut.row(y) for y in range(5)] == [whole.row(y) for y in range(5)]


def test_invalid_utf8_becomes_replacement_characters(make: Make) -> None:
    emulator = make()
    emulator.feed(b"a\xffb\xc3(c")
    assert texts(emulator)[0] == "a\ufffdb\ufffd(c"


def test_styles_are_reported(make: Make) -> None:
    emulator = make(needs="styled and coloured underlines")
    emulator.feed(b"\x1b[1;3;4:3;31;48;2;1;2;3mx\x1b[0;7;38;5;200my")
    emulator.refresh()
    first, second = emulator.row(0).runs
    assert (first.text, first.style) == (
        "x",
        Style(fg=1, bg=rgb(1, 2, 3), underline=Underline.CURLY, bold=True, italic=True),
    )
    assert (second.text, second.style) == ("y", Style(fg=200, inverse=True))


def test_a_wide_character_takes_two_columns(make: Make) -> None:
    emulator = make()
    emulator.feed("漢a".encode())
    emulator.refresh()
    assert emulator.row(0).runs[0].cols == 3
    assert emulator.cursor.x == 3


def test_a_soft_wrap_is_marked(make: Make) -> None:
    emulator = make(cols=5)
    emulator.feed(b"abcdefg\r\nnew")
    assert texts(emulator)[:3] == ["abcde", "fg", "new"]
    assert [emulator.row(y).wrapped for y in range(3)] == [True, False, False]
    assert emulator.lines(0, 5, joined=True)[:2] == ["abcdefg", "new"]
    assert emulator.lines(0, 5) == ["abcde", "fg", "new", "", ""]


def test_nothing_is_damaged_while_nothing_changes(make: Make) -> None:
    emulator = make()
    emulator.feed(b"text")
    emulator.refresh()
    damage = emulator.refresh()
    assert (damage.full, damage.rows, damage.shift) == (False, (), 0)


def test_only_what_changed_is_damaged(make: Make) -> None:
    emulator = make()
    emulator.feed(b"one\r\ntwo\r\nthree")
    emulator.refresh()
    emulator.feed(b"\x1b[2;1Hnew")
    assert 1 in emulator.refresh().rows
    emulator.feed(b"\x1b[5;5H.")
    damage = emulator.refresh()
    assert 4 in damage.rows
    assert 0 not in damage.rows


def test_damage_applied_row_by_row_gives_the_picture(make: Make) -> None:
    emulator = make(rows=8)
    shown: list[bytes] = [b""] * 8
    for step in range(40):
        emulator.feed(f"line {step}\r\n".encode() * (step % 4) + f"\x1b[{step % 8 + 1};3H*\x1b[8;1H".encode())
        damage = emulator.refresh()
        shown = shown[damage.shift :] + [b"?"] * damage.shift
        for y, row in zip(damage.rows, (emulator.paint(y, 1)[0] for y in damage.rows), strict=True):
            shown[y] = row
        assert shown == emulator.paint(0, 8)


def test_painted_rows_draw_the_same_screen(make: Make) -> None:
    emulator, host = make(), make()
    emulator.feed("plain\r\n\x1b[31;44mred\x1b[K\r\n\x1b[4m漢字\x1b[0m  x\r\n\x1b[7m  \x1b[0m".encode())
    emulator.refresh()
    for y, row in enumerate(emulator.paint(0, 5)):
        host.feed(f"\x1b[{y + 1};1H".encode() + row)
    host.refresh()
    assert [host.row(y) for y in range(5)] == [emulator.row(y) for y in range(5)]


def test_a_painted_row_ends_in_the_default_style(make: Make) -> None:
    emulator = make()
    emulator.feed(b"\x1b[41mabc\r\ndef")
    emulator.refresh()
    assert all(row.endswith(b"\x1b[0m") for row in emulator.paint(0, 2))
    assert emulator.paint(2, 3) == [b"", b"", b""]


def test_hidden_characters_never_reach_the_host(make: Make) -> None:
    emulator = make(cols=60)
    emulator.feed("a\x7fb\u202ec\u2066d\u200be\ufefff\U000e0041g\x85h\u061ci".encode())
    emulator.refresh()
    painted = emulator.paint(0, 1)[0].decode()
    for hidden in "\x7f\u202e\u2066\u200b\ufeff\U000e0041\x85\u061c":
        assert hidden not in painted
        assert hidden not in emulator.row(0).text
    assert "".join(char for char in painted if char.isalpha()) == "abcdefghi"


def test_lines_that_leave_the_screen_are_kept(make: Make) -> None:
    emulator = make()
    emulator.feed(b"".join(b"line %d\r\n" % number for number in range(20)))
    assert emulator.scrollback.lines == 16
    assert emulator.lines(0, 2) == ["line 0", "line 1"]
    assert emulator.lines(15, 21) == ["line 15", "line 16", "line 17", "line 18", "line 19", ""]
    assert emulator.lines(30, 40) == []


def test_the_view_scrolls_and_new_output_does_not_move_it(make: Make) -> None:
    emulator = make()
    emulator.feed(b"".join(b"line %d\r\n" % number for number in range(20)))
    emulator.scroll(3)
    assert (emulator.scrollback.offset, texts(emulator)[0]) == (3, "line 13")
    assert not emulator.cursor.visible
    emulator.feed(b"more\r\nand more\r\n")
    assert (emulator.scrollback.offset, texts(emulator)[0]) == (5, "line 13")
    emulator.scroll(1_000)
    assert texts(emulator)[0] == "line 0"
    emulator.scroll_to_bottom()
    assert (emulator.scrollback.offset, texts(emulator)[3]) == (0, "and more")


def test_the_alternate_screen_comes_and_goes(make: Make) -> None:
    emulator = make()
    emulator.feed(b"shell\x1b[?1049h\x1b[Hvim")
    assert (texts(emulator)[0], emulator.modes.alternate_screen) == ("vim", True)
    emulator.feed(b"\x1b[?1049l")
    assert (texts(emulator)[0], emulator.modes.alternate_screen) == ("shell", False)


def test_the_cursor_has_a_shape_once_one_was_asked_for(make: Make) -> None:
    emulator = make()
    emulator.refresh()
    assert not emulator.cursor.styled
    emulator.feed(b"\x1b[5 q\x1b[?25l")
    emulator.refresh()
    cursor = emulator.cursor
    assert (cursor.shape, cursor.blinking, cursor.styled, cursor.visible) == (CursorShape.BAR, True, True, False)
    emulator.feed(b"\x1b[0 q\x1b[?25h")
    emulator.refresh()
    assert (emulator.cursor.styled, emulator.cursor.visible) == (False, True)


def test_resizing_keeps_the_text(make: Make) -> None:
    emulator = make()
    emulator.feed(b"hello\r\nworld")
    emulator.resize(Size(30, 10))
    assert emulator.size == Size(30, 10)
    damage = emulator.refresh()
    assert (damage.full, damage.rows) == (True, tuple(range(10)))
    assert texts(emulator)[:2] == ["hello", "world"]


def test_text_reflows(make: Make) -> None:
    emulator = make(cols=10, needs="reflow of text on resize")
    emulator.feed(b"abcdefghijklmno")
    emulator.resize(Size(20, 5))
    assert texts(emulator)[0] == "abcdefghijklmno"


def test_links_are_reported(make: Make) -> None:
    emulator = make(needs="hyperlinks")
    emulator.feed(b"a\x1b]8;;http://x.example/\x07link\x1b]8;;\x07b")
    emulator.refresh()
    assert [(run.text, run.link) for run in emulator.row(0).runs] == [
        ("a", None),
        ("link", "http://x.example/"),
        ("b", None),
    ]
    assert emulator.paint(0, 1)[0] == b"a\x1b]8;;http://x.example/\x1b\\link\x1b]8;;\x1b\\b"


def test_a_reset_makes_the_screen_usable_and_keeps_the_scrollback(make: Make) -> None:
    emulator = make()
    emulator.feed(b"".join(b"line %d\r\n" % number for number in range(20)))
    emulator.feed(
        b"\x1b]0;never ended \x1b[?1049h\x1b[?1003;1006;2004h\x1b[31;44m\x1b(0\x1b[2;3r\x1b[?25lvim\x1b]2;open"
    )
    emulator.reset()
    emulator.feed(b"qqq prompt")
    assert texts(emulator)[0] == "qqq prompt"
    assert emulator.row(0).runs[0].style == Style()
    assert emulator.cursor.visible
    assert (emulator.modes.mouse, emulator.modes.bracketed_paste) == (MouseTracking.NONE, False)
    assert emulator.lines(0, 1) == ["line 0"]


@pytest.mark.parametrize(
    "data",
    [
        b"\x1b[999999999b", b"x\x1b[999999999b", b"\x1b[99999999999999999999@", b"\x1b[99999999999999999999A",
        b"\x1b[99999999999L", b"\x1b[99999999999P", b"\x1b[99999999999S", b"\x1b[99999999999T", b"\x1b[99999999999X",
        b"\x1b[99999999999d", b"\x1b[99999999999G", b"\x1b[1;2;3;4;5;6A", b"\x1b[?1;2m", b"\x1b[?J", b"\x1b[9J",
        b"\x1b[" + b"1;" * 200 + b"m", b"\x1b[8;1;1t\x1b[8;0;0t\x1b[4;1;1t\x1b[2t\x1b[3;0;0t",
        b"\x1b[?3h\x1b[?40h\x1b[?3h",
    ],
)  # fmt: skip
def test_outlandish_sequences_leave_a_working_screen(make: Make, data: bytes) -> None:
    emulator = make()
    emulator.feed(data)
    assert emulator.size == Size(20, 5)
    emulator.feed(b"\x1bc\x1b[Hafter")
    assert texts(emulator)[0] == "after"


def test_tiny_screens_and_back(make: Make) -> None:
    emulator = make(cols=40, rows=10)
    emulator.feed("漢字 and text that is long enough to wrap somewhere\r\n".encode() * 8)
    for size in (Size(1, 1), Size(2, 1), Size(1, 2), Size(200, 60), Size(1, 60), Size(40, 10)):
        emulator.resize(size)
        emulator.feed("漢x\r\n".encode())
        emulator.refresh()
        assert len(emulator.paint(0, size.rows)) == size.rows
        assert all(sum(run.cols for run in emulator.row(y).runs) <= size.cols for y in range(size.rows))


def test_the_default_colours_are_reported_to_programs(make: Make) -> None:
    emulator = make()
    fg, bg = emulator.colours
    emulator.feed(b"\x1b]11;?\x1b\\")
    assert b"%02x%02x" % ((bg >> 16,) * 2) in replies(emulator)
    emulator.set_colours(0x112233, 0x445566)
    assert emulator.colours == (0x112233, 0x445566) != (fg, bg)


def test_a_row_below_the_last_snapshot_is_empty_until_the_next(make: Make) -> None:
    emulator = make()
    emulator.feed(b"hello")
    emulator.refresh()
    emulator.resize(Size(20, 9))
    assert emulator.row(8).runs == ()
    emulator.refresh()
    assert emulator.row(8).runs == ()
