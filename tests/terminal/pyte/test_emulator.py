"""The fallback engine: what plain pyte lacks or gets wrong, and what its protocol promises."""

import pytest
from tests.terminal.pyte.pyte_screens import fed, numbered, texts

from fugue_tui.geometry import Size
from fugue_tui.terminal.emulator.events import Bell, Reply, TitleChanged
from fugue_tui.terminal.input.keys import parse_key
from fugue_tui.terminal.input.mouse import Button, MouseAction, MouseKind
from fugue_tui.terminal.screen.cells import CursorShape, Damage, Style, Underline, rgb


def styles(data: str) -> list[Style]:
    return [run.style for run in fed(data).row(0).runs]


@pytest.mark.parametrize(
    ("data", "rows"),
    [
        ("ab\x1b[3b", ["abbbb"]),
        ("ab\x1bEc", ["ab", "c"]),
        ("a\x1b[5`b", ["a   b"]),
        ("\x1b[18Gx\x1b[2Zy", ["        y        x"]),
        ("1\r\n2\r\n3\x1b[S", ["2", "3"]),
        ("1\r\n2\x1b[2T", ["", "", "1", "2"]),
        ("\x1b(0lqqk\x1b(Bq", ["┌──┐q"]),
        ("\x1b)0\x0eqq\x0fq", ["──q"]),
        ("\x1b(0漢q", ["漢─"]),
        ("\r\n" + "x" * 20 + "\x1bMy", [" " * 19 + "y", "x" * 20]),
        ("\x1b#8", ["E" * 20] * 5),
        ("one\x1bctwo", ["two"]),
        ("a\x7fb\x00c\x85d", ["abcd"]),
    ],
)
def test_sequences_that_xterms_terminfo_entry_promises(data: str, rows: list[str]) -> None:
    assert texts(fed(data)) == rows + [""] * (5 - len(rows))


@pytest.mark.parametrize(
    "swallowed",
    [
        "\x1bPq#0;2;0;0;0~~\x1b\\",
        "\x1b_Ga=T;AAAA\x1b\\",
        "\x1b^private\x1b\\",
        "\x1bXstring\x1b\\",
        "\x1bktitle of screen\x1b\\",
        "\x1b]1337;File=:AAAA\x07",
        "\x1b]unknown\x1b\\",
        "\x1b[?4m\x1b[>4;1m\x1b[?1;2r\x1b[?5s",
        "\x1b[1;2;3;4;5;6;7;8;9A",
        "\x1b[ 5z\x1b[99999$w\x1b[?999h",
        "\x1b%G\x1b*0\x1b+B\x1bZ",
        "\x1b[12\x18",
        "\x1b[8;1;1t\x1b[2t",
        "\x1b[?40h\x1b[?3h",
    ],
)
def test_what_is_unknown_is_discarded(swallowed: str) -> None:
    emulator = fed("a" + swallowed + "b")
    assert texts(emulator)[0] == "ab"
    assert emulator.size == Size(20, 5)


@pytest.mark.parametrize("mode", [47, 1047, 1049])
def test_the_alternate_screen_leaves_the_shell_as_it_was(mode: int) -> None:
    emulator = fed("$ vim\r\n", f"\x1b[?{mode}h", "\x1b[H\x1b[2Jfile", numbered(20))
    assert emulator.modes.alternate_screen
    assert emulator.scrollback.lines == 0
    emulator.feed(f"\x1b[?{mode}l".encode())
    assert texts(emulator)[0] == "$ vim"
    assert not emulator.modes.alternate_screen


def test_1049_brings_the_cursor_and_its_style_back() -> None:
    emulator = fed("\x1b[31mab\x1b[?1049h\x1b[0m\x1b[5;5H\x1b[?1049lc")
    assert texts(emulator)[0] == "abc"
    assert emulator.row(0).runs[0].style.fg == 1


def test_erased_cells_take_the_background_and_nothing_else() -> None:
    emulator = fed("\x1b[1;4;44mab\x1b[K")
    assert [(run.text, run.style) for run in emulator.row(0).runs] == [
        ("ab", Style(bg=4, bold=True, underline=Underline.SINGLE)),
        (" " * 18, Style(bg=4)),
    ]


@pytest.mark.parametrize(
    ("sgr", "style"),
    [
        ("38;5;200", Style(fg=200)),
        ("38;5;1", Style(fg=1)),
        ("48;2;1;2;3", Style(bg=rgb(1, 2, 3))),
        ("48;2;1;2;999", Style()),
        ("95;106", Style(fg=13, bg=14)),
        ("105", Style(bg=13)),
        ("33;93", Style(fg=11)),
        (
            "1;22;3;4;5;7;9",
            Style(italic=True, underline=Underline.SINGLE, blink=True, inverse=True, strikethrough=True),
        ),
        ("31;38;5;999", Style(fg=1)),
        ("31;38", Style(fg=1)),
        ("31;38;2;1;2", Style(fg=1)),
    ],
)
def test_colours_and_attributes_keep_what_the_program_said(sgr: str, style: Style) -> None:
    assert styles(f"\x1b[{sgr}mx") == [style]


@pytest.mark.parametrize(
    "sgr", ["1;38:5:200", "48:2::1:2:3;1", "4:3;58;5;9;1", "58:5:9;1", "58;2;7;7;7;1", "1;21;8;53"]
)
def test_styles_that_it_lacks_leave_the_others_alone(sgr: str) -> None:
    assert styles(f"\x1b[{sgr}mx") == [Style(bold=True)]


def test_wide_characters_take_two_cells_and_are_never_halved() -> None:
    assert fed("漢字x").cursor.x == 5
    assert texts(fed("漢字x\x1b[2Gy"))[0] == " y字x"
    assert texts(fed("漢字x\x1b[3Gy"))[0] == "漢y x"
    assert texts(fed("漢字x\x1b[2G\x1b[P"))[0] == " 字x"
    assert texts(fed("a漢字", cols=4))[:2] == ["a漢", "字"]


def test_marks_join_the_character_before_them() -> None:
    emulator = fed("e\u0301漢\u0301x", "\u202ey")
    assert texts(emulator)[0] == "e\u0301漢\u0301xy"
    assert emulator.cursor.x == 5


def test_control_characters_are_not_stored_in_cells() -> None:
    steering = "".join(map(chr, [0x202E, 0x2066, 0x200B, 0x2028, 0xFEFF, 0xE0041, 0xE0100, 0x9B, 0x7F]))
    assert texts(fed(f"a{steering}b\xad\U0010eeeec"))[0] == "ab  c"


@pytest.mark.slow
@pytest.mark.parametrize("size", [Size(1, 1), Size(2, 1), Size(1, 2), Size(500, 200), Size(0, 0)])
def test_any_size_can_be_written_to(size: Size) -> None:
    emulator = fed("漢字 wide\r\n" * 5)
    emulator.resize(size)
    emulator.feed("漢字\t\x1b[5@\x1b[5P\x1b[9;9H\x1b[2J\x1b#8\x1b[1;9r\x1b[LMa漢\x1b[9b".encode())
    emulator.refresh()
    emulator.resize(Size(20, 5))
    emulator.feed(b"\x1bcok")
    assert texts(emulator)[0] == "ok"


def test_a_cut_wide_character_is_blanked() -> None:
    emulator = fed("abc漢")
    emulator.resize(Size(4, 5))
    assert texts(emulator)[0] == "abc"


def test_damage_names_only_the_rows_that_changed() -> None:
    emulator = fed("one\r\ntwo\r\nthree")
    assert emulator.refresh() == Damage()
    emulator.feed(b"\x1b[2;1Hxx")
    assert emulator.refresh() == Damage(rows=(1,))
    emulator.feed(b"\x1b[2;1Hxx")
    assert emulator.refresh() == Damage()


def test_a_scroll_is_reported_as_one() -> None:
    emulator = fed(numbered(24), rows=24)
    emulator.feed(b"\r\nnew")
    assert emulator.refresh() == Damage(rows=(23,), shift=1)


def test_a_snapshot_does_not_change_until_the_next_refresh() -> None:
    emulator = fed("old")
    emulator.feed(b"\rnew")
    assert emulator.row(0).text == "old"
    assert emulator.paint(0, 1) == [b"old"]
    assert emulator.cursor.x == 3


def test_events_come_in_order_and_once() -> None:
    emulator = fed("\x1b[5n\x1b]2;t\x07\x07\x1b[6n")
    assert emulator.take_events() == [Reply(b"\x1b[0n"), TitleChanged("t"), Bell(), Reply(b"\x1b[1;1R")]
    assert emulator.take_events() == []


def test_input_is_written_in_the_modes_that_the_program_set() -> None:
    emulator = fed("\x1b[?1h\x1b[?1002;1006h\x1b[?2004h\x1b[?1004h")
    click = MouseAction(MouseKind.PRESS, Button.LEFT, 1, 1)
    assert emulator.encode_key(parse_key("up")) == b"\x1bOA"
    assert emulator.encode_mouse(click) == b"\x1b[<0;2;2M"
    assert emulator.encode_paste("x") == b"\x1b[200~x\x1b[201~"
    assert emulator.encode_focus(True) + emulator.encode_focus(False) == b"\x1b[I\x1b[O"
    emulator.reset()
    assert emulator.encode_key(parse_key("up")) == b"\x1b[A"
    assert emulator.encode_mouse(click) + emulator.encode_focus(True) == b""


def test_a_reset_keeps_the_history_and_ends_an_open_string() -> None:
    emulator = fed(numbered(30), "\x1b[5 q\x1b]0;never ended")
    emulator.reset()
    emulator.feed(b"fresh")
    assert texts(emulator)[0] == "fresh"
    assert emulator.scrollback.lines == 25
    assert emulator.cursor.shape is CursorShape.BLOCK
    assert not emulator.cursor.styled


@pytest.mark.parametrize(
    ("data", "lacking"),
    [
        ("\x1b[?2026$p\x1b[>c\x1b[>q\x1b[18t\x1b]4;1;?\x07", "answers about modes, sizes, versions and the palette"),
        ("\x1b[?2026h", "synchronized output"),
        ("\x1b[>1u\x1b[=5u\x1b[>4;2m", "the kitty keyboard protocol and modifyOtherKeys"),
        ("\x1b[?2004h\x1b[?2004s\x1b[?2004l\x1b[?2004r", "saved modes"),
        ("\x1b[?69h\x1b[5;9s", "left and right margins"),
        ("\x1b[?5h", "reverse screen"),
        ("\x1b]8;;http://x.example/\x07", "hyperlinks"),
        ("\x1b]4;1;#00ff00\x07\x1b]11;#222222\x07", "colours redefined by programs"),
        ("\x1b[2m", "faint, invisible and overlined text"),
        ("\x1b[4:3m", "styled and coloured underlines"),
    ],
)
def test_what_the_fallback_lacks_is_reported_and_does_nothing(data: str, lacking: str) -> None:
    emulator, plain = fed(data, "text"), fed("text")
    assert (emulator.engine, lacking in emulator.lacks) == ("pyte", True)
    assert (emulator.row(0), emulator.cursor, emulator.modes) == (plain.row(0), plain.cursor, plain.modes)
    assert emulator.take_events() == []


def test_colours_of_the_host_are_reported_to_programs() -> None:
    emulator = fed("")
    emulator.set_colours(0x000000, 0xFFFFFF)
    emulator.feed(b"\x1b]11;?\x07\x1b]10;?\x1b\\")
    assert emulator.take_events() == [Reply(b"\x1b]11;rgb:ffff/ffff/ffff\x07\x1b]10;rgb:0000/0000/0000\x1b\\")]


def test_an_error_inside_pyte_costs_only_the_sequence_that_raised(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG", "fugue_tui.terminal.pyte.stream")
    assert texts(fed("one\x1b[?4mtwo\x1b[1;2;3Hthree\x1b[9Kfour"))[0] == "onetwothreefour"
    assert len(caplog.records) == 3


def test_a_program_can_neither_change_the_size_nor_reset_pytes_own_modes() -> None:
    assert fed("\x1b[?3h\x1b[96h\x1b[800l\x1b[160h").size == Size(20, 5)
    assert fed("\x1b[800l").cursor.visible


def test_a_coloured_prompt_after_output_without_a_newline_colours_only_itself() -> None:
    subject = fed("1\r\n2\r\n3\r\n4\r\nno newline\x1b]133;A\x07\x1b[44mprompt\x1b[0m$ ")
    subject.refresh()
    assert [run.text for run in subject.row(4).runs if run.style.bg == 4] == ["prompt"]


def test_origin_mode_without_margins_keeps_the_cursor_on_the_screen() -> None:
    subject = fed("\x1b[?6h\x1b[9999dtext")
    assert subject.caret[1] == 4
    assert "text" in texts(subject)[4]
