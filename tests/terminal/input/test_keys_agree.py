"""Our key encoder against libghostty's, over every key, modifier and kitty flag.

Where the two differ on purpose, the reason stands beside the exception.
"""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportMissingTypeStubs=false

import re
from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from fugue_tui.terminal.input.key_names import KEYPAD_TEXT
from fugue_tui.terminal.input.keys import KeyEvent, KeyPress, Modifiers, encode
from fugue_tui.terminal.screen.cells import Modes

Encode = Callable[[KeyPress, Modes], bytes]

PUNCTUATION = {
    "[": "BRACKET_LEFT", "]": "BRACKET_RIGHT", "\\": "BACKSLASH", "/": "SLASH", "-": "MINUS", "=": "EQUAL",
    ";": "SEMICOLON", "'": "QUOTE", ",": "COMMA", ".": "PERIOD", "`": "BACKQUOTE",
}  # fmt: skip
SAME = ("enter", "tab", "backspace", "escape", "space", "home", "end", "insert", "delete")
KEYPAD = (
    "decimal",
    "divide",
    "multiply",
    "subtract",
    "add",
    "enter",
    "left",
    "right",
    "up",
    "down",
    "home",
    "end",
    "begin",
)
NAMES = {
    **{name: name.upper() for name in SAME},
    **{name: f"ARROW_{name.upper()}" for name in ("up", "down", "left", "right")},
    "pageup": "PAGE_UP",
    "pagedown": "PAGE_DOWN",
    **{f"f{number}": f"F{number}" for number in range(1, 26)},
    **{f"kp_{digit}": f"NUMPAD_{digit}" for digit in range(10)},
    **{f"kp_{name}": f"NUMPAD_{name.upper()}" for name in KEYPAD},
    **{digit: f"DIGIT_{digit}" for digit in "0123456789"},
    **{letter: letter.upper() for letter in "abcdefghijklmnopqrstuvwxyz"},
    **PUNCTUATION,
}
PRESSES = [KeyPress(name, Modifiers(bits)) for name in NAMES for bits in range(16)]


def typed(press: KeyPress) -> str:
    """What a desktop says that a key types."""
    if press.name == "space":
        return " "
    if len(press.name) > 1:
        return KEYPAD_TEXT.get(press.name, "")
    return press.name.upper() if press.modifiers & Modifiers.SHIFT else press.name


@pytest.fixture(scope="module")
def library() -> Encode:
    """libghostty's encoder, as a function of the same arguments as ours."""
    binding: Any = pytest.importorskip("pyghostty._ffi")
    ffi, lib = binding.ffi, binding.lib
    encoder, event = ffi.new("GhosttyKeyEncoder *"), ffi.new("GhosttyKeyEvent *")
    lib.ghostty_key_encoder_new(ffi.NULL, encoder)
    lib.ghostty_key_event_new(ffi.NULL, event)
    out, length = ffi.new("char[128]"), ffi.new("size_t *")

    def option(name: str, kind: str, value: int) -> None:
        number = getattr(lib, f"GHOSTTY_KEY_ENCODER_OPT_{name}")
        lib.ghostty_key_encoder_setopt(encoder[0], number, ffi.new(f"{kind} *", value))

    def write(press: KeyPress, modes: Modes) -> bytes:
        option("KITTY_FLAGS", "uint8_t", modes.kitty_flags)
        option("MODIFY_OTHER_KEYS_STATE_2", "bool", modes.modify_other_keys == 2)
        option("ALT_ESC_PREFIX", "bool", 1)
        option("CURSOR_KEY_APPLICATION", "bool", modes.application_cursor)
        shift, alt, ctrl, super_ = (bool(press.modifiers & Modifiers(bit)) for bit in (1, 2, 4, 8))
        text = ffi.new("char[]", typed(press).encode())
        lib.ghostty_key_event_set_action(event[0], getattr(lib, f"GHOSTTY_KEY_ACTION_{press.event.name}"))
        lib.ghostty_key_event_set_key(event[0], getattr(lib, f"GHOSTTY_KEY_{NAMES[press.name]}"))
        locks = bool(press.locks & Modifiers.CAPS_LOCK) << 4 | bool(press.locks & Modifiers.NUM_LOCK) << 5
        lib.ghostty_key_event_set_mods(event[0], shift | ctrl << 1 | alt << 2 | super_ << 3 | locks)
        lib.ghostty_key_event_set_consumed_mods(event[0], int(shift and bool(typed(press))))
        lib.ghostty_key_event_set_utf8(event[0], text, len(text) - 1)
        point = 32 if press.name == "space" else ord(press.name) if len(press.name) == 1 else 0
        lib.ghostty_key_event_set_unshifted_codepoint(event[0], point)
        assert lib.ghostty_key_encoder_encode(encoder[0], event[0], out, 128, length) == 0
        return bytes(ffi.buffer(out, length[0]))

    return write


def _shortest(written: bytes) -> bytes:
    """libghostty names the event of a press, which the protocol lets out as the default."""
    return re.sub(
        rb"^\x1b\[1;(\d+):1([A-S])$", lambda m: b"\x1b[%s%s" % (b"" if m[1] == b"1" else b"1;" + m[1], m[2]), written
    )


@pytest.mark.slow
@pytest.mark.parametrize("flags", [flags for flags in range(32) if flags & 9])
def test_the_kitty_protocol_is_written_as_libghostty_writes_it(flags: int, library: Encode) -> None:
    modes = Modes(kitty_flags=flags)
    assert [press for press in PRESSES if encode(press, modes) != _shortest(library(press, modes))] == []


@pytest.mark.slow
@pytest.mark.parametrize("event", [KeyEvent.REPEAT, KeyEvent.RELEASE])
@pytest.mark.parametrize("flags", [flags for flags in range(32) if flags & 9])
def test_repeats_and_releases_are_written_as_libghostty_writes_them(
    flags: int, event: KeyEvent, library: Encode
) -> None:
    modes = Modes(kitty_flags=flags)
    presses = [replace(press, event=event) for press in PRESSES]
    assert [press for press in presses if encode(press, modes) != _shortest(library(press, modes))] == []


@pytest.mark.parametrize("application", [False, True])
def test_unmodified_keys_are_written_as_libghostty_writes_them(application: bool, library: Encode) -> None:
    modes = Modes(application_cursor=application)
    plain = [press for press in PRESSES if press.modifiers == Modifiers.NONE and press.name != "f25"]
    assert [press for press in plain if encode(press, modes) != library(press, modes)] == []


def _other_keys_differ(press: KeyPress) -> bool:
    """F3 is CSI R, as in xterm; keypads and Backspace have their own rules."""
    return press.name in {"f3", "f25", "backspace"} or press.name.startswith("kp_")


def test_modify_other_keys_is_written_as_libghostty_writes_it(library: Encode) -> None:
    modes = Modes(modify_other_keys=2)
    common = [press for press in PRESSES if press.modifiers < Modifiers.SUPER and not _other_keys_differ(press)]
    assert [press for press in common if encode(press, modes) != library(press, modes)] == []
