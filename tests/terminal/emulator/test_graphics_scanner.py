"""Images in output, wherever it is cut."""

from hypothesis import given
from hypothesis import strategies as st

from fugue_tui.terminal.emulator.graphics_scanner import GraphicsScanner, InlineFile, Piece, Sixel

OUTPUT = (
    b'hi\x1b[31mred\x1b_Ga=T,f=24;AAAA\x1b\\mid\x1bP0;1q"1;1;3;4#0~~\x1b\\x\x1b]1337;File=inline=1;width=3:AAAA\x07y'
    b"\x1b]0;t\x07z\x1bP$q\x1b\\w\x1b_Xfoo\x1b\\\x1b_Gi=1\x18bro\x1bPqabc\x1b[31mq"
)


def joined(pieces: list[Piece]) -> list[Piece]:
    found: list[Piece] = []
    for piece in pieces:
        if isinstance(piece, bytes) and found and isinstance(last := found[-1], bytes):
            found[-1] = last + piece
        else:
            found.append(piece)
    return found


WHOLE: list[Piece] = [
    b"hi\x1b[31mred\x1b_Ga=T,f=24;AAAA\x1b\\mid",
    Sixel(b'0;1q"1;1;3;4#0~~'),
    b"x",
    InlineFile({"inline": "1", "width": "3"}, b"AAAA"),
    b"y\x1b]0;t\x07z\x1bP$q\x1b\\w\x1b_Xfoo\x1b\\\x1b_Gi=1\x18bro\x1b[31mq",
]


def test_images_are_parted_from_text() -> None:
    assert joined(list(GraphicsScanner(1_000).split(OUTPUT))) == WHOLE


@given(st.lists(st.integers(1, 40), min_size=1, max_size=30))
def test_it_does_not_matter_where_output_is_cut(lengths: list[int]) -> None:
    scanner, found, at = GraphicsScanner(1_000), list[Piece](), 0
    for length in [*lengths, len(OUTPUT)]:
        found += scanner.split(OUTPUT[at : at + length])
        at += length
    assert joined(found) == WHOLE


def test_a_sixel_image_that_is_too_long_is_dropped_whole() -> None:
    scanner = GraphicsScanner(1_000)
    found = list(scanner.split(b"a\x1bPq"))
    for _ in range(140):
        found += scanner.split(b"~" * 65_536)
    found += scanner.split(b"\x1b\\b")
    assert joined(found) == [b"ab"]
