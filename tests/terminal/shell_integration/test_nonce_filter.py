"""The nonce of prompt marks is removed from copied output, however the stream is cut."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from fugue_tui.terminal.shell_integration.nonce_filter import NonceFilter

STREAM = (
    b"\x1b]133;A;fugue=0123abcd\x07$ \x1b]133;C;fugue=0123abcd\x1b\\ls ;fugue=12\r\n"
    b"\x1b]133;D;0;fugue=0123abcd;x=1\x07\x1b[0m"
)
COPY = b"\x1b]133;A\x07$ \x1b]133;C\x1b\\ls ;fugue=12\r\n\x1b]133;D;0;x=1\x07\x1b[0m"


@given(st.lists(st.integers(0, len(STREAM)), max_size=8))
def test_the_nonce_is_removed_wherever_the_stream_is_cut(cuts: list[int]) -> None:
    places = [0, *sorted(cuts), len(STREAM)]
    filtered = NonceFilter()
    assert b"".join(filtered.feed(STREAM[a:b]) for a, b in pairwise(places)) == COPY


def test_a_long_sequence_is_not_held() -> None:
    long = b"\x1b]52;c;" + b"A" * 1_000
    assert NonceFilter().feed(long) == long
