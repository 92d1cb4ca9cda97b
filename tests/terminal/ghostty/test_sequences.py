"""What the default engine makes of sequences that the fallback does not know."""

import pytest

from fugue_tui import __version__
from fugue_tui.geometry import Size
from fugue_tui.terminal.emulator.events import Reply
from fugue_tui.terminal.ghostty.emulator import GhosttyEmulator
from fugue_tui.terminal.screen.cells import Style, Underline, rgb


def fed(data: str, size: Size = Size(80, 24)) -> GhosttyEmulator:
    emulator = GhosttyEmulator(size, 200)
    emulator.feed(data.encode())
    emulator.refresh()
    return emulator


ANSWERS = {
    "\x1b[c": "\x1b[?62;22c",
    "\x1b[>c": "\x1b[>1;277;0c",
    "\x1b[=c": "\x1bP!|00000000\x1b\\",
    "\x1b[>q": f"\x1bP>|fugue-tui {__version__}\x1b\\",
    "\x1b[14t": "\x1b[4;384;640t",
    "\x1b[16t": "\x1b[6;16;8t",
    "\x1b[18t": "\x1b[8;24;80t",
    **{f"\x1b[?{mode}$p": f"\x1b[?{mode};2$y" for mode in (1, 6, 66, 1000, 1002, 1006, 1049, 2004)},
    **{f"\x1b[?{mode}$p": f"\x1b[?{mode};1$y" for mode in (7, 25)},
    "\x1b[?9999$p": "\x1b[?9999;0$y",
    "\x1b[4$p": "\x1b[4;2$y",
    "\x1b[20$p": "\x1b[20;2$y",
    "\x1b[99$p": "\x1b[99;0$y",
    "\x1b[?u": "\x1b[?0u",
    "\x1b[?996n": "\x1b[?997;1n",
    "\x1bP$qr\x1b\\": "\x1bP1$r1;24r\x1b\\",
    "\x1b]12;?\x07": "\x1b]12;rgb:d0d0/d0d0/d0d0\x07",
    "\x1b]4;200;?\x1b\\": "\x1b]4;200;rgb:ffff/0000/d7d7\x1b\\",
    "\x1b]4;231;?;16;?\x07": "\x1b]4;231;rgb:ffff/ffff/ffff\x07\x1b]4;16;rgb:0000/0000/0000\x07",
}


@pytest.mark.parametrize("question", ANSWERS)
def test_a_question_is_answered(question: str) -> None:
    assert fed("\x1b[3;7Hx" + question).take_events() == [Reply(ANSWERS[question].encode())]


@pytest.mark.parametrize(
    ("said", "kitty", "other"),
    [
        ("\x1b[>4;2m", 0, 2),
        ("\x1b[>4;2m\x1b[>4m", 0, 0),
        ("\x1b[>1u", 1, 0),
        ("\x1b[>1u\x1b[>31u\x1b[<u", 1, 0),
        ("\x1b[=5u", 5, 0),
        ("\x1b[>1u\x1b[?1049h", 0, 0),
        ("\x1b[>1u\x1b[?1049h" + "\x1b[>8u" * 1000 + "\x1b[?1049l", 1, 0),
        ("\x1b[>1u\x1b[?1049h" + "\x1b[>8u" * 1000 + "\x1b[?1049l\x1b[<9u", 0, 0),
    ],
)
def test_keyboard_modes_belong_to_their_screen_and_are_bounded(said: str, kitty: int, other: int) -> None:
    modes = fed(said).modes
    assert (modes.kitty_flags, modes.modify_other_keys) == (kitty, other)


def test_saved_modes_are_restored() -> None:
    assert fed("\x1b[?2004h\x1b[?2004s\x1b[?2004l\x1b[?2004r").modes.bracketed_paste


@pytest.mark.parametrize(
    ("sgr", "style"),
    [
        ("38:5:200", Style(fg=200)),
        ("48:2:1:2:3", Style(bg=rgb(1, 2, 3))),
        ("48:2::1:2:3", Style(bg=rgb(1, 2, 3))),
        ("4:3;58;5;9", Style(underline=Underline.CURLY, underline_colour=9)),
        ("58:5:9", Style(underline_colour=9)),
        ("4:4", Style(underline=Underline.DOTTED)),
        ("4:5", Style(underline=Underline.DASHED)),
        ("4:3;4:0", Style()),
        ("21", Style(underline=Underline.DOUBLE)),
        ("2;6;8", Style(faint=True, blink=True, invisible=True)),
        ("2;8;22;28", Style()),
        ("31;0;53", Style(overline=True)),
        ("53;55", Style()),
        ("38;5;1", Style(fg=1)),
    ],
)
def test_colours_and_attributes_keep_what_the_program_said(sgr: str, style: Style) -> None:
    assert [run.style for run in fed(f"\x1b[{sgr}mx").row(0).runs] == [style]


def test_origin_mode_counts_from_the_top_margin_and_stays_inside() -> None:
    emulator = fed("\x1b[2;4r\x1b[?6h\x1b[1;1Ha\x1b[9;1Hb\x1b[6n", Size(20, 5))
    assert [emulator.row(y).text for y in range(5)] == ["", "a", "", "b", ""]
    assert emulator.take_events() == [Reply(b"\x1b[3;2R")]


@pytest.mark.parametrize(
    ("data", "y"),
    [("\x1b[3;4r\x1b[2;1H\x1b[9A", 0), ("\x1b[2;3r\x1b[5;1H\x1b[9B", 4), ("\x1b[2;4r\x1b[3;1H\x1b[9A", 1)],
)
def test_moving_outside_the_margins_goes_to_the_edge(data: str, y: int) -> None:
    assert fed(data, Size(20, 5)).cursor.y == y


def test_tab_stops_and_the_british_character_set_are_supported() -> None:
    assert fed("a\x1b[2Ib").row(0).text == "a               b"
    assert fed("\x1b(A#\x1b(B#").row(0).text == "£#"
