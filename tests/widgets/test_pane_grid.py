"""The grid of panes redraws what changed, and no more."""

from collections.abc import Mapping

import pytest
from msgspec.structs import replace
from rich.cells import cell_len
from textual.app import App, ComposeResult
from textual.geometry import Region
from textual.strip import Strip

from fugue_tui.geometry import Axis, Rect
from fugue_tui.ids import PaneId
from fugue_tui.layout.edit import split
from fugue_tui.layout.frame_lines import FrameLines
from fugue_tui.layout.grid_view import GridView, Title
from fugue_tui.layout.solve import solve
from fugue_tui.layout.tree import Leaf
from fugue_tui_widgets.pane_grid import PaneGrid

ONE, TWO = PaneId(1), PaneId(2)
SOLUTION = solve(split(Leaf(ONE), ONE, TWO, Axis.HORIZONTAL), Rect(0, 1, 41, 10))
TITLES: Mapping[PaneId, Title] = {ONE: Title("%1 sh"), TWO: Title("%2 claude")}


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Region, ...]]:
    """The regions of each refresh."""
    found = list[tuple[Region, ...]]()

    def refresh(self: PaneGrid, *regions: Region, layout: bool = False) -> None:
        found.append(regions)

    monkeypatch.setattr(PaneGrid, "refresh", refresh)
    return found


def test_a_changed_title_redraws_its_row_alone(drawn: list[tuple[Region, ...]]) -> None:
    grid, model = PaneGrid(), GridView(SOLUTION, TITLES, ONE, True)
    grid.show(model)
    drawn.clear()
    grid.show(replace(model, titles={**TITLES, TWO: Title("%2 claude", "◆ permission", "blocked")}))
    second = SOLUTION.panes[TWO]
    assert drawn == [(Region(second.x, 0, second.cols, 1),)]
    drawn.clear()
    grid.show(grid.model)
    assert drawn == []


def test_another_focus_redraws_all_lines(drawn: list[tuple[Region, ...]]) -> None:
    grid, model = PaneGrid(), GridView(SOLUTION, TITLES, ONE, True)
    grid.show(model)
    drawn.clear()
    grid.show(replace(model, focus=TWO))
    assert len(drawn) == 1
    assert {(region.width, region.height) for region in drawn[0]} >= {(1, 10)}


def test_titles_side_by_side_are_redrawn_together(drawn: list[tuple[Region, ...]]) -> None:
    grid, model = PaneGrid(), GridView(SOLUTION, TITLES, ONE, True)
    grid.show(model)
    drawn.clear()
    grid.show(replace(model, titles={pane: Title("%1", "● working") for pane in TITLES}))
    assert drawn == [(Region(0, 0, 41, 1),)]


class Grid(App[None]):
    """A grid and nothing else."""

    CSS = """
    PaneGrid { color: $foreground; }
    PaneGrid > .pane-grid--blocked { color: $warning; }
    PaneGrid > .pane-grid--error { color: $error; }
    """

    def compose(self) -> ComposeResult:
        yield PaneGrid()

    def rows(self) -> list[Strip]:
        """What is drawn."""
        grid = self.query_one(PaneGrid)
        return grid.render_lines(grid.size.region)


async def test_rows_are_drawn_again_once_a_title_the_focus_the_panes_the_theme_or_the_size_change() -> None:
    app = Grid()
    async with app.run_test(size=(41, 11)) as pilot:
        grid, model = app.query_one(PaneGrid), GridView(SOLUTION, TITLES, ONE, True)
        seen = list[list[Strip]]()

        async def changed(to: GridView) -> None:
            grid.show(to)
            await pilot.pause()
            anew = FrameLines.of(to, *app.size, cell_len)
            assert [row.text for row in app.rows()] == ["".join(row) for row in anew.chars]
            assert app.rows() not in seen
            seen.append(app.rows())

        await changed(model)
        await changed(replace(model, titles={**TITLES, TWO: Title("%2 漢字", "◆ ask", "blocked")}))
        await changed(replace(model, titles={**TITLES, TWO: Title("%2 漢字", "◆ ask", "error")}))
        await changed(replace(model, focus=TWO))
        zoomed = solve(Leaf(TWO), Rect(0, 1, 41, 10))
        await changed(replace(model, solution=zoomed, focus=TWO))
        app.theme = "textual-light"
        await changed(replace(model, solution=zoomed, focus=TWO))
        await pilot.resize_terminal(30, 11)
        await changed(replace(model, solution=solve(Leaf(TWO), Rect(0, 1, 30, 10)), focus=TWO))
