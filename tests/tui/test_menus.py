"""The menus of the right button, and what else the mouse does as in tmux."""

import pytest
from msgspec.structs import replace
from tests.tui.conftest import CALM, Open, Stage
from tests.tui.test_move_by_hand import tab_column, tabs, two
from textual.widgets import Input, OptionList

from fugue_tui.config.model import KeySettings
from fugue_tui.control.command_table import windows
from fugue_tui.control.commands.sessions import CreateSession
from fugue_tui.ids import PaneId
from fugue_tui.layout.tree import floats
from fugue_tui_widgets.dialogs import Ask, Confirm
from fugue_tui_widgets.menu import Menu

RIGHT, MIDDLE = 3, 2


async def menu(stage: Stage, at: tuple[int, int], *, meta: bool = False) -> list[str]:
    """The texts of the menu that opens at a cell."""
    await stage.click(at, RIGHT, meta=meta)
    await stage.until(lambda: isinstance(stage.app.screen, Menu))
    return texts(stage)


def texts(stage: Stage) -> list[str]:
    assert isinstance(stage.app.screen, Menu)
    return [item.text for item in stage.app.screen.items]


async def test_the_right_button_opens_the_menu_of_a_pane(open_stage: Open) -> None:
    async with open_stage("sh", "-c", "echo see this; exec cat") as stage:
        await stage.until_text("see this")
        await two(stage)
        assert 'copy "this"' in await menu(stage, (6, 1))
        assert "close" in stage.text
        await stage.press("c")
        await stage.until(lambda: stage.app.on_panes)
        assert stage.app.clipboard == "this"
        await menu(stage, (6, 5))
        await stage.press("z")
        await stage.until(lambda: list(stage.rects) == [1])
        assert "unzoom" in await menu(stage, (6, 5))
        await stage.press("escape")
        assert stage.app.on_panes
        assert list(stage.rects) == [1]


async def test_a_menu_does_to_its_pane_what_was_chosen(open_stage: Open) -> None:
    async with open_stage() as stage:
        await two(stage)
        await menu(stage, (6, 5))
        await stage.press("exclamation_mark")
        assert tabs(stage) == [[2], [1]]
        await menu(stage, (6, 5))
        await stage.press("n")
        await stage.until(lambda: isinstance(stage.app.screen, Ask))
        await stage.press(*"mine", "enter")
        assert stage.mux.workspace.panes[PaneId(1)].name == "mine"
        await menu(stage, (6, 5))
        await stage.press("X")
        await stage.until(lambda: isinstance(stage.app.screen, Confirm))
        await stage.press("n")


async def test_a_pane_floats_and_is_stacked_by_its_menu(open_stage: Open) -> None:
    async with open_stage() as stage:
        assert not {"float over the others", "stack with those beside it"} & set(await menu(stage, (6, 5)))
        await stage.press("escape")
        await two(stage)
        assert "stack with those beside it" in await menu(stage, (6, 5))
        await stage.press("t")
        await stage.until(lambda: len(stage.rects) == 1)
        assert "spread the stack" in await menu(stage, (6, 5))
        await stage.press("t")
        await stage.until(lambda: len(stage.rects) == 2)
        await menu(stage, (6, 5))
        await stage.press("f")
        await stage.until(lambda: len(floats(stage.mux.workspace.windows[0].layout)) == 1)
        found = await menu(stage, (40, 12))
        assert "put back among the tiles" in found
        assert "spread the stack" not in found
        await stage.press("f")
        await stage.until(lambda: not floats(stage.mux.workspace.windows[0].layout))


async def test_a_click_chooses_and_one_elsewhere_closes_the_menu(open_stage: Open) -> None:
    async with open_stage() as stage:
        await menu(stage, (6, 2))
        await stage.click((70, 20), 1)
        await stage.until(lambda: stage.app.on_panes)
        await menu(stage, (6, 2))
        row = next(y for y, line in enumerate(stage.text.split("\n")) if "top and bottom" in line)
        await stage.pilot.hover(offset=(12, row))
        assert stage.app.screen.query_one(OptionList).highlighted == 2
        await stage.pilot.click(offset=(12, row))
        await stage.until(lambda: len(stage.rects) == 2)
        assert stage.rects[1].y < stage.rects[2].y


async def test_a_word_that_was_only_looked_at_is_not_selected(open_stage: Open) -> None:
    async with open_stage("sh", "-c", "echo see this; exec cat") as stage:
        await stage.until_text("see this")
        await menu(stage, (6, 0))
        assert stage.terminal().copy_mode.shows_selection
        await stage.press("escape")
        await stage.until(lambda: not stage.terminal().copy_mode.shows_selection)


async def test_a_program_that_takes_the_mouse_gets_the_right_button_but_with_alt(open_stage: Open) -> None:
    async with open_stage("sh", "-c", "stty raw -echo; printf '\\033[?1000h\\033[?1006hready'; exec cat -v") as stage:
        await stage.until_text("ready")
        await stage.click((10, 5), RIGHT)
        await stage.until_text("^[[<2;11;6M")
        assert stage.app.on_panes
        await menu(stage, (10, 5), meta=True)
        await stage.press("escape")
        await stage.click((10, 5), MIDDLE)
        await stage.until_text("^[[<1;11;6M")


async def test_tabs_have_a_menu(open_stage: Open) -> None:
    async with open_stage() as stage:
        stage.run(windows.CreateWindow(command=("cat",)))
        assert "move to the left" not in await menu(stage, tab_column(stage, 1))
        await stage.press("r")
        assert tabs(stage) == [[2], [1]]
        await menu(stage, tab_column(stage, 1))
        await stage.press("n")
        await stage.until(lambda: isinstance(stage.app.screen, Ask))
        stage.app.screen.query_one(Input).value = "first"
        await stage.press("enter")
        assert stage.mux.workspace.windows[0].name == "first"
        await menu(stage, tab_column(stage, 1))
        await stage.press("w")
        await stage.until(lambda: len(stage.mux.workspace.windows) == 3)


async def test_the_name_of_the_workspace_has_a_menu(open_stage: Open) -> None:
    async with open_stage() as stage:
        assert "detach" in await menu(stage, (2, 23))
        await stage.press("s")
        await stage.until(lambda: isinstance(stage.app.screen, Ask))
        await stage.press(*"work", "enter")
        await stage.until(lambda: stage.mux.front is not None and stage.mux.front.session == "work")


async def test_titles_have_the_menu_of_their_pane(open_stage: Open) -> None:
    async with open_stage() as stage:
        await two(stage)
        await menu(stage, (3, 0))
        assert isinstance(stage.app.screen, Menu)
        assert stage.app.screen.heading == "pane %1"


@pytest.mark.parametrize("preset", ["fugue", "tmux"])
async def test_keys_open_the_menus_of_the_focused_pane_and_its_window(open_stage: Open, preset: str) -> None:
    keys = KeySettings(preset="tmux" if preset == "tmux" else "fugue")
    async with open_stage(config=replace(CALM, keys=keys)) as stage:
        await two(stage)
        for key, heading in (("less_than_sign", "window 1"), ("greater_than_sign", "pane %2")):
            await stage.prefix(key)
            await stage.until(lambda: isinstance(stage.app.screen, Menu))
            assert isinstance(stage.app.screen, Menu)
            assert stage.app.screen.heading == heading
            await stage.press("q")
        assert stage.app.on_panes


@pytest.mark.parametrize(("cols", "rows"), [(20, 6), (5, 3)])
async def test_a_menu_stays_on_a_small_screen(open_stage: Open, cols: int, rows: int) -> None:
    async with open_stage(cols=cols, rows=rows) as stage:
        await menu(stage, (cols - 1, rows - 2))
        await stage.press("v")
        await stage.until(lambda: len(stage.mux.terminals) == 2 or stage.app.alerts.past().plain != "")


async def test_a_menu_outlives_a_screen_without_a_column_for_its_text(open_stage: Open) -> None:
    async with open_stage() as stage:
        await menu(stage, (9, 5))
        for cols, rows in ((1, 1), (3, 2), (80, 24)):
            await stage.pilot.resize_terminal(cols, rows)
        await stage.until(lambda: "copy mode" in stage.text)
        assert isinstance(stage.app.screen, Menu)


async def test_the_middle_button_pastes_what_was_copied_where_it_is_pressed(open_stage: Open) -> None:
    async with open_stage() as stage:
        await two(stage)
        await stage.click((3, 5), MIDDLE)
        assert stage.mux.focused == PaneId(1)
        stage.app.copy("copied", None)
        await stage.click((60, 5), MIDDLE)
        await stage.until_text("copied", pane=2)
        assert "copied" not in stage.pane_text(1)


async def test_the_wheel_over_the_bar_goes_through_the_windows(open_stage: Open) -> None:
    async with open_stage() as stage:
        stage.run(windows.CreateWindow(command=("cat",)))
        stage.run(CreateSession(name="other", command=("cat",), focus=False))
        bar = (30, 23)
        seen = list[int]()
        for up in (False, False, True, True):
            await stage.wheel(up, bar)
            seen.append(int(stage.mux.focused or 0))
        assert sorted(set(seen)) == [1, 2]


async def test_keys_go_to_the_next_marked_window(open_stage: Open) -> None:
    async with open_stage() as stage:
        for _ in range(3):
            stage.run(windows.CreateWindow(command=("sh", "-c", "read x; printf '\\a'; exec cat"), focus=False))
        await stage.prefix("alt+n")
        await stage.until(lambda: "no other window of this session is marked" in stage.text)
        for pane in (2, 4):
            stage.terminal(pane).write(b"\n")
        await stage.until(lambda: stage.text.count("!") == 2)
        await stage.prefix("alt+n")
        assert stage.mux.focused == PaneId(2)
        await stage.prefix("alt+p")
        assert stage.mux.focused == PaneId(4)
