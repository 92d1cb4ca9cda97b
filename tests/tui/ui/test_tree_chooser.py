"""Panes, windows, sessions and other workspaces are chosen from one list, with a filter, keys and a live preview."""

from collections.abc import Mapping
from typing import Any

import pytest
from tests.tui.conftest import Open, Stage, use_light_terminal
from tests.tui.test_snapshots import HELLO, Picture
from tests.tui.test_snapshots import picture as picture

from fugue_tui.config.model import Config, UiSettings
from fugue_tui.control.command_table import panes, sessions, windows
from fugue_tui.control.core.new_pane import Direction, Placement
from fugue_tui.geometry import Size
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer.clients import AttachedTerminal
from fugue_tui.terminal.terminal import Terminal
from fugue_tui.tui.ui import tree_chooser
from fugue_tui.tui.ui.tree_items import Facts, Item, facts, ranked, rows
from fugue_tui_widgets.dialogs import Ask, Confirm
from fugue_tui_widgets.finder_screen import FinderScreen
from fugue_tui_widgets.row_list import RowList

pytestmark = pytest.mark.slow

KNOWN = {
    PaneId(1): Facts("~/shop", "$ git status"),
    PaneId(2): Facts("~/shop/web", "$ npm run dev (runs)"),
    PaneId(3): Facts("~/shop/api", "$ make test (exit 2)"),
    PaneId(4): Facts("/var/log", "$ tail -f syslog (runs)"),
}
OTHERS = (
    {"name": "blog", "running": True, "clients": 1, "windows": 2, "panes": 3, "since": None},
    {"name": "thesis", "running": False, "clients": 0, "windows": 1, "panes": 1, "since": None},
)


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    """Panes are where no test machine matters, and other workspaces are those of the tests."""

    def given(terminals: Mapping[PaneId, Terminal]) -> dict[PaneId, Facts]:
        return {pane: KNOWN.get(pane, Facts()) for pane in terminals}

    def others(without: str) -> list[dict[str, Any]]:
        assert without == "test"
        return list(OTHERS)

    monkeypatch.setattr(tree_chooser, "facts", given)
    monkeypatch.setattr(tree_chooser, "workspaces", others)


async def shells(stage: Stage) -> None:
    """Two windows, of which one has two panes, and a second session."""
    stage.run(windows.CreateWindow(command=("sh", "-c", HELLO), name="web", focus=True))
    stage.run(
        panes.SplitPane(
            pane="%2", direction=Direction.HORIZONTAL, command=("sh", "-c", HELLO), name="tests", focus=True
        )
    )
    stage.run(sessions.CreateSession(name="ops", command=("sh", "-c", HELLO), window_name="logs", focus=False))
    await stage.until(lambda: all("$" in stage.pane_text(pane) for pane in (2, 3, 4)))


async def opened(stage: Stage, key: str) -> FinderScreen:
    """Open the list by a key after the prefix, and wait until everything is known."""
    await stage.prefix(key)
    await stage.until(lambda: isinstance(stage.app.screen, FinderScreen))
    finder = stage.app.screen
    assert isinstance(finder, FinderScreen)
    if key == "g":
        await stage.until(lambda: "blog" in "".join(listed(stage)))
    await stage.until(lambda: listed(stage) and (key == "s" or "$" in "".join(listed(stage))))
    return finder


def listed(stage: Stage) -> list[str]:
    """The rows of the list."""
    found = stage.app.screen.query_one(RowList)._rows  # pyright: ignore[reportPrivateUsage]
    return [" ".join("".join(text for text, _ in row.parts).split()) for row in found]


# Pictures


async def everything(stage: Stage) -> None:
    """The whole tree, with the second window under the cursor."""
    await shells(stage)
    await opened(stage, "g")
    stage.app.screen.query_one("Input").cursor_blink = False  # pyright: ignore[reportAttributeAccessIssue]
    await stage.until(lambda: "web · 2 panes" in stage.text or stage.app.size.height < 16)


@pytest.mark.parametrize(("cols", "rows"), [(120, 36), (80, 24), (40, 12)])
def test_everything(picture: Picture, cols: int, rows: int) -> None:
    assert picture(everything, cols, rows, drawn=False)


def test_windows_in_a_light_theme(picture: Picture, monkeypatch: pytest.MonkeyPatch) -> None:
    use_light_terminal(monkeypatch)

    async def script(stage: Stage) -> None:
        await shells(stage)
        await opened(stage, "w")
        await stage.until(lambda: "web · 2 panes" in stage.text)

    assert picture(script, 80, 24, Config(ui=UiSettings(theme="ansi-light", which_key_delay_ms=10_000)), drawn=False)


# What is listed


async def test_the_tree_tells_panes_apart_and_its_numbers_are_those_of_the_tabs(open_stage: Open) -> None:
    async with open_stage("sh", "-c", HELLO) as stage:
        await shells(stage)
        await opened(stage, "g")
        assert listed(stage) == [
            "alt+a test* 2 windows cat, web",
            "1 cat ~/shop $ git status",
            "2 web* ~/shop/api 2 panes $ make test (exit 2)",
            "alt+b %2 cat ~/shop/web $ npm run dev (runs)",
            "alt+c %3 tests* ~/shop/api $ make test (exit 2)",
            "alt+d ops 1 window logs",
            "alt+e 1 logs /var/log $ tail -f syslog (runs)",
            "other workspaces",
            "alt+f blog runs 2 windows, 3 panes",
            "alt+g thesis saved 1 window, 1 pane",
        ]


async def test_windows_sessions_and_workspaces_have_their_own_lists(open_stage: Open) -> None:
    async with open_stage("sh", "-c", HELLO) as stage:
        await shells(stage)
        finder = await opened(stage, "w")
        assert [row.split()[0] for row in listed(stage)] == ["alt+a", "1", "2", "alt+b", "alt+c"]
        assert finder.key == "@2"
        await stage.press("escape")
        finder = await opened(stage, "s")
        assert listed(stage) == ["1 test* 2 windows cat, web", "2 ops 1 window logs"]
        await stage.press("tab")
        await stage.until(lambda: listed(stage)[0] == "other workspaces")
        await stage.press("tab", "tab")
        assert [row.split()[1] for row in listed(stage)] == ["%1", "%2", "%3", "%4"]


async def test_a_filter_ranks_what_matches_in_any_word(open_stage: Open) -> None:
    async with open_stage("sh", "-c", HELLO) as stage:
        await shells(stage)
        finder = await opened(stage, "g")
        await stage.press(*"make")
        await stage.until(lambda: len(listed(stage)) == 2)
        assert "of 9" in stage.text
        await stage.press("space", *"tests")
        await stage.until(lambda: finder.key == "%3")
        await stage.press("enter")
        await stage.until(lambda: stage.mux.focused == PaneId(3) and stage.app.on_panes)


def test_words_come_before_their_beginnings_and_letters_in_order_last() -> None:
    found = [Item("%1", "%1 bash", "~/logs"), Item("%2", "%2 log"), Item("%3", "%3 l-o-g"), Item("%4", "%4 catalog")]
    assert [item.key for item in ranked(found, "log")] == ["%2", "%1", "%4", "%3"]
    assert [item.key for item in ranked(found, "LOG %1")] == ["%1"]
    assert ranked(found, "") == found
    assert ranked(found, "nothing") == []


def test_long_names_and_directories_are_cut_to_the_width() -> None:
    found = [Item("%1", "%1 " + "漢" * 40, "~/a/very/long/directory/of/somebody/src", "$ make")]
    (row,) = rows(found, {}, 60)
    text = "".join(text for text, _ in row.parts)
    assert "…" in text
    assert "body/src" in text
    assert text.endswith("$ make")


# What keys do


@pytest.mark.parametrize(("key", "focused"), [("1", 1), ("alt+b", 2), ("alt+e", 4)])
async def test_a_digit_or_a_letter_goes_there(open_stage: Open, key: str, focused: int) -> None:
    async with open_stage("sh", "-c", HELLO) as stage:
        await shells(stage)
        await opened(stage, "g")
        if key == "1":
            await stage.press("escape")
            await opened(stage, "w")
        await stage.press(key)
        await stage.until(lambda: stage.mux.focused == PaneId(focused) and stage.app.on_panes)


async def test_a_session_is_chosen(open_stage: Open) -> None:
    async with open_stage("sh", "-c", HELLO) as stage:
        await shells(stage)
        await opened(stage, "s")
        await stage.press("j", "enter")
        await stage.until(lambda: stage.mux.front is not None and stage.mux.front.session == "ops")


async def test_the_terminal_switches_to_another_workspace_that_is_chosen(
    open_stage: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    def is_there(workspace: str) -> bool:
        return True

    monkeypatch.setattr("fugue_tui.control.commands.clients._is_there", is_there)
    async with open_stage("sh", "-c", HELLO) as stage:
        switched = list[tuple[int, str]]()
        monkeypatch.setattr(stage.server.clients, "attached", lambda: (AttachedTerminal(7, Size(80, 24), latest=True),))

        def switch(client: int, workspace: str) -> None:
            switched.append((client, workspace))

        monkeypatch.setattr(stage.server.clients, "switch", switch)
        stage.mux.clients = stage.server.clients
        await opened(stage, "g")
        await stage.press(*"thesis", "enter")
        await stage.until(lambda: switched == [(7, "thesis")])


async def test_x_closes_after_a_question_and_the_list_stays(open_stage: Open) -> None:
    async with open_stage("sh", "-c", HELLO) as stage:
        await shells(stage)
        finder = await opened(stage, "w")
        await stage.press("x")
        await stage.until(lambda: isinstance(stage.app.screen, Confirm))
        assert "Close window web with 2 panes?" in stage.text
        await stage.press("n")
        assert stage.app.screen is finder
        await stage.press("x")
        await stage.until(lambda: isinstance(stage.app.screen, Confirm))
        await stage.press("y")
        await stage.until(lambda: stage.app.screen is finder and "web" not in "".join(listed(stage)))
        assert PaneId(2) not in stage.mux.terminals


async def test_an_ended_pane_is_closed_after_a_question_too(open_stage: Open) -> None:
    async with open_stage("sh", "-c", HELLO) as stage:
        stage.run(windows.CreateWindow(command=("sh", "-c", "exit 3"), name="gone", focus=True))
        await stage.until(lambda: stage.terminal(2).exit is not None)
        await stage.prefix("w")
        await stage.until(lambda: isinstance(stage.app.screen, FinderScreen))
        await stage.press("x")
        await stage.until(lambda: isinstance(stage.app.screen, Confirm))
        await stage.press("y")
        await stage.until(lambda: PaneId(2) not in stage.mux.terminals)


async def test_comma_renames_and_m_marks(open_stage: Open) -> None:
    async with open_stage("sh", "-c", HELLO) as stage:
        await shells(stage)
        finder = await opened(stage, "w")
        await stage.press("comma")
        await stage.until(lambda: isinstance(stage.app.screen, Ask))
        await stage.press(*["backspace"] * 3, *"site", "enter")
        await stage.until(lambda: stage.app.screen is finder and "2 site" in "".join(listed(stage)))
        await stage.press("m")
        assert stage.mux.user_options.marked == PaneId(3)
        await stage.press("M")
        assert stage.mux.user_options.marked is None
        await stage.press("escape")
        await opened(stage, "s")
        await stage.press("comma")
        await stage.until(lambda: isinstance(stage.app.screen, Ask))
        await stage.press(*["backspace"] * 4, *"home", "enter")
        await stage.until(lambda: "home*" in "".join(listed(stage)))


async def test_the_filter_is_left_for_the_list_and_the_list_for_the_panes(open_stage: Open) -> None:
    async with open_stage("sh", "-c", HELLO) as stage:
        await shells(stage)
        finder = await opened(stage, "w")
        await stage.press("slash", *"log")
        await stage.until(lambda: len(listed(stage)) == 2)
        assert "x closes" not in stage.text
        await stage.press("escape")
        await stage.until(lambda: len(listed(stage)) == 5)
        assert "x closes" in stage.text
        assert stage.app.screen is finder
        await stage.press("escape")
        await stage.until(lambda: stage.app.on_panes)


async def test_the_mouse_chooses_and_goes_there(open_stage: Open) -> None:
    async with open_stage("sh", "-c", HELLO) as stage:
        await shells(stage)
        finder = await opened(stage, "w")
        await stage.pilot.click(RowList, offset=(8, 1))
        assert finder.key == "@1"
        await stage.pilot.click(RowList, offset=(8, 1), times=2)
        await stage.until(lambda: stage.mux.focused == PaneId(1) and stage.app.on_panes)


# The preview


async def test_the_preview_is_live(open_stage: Open) -> None:
    async with open_stage("sh", "-c", HELLO) as stage:
        await shells(stage)
        await opened(stage, "w")
        await stage.press("up")
        await stage.until(lambda: "Hello from pane" in stage.text.partition("cat · 1 pane")[2])
        stage.terminal(1).receive(memoryview(b"\r\nnews of the day"))
        await stage.until(lambda: "news of the day" in stage.text.partition("cat · 1 pane")[2])


async def test_a_window_is_previewed_with_all_of_its_panes(open_stage: Open) -> None:
    async with open_stage("sh", "-c", HELLO) as stage:
        await shells(stage)
        await opened(stage, "w")
        await stage.until(lambda: stage.text.partition("web · 2 panes")[2].count("Hello from pane") == 2)


async def test_what_changes_meanwhile_is_listed(open_stage: Open) -> None:
    async with open_stage("sh", "-c", HELLO) as stage:
        await opened(stage, "w")
        stage.run(windows.CreateWindow(command=("cat",), name="late", focus=False))
        await stage.until(lambda: any("2 late" in row for row in listed(stage)))


@pytest.mark.parametrize(("cols", "rows"), [(1, 1), (2, 40), (30, 3), (300, 2)])
async def test_it_opens_at_any_size(open_stage: Open, cols: int, rows: int) -> None:
    async with open_stage("sh", "-c", HELLO, cols=cols, rows=rows) as stage:
        await stage.prefix("g")
        await stage.until(lambda: isinstance(stage.app.screen, FinderScreen))
        await stage.press("a", "down", "tab", "escape")
        await stage.until(lambda: stage.app.on_panes)


# What is known of panes


async def test_a_pane_is_known_by_its_directory_and_its_last_command(open_stage: Open) -> None:
    line = (
        "cd $HOME; mkdir a; cd a; printf '\\033]133;A\\007$ \\033]133;B\\007make\\r\\n\\033]133;C\\007';"
        "printf 'no rule\\r\\n\\033]133;D;2\\007\\033]133;A\\007$ \\033]133;B\\007'; printf ready; exec cat"
    )
    async with open_stage("sh", "-c", line) as stage:
        await stage.until_text("ready")
        (known,) = facts(stage.mux.terminals).values()
        assert known.cwd == "~/a"
        assert known.command.startswith("$ ")


async def test_a_floating_pane_is_listed_and_previewed_over_the_others(open_stage: Open) -> None:
    async with open_stage("sh", "-c", HELLO) as stage:
        await stage.until_text("Hello")
        stage.run(
            panes.SplitPane(place=Placement.FLOATING, command=("sh", "-c", "printf afloat; exec cat"), name="over")
        )
        await stage.until_text("afloat", pane=2)
        await opened(stage, "g")
        assert any("%2 over" in row for row in listed(stage))
        await stage.until(lambda: "afloat" in stage.text.partition("2 panes")[2].partition("Hello")[2])
