"""The palette of MCP servers' tools: find one, fill in its form, see its result, and answer what a server asks."""

import pytest
from tests.mcp.client.conftest import small
from tests.tui.conftest import Open, Stage
from tests.tui.test_snapshots import Picture
from tests.tui.test_snapshots import picture as picture
from textual.widgets import Input

from fugue_tui.config.model import McpSettings
from fugue_tui.control.commands.mcp_servers import ConnectServer
from fugue_tui.control.core.command import USER, Command
from fugue_tui.control.core.deferred import is_deferred
from fugue_tui.multiplexer.mcp_servers.model import ServerState
from fugue_tui_mcp.client.pool import ConnectionPool
from fugue_tui_widgets.finder_screen import FinderScreen
from fugue_tui_widgets.result_view import ResultScreen
from fugue_tui_widgets.schema_form import SchemaForm

pytestmark = pytest.mark.slow


async def result_of(stage: Stage, command: Command[object]) -> object:
    """Run a command, and wait for its result."""
    later = stage.app.dispatcher.run(command, USER)
    assert is_deferred(later)
    await stage.until(lambda: later.done)
    return later.result()


async def with_server(stage: Stage, *, started: bool = True) -> None:
    """Configure a server, which runs already if `started`."""
    stage.mux.connect_mcp = ConnectionPool
    stage.mux.permissions = McpSettings(servers={"small": small()})
    stage.mux.on_permissions()
    if started:
        await result_of(stage, ConnectServer(server="small"))


async def found(stage: Stage, words: str, *, tabs: int = 0) -> None:
    """Open the palette by its key, and type words into it."""
    await stage.prefix("k")
    await stage.until(lambda: isinstance(stage.app.screen, FinderScreen))
    await stage.press(*["tab"] * tabs, *words)


async def formed(stage: Stage, words: str) -> SchemaForm:
    """The form of what is found first."""
    await found(stage, words)
    await stage.press("enter")
    await stage.until(lambda: isinstance(stage.app.screen, SchemaForm))
    assert isinstance(stage.app.screen, SchemaForm)
    return stage.app.screen


def steady(stage: Stage) -> None:
    """Have no cursor blink in a picture."""
    for entry in stage.app.screen.query(Input):
        entry.cursor_blink = False


async def shown(stage: Stage, *words: str) -> None:
    """Wait for a result with these words."""
    await stage.until(lambda: isinstance(stage.app.screen, ResultScreen))
    await stage.until(lambda: all(word in stage.text for word in words))


async def test_opening_it_starts_the_servers_and_lists_what_they_offer(open_stage: Open) -> None:
    async with open_stage(cols=110, rows=34) as stage:
        await with_server(stage, started=False)
        await found(stage, "")
        await stage.until(lambda: stage.mux.mcp_servers.status("small").state is ServerState.CONNECTED)
        await stage.until(lambda: "small 7" in stage.text)
        assert "remove  destroy  Remove something." in stage.text


def test_snapshot_of_the_palette(picture: Picture) -> None:
    async def scene(stage: Stage) -> None:
        await with_server(stage)
        await found(stage, "")
        await stage.until(lambda: "small 7" in stage.text)
        steady(stage)

    assert picture(scene, 110, 34)


def test_snapshot_of_a_form_with_a_fault(picture: Picture) -> None:
    async def scene(stage: Stage) -> None:
        await with_server(stage)
        await formed(stage, "weather")
        await stage.press("ctrl+s")
        await stage.until(lambda: "city is missing" in stage.text)
        steady(stage)

    assert picture(scene, 110, 34)


def test_snapshot_of_a_result(picture: Picture) -> None:
    async def scene(stage: Stage) -> None:
        await with_server(stage)
        await formed(stage, "weather")
        await stage.press(*"Rome", "ctrl+s")
        await shown(stage, "degrees 21.5")

    assert picture(scene, 110, 34)


def test_snapshot_of_what_a_server_asks(picture: Picture) -> None:
    async def scene(stage: Stage) -> None:
        await with_server(stage)
        await found(stage, "greet")
        await stage.press("enter")
        await stage.until(lambda: "Who are you?" in stage.text and "call-server: running" in stage.text)
        steady(stage)

    assert picture(scene, 100, 30)


async def test_a_tool_is_found_filled_in_and_run(open_stage: Open) -> None:
    async with open_stage(cols=100, rows=30) as stage:
        await with_server(stage)
        form = await formed(stage, "echo")
        assert [entry.value for entry in form.query(Input)] == ["", "1"]
        await stage.press(*"hello", "tab", "backspace", "2", "enter")
        await shown(stage, "hellohello")
        await stage.press("c")
        await stage.until(lambda: stage.mux.clipboard.text == "hellohello")


async def test_the_last_call_stands_first_and_is_filled_in_again(open_stage: Open) -> None:
    async with open_stage(cols=100, rows=30) as stage:
        await with_server(stage)
        await formed(stage, "echo")
        await stage.press(*"again", "ctrl+s")
        await shown(stage, "again")
        await stage.press("escape")
        await found(stage, "")
        await stage.until(lambda: "text=again" in stage.text)
        await stage.press("enter")
        await stage.until(lambda: isinstance(stage.app.screen, SchemaForm))
        await stage.until(lambda: stage.app.screen.query(Input).first().value == "again")


async def test_values_of_the_pane_stand_for_what_they_name(open_stage: Open) -> None:
    async with open_stage("sh", "-c", "printf 'shown in the pane'; cat", cols=100, rows=30) as stage:
        await stage.until_text("shown in the pane")
        await with_server(stage)
        await formed(stage, "echo")
        await stage.press(*"@pane", "ctrl+s")
        await shown(stage, "shown in the pane")
        await stage.press("escape")
        await formed(stage, "echo")
        await stage.press(*"@@pane", "ctrl+s")
        await shown(stage, "@pane")
        await stage.press("escape")
        await formed(stage, "echo")
        await stage.press(*"@file:/no/such/file", "ctrl+s")
        await stage.until(lambda: "No such file" in stage.text)


async def test_a_tool_that_destroys_is_confirmed(open_stage: Open) -> None:
    async with open_stage(cols=100, rows=30) as stage:
        await with_server(stage)
        await formed(stage, "remove")
        await stage.press(*"x", "ctrl+s")
        await stage.until(lambda: "It may delete or overwrite something" in stage.text)
        await stage.press("y")
        await shown(stage, "removed x")


async def test_a_result_goes_into_a_pane_and_the_text_of_one_is_pasted_and_not_run(open_stage: Open) -> None:
    async with open_stage("cat", cols=100, rows=30) as stage:
        await with_server(stage)
        await formed(stage, "echo")
        await stage.press(*"typed", "ctrl+s")
        await shown(stage, "typed")
        await stage.press("p")
        await stage.until_text("typed")
        await formed(stage, "weather")
        await stage.press(*"Oslo", "ctrl+s")
        await shown(stage, "Oslo")
        await stage.press("o")
        await stage.until(lambda: len(stage.mux.workspace.panes) == 2)
        await stage.until(lambda: "city Oslo" in stage.text)
        await stage.press("q")
        await stage.until(lambda: len(stage.mux.workspace.panes) == 1)


async def test_an_image_and_a_prompt_and_a_resource_are_shown(open_stage: Open) -> None:
    async with open_stage(cols=100, rows=30) as stage:
        await with_server(stage)
        await found(stage, "picture")
        await stage.press("enter")
        await shown(stage, "▀")
        await stage.press("escape")
        await found(stage, "greeting", tabs=3)
        await stage.press("enter")
        await stage.until(lambda: isinstance(stage.app.screen, SchemaForm))
        await stage.press(*"Ann", "enter")
        await shown(stage, "hello Ann")
        await stage.press("escape")
        await found(stage, "review", tabs=2)
        await stage.press("enter")
        await stage.until(lambda: isinstance(stage.app.screen, SchemaForm))
        await stage.press(*"x=1", "enter")
        await shown(stage, "Review short: x=1")


async def test_what_a_server_asks_opens_a_form(open_stage: Open) -> None:
    async with open_stage(cols=100, rows=30) as stage:
        await with_server(stage)
        await found(stage, "greet")
        await stage.press("enter")
        await stage.until(lambda: "Who are you?" in stage.text)
        await stage.press(*"Ann", "enter")
        await shown(stage, "hello Ann, 30")
        await stage.press("r")
        await stage.until(lambda: "Who are you?" in stage.text)
        await stage.press("ctrl+n")
        await shown(stage, "decline")


async def test_it_fits_a_small_screen(open_stage: Open) -> None:
    async with open_stage(cols=40, rows=12) as stage:
        await with_server(stage)
        await formed(stage, "echo")
        await stage.press(*"hi", "ctrl+s")
        await shown(stage, "hi")
        await stage.pilot.resize_terminal(1, 1)
        await stage.pilot.resize_terminal(40, 12)
        await stage.until(lambda: "hi" in stage.text)
