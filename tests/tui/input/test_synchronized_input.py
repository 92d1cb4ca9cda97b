"""What the user types in one of several synchronized panes reaches all of them, and nothing else does."""

import pytest
from tests.tui.conftest import Open, Stage
from textual.events import Paste

from fugue_tui.control.command_table import floating_panes, move, panes, send_keys, windows
from fugue_tui.control.core.command import Interface, Origin
from fugue_tui.control.core.new_pane import Direction
from fugue_tui.control.schema import command_line
from fugue_tui.errors import FugueError
from fugue_tui.ids import PaneId

AGENT = Origin(Interface.MCP, process="12@34", program="claude")


async def three(stage: Stage) -> None:
    for _ in range(2):
        stage.run(panes.SplitPane(pane="%1", direction=Direction.AUTO, command=("cat",), focus=False))
    await stage.until(lambda: len(stage.rects) == 3)


async def test_keys_and_pastes_reach_all_panes(open_stage: Open) -> None:
    async with open_stage() as stage:
        await three(stage)
        await stage.prefix("Y")
        await stage.until(lambda: "input to 3 panes" in stage.text and stage.text.count("synchronized") == 3)
        await stage.press(*"word")
        for pane in (1, 2, 3):
            await stage.until_text("word", pane=pane)
        stage.app.take_paste(Paste("pasted"))
        for pane in (1, 2, 3):
            await stage.until_text("wordpasted", pane=pane)
        assert all(stage.mux.lease.reserved_ms(PaneId(pane)) for pane in (1, 2, 3))
        await stage.prefix("Y")
        await stage.press(*"alone")
        await stage.until_text("pastedalone", pane=1)
        assert "alone" not in stage.pane_text(2)
        assert "input to" not in stage.text


@pytest.mark.parametrize("cols", [40, 80, 120])
async def test_the_status_bar_says_once_that_several_panes_get_the_input(open_stage: Open, cols: int) -> None:
    async with open_stage(cols=cols) as stage:
        await three(stage)
        await stage.prefix("Y")
        await stage.until(lambda: stage.text.splitlines()[-1].count("input to 3 panes") == 1)
        assert ("? help" in stage.text) == (cols == 120)


async def test_only_the_chosen_panes_get_the_input(open_stage: Open) -> None:
    async with open_stage() as stage:
        await three(stage)
        stage.app.commands.run_line("synchronize-panes --panes %1 --panes %3")
        await stage.press(*"both")
        await stage.until_text("both", pane=1)
        await stage.until_text("both", pane=3)
        assert "both" not in stage.pane_text(2)
        stage.run(panes.FocusPane(pane="%2"))
        await stage.press(*"own")
        await stage.until_text("own", pane=2)
        assert "own" not in stage.pane_text(1)


async def test_what_an_agent_types_is_not_copied(open_stage: Open) -> None:
    async with open_stage() as stage:
        await three(stage)
        await stage.prefix("Y")
        await stage.until(lambda: "input to 3" in stage.text)
        stage.mux.lease._key_at = float("-inf")  # pyright: ignore[reportPrivateUsage]
        stage.app.dispatcher.run(send_keys.SendKeys(pane="%1", keys=tuple("agent")), AGENT)
        await stage.until_text("agent", pane=1)
        assert "agent" not in stage.pane_text(2) + stage.pane_text(3)
        with pytest.raises(FugueError):
            stage.app.dispatcher.run(command_line.command("synchronize-panes"), AGENT)


async def test_panes_that_an_agent_adds_get_no_input(open_stage: Open) -> None:
    async with open_stage() as stage:
        await three(stage)
        await stage.prefix("Y")
        stage.mux.lease._key_at = float("-inf")  # pyright: ignore[reportPrivateUsage]
        stage.mux.lease._layouts.clear()  # pyright: ignore[reportPrivateUsage]
        stage.app.dispatcher.run(windows.CreateWindow(focus=False), AGENT)
        stage.app.dispatcher.run(move.JoinPane(pane="%4", other="%2", focus=False), AGENT)
        stage.run(panes.SplitPane(pane="%1", command=("cat",), focus=False))
        await stage.until(lambda: len(stage.rects) == 5 and "input to 4 panes" in stage.text)
        await stage.press(*"word")
        for pane in (1, 2, 3, 5):
            await stage.until_text("word", pane=pane)
        assert "word" not in stage.pane_text(4)


async def test_an_ended_pane_holds_up_no_other(open_stage: Open) -> None:
    async with open_stage() as stage:
        await three(stage)
        stage.run(panes.SplitPane(pane="%1", command=("sh", "-c", "exit 3"), focus=False))
        await stage.until(lambda: PaneId(4) in stage.mux.exits)
        await stage.prefix("Y")
        await stage.press(*"x", "enter")
        for pane in (1, 2, 3):
            await stage.until_text("x", pane=pane)
        assert PaneId(4) in stage.mux.exits


async def test_it_ends_when_one_pane_is_left(open_stage: Open) -> None:
    async with open_stage() as stage:
        await stage.prefix("percent_sign")
        await stage.until(lambda: len(stage.rects) == 2)
        await stage.prefix("Y")
        await stage.until(lambda: "input to 2" in stage.text)
        await stage.prefix("exclamation_mark")
        await stage.until(lambda: "input to" not in stage.text)
        await stage.prefix("u")
        await stage.until(lambda: len(stage.rects) == 2)
        assert "input to" not in stage.text
        await stage.prefix("exclamation_mark")
        await stage.prefix("Y")
        await stage.until(lambda: "two panes or more" in stage.text)


async def test_floating_panes_get_the_input_only_if_they_are_chosen(open_stage: Open) -> None:
    async with open_stage() as stage:
        await three(stage)
        await stage.prefix("Y")
        stage.run(floating_panes.DisplayPopup(command=("cat",), focus=False))
        await stage.until(lambda: 4 in stage.rects and "input to 3 panes" in stage.text)
        await stage.press(*"word")
        for pane in (1, 2, 3):
            await stage.until_text("word", pane=pane)
        assert "word" not in stage.pane_text(4)
        stage.app.commands.run_line("synchronize-panes --panes %1 --panes %4")
        await stage.press(*"both")
        await stage.until_text("both", pane=4)
