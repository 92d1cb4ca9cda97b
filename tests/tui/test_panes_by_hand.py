"""A person splits, moves, sizes, names and closes panes by keys and by mouse."""

import asyncio
import tempfile
from pathlib import Path
from types import MappingProxyType

import pytest
from msgspec.structs import replace
from tests.tui.conftest import CALM, Open, Stage
from textual.command import CommandList, Hits
from textual.widgets import Input

from fugue_tui.config.model import KeySettings
from fugue_tui.control.command_table import buffers, layouts, panes, sessions, windows
from fugue_tui.geometry import Rect
from fugue_tui.ids import PaneId
from fugue_tui.tui.ui.command_palette import CommandProvider
from fugue_tui.workspace.model import OnExit
from fugue_tui_widgets.command_prompt import CommandPrompt
from fugue_tui_widgets.dialogs import Ask, Confirm, Page
from fugue_tui_widgets.finder_screen import FinderScreen
from fugue_tui_widgets.help_screen import HelpScreen

pytestmark = pytest.mark.slow


async def beside(stage: Stage, key: str = "percent_sign") -> None:
    """Split by a key and wait until both panes are placed."""
    count = len(stage.rects)
    await stage.prefix(key)
    await stage.until(lambda: len(stage.rects) == count + 1)


async def test_the_split_keys_open_panes_beside_and_below(open_stage: Open) -> None:
    async with open_stage() as stage:
        await beside(stage)
        left, right = stage.rects[1], stage.rects[2]
        assert left.y == right.y == 1
        assert right.x == left.right + 1
        await beside(stage, "quotation_mark")
        upper, lower = stage.rects[2], stage.rects[3]
        assert (upper.x, upper.cols) == (lower.x, lower.cols)
        assert lower.y == upper.bottom + 1
        assert stage.mux.focused == 3
        assert stage.app.focused is stage.view(3)


async def test_every_terminal_is_as_large_as_its_widget(open_stage: Open) -> None:
    async with open_stage() as stage:
        for key in ("percent_sign", "quotation_mark", "percent_sign"):
            await beside(stage, key)
        for pane, rect in stage.rects.items():
            assert stage.terminal(pane).size == rect.size


async def test_a_click_gives_a_pane_the_focus(open_stage: Open) -> None:
    async with open_stage() as stage:
        await beside(stage)
        assert stage.mux.focused == 2
        await stage.pilot.click(offset=(5, 5))
        await stage.until(lambda: stage.mux.focused == 1)
        assert stage.app.focused is stage.view(1)


async def test_a_click_on_a_title_gives_its_pane_the_focus(open_stage: Open) -> None:
    async with open_stage() as stage:
        await beside(stage)
        await stage.pilot.click(offset=(3, 0))
        await stage.until(lambda: stage.mux.focused == 1)


@pytest.mark.parametrize(("way", "cols"), [([(50, 5)], 50), ([(30, 5), (20, 8)], 20), ([(60, 1), (45, 1)], 45)])
async def test_dragging_a_divider_sizes_the_panes_exactly(
    open_stage: Open, way: list[tuple[int, int]], cols: int
) -> None:
    async with open_stage() as stage:
        await beside(stage)
        at = stage.rects[1].right
        await stage.drag((at, 5), *way)
        await stage.until(lambda: stage.rects[1].cols == cols)
        assert stage.rects[2].x == cols + 1
        assert stage.terminal(1).size.cols == cols


async def test_dragging_a_divider_down_moves_the_border_between_stacked_panes(open_stage: Open) -> None:
    async with open_stage() as stage:
        await beside(stage, "quotation_mark")
        rect = stage.rects[1]
        await stage.drag((50, rect.bottom), (50, rect.bottom + 4))
        await stage.until(lambda: stage.rects[1].rows == rect.rows + 4)


async def test_the_divider_of_nested_panes_is_the_one_under_the_pointer(open_stage: Open) -> None:
    async with open_stage() as stage:
        await beside(stage)
        await beside(stage)
        await beside(stage, "quotation_mark")
        before = stage.rects
        await stage.drag((before[1].right, 5), (before[1].right - 6, 5))
        await stage.until(lambda: stage.rects[1].cols == before[1].cols - 6)
        assert stage.rects[2].right == before[2].right
        assert stage.rects[3] == before[3]


async def test_a_click_on_a_tab_selects_its_window(open_stage: Open) -> None:
    async with open_stage() as stage:
        await stage.prefix("c")
        await stage.until(lambda: len(stage.mux.workspace.windows) == 2 and 2 in stage.rects)
        assert list(stage.rects) == [2]
        await stage.pilot.click("StatusBar", offset=(len(" test  1"), 0))
        await stage.until(lambda: list(stage.rects) == [1])
        assert stage.mux.focused == 1
        await stage.prefix("2")
        await stage.until(lambda: list(stage.rects) == [2])


async def test_zoom_shows_one_pane_and_gives_the_others_back(open_stage: Open) -> None:
    async with open_stage() as stage:
        await beside(stage)
        before = stage.rects
        await stage.prefix("z")
        await stage.until(lambda: list(stage.rects) == [2])
        assert stage.rects[2].cols == 80
        await stage.until(lambda: "Z]" in stage.text)
        await stage.prefix("z")
        await stage.until(lambda: stage.rects == before)


async def test_a_lone_pane_is_not_marked_as_zoomed(open_stage: Open) -> None:
    async with open_stage() as stage:
        await stage.prefix("z")
        stage.app.alert("zoomed")
        await stage.until(lambda: "zoomed" in stage.text)
        assert "Z]" not in stage.text


async def test_a_screenshot_from_the_palette_is_written_to_a_file(
    open_stage: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "pictures"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    async with open_stage() as stage:
        stage.app.commands.run_line("screenshot-pane")
        await stage.until(lambda: "screenshot-pane: written to" in stage.text)
        assert stage.app.on_panes
        assert next(folder.iterdir()).read_bytes().startswith(b"\x89PNG")


async def test_one_window_is_counted_as_one(open_stage: Open) -> None:
    async with open_stage() as stage:
        await stage.prefix("s")
        await stage.until(lambda: "1 window" in stage.text)
        assert "1 windows" not in stage.text


async def test_a_running_pane_is_closed_only_after_a_yes(open_stage: Open) -> None:
    async with open_stage() as stage:
        await beside(stage)
        await stage.prefix("x")
        assert isinstance(stage.app.screen, Confirm)
        assert "Close pane %2" in stage.app.screen.question
        await stage.press("n")
        assert len(stage.mux.terminals) == 2
        await stage.prefix("x")
        await stage.press("y")
        await stage.until(lambda: list(stage.rects) == [1])
        assert stage.rects[1] == Rect(0, 0, 80, 23)


@pytest.mark.parametrize(("answer", "open_after"), [("n  no", 2), ("y  yes", 1)])
async def test_a_question_fits_on_a_small_screen_and_takes_the_mouse(
    open_stage: Open, answer: str, open_after: int
) -> None:
    async with open_stage(cols=40, rows=12) as stage:
        await beside(stage)
        stage.run(panes.RenamePane(pane="%2", name="a name of some length"))
        await stage.prefix("x")
        await stage.until(lambda: answer in stage.text)
        assert "Close pane %2 (a name of some length" in " ".join(stage.text.replace("┃", " ").split())
        rows = stage.text.splitlines()
        y = next(y for y, row in enumerate(rows) if answer in row)
        await stage.pilot.click(offset=(rows[y].index(answer), y))
        await stage.until(lambda: stage.app.on_panes)
        await stage.until(lambda: len(stage.mux.terminals) == open_after)


@pytest.mark.parametrize("keys", ["x", "p", "question_mark", "w"])
async def test_ctrl_c_closes_every_dialog(open_stage: Open, keys: str) -> None:
    async with open_stage() as stage:
        await beside(stage)
        await stage.prefix(keys)
        await stage.until(lambda: not stage.app.on_panes)
        await stage.press("ctrl+c")
        await stage.until(lambda: stage.app.on_panes)
        assert len(stage.mux.terminals) == 2


@pytest.mark.parametrize(
    ("hint", "seen"), [("? help", "keys after"), ("c window", "[2 "), ("p palette", "command palette")]
)
async def test_a_click_on_a_hint_does_what_its_key_does(open_stage: Open, hint: str, seen: str) -> None:
    async with open_stage() as stage:
        await stage.until(lambda: hint in stage.text)
        y = stage.app.size.height - 1
        await stage.pilot.click(offset=(stage.text.splitlines()[y].index(hint) + 2, y))
        await stage.until(lambda: seen in stage.text)


async def test_the_hints_of_copy_mode_take_the_mouse(open_stage: Open) -> None:
    async with open_stage() as stage:
        await stage.prefix("left_square_bracket")
        for hint in ("v selects", "Escape clears", "q leaves"):
            await stage.until(lambda hint=hint: hint in stage.text)
            y = stage.app.size.height - 1
            await stage.pilot.click(offset=(stage.text.splitlines()[y].index(hint), y))
        await stage.until(lambda: not stage.terminal().copy_mode.reads)


LAST = "This ends the workspace; undo cannot bring it back."
DESTROYING = {
    "close-pane": "Close pane %2 (cat)?",
    "close-window": f"Close window cat with 2 panes? {LAST}",
    "kill-session": f"End session test with 2 panes? {LAST}",
    "kill-server": "End the workspace test with 2 running programs?",
    "respawn-pane": "End what runs in pane %2 (cat), and run it again?",
    "signal-pane %1 --signal kill": "Send kill to what runs in pane %1 (cat)?",
    "delete-saved work": "Run delete-saved --name work? What it ends or deletes does not come back.",
}


@pytest.mark.parametrize("way", ["palette", "command line", "key"])
@pytest.mark.parametrize(("line", "question"), DESTROYING.items())
async def test_what_destroys_asks_first_whichever_way_a_user_takes(
    open_stage: Open, line: str, question: str, way: str
) -> None:
    keys = KeySettings(bindings=MappingProxyType({"k": line}))
    async with open_stage(config=replace(CALM, keys=keys)) as stage:
        stage.run(panes.SplitPane(command=("cat",), focus=True))
        await stage.until(lambda: len(stage.rects) == 2 and "1 cat" in stage.text)
        await stage.prefix({"palette": "p", "command line": "colon", "key": "k"}[way])
        if way != "key":
            stage.app.screen.query_one(Input).value = line
            await stage.press("enter")
            await stage.until(lambda: isinstance(stage.app.screen, Confirm))
        assert isinstance(stage.app.screen, Confirm)
        assert stage.app.screen.question == question
        await stage.press("n")
        assert stage.app.on_panes
        assert all(stage.mux.runs(pane) for pane in stage.mux.terminals)
        assert len(stage.mux.terminals) == 2


async def test_a_key_without_the_prefix_runs_several_commands_until_one_fails(open_stage: Open) -> None:
    direct = {"alt+s": ("split-pane", "rename-pane made"), "f5": ("focus-pane %9", "split-pane")}
    keys = KeySettings(direct=MappingProxyType(direct))
    async with open_stage(config=replace(CALM, keys=keys)) as stage:
        await stage.press("alt+s")
        await stage.until(lambda: [pane.name for pane in stage.mux.workspace.panes.values()] == ["", "made"])
        await stage.press("f5")
        await stage.until(lambda: "no pane %9" in stage.text)
        assert len(stage.mux.workspace.panes) == 2


async def test_a_yes_is_for_the_pane_that_was_asked_about(open_stage: Open) -> None:
    async with open_stage() as stage:
        await beside(stage)
        await stage.prefix("colon")
        await stage.press(*"close-pane", "enter")
        await stage.until(lambda: isinstance(stage.app.screen, Confirm))
        stage.run(panes.FocusPane(pane="%1"))
        await stage.press("y")
        await stage.until(lambda: list(stage.mux.terminals) == [1])


@pytest.mark.parametrize("line", ["close-pane %2", "respawn-pane %2", "close-window @2", "kill-session other"])
async def test_what_has_ended_is_closed_without_a_question(open_stage: Open, line: str) -> None:
    async with open_stage() as stage:
        if line.endswith("%2"):
            stage.run(panes.SplitPane(command=("false",), on_exit=OnExit.KEEP))
        else:
            stage.run(sessions.CreateSession(name="other", command=("false",), focus=False))
        await stage.until(lambda: not stage.mux.runs(PaneId(2)))
        was = stage.terminal(2)
        await stage.prefix("colon")
        stage.app.screen.query_one(Input).value = line
        await stage.press("enter")
        await stage.until(lambda: stage.mux.terminals.get(PaneId(2)) is not was)
        assert stage.app.on_panes


async def test_enter_and_escape_do_not_close_anything(open_stage: Open) -> None:
    async with open_stage() as stage:
        for key in ("enter", "escape"):
            await stage.prefix("x")
            await stage.press(key)
            assert stage.app.on_panes
        assert stage.terminal(1).exit is None


async def test_a_pane_is_named_by_hand(open_stage: Open) -> None:
    async with open_stage() as stage:
        await beside(stage)
        await stage.prefix("T")
        assert isinstance(stage.app.screen, Ask)
        await stage.press(*"logs", "enter")
        await stage.until(lambda: "%2 logs" in stage.text)


async def test_a_window_is_named_by_hand_starting_from_its_present_name(open_stage: Open) -> None:
    async with open_stage() as stage:
        await stage.prefix("comma")
        assert stage.app.screen.query_one(Input).value == "cat"
        await stage.press("s", "enter")
        await stage.until(lambda: "[1 cats]" in stage.text)


async def test_a_name_may_begin_with_dashes(open_stage: Open) -> None:
    async with open_stage() as stage:
        await stage.prefix("T")
        await stage.press("minus", "minus", "x", "enter")
        assert stage.mux.workspace.panes[stage.mux.workspace.windows[0].active].name == "--x"


async def test_a_window_is_chosen_from_a_list(open_stage: Open) -> None:
    async with open_stage() as stage:
        stage.run(windows.CreateWindow(command=("cat",), name="second"))
        stage.run(windows.CreateWindow(command=("cat",), name="third"))
        await stage.prefix("w")
        finder = stage.app.screen
        assert isinstance(finder, FinderScreen)
        await stage.until(lambda: finder.key == "@3")
        await stage.press("up", "enter")
        await stage.until(lambda: stage.mux.front is not None and stage.mux.front.name == "second")


async def test_alt_and_arrows_move_the_focus_without_the_prefix(open_stage: Open) -> None:
    async with open_stage() as stage:
        await beside(stage)
        await stage.press("alt+left")
        await stage.until(lambda: stage.mux.focused == 1)
        assert stage.app.focused is stage.view(1)


async def test_help_opens_and_closes(open_stage: Open) -> None:
    async with open_stage() as stage:
        await stage.prefix("question_mark")
        assert isinstance(stage.app.screen, HelpScreen)
        await stage.until(lambda: "split: side by side" in stage.text and "help: keys after ctrl+b" in stage.text)
        await stage.press("q")
        assert stage.app.on_panes


async def test_the_palette_runs_a_command(open_stage: Open) -> None:
    async with open_stage() as stage:
        await stage.prefix("p")
        await stage.press(*"zoom-pane")
        await stage.until(lambda: "Zoom a pane to fill its window" in stage.text)
        await stage.press("enter")
        await stage.until(lambda: stage.app.on_panes or isinstance(stage.app.screen, Page))
        await stage.until(lambda: stage.mux.front is not None and stage.mux.front.zoomed)


@pytest.mark.parametrize(("cols", "keys"), [(40, ("Escape closes",)), (80, ("Escape closes", "↑ ↓ choose"))])
async def test_the_palette_names_as_many_keys_as_fit(open_stage: Open, cols: int, keys: tuple[str, ...]) -> None:
    async with open_stage(cols=cols, rows=12) as stage:
        await stage.prefix("p")
        await stage.until(lambda: all(key in stage.text for key in keys))


@pytest.mark.parametrize("key", ["p", "question_mark", "A", "t", "g", "w", "k"])
async def test_what_covers_a_small_screen_says_how_to_close_it(open_stage: Open, key: str) -> None:
    async with open_stage(cols=40, rows=12) as stage:
        await stage.prefix(key)
        await stage.until(lambda: "Escape close" in " ".join(stage.text.replace("┃", " ").split()))


async def test_the_palette_finds_a_command_by_its_name_in_tmux(open_stage: Open) -> None:
    async with open_stage() as stage:
        await stage.prefix("p")
        await stage.press(*"split-window")
        await stage.until(lambda: "split-pane" in stage.text)
        await stage.press("enter")
        await stage.until(lambda: len(stage.rects) == 2)


@pytest.mark.parametrize("verb", ["list-buffers", "clipboard-context", "list-panes"])
async def test_what_only_reads_is_shown_on_a_page(open_stage: Open, verb: str) -> None:
    async with open_stage() as stage:
        stage.run(buffers.SetBuffer(text="copied"))
        stage.app.commands.run_line(verb)
        await stage.until(lambda: isinstance(stage.app.screen, Page) and verb in stage.text)


async def test_the_palette_asks_for_what_a_command_needs(open_stage: Open) -> None:
    async with open_stage() as stage:
        await beside(stage)
        await stage.prefix("p")
        await stage.press(*"focus-pane")
        await stage.until(lambda: "focus-pane ..." in stage.text)
        await stage.press("enter")
        await stage.until(lambda: isinstance(stage.app.screen, CommandPrompt))
        await stage.press(*"%1", "enter")
        await stage.until(lambda: stage.mux.focused == 1)


@pytest.mark.parametrize(
    ("typed", "title"),
    [
        ("list-windows", "list-windows"),
        ("  list-windows ", "list-windows"),
        ("list-wind", "list-windows"),
        ("read-pane --lines 3", "read-pane"),
    ],
)
async def test_the_palette_means_what_was_typed_however_fast(open_stage: Open, typed: str, title: str) -> None:
    async with open_stage() as stage:
        await stage.prefix("p")
        line = stage.app.screen.query_one(Input)
        line.value = "l"
        await stage.until(lambda: "focus the last pane" in stage.text)
        line.value = typed
        await line.action_submit()
        await stage.until(lambda: isinstance(stage.app.screen, Page) and title in stage.text)


async def test_a_search_of_the_palette_does_not_outlive_its_list(
    open_stage: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    search, outlived = CommandProvider.search, list[str]()

    async with open_stage() as stage:

        async def slow(provider: CommandProvider, query: str) -> Hits:
            while palette.query(CommandList):
                await asyncio.sleep(0)
            outlived.append(query)
            async for hit in search(provider, query):
                yield hit

        await stage.prefix("p")
        palette = stage.app.screen
        monkeypatch.setattr(CommandProvider, "search", slow)
        line = palette.query_one(Input)
        line.value = "list-windows"
        await stage.pilot.pause()
        await line.action_submit()
        await stage.until(lambda: isinstance(stage.app.screen, Page))
        assert not outlived


async def test_the_palette_takes_the_line_that_was_moved_to(open_stage: Open) -> None:
    async with open_stage() as stage:
        await stage.prefix("p")
        await stage.press(*"rename-")
        await stage.until(lambda: "rename-pane" in stage.text and "rename-window" in stage.text)
        await stage.press("down", "enter")
        await stage.until(lambda: isinstance(stage.app.screen, CommandPrompt))
        assert stage.app.screen.query_one(Input).value == "rename-workspace "


async def test_a_typed_command_that_makes_no_sense_is_explained(open_stage: Open) -> None:
    async with open_stage() as stage:
        await stage.prefix("colon")
        await stage.press(*"focus-pane %9", "enter")
        await stage.until(lambda: "no pane %9" in stage.text)


async def test_what_a_command_says_is_shown_on_a_page(open_stage: Open) -> None:
    async with open_stage() as stage:
        await stage.prefix("colon")
        await stage.press(*"list-panes", "enter")
        await stage.until(lambda: isinstance(stage.app.screen, Page) and "80x23" in stage.text)


async def test_the_screen_shrinks_to_a_cell_and_no_pane_is_lost(open_stage: Open) -> None:
    async with open_stage() as stage:
        for key in ("percent_sign", "quotation_mark", "percent_sign", "quotation_mark"):
            await beside(stage, key)
        before = stage.rects
        for cols, rows in ((40, 12), (20, 5), (3, 2), (1, 1), (2, 9), (80, 1)):
            await stage.pilot.resize_terminal(cols, rows)
            await stage.until(
                lambda: stage.rects and all(rect.right <= stage.app.size.width for rect in stage.rects.values())
            )
            assert len(stage.mux.terminals) == 5
            assert stage.mux.focused in stage.rects
            assert stage.text is not None
        await stage.pilot.resize_terminal(80, 24)
        await stage.until(lambda: stage.rects == before)


async def test_sixty_four_panes_share_a_screen(open_stage: Open) -> None:
    async with open_stage(cols=200, rows=60) as stage:
        for _ in range(63):
            stage.run(panes.SplitPane(command=("cat",)))
            stage.run(layouts.SelectLayout(preset="tiled"))
        await stage.until(lambda: len(stage.rects) == 64)
        assert all(stage.terminal(pane).size == rect.size for pane, rect in stage.rects.items())
        area = sum(rect.cols * rect.rows for rect in stage.rects.values())
        assert area > 200 * 59 * 0.8
        await stage.press("x", "y")
        await stage.until_text("xy", pane=64)


async def test_a_pane_that_was_closed_by_hand_comes_back_by_a_key(open_stage: Open) -> None:
    async with open_stage() as stage:
        stage.run(panes.SplitPane(command=("cat",), name="notes"))
        stage.terminal(2).write(b"unsaved\n")
        await stage.until_text("unsaved", pane=2)
        await stage.prefix("x")
        await stage.until(lambda: "Close pane %2 (notes)?" in stage.text)
        await stage.press("y")
        await stage.until(lambda: "closed pane %2 (notes); ctrl+b u brings it back" in stage.text)
        await stage.prefix("u")
        await stage.until(lambda: "brought back pane %2 (notes)" in stage.text)
        await stage.until(lambda: stage.drawn and "unsaved" in stage.text)
        assert stage.mux.focused == PaneId(2)
        await stage.press("m")
        await stage.until_text("m", pane=2)


async def test_a_pane_that_was_opened_by_hand_is_closed_again_and_comes_back(open_stage: Open) -> None:
    async with open_stage() as stage:
        await stage.prefix("percent_sign")
        await stage.until(lambda: len(stage.rects) == 2)
        await stage.prefix("u")
        await stage.until(lambda: "again?" in stage.text)
        await stage.press("y")
        await stage.until(lambda: "again; ctrl+b U brings it back" in stage.text)
        assert len(stage.mux.terminals) == 1
        await stage.prefix("U")
        await stage.until(lambda: "brought back pane %2" in stage.text and len(stage.rects) == 2)
        await stage.press("p", "s", "enter")
        await stage.until_text("PID", pane=2)
