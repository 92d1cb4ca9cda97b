"""Sixel images: decoded as they are specified, and encoded so that they come back."""

import pytest
from PIL import Image as Picture
from tests.image_data import RED, pixel

from fugue_tui.attach_server.output import sixel_encoder
from fugue_tui.terminal.emulator import sixel_decoder
from fugue_tui.terminal.screen.images import Pixels


@pytest.mark.parametrize(
    ("data", "size"),
    [(b'0;1q"1;1;30;7#0~', (30, 7)), (b"q~~~-~~~~~$~", (5, 12)), (b"q#1;2;100;0;0!40~-", (40, 6)), (b"q", (0, 0))],
)
def test_the_size_is_what_is_declared_or_drawn(data: bytes, size: tuple[int, int]) -> None:
    assert sixel_decoder.size(data) == size


def test_bits_are_rows_and_what_is_not_drawn_is_transparent() -> None:
    pixels = sixel_decoder.decode(b"q#1;2;100;0;0@A?$#2;1;120;50;100??@", 3, 6)
    assert pixel(pixels, 0, 0) == (*RED, 255)
    assert pixel(pixels, 1, 1) == (*RED, 255)
    assert pixel(pixels, 1, 0)[3] == 0
    assert pixel(pixels, 2, 0) == (255, 0, 0, 255)


def test_what_is_encoded_comes_back_nearly_the_same() -> None:
    picture = Picture.linear_gradient("L").resize((61, 47)).convert("RGBA")  # pyright: ignore[reportUnknownMemberType]
    picture.paste((0, 0, 0, 0), (10, 10, 20, 20))
    encoded = sixel_encoder.encode(picture, 255)
    body = encoded.removeprefix(b"\x1bP").removesuffix(b"\x1b\\")
    assert sixel_decoder.size(body) == (61, 47)
    pixels, before = sixel_decoder.decode(body, 61, 47), Pixels("RGBA", 61, 47, picture.tobytes())
    for y in range(47):
        for x in range(61):
            old, new = pixel(before, x, y), pixel(pixels, x, y)
            assert new[3] == old[3]
            assert not old[3] or all(abs(a - b) < 64 for a, b in zip(old, new, strict=True))  # It is dithered.
