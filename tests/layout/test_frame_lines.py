"""A frame that takes over unchanged rows of an earlier one is the frame that is drawn anew."""

from collections.abc import Callable
from typing import TypeAlias

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from fugue_tui.geometry import Axis, Rect
from fugue_tui.ids import PaneId
from fugue_tui.layout.edit import split
from fugue_tui.layout.frame_lines import FrameLines
from fugue_tui.layout.grid_view import GridView, Title
from fugue_tui.layout.solve import solve
from fugue_tui.layout.tree import Leaf, Node

ONE, TWO, THREE = PaneId(1), PaneId(2), PaneId(3)
Layouts: TypeAlias = Callable[..., st.SearchStrategy[Node]]
TITLES = st.builds(
    Title,
    st.sampled_from(["%1 sh", "%2 漢字の題", "%3 e\u0301", "a title that is too long for any pane", ""]),
    st.sampled_from(["", "● working 40 %", "◆ permission, 漢字", "history -12"]),
    st.sampled_from(["", "blocked", "working"]),
    st.sampled_from(["", "blue"]),
)


def columns() -> GridView:
    """Two panes above a third."""
    layout = split(split(Leaf(ONE), ONE, THREE, Axis.VERTICAL), ONE, TWO, Axis.HORIZONTAL)
    titles = {pane: Title(str(pane)) for pane in (ONE, TWO, THREE)}
    return GridView(solve(layout, Rect(0, 1, 41, 12)), titles, ONE, True)


def assert_alike(drawn: FrameLines, anew: FrameLines) -> None:
    assert (drawn.size, drawn.chars, drawn.styles) == (anew.size, anew.chars, anew.styles)
    assert sorted(drawn.spans) == sorted(anew.spans)


@given(st.data())
def test_every_change_of_a_frame_is_drawn(layouts: Layouts, data: st.DataObject) -> None:
    drawn: FrameLines | None = None
    layout = data.draw(layouts())
    for _ in range(4):
        if data.draw(st.booleans()):
            layout = data.draw(layouts())  # Another window, a zoomed pane.
        cols, rows, above = data.draw(st.integers(1, 60)), data.draw(st.integers(1, 20)), data.draw(st.integers(0, 1))
        solution = solve(layout, Rect(0, above, cols, max(rows - above, 1)))
        titles = data.draw(st.dictionaries(st.sampled_from(list(solution.panes)), TITLES))
        focus = data.draw(st.sampled_from([None, *solution.panes]))
        model = GridView(solution, titles, focus, bool(above), data.draw(st.sampled_from(["thin", "ascii", "double"])))
        drawn = FrameLines.of(model, cols, rows, before=drawn)
        assert_alike(drawn, FrameLines.of(model, cols, rows))


def test_another_title_leaves_the_other_rows_as_they_are() -> None:
    model = columns()
    before = FrameLines.of(model, 41, 13)
    changed = replace(model, titles={**model.titles, TWO: Title("%2", "◆ 漢字", "blocked")})
    after = FrameLines.of(changed, 41, 13, before=before)
    assert_alike(after, FrameLines.of(changed, 41, 13))
    assert [y for y in range(13) if after.chars[y] is not before.chars[y]] == [0]
    assert "◆" in after.chars[0]


def test_equal_rows_share_their_memory() -> None:
    frame = FrameLines.of(columns(), 41, 200)
    assert len({id(row) for row in (*frame.chars, *frame.styles)}) < 20


def test_a_title_that_shrinks_leaves_nothing_behind() -> None:
    model = columns()
    long = replace(model, titles={**model.titles, ONE: Title("%1 漢字漢字", "● working")})
    drawn = FrameLines.of(model, 41, 13, before=FrameLines.of(long, 41, 13))
    assert_alike(drawn, FrameLines.of(model, 41, 13))
