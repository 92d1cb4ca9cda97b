"""What a program is sent for pasted text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fugue_tui.terminal.input.paste import encode
from fugue_tui.terminal.screen.cells import Modes

BRACKETED = Modes(bracketed_paste=True)
START, END = b"\x1b[200~", b"\x1b[201~"


def test_a_paste_is_bracketed_once() -> None:
    assert encode("one\ntwo\t漢字", BRACKETED) == START + "one\ntwo\t漢字".encode() + END


def test_a_program_that_did_not_ask_gets_lines_as_enter_sends_them() -> None:
    assert encode("one\r\ntwo\rthree\n", Modes()) == b"one\rtwo\rthree\r"


@pytest.mark.parametrize(
    "evil",
    [
        "a\x1b[201~rm",
        "a\x9b201~rm",
        "a\x1b[20\x1b[201~1~rm",
        "a\x1b[2\x9b201~01~rm",
        "a\x1b\x1b[201~[201~rm",
        "a\x1b[200~rm",
    ],
)
def test_a_paste_cannot_end_itself(evil: str) -> None:
    sent = encode(evil, BRACKETED)
    assert sent.startswith(START)
    assert sent.endswith(END)
    inside = sent[len(START) : -len(END)].decode()
    assert "\x1b" not in inside
    assert "\x9b" not in inside


def test_control_characters_but_tab_and_newline_are_removed() -> None:
    everything = "".join(map(chr, [*range(0x20), 0x7F, *range(0x80, 0xA0)]))
    assert encode(f"[{everything}]", BRACKETED) == START + b"[\t\n\n]" + END


@given(st.text(alphabet=st.sampled_from("a\x1b\x9b[201~\r\n\t\x03é"), max_size=60), st.booleans())
def test_nothing_in_a_paste_presses_a_key(text: str, bracketed: bool) -> None:
    sent = encode(text, Modes(bracketed_paste=bracketed)).removeprefix(START).removesuffix(END).decode()
    allowed = "\t\n" if bracketed else "\t\r"
    assert all(char >= " " or char in allowed for char in sent)
    assert not any("\x7f" <= char <= "\x9f" for char in sent)


def test_nothing_pasted_is_nothing_sent() -> None:
    assert encode("", BRACKETED) == b""
    assert encode("\x1b[201~", BRACKETED) == b""


def test_half_a_surrogate_pair_does_not_stop_a_paste() -> None:
    assert encode("a\ud800b", BRACKETED) == START + b"a?b" + END
