"""Pictures of every screen, at three sizes and on a dark and a light terminal."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from tests.tui.conftest import CALM, Stage, use_light_terminal
from tests.tui.test_snapshots import Picture, four
from tests.tui.test_snapshots import picture as picture
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Input

from fugue_tui.config.model import Config, UiSettings
from fugue_tui.control.command_table import floating_panes, layouts, panes, windows
from fugue_tui.control.keymap import Action, binding
from fugue_tui_widgets.approval_dialog import ApprovalDialog
from fugue_tui_widgets.buffer_screen import BufferRow, BufferScreen
from fugue_tui_widgets.dialogs import Page
from fugue_tui_widgets.paste_dialog import PasteDialog
from fugue_tui_widgets.restore_dialog import RestoreDialog

pytestmark = pytest.mark.slow

COMMAND = "rm -rf build && cmake -B build -DCMAKE_BUILD_TYPE=Release && cmake --build build --parallel 8"
Scene = Callable[[Stage], Awaitable[object]]


async def pressed(stage: Stage, *keys: str, then: tuple[str, ...] = (), seen: str = "") -> None:
    """Four panes, and what keys after the prefix show, and further keys in a dialog."""
    await four(stage)
    await stage.prefix(*keys)
    if then:
        await stage.until(lambda: not stage.app.on_panes)
        await stage.press(*then)
    await stage.until(lambda: seen in stage.text)
    for entry in stage.app.screen.query(Input):
        entry.cursor_blink = False


async def found_everywhere(stage: Stage) -> None:
    """A text in the search of all panes, with its preview where there is room for one."""
    await pressed(stage, "slash", *"Hello", seen="Hello from")
    await stage.until(lambda: "on the screen" in stage.text or stage.app.size.height < 16)


async def three_windows(stage: Stage) -> None:
    for name in ("logs", "mail"):
        stage.run(windows.CreateWindow(command=("cat",), name=name, focus=False))
    await pressed(stage, "w")


async def zoomed(stage: Stage) -> None:
    await four(stage)
    stage.run(panes.ZoomPane())


async def floating(stage: Stage) -> None:
    await four(stage)
    stage.run(floating_panes.FloatPane(pane="%2"))


async def stacked(stage: Stage) -> None:
    await four(stage)
    stage.run(layouts.StackPanes(pane="%1"))


async def themes(stage: Stage) -> None:
    await four(stage)
    stage.app.actions.run(binding(Action.CHOOSE_THEME))
    await stage.until(lambda: "solarized" in stage.text or stage.app.size.height < 20)


async def ended(stage: Stage) -> None:
    await four(stage)
    stage.run(panes.SplitPane(pane="%1", command=("sh", "-c", "printf 'make: *** no rule'; exit 2"), name="make"))
    await stage.until(lambda: any(terminal.exit for terminal in stage.mux.terminals.values()))


def opened(make: Callable[[], Screen[Any]]) -> Scene:
    """Four panes below a dialog."""

    async def scene(stage: Stage) -> None:
        await four(stage)
        await stage.app.push_screen(make())

    return scene


SAVED = [("1 work", "vim notes.md, bash"), ("2 logs", "journalctl -f"), ("3 a name of some length", "htop, bash, bash")]
BUFFERS = [
    BufferRow(f"buffer{n}", "12:00 27 characters", "words that were copied", "words\nthat were\ncopied") for n in (1, 0)
]


async def restore(stage: Stage) -> None:
    heading = "main, saved 2 hours ago: 3 windows, 6 panes"
    await opened(lambda: RestoreDialog(heading, SAVED, ["no htop"], guard=0.0))(stage)
    await stage.until(lambda: "brings it back" in stage.text)


SCREENS: dict[str, Scene] = {
    "panes": four,
    "zoomed": zoomed,
    "copy mode": lambda stage: pressed(stage, "left_square_bracket", "v", "h", "h", seen="selecting"),
    "synchronized": lambda stage: pressed(stage, "Y", seen="input to"),
    "ended": ended,
    "resize mode": lambda stage: pressed(stage, "plus", seen="RESIZE"),
    "help": lambda stage: pressed(stage, "question_mark", seen="split: side by side"),
    "search in help": lambda stage: pressed(stage, "question_mark", "slash", *"zoom", seen="zoom the pane"),
    "palette": lambda stage: pressed(stage, "p", seen="new window"),
    "windows": three_windows,
    "rename": lambda stage: pressed(stage, "comma"),
    "command line": lambda stage: pressed(stage, "colon", *"split", "tab", seen="split-pane"),
    "floating": floating,
    "stack": stacked,
    "pane numbers": lambda stage: pressed(stage, "q"),
    "menu": lambda stage: pressed(stage, "greater_than_sign", seen="copy mode"),
    "go to": lambda stage: pressed(stage, "g", seen="go to"),
    "search everywhere": found_everywhere,
    "tools": lambda stage: pressed(stage, "k", seen="no MCP server"),
    "task form": lambda stage: pressed(stage, "t", then=("a",), seen="title"),
    "themes": themes,
    "question": lambda stage: pressed(stage, "x", seen="yes"),
    "agents": lambda stage: pressed(stage, "A", seen="No agent"),
    "tasks": lambda stage: pressed(stage, "t", seen="no tasks"),
    "page": opened(lambda: Page("messages", Content("12:01:00  closed pane %4\n12:00:00  configuration reloaded"))),
    "buffers": opened(lambda: BufferScreen(BUFFERS, lambda name: BUFFERS)),
    "approval": opened(
        lambda: ApprovalDialog("claude wants to run in %2 (hello)", COMMAND, [("once", "Yes, once")], 2)
    ),
    "paste": opened(lambda: PasteDialog("Paste into the shell of %1?", "$ ls\n$ pwd", "ls\npwd")),
    "restore": restore,
}


@pytest.mark.parametrize(("cols", "rows"), [(40, 12), (80, 24), (120, 36)])
@pytest.mark.parametrize("background", ["dark", "light"])
@pytest.mark.parametrize("name", SCREENS)
def test_screens(
    picture: Picture, monkeypatch: pytest.MonkeyPatch, name: str, background: str, cols: int, rows: int
) -> None:
    monkeypatch.chdir("/")  # Lists show directories.
    if background == "light":
        use_light_terminal(monkeypatch)

    async def script(stage: Stage) -> None:
        await SCREENS[name](stage)

    assert picture(script, cols, rows, CALM)


@pytest.mark.parametrize(("cols", "rows"), [(40, 12), (80, 24), (120, 36)])
@pytest.mark.parametrize("background", ["dark", "light"])
def test_the_panel_of_keys(
    picture: Picture, monkeypatch: pytest.MonkeyPatch, background: str, cols: int, rows: int
) -> None:
    if background == "light":
        use_light_terminal(monkeypatch)

    async def script(stage: Stage) -> None:
        await pressed(stage, seen="and then")

    assert picture(script, cols, rows, Config(ui=UiSettings(which_key_delay_ms=1)))


@pytest.mark.parametrize(("cols", "rows"), [(40, 12), (80, 24)])
def test_the_last_page_of_the_panel_of_keys(picture: Picture, cols: int, rows: int) -> None:
    async def script(stage: Stage) -> None:
        await pressed(stage, seen="1 of ")
        while "end everything" not in stage.text:
            await stage.press("tab")
        assert "1 of" not in stage.text

    assert picture(script, cols, rows, Config(ui=UiSettings(which_key_delay_ms=1)))


@pytest.mark.parametrize("theme", ["ansi-dark", "ansi-light"])
def test_sixteen_colours(picture: Picture, monkeypatch: pytest.MonkeyPatch, theme: str) -> None:
    if theme == "ansi-light":
        use_light_terminal(monkeypatch)

    async def script(stage: Stage) -> None:
        await pressed(stage, "p", seen="new window")

    config = Config(ui=UiSettings(theme=theme, which_key_delay_ms=10_000))  # pyright: ignore[reportArgumentType]
    assert picture(script, 80, 24, config)
