"""A person stacks panes, and goes through them by keys and by clicks on their titles."""

import pytest
from tests.tui.conftest import Open

from fugue_tui.geometry import Rect, Size
from fugue_tui.ids import PaneId

pytestmark = pytest.mark.slow


async def test_the_focus_expands_panes_of_a_stack_which_keep_that_size(open_stage: Open) -> None:
    async with open_stage() as stage:
        await stage.prefix('"')
        await stage.prefix('"')
        await stage.prefix("h")
        assert stage.rects == {3: Rect(0, 3, 80, 20)}
        assert {terminal.size for terminal in stage.mux.terminals.values()} == {Size(80, 20)}
        rows = stage.text.splitlines()
        assert [row[:8].strip() for row in rows[:3]] == ["─ %1 cat", "─ %2 sh", "━▶%3 sh"]
        await stage.prefix("up")
        assert stage.rects == {2: Rect(0, 2, 80, 20)}
        await stage.pilot.click(offset=(60, 0))
        await stage.until(lambda: stage.mux.focused == PaneId(1))
        assert stage.rects == {1: Rect(0, 1, 80, 20)}
        await stage.pilot.resize_terminal(60, 16)
        await stage.pilot.pause()
        assert {terminal.size for terminal in stage.mux.terminals.values()} == {Size(60, 12)}
        await stage.prefix("h")
        assert set(stage.rects) == {1, 2, 3}
        await stage.prefix("u")
        assert set(stage.rects) == {1}


async def test_a_new_pane_joins_the_stack_and_closing_leaves_the_others(open_stage: Open) -> None:
    async with open_stage() as stage:
        await stage.prefix('"')
        await stage.prefix("h")
        await stage.prefix('"')
        assert stage.rects == {3: Rect(0, 3, 80, 20)}
        await stage.pilot.resize_terminal(1, 1)
        await stage.pilot.pause()
        assert set(stage.rects) == {3}
        await stage.pilot.resize_terminal(80, 24)
        await stage.prefix("x")
        await stage.press("y")
        await stage.until(lambda: set(stage.rects) == {2})
