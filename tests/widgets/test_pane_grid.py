"""The grid of panes redraws what changed, and no more."""

from collections.abc import Mapping

import pytest
from msgspec.structs import replace
from textual.geometry import Region

from fugue_tui.geometry import Axis, Rect
from fugue_tui.ids import PaneId
from fugue_tui.layout.edit import split
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
