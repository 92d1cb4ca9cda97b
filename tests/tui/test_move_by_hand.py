"""Panes and tabs are moved by keys and by the mouse."""

from tests.tui.conftest import Open, Stage

from fugue_tui.control.command_table import windows
from fugue_tui.ids import PaneId
from fugue_tui.layout.tree import panes
from fugue_tui_widgets.dialogs import Choose
from fugue_tui_widgets.drag_screen import DragScreen
from fugue_tui_widgets.pane_numbers import PaneNumbers
from fugue_tui_widgets.status_bar import StatusBar


def tabs(stage: Stage) -> list[list[int]]:
    return [[int(pane) for pane in panes(window.layout)] for window in stage.mux.workspace.windows]


async def two(stage: Stage, key: str = "percent_sign") -> None:
    await stage.prefix(key)
    await stage.until(lambda: len(stage.rects) == 2)


def tab_column(stage: Stage, number: int) -> tuple[int, int]:
    """A cell of a tab."""
    window = stage.mux.workspace.windows[number - 1].id
    bar = stage.app.base.query_one(StatusBar)
    column = next(x for x in range(80) if (tab := bar.tab_at(x)) is not None and tab[0] == window)
    return column + 1, bar.region.y


async def test_a_pane_is_broken_off_and_joined_again_by_keys(open_stage: Open) -> None:
    async with open_stage() as stage:
        await two(stage)
        await stage.prefix("exclamation_mark")
        assert tabs(stage) == [[1], [2]]
        await stage.prefix("J")
        assert isinstance(stage.app.screen, Choose)
        await stage.press("enter")
        assert tabs(stage) == [[2, 1]]
        await stage.prefix("u")
        assert tabs(stage) == [[1], [2]]


async def test_the_marked_pane_is_named_and_swapped(open_stage: Open) -> None:
    async with open_stage() as stage:
        await two(stage)
        await stage.prefix("m")
        await stage.until(lambda: "marked" in stage.text)
        await stage.prefix("M")
        await stage.until(lambda: "marked" not in stage.text)


async def test_a_digit_over_a_pane_focuses_it(open_stage: Open) -> None:
    async with open_stage() as stage:
        await two(stage)
        await stage.prefix("q")
        assert isinstance(stage.app.screen, PaneNumbers)
        await stage.until(lambda: "█" in stage.text)
        await stage.press("1")
        assert stage.mux.focused == PaneId(1)
        assert stage.app.on_panes
        await stage.prefix("q")
        await stage.press("x")
        assert stage.app.on_panes
        assert stage.mux.focused == PaneId(1)


async def test_a_window_moves_to_a_number_and_is_selected_by_one(open_stage: Open) -> None:
    async with open_stage() as stage:
        stage.run(windows.CreateWindow(command=("cat",)))
        await stage.prefix("full_stop")
        await stage.press("backspace", "1", "enter")
        assert tabs(stage) == [[2], [1]]
        await stage.prefix("apostrophe")
        await stage.press("2", "enter")
        assert stage.mux.focused == PaneId(1)


async def test_a_window_is_found_by_what_it_shows(open_stage: Open) -> None:
    async with open_stage("sh", "-c", "echo needle; exec cat") as stage:
        await stage.until_text("needle")
        stage.run(windows.CreateWindow(command=("cat",), name="other"))
        await stage.prefix("f")
        await stage.press(*"NEEDLE", "enter")
        assert stage.mux.focused == PaneId(1)
        await stage.prefix("f")
        await stage.press(*"oth", "enter")
        assert stage.mux.focused == PaneId(2)
        await stage.prefix("f")
        await stage.press(*"zzz", "enter")
        await stage.until(lambda: "no window has that" in stage.text)


async def test_past_messages_are_listed(open_stage: Open) -> None:
    async with open_stage() as stage:
        stage.app.alert("first word")
        stage.app.alert("second word")
        await stage.prefix("tilde")
        await stage.until(lambda: "first word" in stage.text and "second word" in stage.text)
        await stage.press("escape")
        await stage.prefix("i")
        await stage.until(lambda: "pane 1 of 1 %1" in stage.text)


async def test_the_last_session_comes_back(open_stage: Open) -> None:
    async with open_stage() as stage:
        stage.app.commands.run_line("create-session --name dev --command cat --focus")
        assert stage.mux.focused == PaneId(2)
        await stage.prefix("L")
        assert stage.mux.focused == PaneId(1)
        await stage.prefix("L")
        assert stage.mux.focused == PaneId(2)


async def test_a_title_dragged_into_the_middle_of_a_pane_swaps_them(open_stage: Open) -> None:
    async with open_stage() as stage:
        await two(stage)
        await stage.hold((3, 0), (30, 8), (60, 12))
        await stage.until(lambda: "swap with %2" in stage.text)
        await stage.let_go((60, 12))
        assert tabs(stage) == [[2, 1]]
        assert stage.app.on_panes


async def test_a_title_dragged_to_an_edge_splits_there(open_stage: Open) -> None:
    async with open_stage() as stage:
        await two(stage)
        await stage.hold((3, 0), (60, 20))
        await stage.until(lambda: "below %2" in stage.text)
        await stage.let_go((60, 20))
        assert tabs(stage) == [[2, 1]]
        assert stage.rects[1].y > stage.rects[2].y
        assert stage.rects[1].cols == 80


async def test_escape_ends_a_drag_and_nothing_has_changed(open_stage: Open) -> None:
    async with open_stage() as stage:
        await two(stage)
        before = stage.mux.workspace.windows[0].layout
        await stage.hold((3, 0), (60, 20))
        assert isinstance(stage.app.screen, DragScreen)
        await stage.press("escape")
        await stage.let_go((60, 20))
        assert stage.mux.workspace.windows[0].layout == before
        assert stage.app.on_panes


async def test_a_title_is_dragged_onto_a_tab_and_beside_the_tabs(open_stage: Open) -> None:
    async with open_stage() as stage:
        await two(stage)
        stage.run(windows.CreateWindow(command=("cat",), focus=False))
        await stage.pilot.pause()
        at = tab_column(stage, 2)
        await stage.hold((3, 0), at)
        await stage.let_go(at)
        assert tabs(stage) == [[2], [3, 1]]
        await stage.until(lambda: len(stage.rects) == 2)
        await stage.hold((3, 0), (70, 23))
        await stage.until(lambda: "a window of its own" in stage.text.splitlines()[-1])
        await stage.let_go((70, 23))
        assert tabs(stage) == [[2], [1], [3]]


async def test_a_tab_is_dragged_to_another_position(open_stage: Open) -> None:
    async with open_stage() as stage:
        for _ in range(2):
            stage.run(windows.CreateWindow(command=("cat",)))
        await stage.pilot.pause()
        start, at = tab_column(stage, 3), tab_column(stage, 1)
        await stage.hold(start, at)
        await stage.until(lambda: "tab 1" in stage.text)
        await stage.let_go(at)
        assert tabs(stage) == [[3], [1], [2]]


async def test_a_click_on_a_title_only_focuses(open_stage: Open) -> None:
    async with open_stage() as stage:
        await two(stage)
        await stage.drag((3, 0))
        assert stage.mux.focused == PaneId(1)
        assert stage.app.on_panes


async def test_a_crossing_resizes_both_ways(open_stage: Open) -> None:
    async with open_stage() as stage:
        await two(stage)
        await stage.prefix("quotation_mark")
        await stage.until(lambda: len(stage.rects) == 3)
        before = stage.rects
        crossing = before[2].x - 1, before[3].y - 1
        await stage.drag(crossing, (crossing[0] + 5, crossing[1] - 3))
        after = stage.rects
        assert after[1].cols == before[1].cols + 5
        assert after[2].rows == before[2].rows - 3
