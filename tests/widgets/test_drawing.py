"""Lines that join, titles that fit, tabs that fit, and rows as strips: what widgets draw, without an app."""

import pytest
from rich.color import ColorType
from rich.console import Console

from fugue_tui.geometry import Axis, Rect
from fugue_tui.ids import PaneId
from fugue_tui.layout.box_drawing import box
from fugue_tui.layout.edit import split
from fugue_tui.layout.frame_lines import FrameLines
from fugue_tui.layout.grid_view import GridView, Title
from fugue_tui.layout.solve import solve
from fugue_tui.layout.tree import Layout, Leaf
from fugue_tui.terminal.screen.cells import PLAIN, Row, Run, Style, Underline, rgb
from fugue_tui_widgets.strips import rich_style, strip_of, with_cursor

ONE, TWO, THREE, FOUR = (PaneId(number) for number in range(1, 5))


@pytest.mark.parametrize(
    ("arms", "char"),
    [
        ((0, 1, 0, 1), "─"), ((2, 0, 2, 0), "┃"), ((0, 1, 1, 0), "┌"), ((1, 1, 1, 1), "┼"), ((2, 2, 2, 2), "╋"),
        ((0, 2, 2, 1), "┲"), ((0, 1, 0, 0), "─"), ((0, 0, 2, 0), "┃"), ((0, 0, 0, 0), " "), ((2, 1, 1, 1), "╀"),
    ],
)  # fmt: skip
def test_a_box_character_has_the_arms_that_were_asked_for(arms: tuple[int, int, int, int], char: str) -> None:
    assert box(arms) == char


def test_every_combination_of_arms_has_a_character() -> None:
    chars = {box((a, b, c, d)) for a in range(3) for b in range(3) for c in range(3) for d in range(3)}
    single_arms = 4 * 2
    assert len(chars) == 3**4 - single_arms


def grid() -> Layout:
    """Two columns of two panes each."""
    node: Layout = Leaf(ONE)
    node = split(node, ONE, TWO, Axis.HORIZONTAL, 0.5)
    node = split(node, TWO, THREE, Axis.VERTICAL, 0.5)
    return split(node, ONE, FOUR, Axis.VERTICAL, 0.5)


def lines(focus: PaneId | None, titles: dict[PaneId, Title] | None = None, style: str = "thin") -> list[str]:
    """The frame of four panes on 21 by 9 cells, with a row for titles."""
    picture = GridView(solve(grid(), Rect(0, 1, 21, 8)), titles or {}, focus, True, style)
    drawn = FrameLines.of(picture, 21, 9)
    return ["".join(row) for row in drawn.chars]


def test_lines_join_where_they_meet() -> None:
    drawn = lines(None)
    assert drawn[0] == "──────────┬──────────"
    assert drawn[5] == "──────────┼──────────"
    assert drawn[1] == "          │          "


def test_the_focused_pane_has_a_heavy_ring() -> None:
    drawn = lines(TWO)
    assert drawn[0] == "──────────┲━━━━━━━━━━"
    assert drawn[1] == "          ┃          "
    assert drawn[5] == "──────────╄━━━━━━━━━━"
    assert drawn[6] == "          │          "


@pytest.mark.parametrize(("style", "sign"), [("double", "╬"), ("thick", "╋"), ("ascii", "+")])
def test_lines_come_in_other_styles(style: str, sign: str) -> None:
    assert lines(None, style=style)[5][10] == sign


def test_ascii_lines_have_nothing_else_on_them() -> None:
    drawn = lines(TWO, {ONE: Title("%1 sh"), TWO: Title("%2 sh")}, style="ascii")
    assert ">%2 sh" in drawn[0]
    assert all(row.isascii() for row in drawn)


def test_titles_stand_above_their_panes_and_are_cut_to_fit() -> None:
    drawn = lines(TWO, {ONE: Title("%1 a very long name"), TWO: Title("%2 漢字漢字"), THREE: Title("%3")})
    assert drawn[0].startswith("─ %1 a v…")
    assert "▶%2 漢…" in drawn[0]
    assert "%3" in drawn[5]
    assert all(len(row) + sum(char in "漢字" for char in row) == 21 for row in drawn)


def test_a_click_finds_the_title_and_nothing_beside_it() -> None:
    picture = GridView(solve(grid(), Rect(0, 1, 21, 8)), {THREE: Title("%3 sh")}, None, True)
    drawn = FrameLines.of(picture, 21, 9)
    assert drawn.title_at(13, 5) == THREE
    assert drawn.title_at(13, 0) is None
    assert drawn.title_at(13, 4) is None


@pytest.mark.parametrize(("cols", "rows"), [(1, 1), (2, 1), (1, 2), (3, 3), (0, 0)])
def test_the_smallest_frames_are_drawn(cols: int, rows: int) -> None:
    solution = solve(grid(), Rect(0, 0, cols, rows), keep=THREE)
    titles = {pane: Title("%1 name", "exit 1") for pane in solution.panes}
    drawn = FrameLines.of(GridView(solution, titles, THREE, True), cols, rows)
    assert drawn.size == (cols, rows)
    assert all(sum(len(text) for text, _ in drawn.runs(y)) == cols for y in range(rows))


def test_a_state_gives_way_to_the_room_there_is() -> None:
    def top(cols: int) -> str:
        solution = solve(Leaf(ONE), Rect(0, 1, cols, 2))
        title = Title("%1 make", "exit 2, Enter runs it again, x closes")
        return "".join(FrameLines.of(GridView(solution, {ONE: title}, ONE, True), cols, 3).chars[0])

    assert "exit 2, Enter runs it again" in top(60)
    assert "again, x closes" in top(60)
    assert "again, x" not in top(44)
    assert "exit 2, Enter runs it again " in top(44)
    assert "exit 2 " in top(22)
    assert "Enter" not in top(22)
    assert "exit" not in top(12)


# Strips


def test_a_strip_is_as_wide_as_the_view() -> None:
    row = Row((Run("ab", PLAIN, 2), Run("漢字", Style(bold=True), 4)))
    assert strip_of(row, 10).cell_length == 10
    assert strip_of(row, 10).text == "ab漢字    "
    assert strip_of(row, 4).cell_length == 4
    assert strip_of(row, 5).text.startswith("ab漢")


def test_the_sixteen_colours_stay_the_hosts_own() -> None:
    for number in range(16):
        color = rich_style(Style(fg=number)).color
        assert color is not None
        assert (color.type, color.number) == (ColorType.STANDARD, number)
    eight_bit = rich_style(Style(bg=200)).bgcolor
    assert eight_bit is not None
    assert eight_bit.type is ColorType.EIGHT_BIT


@pytest.mark.parametrize(
    ("style", "sequence"),
    [
        (Style(underline=Underline.CURLY), "\x1b[0;4:3m"),
        (Style(underline=Underline.SINGLE, underline_colour=rgb(1, 2, 3)), "\x1b[0;4;58;2;1;2;3m"),
        (Style(fg=rgb(1, 2, 3)), "\x1b[0;38;2;1;2;3m"),
        (Style(fg=1, bg=12, bold=True), "\x1b[0;1;31;104m"),
    ],
)
def test_a_style_is_written_exactly(style: Style, sequence: str) -> None:
    console = Console(force_terminal=True, color_system="256")
    assert strip_of(Row((Run("x", style, 1),)), 1).render(console) == f"{sequence}x\x1b[0m"


@pytest.mark.parametrize(
    ("link", "shown"),
    [
        ("https://a.example/", True),
        ("mailto:a@b.example", True),
        ("file:///etc/passwd", False),
        (None, False),
        ("https://a.example/\x1b[31m", False),
        ("javascript:alert(1)", False),
    ],
)
def test_only_links_to_pages_and_mailboxes_reach_the_host(link: str | None, shown: bool) -> None:
    strip = strip_of(Row((Run("text", PLAIN, 4, link),)), 4)
    written = strip.render(Console(force_terminal=True, color_system="truecolor"))
    assert ("\x1b]8;" in written) == shown


def test_the_cursor_covers_the_whole_of_a_wide_character() -> None:
    strip = with_cursor(strip_of(Row((Run("a漢b", PLAIN, 4),)), 6), 0, 6)
    assert strip.cell_length == 6
    assert [segment.text for segment in strip if segment.style and segment.style.reverse] == ["a"]
    assert with_cursor(strip, 9, 6) is strip


def test_a_title_has_the_colour_of_its_pane() -> None:
    titles = {ONE: Title("%1 a", colour="blue"), TWO: Title("%2 b", colour="color(208)"), THREE: Title("%3 c")}
    picture = GridView(solve(grid(), Rect(0, 1, 21, 8)), titles, ONE, True, "thin")
    drawn = FrameLines.of(picture, 21, 9)
    styles = {style for row in drawn.styles for style in row}
    assert styles == {"", "focus", "blue bold", "color(208)"}
    assert ("▶%1 a ", "blue bold") in list(drawn.runs(0))


@pytest.mark.parametrize(
    ("cols", "shown"), [(40, "copy mode, history -3 "), (22, " copy mode "), (12, " copy m…"), (8, "co…")]
)
def test_what_keys_do_in_a_pane_is_in_its_title_however_narrow(cols: int, shown: str) -> None:
    solution = solve(Leaf(ONE), Rect(0, 1, cols, 2))
    title = Title("%1 make", "history -3", mode="copy mode")
    assert shown in "".join(FrameLines.of(GridView(solution, {ONE: title}, ONE, True), cols, 3).chars[0])
