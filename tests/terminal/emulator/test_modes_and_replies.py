"""What both engines tell: modes, answers to questions, events; and how keys and the mouse are written."""

import pytest
from tests.terminal.engine_pair import Make, replies
from tests.terminal.engine_pair import make as make

from fugue_tui.terminal.emulator.events import (
    Bell,
    ClipboardWrite,
    CwdChanged,
    Notification,
    PromptMark,
    Reply,
    TitleChanged,
)
from fugue_tui.terminal.input.keys import KeyPress, Modifiers
from fugue_tui.terminal.input.mouse import Button, MouseAction, MouseKind
from fugue_tui.terminal.screen.cells import MouseEncoding, MouseTracking

KEYBOARD = "the kitty keyboard protocol and modifyOtherKeys"
ANSWERS = "answers about modes, sizes, versions and the palette"


def test_modes_that_decide_input_are_reported(make: Make) -> None:
    emulator = make()
    emulator.feed(b"\x1b[?1;2004;1004;1002;1006;67h\x1b=\x1b[20h")
    modes = emulator.modes
    assert (modes.application_cursor, modes.application_keypad, modes.bracketed_paste) == (True, True, True)
    assert (modes.focus_events, modes.backarrow_is_backspace, modes.newline) == (True, True, True)
    assert (modes.mouse, modes.mouse_encoding) == (MouseTracking.BUTTON, MouseEncoding.SGR)
    emulator.feed(b"\x1bc")
    assert emulator.modes.mouse is MouseTracking.NONE


def test_keyboard_modes_are_reported(make: Make) -> None:
    emulator = make(needs=KEYBOARD)
    emulator.feed(b"\x1b[>4;2m")
    assert emulator.modes.modify_other_keys == 2
    emulator.feed(b"\x1b[>4;0m\x1b[>5u")
    assert (emulator.modes.modify_other_keys, emulator.modes.kitty_flags) == (0, 5)
    emulator.feed(b"\x1bc")
    assert emulator.modes.kitty_flags == 0


def test_questions_are_answered_in_order(make: Make) -> None:
    emulator = make()
    emulator.feed(b"ab\x1b[6n\x1b[5n")
    assert replies(emulator) == b"\x1b[1;3R\x1b[0n"
    assert replies(emulator) == b""


def test_questions_about_modes_and_sizes_are_answered_in_order(make: Make) -> None:
    emulator = make(needs=ANSWERS)
    emulator.feed(b"ab\x1b[6n\x1b[5n\x1b[?2004$p\x1b[18t")
    assert replies(emulator) == b"\x1b[1;3R\x1b[0n\x1b[?2004;2$y\x1b[8;5;20t"
    assert replies(emulator) == b""


@pytest.mark.parametrize("question", [b"\x1b[c", b"\x1b]10;?\x07", b"\x1b]11;?\x07"])
def test_identity_and_colours_are_answered(make: Make, question: bytes) -> None:
    emulator = make()
    emulator.feed(question)
    assert replies(emulator)


@pytest.mark.parametrize("question", [b"\x1b[>c", b"\x1b[=c", b"\x1b[>q"])
def test_versions_are_answered(make: Make, question: bytes) -> None:
    emulator = make(needs=ANSWERS)
    emulator.feed(question)
    assert replies(emulator)


def test_a_program_takes_the_terminal_for_an_xterm_that_tells_its_background(make: Make) -> None:
    """Emacs asks for the background from version 242 on (term/xterm.el), Vim uses SGR mouse reports from 277 on."""
    emulator = make(needs=ANSWERS)
    emulator.feed(b"\x1b[>c")
    kind, version, rest = replies(emulator).removeprefix(b"\x1b[>").removesuffix(b"c").split(b";")
    assert (kind, rest) == (b"1", b"0")
    assert 277 <= int(version) < 279


def test_the_version_names_the_program(make: Make) -> None:
    emulator = make(needs=ANSWERS)
    emulator.feed(b"\x1b[>q")
    assert replies(emulator).startswith(b"\x1bP>|fugue-tui ")


@pytest.mark.parametrize("question", [b"\x05", b"\x1b[21t", b"\x1b[20t", b"\x1b]52;c;?\x07"])
def test_queries_that_could_leak_data_get_no_reply(make: Make, question: bytes) -> None:
    emulator = make()
    emulator.feed(b"\x1b]2;rm -rf /\x07" + question)
    assert replies(emulator) == b""


def test_events_are_reported_in_order(make: Make) -> None:
    emulator = make()
    emulator.feed(
        b"\x1b]2;one\x07\x07\x1b]7;file:///tmp/a%20b\x07\x1b]9;note\x1b\\\x1b]777;notify;T;B\x07"
        b"\x1b]52;c;aGVsbG8=\x07\x1b]133;D;3\x07"
    )
    assert [event for event in emulator.take_events() if not isinstance(event, Reply)] == [
        TitleChanged("one"),
        Bell(),
        CwdChanged("/tmp/a b"),
        Notification("", "note"),
        Notification("T", "B"),
        ClipboardWrite("hello"),
        PromptMark("D", 3),
    ]
    assert (emulator.title, emulator.cwd) == ("one", "/tmp/a b")


def test_a_directory_of_another_machine_is_ignored(make: Make) -> None:
    emulator = make()
    emulator.feed(b"\x1b]7;file://elsewhere.example/tmp\x07")
    assert emulator.cwd == ""


def test_an_empty_copy_is_ignored(make: Make) -> None:
    emulator = make()
    emulator.feed(b"\x1b]52;c;\x07\x1b]52;c;!\x07")
    assert emulator.take_events() == []


def test_keys_follow_the_modes(make: Make) -> None:
    emulator = make()
    assert emulator.encode_key(KeyPress("up")) == b"\x1b[A"
    emulator.feed(b"\x1b[?1h")
    assert emulator.encode_key(KeyPress("up")) == b"\x1bOA"
    assert emulator.encode_key(KeyPress("i", Modifiers.CTRL)) == b"\t"
    assert emulator.encode_key(KeyPress("enter", Modifiers.SHIFT)) == b"\r"


def test_keys_follow_the_kitty_protocol(make: Make) -> None:
    emulator = make(needs=KEYBOARD)
    emulator.feed(b"\x1b[>1u")
    assert emulator.encode_key(KeyPress("enter", Modifiers.SHIFT)) == b"\x1b[13;2u"


def test_mouse_paste_and_focus_follow_the_modes(make: Make) -> None:
    emulator = make()
    press = MouseAction(MouseKind.PRESS, Button.LEFT, 2, 1)
    assert (emulator.encode_mouse(press), emulator.encode_focus(True)) == (b"", b"")
    assert emulator.encode_paste("a\nb") == b"a\rb"
    emulator.feed(b"\x1b[?1000;1006;1004;2004h")
    assert emulator.encode_mouse(press) == b"\x1b[<0;3;2M"
    assert (emulator.encode_focus(True), emulator.encode_focus(False)) == (b"\x1b[I", b"\x1b[O")
    assert emulator.encode_paste("a\x1b[201~b\nc") == b"\x1b[200~ab\nc\x1b[201~"
