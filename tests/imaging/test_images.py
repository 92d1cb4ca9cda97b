"""Screens become pictures that show their characters, colours and lines."""

from io import BytesIO
from xml.etree import ElementTree

import pytest
from PIL import Image

from fugue_tui.errors import InvalidArgument
from fugue_tui.geometry import Size
from fugue_tui.imaging import png, svg
from fugue_tui.imaging.palette import Theme
from fugue_tui.imaging.screen import Screen, cells, plain
from fugue_tui.terminal.engines import make_emulator
from fugue_tui.terminal.screen.cells import Cursor, CursorShape, Row, Run, Style

THEME = Theme()
CELL = png.metrics(png.SIZE)


def screen(text: str, cols: int = 20, rows: int = 3, *, cursor: bool = False) -> Screen:
    """What an emulator shows of program output."""
    emulator = make_emulator("ghostty", Size(cols, rows), 0)
    emulator.feed(text.encode())
    emulator.refresh()
    return Screen(cols, tuple(emulator.row(y) for y in range(rows)), emulator.cursor if cursor else None)


def colours(image: Image.Image, x: int, y: int, cols: int = 1) -> set[object]:
    """The colours in a cell."""
    area = (x * CELL.width, y * CELL.height, (x + cols) * CELL.width, (y + 1) * CELL.height)
    return {colour for _, colour in image.crop(area).getcolors(100_000) or []}


def test_an_image_has_the_size_of_its_cells() -> None:
    image = png.draw(screen("", 33, 7))
    assert image.size == (33 * CELL.width, 7 * CELL.height)
    assert image.getcolors() == [(33 * CELL.width * 7 * CELL.height, THEME.background)]


def test_colours_come_out_as_programs_set_them() -> None:
    image = png.draw(screen("\x1b[48;2;1;2;3m \x1b[41m \x1b[48;5;196m \x1b[0m\x1b[38;2;9;8;7m█"))
    assert colours(image, 0, 0) == {(1, 2, 3)}
    assert colours(image, 1, 0) == {THEME.ansi[1]}
    assert colours(image, 2, 0) == {(255, 0, 0)}
    assert colours(image, 3, 0) == {(9, 8, 7)}


def test_reverse_video_swaps_and_hidden_text_is_not_seen() -> None:
    image = png.draw(screen("\x1b[7m \x1b[0;8mX"))
    assert colours(image, 0, 0) == {THEME.foreground}
    assert colours(image, 1, 0) == {THEME.background}


def test_letters_leave_ink_in_their_own_cell_only() -> None:
    image = png.draw(screen("a"))
    assert len(colours(image, 0, 0)) > 1
    assert colours(image, 1, 0) == {THEME.background}


def test_bold_has_more_ink_and_lines_are_drawn() -> None:
    def ink(text: str) -> int:
        return sum(sum(pixel) for pixel in png.draw(screen(text)).get_flattened_data())  # type: ignore[arg-type]

    bare = ink("word")
    for said in ("\x1b[1mword", "\x1b[4mword", "\x1b[4:3mword", "\x1b[4:2mword", "\x1b[9mword", "\x1b[53mword"):
        assert ink(said) > bare, said


def test_wide_characters_take_two_cells() -> None:
    found = list(cells(screen("漢a👨‍👩‍👧b").rows[0], 20))
    assert [(cell.text, cell.x, cell.cols) for cell in found][:4] == [
        ("漢", 0, 2),
        ("a", 2, 1),
        ("👨‍👩‍👧", 3, 2),
        ("b", 5, 1),
    ]


def test_frames_join_across_cells() -> None:
    image = png.draw(screen("┌─┐\r\n│ │\r\n└─┘", 3, 3))
    middle = CELL.height // 2
    line = {image.getpixel((x, middle)) for x in range(CELL.width // 2, 2 * CELL.width + CELL.width // 2)}
    assert line == {THEME.foreground}


def test_the_cursor_is_seen_in_its_shape() -> None:
    drawn = png.draw(screen("ab", cursor=True))
    assert colours(drawn, 2, 0) == {THEME.foreground}
    for shape in CursorShape:
        image = png.draw(Screen(4, (Row(()),), Cursor(1, 0, shape=shape)))
        assert THEME.foreground in colours(image, 1, 0)


def test_a_file_is_a_png_that_others_read() -> None:
    data = png.png(screen("hello"))
    with Image.open(BytesIO(data)) as image:
        assert image.format == "PNG"
        assert image.size == (20 * CELL.width, 3 * CELL.height)


def test_an_image_that_is_too_large_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="too large"):
        png.draw(Screen(100_000, tuple(Row(()) for _ in range(1_000))))


def test_svg_is_well_formed_and_shows_the_text_whatever_it_is() -> None:
    shown = screen('<b>&"\x1b[31mred\x1b[0m ┌┐ 漢 \x1b[4munder')
    root = ElementTree.fromstring(svg.svg(shown, title="a <title> & \x1b[31m more"))
    texts = "".join(element.text or "" for element in root.iter("{http://www.w3.org/2000/svg}text"))
    assert '<b>&"' in texts
    assert "red" in texts
    assert "漢" in texts
    assert "┌" not in texts
    assert root.find("{http://www.w3.org/2000/svg}title") is not None


def test_svg_keeps_every_run_in_its_columns() -> None:
    root = ElementTree.fromstring(svg.svg(screen("ab\x1b[1mcd")))
    runs = [(e.get("x"), e.get("textLength"), e.text) for e in root.iter("{http://www.w3.org/2000/svg}text")]
    assert runs == [("0", str(2 * svg.WIDTH), "ab"), (str(2 * svg.WIDTH), str(2 * svg.WIDTH), "cd")]


def test_plain_lines_can_be_drawn() -> None:
    assert plain(["漢字", ""], 10).text == "漢字\n"


def test_runs_are_cut_into_what_the_engine_counted() -> None:
    row = Row((Run("é漢", Style(), 3),))
    assert [(cell.text, cell.cols) for cell in cells(row, 10)] == [("é", 1), ("漢", 2)]
    assert [cell.text for cell in cells(row, 2)] == ["é"]
