"""What a program printed, as text: colours gone, sequences cut anywhere, what was overwritten still there."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fugue_tui.terminal.plain_text import KEPT, PlainTextExtractor


def streams(*parts: bytes, alternate: bool = False) -> tuple[str, str]:
    """What is on the two tapes after some output."""
    transcript = PlainTextExtractor(24, alternate=alternate)
    for part in parts:
        transcript.feed(part)
    return transcript.flow.text.decode(), transcript.painted.text.decode()


@pytest.mark.parametrize(
    ("printed", "flow", "painted"),
    [
        (b"a\r\nb\r\n", "a\nb\n", ""),
        (b"\x1b[1;31mred\x1b[0m and \x1b[38:2::1:2:3mmore", "red and more", ""),
        (b"10%\r20%\r\x1b[K30%\r\n", "10%\n20%\n30%\n", ""),
        (b"\x1b]0;a title\x07x\x1b]8;;http://a\x1b\\link\x1b]8;;\x1b\\", "xlink", ""),
        (b"\x1bP+q544e\x1b\\x\x1b_Gi=1;AAAA\x1b\\y", "xy", ""),
        (b"typo\b\b\b\btext", "text", ""),
        ("gr\xfcx\b\b\xfcn".encode(), "grün", ""),
        (b"Hello\x1b[1CWorld\x1b[20Gfar", "Hello World far", ""),
        (b"a\x1b(Bb\x1b=c\x0e\x00\x7f", "abc", ""),
        (b"one\n\x1b[2Aup\nup two\nflows", "one\nflows", "up\nup two\n"),
        (b"shell\x1b[?1049h\x1b[5;3Hvim\x1b[?1049lback", "shell\nback", "vim\n"),
        (b"old\x1b[H\x1b[2Jnew", "old\nnew", ""),
        (b"a\x1bMabove\nbelow", "a\nbelow", "above\n"),
        (b"a\x1b[>1ub\x1b[?25hc", "abc", ""),
    ],
)
def test_text_goes_to_the_stream_of_flowing_or_painted_text(printed: bytes, flow: str, painted: str) -> None:
    assert streams(printed) == (flow, painted)
    assert streams(*(printed[at : at + 1] for at in range(len(printed)))) == (flow, painted)


def test_what_is_printed_on_the_alternate_screen_is_painted() -> None:
    assert streams(b"inside\x1b[?1049loutside", alternate=True) == ("outside", "inside\n")


@given(st.binary(max_size=300), st.integers(1, 40))
def test_any_bytes_cut_anywhere_give_the_same(data: bytes, size: int) -> None:
    whole, parts = PlainTextExtractor(24), PlainTextExtractor(24)
    whole.feed(data)
    for at in range(0, len(data), size):
        parts.feed(data[at : at + size])
    assert [tape.text for tape in whole.streams] == [tape.text for tape in parts.streams]
    assert b"\x1b" not in whole.flow.text + whole.painted.text


def test_a_stream_keeps_its_end_and_counts_offsets_from_its_start() -> None:
    transcript = PlainTextExtractor(24)
    for number in range(40_000):
        transcript.feed(b"line %d \xc3\xbc\n" % number)
    tape = transcript.flow
    assert KEPT <= len(tape.text) <= 2 * KEPT + 100
    assert tape.text.endswith("line 39999 ü\n".encode())
    assert tape.end == sum(len(b"line %d \xc3\xbc\n" % number) for number in range(40_000))
    tape.text.decode()


@pytest.mark.slow
@pytest.mark.parametrize(
    "hostile", [b"\x1b[A", b"a\b", b"\x1b[999999999999A", b"\x1b", b"\x1b]x", b"\x1b[;;;", b"\x1bM\n"]
)
def test_a_megabyte_of_any_output_takes_linear_time(hostile: bytes) -> None:
    flow, painted = streams(hostile * (1_000_000 // len(hostile)) + b"\x18\x1b\\\x1b[mend\n")
    assert (flow + painted).endswith("end\n")
