"""Images in half blocks."""

import io

import pytest
from PIL import Image

from fugue_tui.errors import Unshowable
from fugue_tui_widgets.image_view import half_blocks


def png(*, chunk: bytes = b"") -> bytes:
    """A red PNG of 2 by 2 pixels, with a chunk after its header."""
    written = io.BytesIO()
    Image.new("RGB", (2, 2), "red").save(written, "PNG")
    return written.getvalue()[:33] + chunk + written.getvalue()[33:]


def test_a_png_is_shown_although_a_chunk_that_it_does_not_need_is_damaged() -> None:
    profile = b"\0\0\0\4iCCPabcd\0\0\0\0"
    assert half_blocks(png(chunk=profile), 10, 10) == half_blocks(png(), 10, 10)


@pytest.mark.parametrize("data", [b"", b"no image", png()[:20], png()[:-30]])
def test_what_is_no_image_is_named_without_names_of_objects(data: bytes) -> None:
    with pytest.raises(Unshowable, match="it is no image that can be shown") as failure:
        half_blocks(data, 10, 10)
    assert "object at" not in str(failure.value)
