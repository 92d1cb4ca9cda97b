"""The palette of MCP servers' tools: find one, fill in its form, see its result, and answer what a server asks."""

import os
from pathlib import Path

import pytest
from tests.mcp.client.conftest import small
from tests.tui.conftest import Open, Stage
from tests.tui.test_snapshots import Picture
from tests.tui.test_snapshots import picture as picture
from textual.widgets import Input

from fugue_tui.config.model import McpSettings
from fugue_tui.config.servers import ServerSettings
from fugue_tui.control.commands.call_server import CallServer
from fugue_tui.control.commands.mcp_servers import ConnectServer
from fugue_tui.control.core.command import USER, Command
from fugue_tui.control.core.deferred import is_deferred
from fugue_tui.ids import PaneId
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


async def with_server(stage: Stage, *flags: str, started: bool = True) -> None:
    """Configure a server, which runs already if `started`."""
    stage.mux.connect_mcp = ConnectionPool
    stage.mux.permissions = McpSettings(servers={"small": small(*flags)})
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


async def test_without_a_server_it_says_where_servers_come_from(open_stage: Open) -> None:
    async with open_stage(cols=110, rows=34) as stage:
        await found(stage, "x")
        await stage.until(lambda: all(word in stage.text for word in ("no MCP server", "import-servers")))
        assert not stage.app.screen.query_one("#preview").visible


async def test_there_is_a_preview_only_where_something_is_found(open_stage: Open) -> None:
    async with open_stage(cols=110, rows=34) as stage:
        await with_server(stage)
        await found(stage, "echo")
        preview = stage.app.screen.query_one("#preview")
        await stage.until(lambda: preview.visible and "tool of small" in stage.text)
        await stage.press(*" nothing")
        await stage.until(lambda: not preview.visible)
        await stage.press(*["backspace"] * 8)
        await stage.until(lambda: preview.visible and "tool of small" in stage.text)


async def test_opening_it_starts_the_servers_and_lists_what_they_offer(open_stage: Open) -> None:
    async with open_stage(cols=110, rows=34) as stage:
        await with_server(stage, started=False)
        await found(stage, "")
        await stage.until(lambda: stage.mux.mcp_servers.status("small").state is ServerState.CONNECTED)
        await stage.until(lambda: "small 7" in stage.text)
        assert "remove  destroy  Remove something." in stage.text


async def test_the_cursor_stays_at_the_top_while_servers_start(open_stage: Open) -> None:
    async with open_stage(cols=110, rows=34) as stage:
        await with_server(stage)
        stage.mux.permissions = McpSettings(servers={"small": small(), "first": small()})
        stage.mux.on_permissions()
        await found(stage, "")
        await stage.until(lambda: "first  small 7" in stage.text)
        palette = stage.app.screen
        assert isinstance(palette, FinderScreen)
        await stage.until(lambda: palette.key.startswith("first "))
        await stage.press("down")
        chosen = palette.key
        stage.mux.mcp_servers.on_change("small")
        assert palette.key == chosen


async def test_a_call_shows_its_progress_and_is_cancelled_by_the_prefix_and_escape(
    open_stage: Open, tmp_path: Path
) -> None:
    async with open_stage(cols=100, rows=30) as stage:
        await with_server(stage)
        await formed(stage, "hang")
        await stage.press(*str(tmp_path / "flag"), "enter")
        await stage.until(lambda: "call-server: half of it" in stage.text)
        await stage.prefix("escape")
        await stage.until(lambda: (tmp_path / "flag-cancelled").exists())
        await formed(stage, "echo")
        await stage.press(*"still here", "ctrl+s")
        await shown(stage, "still here")


async def test_what_a_tool_says_of_its_failure_is_shown_as_an_error(open_stage: Open) -> None:
    async with open_stage(cols=100, rows=30) as stage:
        await with_server(stage)
        await found(stage, "fail")
        await stage.press("enter")
        await shown(stage, "Error executing tool fail")
        assert stage.app.screen.query("ResultView.-error")


async def test_an_object_within_the_arguments_has_fields_of_its_own(open_stage: Open) -> None:
    async with open_stage(cols=100, rows=30) as stage:
        await with_server(stage)
        form = await formed(stage, "replace")
        await stage.press(*"a", "tab", *"b", "ctrl+s")
        await shown(stage, "a to b, 1 times")
        assert set(form.written) == {("edit", "old"), ("edit", "new"), ("edit", "count")}


async def test_panes_are_used_while_a_server_hangs_and_others_flood(open_stage: Open) -> None:
    async with open_stage("cat", cols=100, rows=30) as stage:
        await with_server(stage)
        servers = {
            "small": small(),
            "hangs": ServerSettings(command="sleep", args=("600",)),
            "floods": ServerSettings(command="yes"),
            "prints": ServerSettings(command="sh", args=("-c", "yes >&2")),
        }
        stage.mux.permissions = McpSettings(servers=servers)
        stage.mux.on_permissions()
        for name in ("hangs", "floods", "prints"):
            stage.app.dispatcher.run(ConnectServer(server=name), USER)
        status = stage.mux.mcp_servers.status
        await stage.until(lambda: len(stage.mux.mcp_servers.log("prints")) == 1_000)
        await stage.until(lambda: len(stage.mux.mcp_servers.log("floods")) == 1_000)
        await stage.press(*"typed", "enter")
        await stage.until_text("typed")
        assert status("hangs").state is ServerState.STARTING
        await formed(stage, "small echo")
        await stage.press(*"hi there", "ctrl+s")
        await shown(stage, "hi there")


@pytest.fixture
def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file with the addresses that were opened, a line each, once there is one."""
    opener, found = tmp_path / "xdg-open", tmp_path / "opened"
    opener.write_text(f'#!/bin/sh\necho "$1" >>{found}\n')
    opener.chmod(0o700)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    return found


async def test_a_log_in_asks_before_it_opens_the_page(open_stage: Open, opened: Path) -> None:
    page = "http://127.0.0.1:9/authorize?a=b"
    async with open_stage(cols=100, rows=30) as stage:
        await with_server(stage)
        stage.mux.mcp_servers.authorize("small", page)
        await stage.until(lambda: "Log in to the MCP server small? This opens" in stage.text)
        await stage.press("n")
        await stage.until(lambda: "is on the clipboard" in stage.text)
        assert stage.mux.clipboard.text == page
        stage.mux.mcp_servers.authorize("small", page)
        await stage.until(lambda: "Log in to the MCP server small?" in stage.text)
        await stage.press("y")
        await stage.until(opened.exists)
        await stage.until(lambda: opened.read_text() == f"{page}\n")


async def test_where_no_browser_opens_the_address_to_log_in_is_shown_whole_and_in_a_paste_buffer(
    open_stage: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = f"http://127.0.0.1:9/authorize?state={'a' * 200}&end=here"
    async with open_stage(cols=100, rows=30) as stage:
        await with_server(stage)
        monkeypatch.setenv("PATH", str(tmp_path))
        stage.mux.mcp_servers.authorize("small", page)
        await stage.until(lambda: "Log in to the MCP server small? This opens" in stage.text)
        await stage.press("y")
        await stage.until(lambda: "copy the address instead" in stage.text)
        assert page in "".join(line.strip(" │┃▊▎") for line in stage.text.splitlines())
        assert "ssh -L" in stage.text
        assert [each.text for each in stage.mux.clipboard.entries] == [page]
        assert stage.mux.mcp_servers.status("small").shown is ServerState.LOGIN
        await stage.press("escape")
        await found(stage, "")
        await stage.until(lambda: "small 7  it waits for you to log in" in stage.text)


@pytest.mark.parametrize("flags", [(), ("--legacy",)])
async def test_a_new_tool_appears_in_the_open_palette(open_stage: Open, flags: tuple[str, ...]) -> None:
    async with open_stage(cols=110, rows=34) as stage:
        await with_server(stage, *flags)
        await found(stage, "grown")
        palette = stage.app.screen
        assert isinstance(palette, FinderScreen)
        assert palette.key == ""
        stage.app.dispatcher.run(CallServer(server="small", tool="grow"), USER)
        await stage.until(lambda: "A new tool." in stage.text)
        assert stage.app.screen is palette
        await stage.press("enter")
        await shown(stage, "grown")


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


def test_snapshot_of_a_form_with_several_choices(picture: Picture) -> None:
    async def scene(stage: Stage) -> None:
        await with_server(stage)
        form = await formed(stage, "paint")
        await stage.press("space", "down", "space", "down")
        await stage.until(lambda: form.written["colours",] == '["red", "green"]')
        steady(stage)

    assert picture(scene, 110, 34)


def test_snapshot_of_values_of_an_argument(picture: Picture) -> None:
    async def scene(stage: Stage) -> None:
        await with_server(stage)
        await found(stage, "review", tabs=2)
        await stage.press("enter")
        await stage.until(lambda: isinstance(stage.app.screen, SchemaForm))
        await stage.press(*"x=1", "tab", *"sho")
        await stage.until(lambda: "short · shortest" in stage.text)
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


async def test_a_text_that_is_all_of_the_structure_is_shown_once(open_stage: Open) -> None:
    async with open_stage(cols=100, rows=30) as stage:
        await with_server(stage)
        await formed(stage, "echo")
        await stage.press(*"# Once", "ctrl+s")
        await shown(stage, "Once")
        await stage.until(lambda: stage.text.count("Once") == 1)
        assert "result" not in stage.text


async def test_several_choices_are_taken_and_a_list_of_objects_is_checked(open_stage: Open) -> None:
    async with open_stage(cols=100, rows=30) as stage:
        await with_server(stage)
        await formed(stage, "paint")
        await stage.press("space", "down", "down", "down", "space", "tab", *'[{"old": "a"}]', "ctrl+s")
        await stage.until(lambda: "edits 0: new is missing" in stage.text)
        await stage.press("backspace", "backspace", *', "new": "b"}]', "enter")
        await shown(stage, "red+sea green, dark [('a', 'b', 1)]")
        await stage.press("r")
        await stage.until(lambda: isinstance(stage.app.screen, SchemaForm))
        form = stage.app.screen
        assert isinstance(form, SchemaForm)
        await stage.until(lambda: form.written["colours",] == '["red", "sea green, dark"]')


async def test_values_of_a_prompts_argument_are_offered(open_stage: Open) -> None:
    async with open_stage(cols=110, rows=30) as stage:
        await with_server(stage)
        await found(stage, "review", tabs=2)
        await stage.press("enter")
        await stage.until(lambda: isinstance(stage.app.screen, SchemaForm))
        await stage.press(*"x=1", "tab")
        await stage.until(lambda: "long · short · shortest · short for x=1" in stage.text)
        await stage.press(*"shorte")
        await stage.until(lambda: "shortest   (→" in stage.text)
        await stage.press("ctrl+@", "enter")
        await shown(stage, "Review shortest: x=1")


async def test_a_server_that_hangs_while_it_completes_does_not_hold_up_the_form(open_stage: Open) -> None:
    async with open_stage(cols=110, rows=30) as stage:
        await with_server(stage)
        await found(stage, "review", tabs=2)
        await stage.press("enter")
        await stage.until(lambda: isinstance(stage.app.screen, SchemaForm))
        await stage.press(*"hang")
        await stage.until(lambda: bool(stage.app.commands._pending))  # pyright: ignore[reportPrivateUsage]
        await stage.press(*"ing", "enter")
        await shown(stage, "Review short: hanging")


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


async def test_every_value_of_the_pane_is_what_it_names(open_stage: Open, tmp_path: Path) -> None:
    marks = (
        "printf '\\033]133;A\\007$ \\033]133;B\\007make\\r\\n\\033]133;C\\007built one\\r\\n\\033]133;D;0\\007';"
        "printf '\\033]133;A\\007$ \\033]133;B\\007ready'; exec cat"
    )
    (tmp_path / "note.txt").write_text("from a file")
    async with open_stage("sh", "-c", f"cd {tmp_path}; {marks}", cols=100, rows=30) as stage:
        await stage.until_text("ready")
        await stage.until(lambda: stage.mux.cwd(PaneId(1)) == str(tmp_path))
        await with_server(stage)
        await stage.drag((0, 1), (5, 1))
        await stage.until_text("built one")
        for written, said in (
            ("@cwd", str(tmp_path)),
            ("@last-command", "built one"),
            ("@selection", "built"),
            ("@file:note.txt", "from a file"),
        ):
            await formed(stage, "echo")
            await stage.press(*written, "ctrl+s")
            await shown(stage, said[:40])  # A long path goes on in the next row.
            assert stage.app.screen.query_one("#body").query("Markdown, Static").first() is not None
            await stage.press("c")
            await stage.until(lambda said=said: stage.mux.clipboard.text == said)
            await stage.press("escape")


async def test_a_result_is_saved_and_piped_into_a_command(open_stage: Open, tmp_path: Path) -> None:
    async with open_stage("cat", cols=100, rows=30) as stage:
        await with_server(stage)
        await formed(stage, "echo")
        await stage.press(*"kept words", "ctrl+s")
        await shown(stage, "kept words")
        await stage.press("s", *str(tmp_path / "a.txt"), "enter")
        await stage.until(lambda: (tmp_path / "a.txt").exists())
        assert (tmp_path / "a.txt").read_text() == "kept words"
        await stage.press("|", *f"tr k K >{tmp_path}/b.txt; echo piped", "enter")
        await stage.until_text("piped", pane=2)
        assert (tmp_path / "b.txt").read_text() == "Kept words"
        assert len(stage.mux.workspace.panes) == 2


async def test_a_link_in_a_result_is_read_from_its_server_alone(open_stage: Open) -> None:
    async with open_stage("cat", cols=100, rows=30) as stage:
        await with_server(stage)
        await found(stage, "links")
        await stage.press("enter")
        await shown(stage, "file:///etc/shadow", "javascript:alert(1)", "small://note", "read me")
        assert "\x1b" not in stage.text
        await stage.press("tab", "enter")
        await stage.until(lambda: "read-resource: small: " in stage.text)
        assert "root:" not in stage.text
        await stage.press("tab", "tab", "enter")
        await shown(stage, "the note")


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


async def test_a_page_that_a_server_wants_opened_is_shown_first_and_is_a_page(open_stage: Open, opened: Path) -> None:
    async with open_stage(cols=100, rows=30) as stage:
        await with_server(stage, "--legacy")
        for url, key, said in (
            ("http://127.0.0.1:9/confirm", "y", "accept"),
            ("http://127.0.0.1:9/other", "n", "decline"),
            ("javascript:alert(1)", "y", "cancel"),
        ):
            await formed(stage, "visit")
            await stage.press(*url, "enter")
            await stage.until(lambda url=url: "Please confirm there." in stage.text and f"Open {url}?" in stage.text)
            await stage.press(key)
            await shown(stage, said)
            await stage.press("escape")
        assert opened.read_text() == "http://127.0.0.1:9/confirm\n"


async def test_what_a_server_writes_on_stderr_is_seen_in_a_pane_on_request(open_stage: Open) -> None:
    async with open_stage("cat", cols=100, rows=30) as stage:
        await with_server(stage)
        await stage.prefix(":")
        await stage.press(*"show-server-log small", "enter")
        await stage.until(lambda: "the MCP server small has logged nothing" in stage.text)
        stage.app.dispatcher.run(CallServer(server="small", tool="stderr", arguments={"lines": 3}), USER)
        await stage.until(lambda: all(f"line {number}" in stage.text for number in range(3)))


async def test_it_fits_a_small_screen(open_stage: Open) -> None:
    async with open_stage(cols=40, rows=12) as stage:
        await with_server(stage)
        await formed(stage, "echo")
        await stage.press(*"hi", "ctrl+s")
        await shown(stage, "hi")
        await stage.pilot.resize_terminal(1, 1)
        await stage.pilot.resize_terminal(40, 12)
        await stage.until(lambda: "hi" in stage.text)
