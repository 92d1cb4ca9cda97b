"""What a program is sent for a key, and how keys are spelt."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fugue_tui.errors import InvalidArgument
from fugue_tui.terminal.input.key_names import ALIASES, NAMED_KEYS
from fugue_tui.terminal.input.keys import KeyEvent, KeyPress, Modifiers, encode, parse_key, spell
from fugue_tui.terminal.screen.cells import Modes

PLAIN_MODES = Modes()
ALL_MODIFIERS = [Modifiers(bits) for bits in range(16)]


@pytest.mark.parametrize(
    ("word", "sent"),
    [
        ("a", b"a"),
        ("A", b"A"),
        ("é", "é".encode()),
        ("漢", "漢".encode()),
        (";", b";"),
        ("Space", b" "),
        ("C-Space", b"\x00"),
        ("C-@", b"\x00"),
        ("C-a", b"\x01"),
        ("C-i", b"\t"),
        ("C-j", b"\n"),
        ("C-m", b"\r"),
        ("C-z", b"\x1a"),
        ("C-[", b"\x1b"),
        ("C-\\", b"\x1c"),
        ("C-]", b"\x1d"),
        ("C-^", b"\x1e"),
        ("C-_", b"\x1f"),
        ("C-/", b"\x1f"),
        ("C-?", b"\x7f"),
        *(
            (f"C-{digit}", bytes([code]))
            for digit, code in zip("2345678", b"\x00\x1b\x1c\x1d\x1e\x1f\x7f", strict=True)
        ),
        ("C-1", b"1"),
        ("C-é", "é".encode()),
        ("M-a", b"\x1ba"),
        ("M-A", b"\x1bA"),
        ("M--", b"\x1b-"),
        ("M-Space", b"\x1b "),
        ("M-C-c", b"\x1b\x03"),
        ("C-M-]", b"\x1b\x1d"),
        ("Escape", b"\x1b"),
        ("M-Escape", b"\x1b\x1b"),
        ("Enter", b"\r"),
        ("M-Enter", b"\x1b\r"),
        ("S-Enter", b"\r"),
        ("C-Enter", b"\r"),
        ("Tab", b"\t"),
        ("M-Tab", b"\x1b\t"),
        ("BTab", b"\x1b[Z"),
        ("shift+tab", b"\x1b[Z"),
        ("C-S-Tab", b"\x1b[Z"),
        ("BSpace", b"\x7f"),
        ("C-BSpace", b"\b"),
        ("M-BSpace", b"\x1b\x7f"),
        ("M-C-BSpace", b"\x1b\b"),
        ("Up", b"\x1b[A"),
        ("Down", b"\x1b[B"),
        ("Right", b"\x1b[C"),
        ("Left", b"\x1b[D"),
        ("Home", b"\x1b[H"),
        ("End", b"\x1b[F"),
        ("IC", b"\x1b[2~"),
        ("DC", b"\x1b[3~"),
        ("PPage", b"\x1b[5~"),
        ("PgDn", b"\x1b[6~"),
        ("S-Up", b"\x1b[1;2A"),
        ("M-Left", b"\x1b[1;3D"),
        ("C-Right", b"\x1b[1;5C"),
        ("C-M-S-End", b"\x1b[1;8F"),
        ("super+home", b"\x1b[1;9H"),
        ("C-DC", b"\x1b[3;5~"),
        ("F1", b"\x1bOP"),
        ("F4", b"\x1bOS"),
        ("F5", b"\x1b[15~"),
        ("F12", b"\x1b[24~"),
        ("F20", b"\x1b[34~"),
        ("S-F1", b"\x1b[1;2P"),
        ("S-F5", b"\x1b[15;2~"),
        ("C-F12", b"\x1b[24;5~"),
        ("F30", b""),
        ("KP0", b"0"),
        ("KP*", b"*"),
        ("M-KP9", b"\x1b9"),
        ("C-KP2", b"2"),
        ("KPEnter", b"\r"),
        ("kp_left", b"\x1b[D"),
        ("super+a", b""),
    ],
)
def test_a_plain_program_gets_the_bytes_of_xterm(word: str, sent: bytes) -> None:
    assert encode(parse_key(word), PLAIN_MODES) == sent


@pytest.mark.parametrize(
    ("word", "modes", "sent"),
    [
        ("up", Modes(application_cursor=True), b"\x1bOA"),
        ("home", Modes(application_cursor=True), b"\x1bOH"),
        ("C-Up", Modes(application_cursor=True), b"\x1b[1;5A"),
        ("KP0", Modes(application_keypad=True), b"\x1bOp"),
        ("KPEnter", Modes(application_keypad=True), b"\x1bOM"),
        ("M-KP+", Modes(application_keypad=True), b"\x1b\x1bOk"),
        ("enter", Modes(newline=True), b"\r\n"),
        ("backspace", Modes(backarrow_is_backspace=True), b"\b"),
        ("C-BSpace", Modes(backarrow_is_backspace=True), b"\x7f"),
    ],
)
def test_modes_change_the_bytes(word: str, modes: Modes, sent: bytes) -> None:
    assert encode(parse_key(word), modes) == sent


@pytest.mark.parametrize(
    ("word", "first", "second"),
    [
        ("a", b"a", b"a"),
        ("A", b"A", b"\x1b[27;2;65~"),
        ("C-a", b"\x01", b"\x1b[27;5;97~"),
        ("C-S-a", b"\x01", b"\x1b[27;6;65~"),
        ("C-i", b"\t", b"\x1b[27;5;105~"),
        ("C-;", b"\x1b[27;5;59~", b"\x1b[27;5;59~"),
        ("C-Space", b"\x00", b"\x1b[27;5;32~"),
        ("M-x", b"\x1bx", b"\x1b[27;3;120~"),
        ("Enter", b"\r", b"\r"),
        ("S-Enter", b"\x1b[27;2;13~", b"\x1b[27;2;13~"),
        ("C-Enter", b"\x1b[27;5;13~", b"\x1b[27;5;13~"),
        ("M-Enter", b"\x1b\r", b"\x1b[27;3;13~"),
        ("BTab", b"\x1b[Z", b"\x1b[27;2;9~"),
        ("C-Tab", b"\t", b"\x1b[27;5;9~"),
        ("S-Up", b"\x1b[1;2A", b"\x1b[1;2A"),
    ],
)
def test_modify_other_keys_tells_apart_what_shares_bytes(word: str, first: bytes, second: bytes) -> None:
    press = parse_key(word)
    assert encode(press, Modes(modify_other_keys=1)) == first
    assert encode(press, Modes(modify_other_keys=2)) == second


@pytest.mark.parametrize(
    ("word", "flags", "sent"),
    [
        ("a", 1, b"a"),
        ("A", 1, b"A"),
        ("C-a", 1, b"\x1b[97;5u"),
        ("C-i", 1, b"\x1b[105;5u"),
        ("M-a", 1, b"\x1b[97;3u"),
        ("Escape", 1, b"\x1b[27u"),
        ("Enter", 1, b"\r"),
        ("S-Enter", 1, b"\x1b[13;2u"),
        ("BTab", 1, b"\x1b[9;2u"),
        ("BSpace", 1, b"\x7f"),
        ("C-BSpace", 1, b"\x1b[127;5u"),
        ("Up", 1, b"\x1b[A"),
        ("S-F3", 1, b"\x1b[13;2~"),
        ("F13", 1, b"\x1b[57376u"),
        ("KP0", 1, b"0"),
        ("KPEnter", 1, b"\x1b[57414u"),
        ("C-a", 2, b"\x01"),
        ("a", 8, b"\x1b[97u"),
        ("A", 8, b"\x1b[97;2u"),
        ("A", 8 | 4, b"\x1b[97:65;2u"),
        ("a", 8 | 16, b"\x1b[97;;97u"),
        ("A", 8 | 4 | 16, b"\x1b[97:65;2;65u"),
        ("C-a", 8 | 16, b"\x1b[97;5u"),
        ("Enter", 8, b"\x1b[13u"),
    ],
)
def test_the_kitty_protocol_is_spoken_to_programs_that_asked(word: str, flags: int, sent: bytes) -> None:
    assert encode(parse_key(word), Modes(kitty_flags=flags)) == sent


@pytest.mark.parametrize(
    ("flags", "sent"),
    [
        (0, "\u0424".encode()),
        (1, "\u0424".encode()),
        (4 | 8, b"\x1b[1092:1060:97;2u"),
        (2 | 4 | 8 | 16, b"\x1b[1092:1060:97;2;1060u"),
    ],
)
def test_the_key_of_another_layout_is_reported_with_that_of_a_us_keyboard(flags: int, sent: bytes) -> None:
    press = KeyPress("\u0444", Modifiers.SHIFT, "\u0424", "\u0424", "a")
    assert encode(press, Modes(kitty_flags=flags)) == sent


@pytest.mark.parametrize(
    ("flags", "event", "sent"),
    [
        (0, KeyEvent.REPEAT, b"\x01"),
        (0, KeyEvent.RELEASE, b""),
        (1, KeyEvent.RELEASE, b""),
        (2, KeyEvent.PRESS, b"\x01"),
        (2, KeyEvent.REPEAT, b"\x1b[97;5:2u"),
        (2, KeyEvent.RELEASE, b"\x1b[97;5:3u"),
        (3, KeyEvent.PRESS, b"\x1b[97;5u"),
    ],
)
def test_repeats_and_releases_are_sent_to_programs_that_asked(flags: int, event: KeyEvent, sent: bytes) -> None:
    assert encode(KeyPress("a", Modifiers.CTRL, event=event), Modes(kitty_flags=flags)) == sent


@pytest.mark.parametrize(("flags", "sent"), [(0, b""), (1, b""), (8, b"\x1b[57441;2u"), (10, b"\x1b[57441;2u")])
def test_a_lone_modifier_is_reported_where_all_keys_are(flags: int, sent: bytes) -> None:
    assert encode(KeyPress("left_shift", Modifiers.SHIFT), Modes(kitty_flags=flags)) == sent


def test_locks_are_reported_where_all_keys_are() -> None:
    press = KeyPress("a", text="A", locks=Modifiers.CAPS_LOCK)
    assert encode(press, Modes(kitty_flags=8)) == b"\x1b[97;65u"
    assert encode(press, Modes(kitty_flags=1)) == b"A"


def test_shift_with_alt_types_what_the_terminal_told() -> None:
    press = KeyPress("5", Modifiers.ALT | Modifiers.SHIFT, shifted="%")
    assert encode(press, Modes()) == b"\x1b%"
    assert encode(press, Modes(modify_other_keys=2)) == b"\x1b[27;4;37~"


@pytest.mark.parametrize("flags", [0, 1, 8])
def test_text_from_an_input_method_arrives_as_text(flags: int) -> None:
    assert encode(KeyPress("", text="日本語"), Modes(kitty_flags=flags)) == "日本語".encode()


def test_text_from_an_input_method_is_reported_where_all_text_is() -> None:
    assert encode(KeyPress("", text="日本"), Modes(kitty_flags=8 | 16)) == b"\x1b[0;;26085:26412u"


def test_a_control_character_as_text_does_not_count_as_typed() -> None:
    assert encode(KeyPress("a", Modifiers.CTRL, "\x01"), Modes(kitty_flags=1)) == b"\x1b[97;5u"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("C-c", "ctrl+c"),
        ("^c", "Ctrl-C"),
        ("C-A", "ctrl+a"),
        ("M-x", "alt+x"),
        ("M-x", "meta-x"),
        ("M-A", "alt+shift+a"),
        ("C-M-x", "ctrl+alt+x"),
        ("M-C-x", "alt+ctrl+x"),
        ("NPage", "pagedown"),
        ("PgUp", "page_up"),
        ("BTab", "backtab"),
        ("BTab", "S-Tab"),
        ("DC", "delete"),
        ("KP/", "kp_divide"),
        ("M-+", "alt+plus"),
        ("C--", "ctrl+minus"),
        ("ctrl++", "C-+"),
        (" ", "Space"),
    ],
)
def test_a_key_has_one_meaning_however_it_is_spelt(one: str, other: str) -> None:
    assert parse_key(one) == parse_key(other)


@pytest.mark.parametrize(
    ("word", "hint"),
    [("Entr", "'enter'"), ("C-Entr", "'enter'"), ("pagdown", "'pagedown'"), ("F99", "f9"), ("", "C-c"), ("C-", "C-c")],
)
def test_an_unknown_key_is_refused_with_the_nearest(word: str, hint: str) -> None:
    with pytest.raises(InvalidArgument, match="no key") as refusal:
        parse_key(word)
    assert hint in str(refusal.value)


@pytest.mark.parametrize("word", ["ls", "echo hello", "\x1b[A", "\x03", "C-c x"])
def test_text_is_not_taken_for_a_key(word: str) -> None:
    with pytest.raises(InvalidArgument):
        parse_key(word)


@given(st.sampled_from(ALL_MODIFIERS), st.sampled_from([*NAMED_KEYS, *ALIASES, *"aZ-+é漢;/ "]))
def test_what_is_spelt_reads_back(modifiers: Modifiers, name: str) -> None:
    prefix = "".join(f"{str(modifier.name).lower()}+" for modifier in modifiers)
    press = parse_key(prefix + name)
    assert parse_key(spell(press)) == press


@given(
    st.builds(
        KeyPress, st.sampled_from(NAMED_KEYS) | st.characters(), st.sampled_from(ALL_MODIFIERS), st.text(max_size=3)
    )
)
def test_every_key_press_can_be_encoded_in_every_mode(press: KeyPress) -> None:
    for flags in (0, 1, 8, 31):
        for level in (0, 1, 2):
            modes = Modes(kitty_flags=flags, modify_other_keys=level, application_keypad=bool(level))
            assert isinstance(encode(press, modes), bytes)
