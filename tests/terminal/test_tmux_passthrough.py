"""What programs wrap for tmux comes out, wherever the stream is cut."""

from hypothesis import given
from hypothesis import strategies as st

from fugue_tui.terminal.tmux_passthrough import LONGEST, OPENING, TmuxPassthrough


def wrapped(text: bytes) -> bytes:
    return OPENING + text.replace(b"\x1b", b"\x1b\x1b") + b"\x1b\\"


def unwrapped(*chunks: bytes) -> bytes:
    passthrough = TmuxPassthrough()
    return b"".join(map(passthrough.unwrap, chunks))


def test_a_wrapped_sequence_is_what_it_wraps() -> None:
    title = b"\x1b]0;hello\x1b\\"
    assert unwrapped(b"a" + wrapped(title) + b"b" + wrapped(b"\x1b[1m") + b"c") == b"a" + title + b"b\x1b[1mc"


def test_other_output_passes_at_once() -> None:
    passthrough = TmuxPassthrough()
    for text in (b"plain", b"\x1b[31mred", b"\x1bP+q544e\x1b\\", b"x\x1b\\", b"\x1bPtmuy;"):
        assert passthrough.unwrap(text) == text


@given(
    st.lists(st.binary(max_size=8) | st.sampled_from([b"\x1b", b"\x1b\\", OPENING, b"tmux;"]), max_size=12), st.data()
)
def test_where_the_stream_is_cut_changes_nothing(parts: list[bytes], data: st.DataObject) -> None:
    text = b"".join(wrapped(part) if number % 2 else part for number, part in enumerate(parts))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    chunks = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    assert unwrapped(*chunks, b"\x1b\\.") == unwrapped(text, b"\x1b\\.")


def test_an_escape_that_is_not_doubled_ends_the_sequence() -> None:
    assert unwrapped(OPENING + b"abc\x1b[31mred") == b"abc\x1b[31mred"


def test_a_sequence_without_an_end_is_bounded() -> None:
    passthrough = TmuxPassthrough()
    printed = passthrough.unwrap(OPENING + b"x" * 100)
    for _ in range(3):
        printed += passthrough.unwrap(b"x" * (LONGEST // 2))
    assert len(printed) >= LONGEST
    assert passthrough.unwrap(b"text") == b"text"
