"""What a host terminal sends in one piece reaches programs, prompts and panes in that order, and nothing else does."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tui.conftest import Start
from tests.tui.host_programs import Host

from fugue_tui.attach_server.input.input_parser import Focused, HostParser, Pasted, Pointer
from fugue_tui.terminal.input.keys import KeyEvent, KeyPress, Modifiers

pytestmark = pytest.mark.slow


SHOWN = ("sh", "-c", "stty raw -echo; printf 'ready '; exec cat -v")
BRACKETED = ("sh", "-c", "stty raw -echo; printf '\\033[?2004hready '; exec cat -v")


@pytest.fixture
def pane(start: Start) -> Host:
    """A workspace with a program that shows what it reads."""
    host = start(*SHOWN)
    host.wait_text("ready")
    return host


@pytest.mark.parametrize(
    ("sent", "shown"),
    [
        ("\x1b[200~HELLO \x1b[201~\r.", "ready HELLO ^M."),
        ("\x1b[200~one\x1b[201~ab\x1b[200~two\x1b[201~cd", "ready oneabtwocd"),
        ("\x1b[200~X \x1b[9999999u\x1b[97;1:3u Y\x1b[201~k", "ready X [9999999u[97;1:3u Yk"),
        ("\x1b[97;1:3u\x1b[120;;120u", "ready x"),
        ("\x1b[97;1:9u\x1b[1114112u\x1b[97;;1114112u\x1b[55296u\x1b[98u", "ready ab"),
        ("\x1b[53:37;4u\x1b[60;4u", "ready ^[%^[<"),
        ("\x1b[25~\x1b[26~\x1b[28~\x1b[34~\x1b[99~x", "ready ^[[25~^[[26~^[[28~^[[34~x"),
        ("\x1b[[A\x1b[[E.", "ready ^[OP^[[15~."),
        ("\x1b[65;5u\x1b[1;6:2A\x1b[1;6:3A.", "ready ^A^[[1;6A."),
    ],
)
def test_input_of_one_read_is_handled_in_order(pane: Host, sent: str, shown: str) -> None:
    pane.send(sent)
    pane.wait_text(shown)


def test_nothing_in_a_paste_is_a_key(start: Start) -> None:
    host = start(*BRACKETED)
    host.wait_text("ready")
    host.send("\x1b[200~echo harmless \x1b[0m; \x02\x1b[201;x~ \x1b[200~ echo INJECTED\x1b[201~.")
    host.wait_text("ready ^[[200~echo harmless [0m; [201;x~  echo INJECTED^[[201~.")


def test_keys_behind_a_long_paste_are_read_behind_it(start: Start) -> None:
    host = start("sh", "-c", "stty raw -echo; printf 'ready '; head -c 3005 | tail -c 12; exec cat -v")
    host.wait_text("ready")
    host.send(b"\x1b[200~" + b"z" * 3_000 + b"\x1b[201~")
    host.send(b"\rabcd\r")
    host.wait_text("zzzz", "abcd^M")


def test_keys_behind_a_click_go_to_the_pane_that_was_clicked(pane: Host) -> None:
    pane.send("\x02%")
    pane.wait_text("$")
    pane.send("\x1b[<0;3;3M\x1b[<0;3;3mzzz")
    pane.wait_text("ready zzz")


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("\x15nameA", "nameA"),
        ("\x15bash\x7f\x7fqq", "baqq"),
        ("\x15x\x01qq", "qqx"),
        ("\x15\x1b[200~ab\x1b[201~\x7fc", "ac"),
    ],
)
def test_a_prompt_gets_keys_in_order_even_with_the_prefix_before_and_text_behind(
    pane: Host, typed: str, name: str
) -> None:
    pane.send(f"\x02,{typed}\rafter")
    pane.wait_text(f"[1 {name}]", "ready after")


def test_the_palette_gets_keys_in_order(pane: Host) -> None:
    pane.send("\x02pzoop\x7fm")
    pane.wait_text("zoom")
    pane.send("\x1b")
    pane.wait_until(lambda: "zoom" not in pane.text)
    pane.send("!")
    pane.wait_text("ready !")


def test_the_release_of_a_key_that_a_prompt_got_reaches_no_program(start: Start) -> None:
    host = start("sh", "-c", "stty raw -echo; printf '\\033[>11uready '; exec cat -v")
    host.wait_text("ready")
    host.send(
        "\x1b[97;;97u\x1b[97;1:3u\x1b[98;5u\x1b[98;5:3u\x1b[44;;44u\x1b[44;1:3u\x1b[13u\x1b[13;1:3u\x1b[120;;120u"
    )
    host.wait_text("ready ^[[97u^[[97;1:3u^[[120u")


def test_a_paste_that_is_too_long_is_refused_whole() -> None:
    parser = HostParser()
    events = [event for _ in range(17) for event in parser.feed(b"z" * (1 << 20))] if parser.feed(START) == [] else []
    assert events == []
    assert parser.feed(b"\x1b[201~x") == [Pasted("", refused=True), KeyPress("x", text="x")]


# Whatever is sent

START = b"\x1b[200~"
KNOWN = {
    b"a": KeyPress("a", text="a"), b"\r": KeyPress("enter"), b"\x03": KeyPress("c", Modifiers.CTRL),
    b"\x1b[A": KeyPress("up"), b"\x1bOP": KeyPress("f1"), b"\x1b[1;5D": KeyPress("left", Modifiers.CTRL),
    b"\x1b[26~": KeyPress("f14"), b"\x1b[[E": KeyPress("f5"), b"\x1bx": KeyPress("x", Modifiers.ALT),
    "\u00e9".encode(): KeyPress("\u00e9", text="\u00e9"), b"\x1b[98;5u": KeyPress("b", Modifiers.CTRL),
    b"\x1b[27;6;65~": KeyPress("a", Modifiers.CTRL | Modifiers.SHIFT, shifted="A"),
    b"\x1b[53:37;4u": KeyPress("5", Modifiers.ALT | Modifiers.SHIFT, shifted="%"),
    b"\x1b[97;1:3u": KeyPress("a", text="a", event=KeyEvent.RELEASE),
    b"\x1b[200~\x1b[A\x1b\x03\x1b[201~": Pasted("\x1b[A\x1b\x03"), b"\x1b[<0;3;4M": Pointer(0, 3, 4, released=False),
    b"\x1b[I": Focused(True),
}  # fmt: skip


def garbage(random: Random) -> bytes:
    """A complete sequence that means anything or nothing."""
    body = bytes(random.choices(b"0123456789;:?<=> !$", k=random.randrange(12)))
    number = b"%d" % random.choice((0, 1, 27, 97, 200 + random.randrange(2, 9), 1114112, 99999999, 55296))
    return random.choice((
        b"\x1b[" + body + bytes([random.choice(b"ABCDEFGHJKLPQRSTUVWXYZbdefghklmnopqrstuxyz`{|}")]),
        b"\x1b[" + number + b";" + body.strip(b"$") + random.choice((b"u", b"~")),
        b"\x1b[" + number + b":%d;%d:%du" % tuple(random.choices(range(1 << 21), k=3)),
        b"\x1b]" + number[:9] + b";" + body + random.choice((b"\x07", b"\x1b\\")),
        b"\x1bP1$r" + body + b"\x1b\\", b"\x1b_G" + body + b"\x1b\\", b"\xff", b"\xc3(", "\U0001f600".encode(),
        b"\x1b[<%d;%d;%dM" % tuple(random.choices(range(1 << 17), k=3)),
        b"\x1b[200~" + random.randbytes(9).replace(b"\x1b[201~", b"") + b"\x1b[201~",
    ))  # fmt: skip


def check(seed: int) -> None:
    """Known keys between random sequences are found in order, however the whole is cut."""
    random = Random(seed)
    keys = random.choices(list(KNOWN), k=random.randrange(1, 5))
    data = b"".join(garbage(random) + key for key in keys)
    whole = HostParser().feed(data)
    cuts = sorted(random.choices(range(len(data) + 1), k=random.randrange(6)))
    parser = HostParser()
    parts = [event for at, to in zip([0, *cuts], [*cuts, len(data)], strict=True) for event in parser.feed(data[at:to])]
    assert parts == whole, data
    assert not parser.pending, data
    rest = iter(whole)
    assert all(KNOWN[key] in rest for key in keys), data


def test_keys_between_random_sequences_are_found_in_order_however_they_are_cut() -> None:
    for seed in range(20_000):
        check(seed)


@given(
    st.lists(st.binary(max_size=20) | st.sampled_from([*KNOWN, b"\x1b", b"\x1b[", b"\x1b]", b"\x1bP", b"\x1b[200~"]))
)
def test_any_bytes_mean_the_same_in_pieces_and_at_once_and_never_fail(pieces: list[bytes]) -> None:
    parser = HostParser()
    cut = [event for piece in pieces for event in parser.feed(piece)]
    assert cut == HostParser().feed(b"".join(pieces))
    parser.elapse()


@given(st.lists(st.binary(max_size=20)))
def test_after_anything_the_keyboard_continues(pieces: list[bytes]) -> None:
    parser = HostParser()
    for piece in pieces:
        parser.feed(piece)
        parser.elapse()
    parser.feed(b"\x1b\\\x1b[201~")
    assert parser.feed(b"x") == [KeyPress("x", text="x")]
