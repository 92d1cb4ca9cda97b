"""Line drawing meets at the edges of cells, and stays within them."""

import unicodedata
from itertools import product

import pytest

from fugue_tui.imaging.box_drawing import shapes
from fugue_tui.imaging.shapes import Arc, Box, Line, Polygon

SIZES = [(7, 15), (9, 18), (10, 20), (13, 27), (16, 32)]
DRAWN = [chr(code) for code in range(0x2500, 0x25A0)]


def edge(char: str, side: str, width: int, height: int) -> set[int]:
    """The pixels of one edge of the cell that a character fills."""
    pixels: set[int] = set()
    for shape in shapes(char, width, height) or ():
        if isinstance(shape, Box):
            touches = {"l": shape.x0 <= 0, "r": shape.x1 >= width, "u": shape.y0 <= 0, "d": shape.y1 >= height}[side]
            first, last = (shape.y0, shape.y1) if side in "lr" else (shape.x0, shape.x1)
            pixels |= set(range(round(first), round(last))) if touches else set()
    return pixels


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_every_line_and_block_is_drawn_within_its_cell(width: int, height: int) -> None:
    for char in DRAWN:
        drawn = shapes(char, width, height)
        assert drawn, unicodedata.name(char)
        for shape in drawn:
            if isinstance(shape, Box):
                assert 0 <= shape.x0 < shape.x1 <= width, unicodedata.name(char)
                assert 0 <= shape.y0 < shape.y1 <= height, unicodedata.name(char)


def test_letters_are_left_to_fonts() -> None:
    assert [shapes(char, 9, 18) for char in ("a", "漢", "", "ab", "\u25a0")] == [None] * 5


@pytest.mark.parametrize(("width", "height"), SIZES)
@pytest.mark.parametrize(
    ("rights", "lefts"),
    [("─┌└├┬┴┼╭╰", "─┐┘┤┬┴┼╮╯"), ("━┏┗┣┳┻╋", "━┓┛┫┳┻╋"), ("═╔╚╠╦╩╬", "═╗╝╣╦╩╬"), ("╒╘╞╤╧╪", "╕╛╡╤╧╪═")],
)
def test_lines_of_one_weight_meet_sideways(width: int, height: int, rights: str, lefts: str) -> None:
    met = {frozenset(edge(left, "r", width, height)) for left in rights}
    met |= {frozenset(edge(right, "l", width, height)) for right in lefts}
    assert len(met) == 1
    assert met != {frozenset()}


@pytest.mark.parametrize(("width", "height"), SIZES)
@pytest.mark.parametrize(
    ("downs", "ups"),
    [("│┌┐├┤┬┼╭╮", "│└┘├┤┴┼╰╯"), ("┃┏┓┣┫┳╋", "┃┗┛┣┫┻╋"), ("║╔╗╠╣╦╬", "║╚╝╠╣╩╬"), ("╓╖╟╢╥╫", "╙╜╟╢╨╫║")],
)
def test_lines_of_one_weight_meet_one_above_the_other(width: int, height: int, downs: str, ups: str) -> None:
    met = {frozenset(edge(above, "d", width, height)) for above in downs}
    met |= {frozenset(edge(below, "u", width, height)) for below in ups}
    assert len(met) == 1
    assert met != {frozenset()}


def painted(char: str, width: int, height: int) -> set[tuple[int, int]]:
    """The pixels that the boxes of a character fill."""
    boxes = [shape for shape in shapes(char, width, height) or () if isinstance(shape, Box)]
    return {
        (x, y)
        for box in boxes
        for x, y in product(range(round(box.x0), round(box.x1)), range(round(box.y0), round(box.y1)))
    }


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_corners_are_closed_and_do_not_stick_out(width: int, height: int) -> None:
    across, down = painted("─", width, height), painted("│", width, height)
    assert painted("┼", width, height) == across | down
    for char, opposite in ("┌┘", "┐└"):
        assert painted(char, width, height) | painted(opposite, width, height) == across | down
        assert painted(char, width, height) & painted(opposite, width, height) == across & down


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_the_corners_of_a_double_frame_are_closed(width: int, height: int) -> None:
    corner = painted("╔", width, height)
    outer = min(corner)
    assert outer in corner
    assert (outer[0], height - 1) in corner
    assert (width - 1, outer[1]) in corner
    assert all(x >= outer[0] and y >= outer[1] for x, y in corner)
    inside = {(x, y) for x in range(width) for y in range(height)} - corner
    assert (width - 1, height - 1) in inside


def test_blocks_fill_the_part_that_they_name() -> None:
    assert shapes("█", 8, 16) == (Box(0, 0, 8, 16),)
    assert shapes("▄", 8, 16) == (Box(0, 8, 8, 16),)
    assert shapes("▎", 8, 16) == (Box(0, 0, 2, 16),)
    assert shapes("▅", 8, 16) == (Box(0, 6, 8, 16),)
    assert shapes("▒", 8, 16) == (Box(0, 0, 8, 16, 0.5),)
    assert shapes("▚", 8, 16) == (Box(0, 0, 4, 8), Box(4, 8, 8, 16))


def test_round_corners_and_diagonals_are_curves_and_lines() -> None:
    assert any(isinstance(shape, Arc) for shape in shapes("╭", 9, 18) or ())
    assert len([shape for shape in shapes("╳", 9, 18) or () if isinstance(shape, Line)]) == 2


POWERLINE = [chr(code) for code in range(0xE0B0, 0xE0C0)]


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_separators_reach_from_the_top_of_their_cell_to_its_bottom(width: int, height: int) -> None:
    for char in POWERLINE:
        points: list[tuple[float, float]] = []
        for shape in shapes(char, width, height) or ():
            if isinstance(shape, Polygon):
                points += shape.points
            elif isinstance(shape, Line):
                points += [(shape.x0, shape.y0), (shape.x1, shape.y1)]
        assert all(-0.01 <= x <= width + 0.01 and -0.01 <= y <= height + 0.01 for x, y in points), hex(ord(char))
        assert {round(min(y for _, y in points)), round(max(y for _, y in points))} == {0, height}, hex(ord(char))


def test_a_separator_meets_the_whole_side_of_its_neighbour() -> None:
    wedge = shapes("\ue0b0", 10, 20)
    assert wedge == (Polygon(((0, 0), (10, 10), (0, 20))),)
    assert shapes("\ue0b2", 10, 20) == (Polygon(((10, 0), (0, 10), (10, 20))),)


def test_dots_and_sixths_are_where_their_numbers_say() -> None:
    assert shapes("\U0001fb00", 8, 18) == (Box(0, 0, 4, 6),)
    assert shapes("\U0001fb1e", 8, 18) == (Box(4, 12, 8, 18),)
    assert shapes("\U0001fb3b", 8, 18) is not None
    assert len(shapes("\u28ff", 9, 18) or ()) == 8
    low, high = shapes("\u2840", 8, 16), shapes("\u2801", 8, 16)
    assert low == (Box(1, 13, 3, 15),)
    assert high == (Box(1, 1, 3, 3),)
    assert shapes("\u2800", 8, 16) == ()
