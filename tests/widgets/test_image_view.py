"""Images in half blocks."""

import io

import pytest
from PIL import Image
from rich.color import Color
from textual.app import App, ComposeResult

from fugue_tui.errors import Unshowable
from fugue_tui_widgets.image_view import ImageView, half_blocks


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


def clear_png(mode: str) -> bytes:
    """A PNG of 1 by 2 pixels: transparent above, red below."""
    image = Image.new("RGBA", (1, 2), (255, 255, 255, 0))
    image.putpixel((0, 1), (255, 0, 0, 255))
    written = io.BytesIO()
    image.convert(mode).save(written, "PNG")
    return written.getvalue()


@pytest.mark.parametrize("mode", ["RGBA", "P"])
def test_what_is_behind_an_image_shows_through_where_it_is_transparent(mode: str) -> None:
    drawn = half_blocks(clear_png(mode), 1, 1, (10, 20, 30)).spans[0].style
    assert not isinstance(drawn, str)
    assert drawn.color == Color.from_rgb(10, 20, 30)
    assert drawn.bgcolor == Color.from_rgb(255, 0, 0)


async def test_the_background_of_the_widget_shows_through() -> None:
    class Shown(App[None]):
        CSS = "ImageView { background: #0a141e; }"

        def compose(self) -> ComposeResult:
            yield ImageView(clear_png("RGBA"))

    app = Shown()
    async with app.run_test(size=(1, 1)) as pilot:
        await pilot.pause()
        style = app.query_one(ImageView).render_line(0)._segments[0].style  # pyright: ignore[reportPrivateUsage]
        assert style is not None
        assert (style.color, style.bgcolor) == (Color.from_rgb(10, 20, 30), Color.from_rgb(255, 0, 0))
