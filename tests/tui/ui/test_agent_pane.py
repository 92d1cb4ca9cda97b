"""The table of agents in a pane: its keys, the mouse, and whatever is done with panes."""

import pytest
from msgspec.structs import replace
from tests.tui.conftest import Open, Stage
from tests.tui.served_workspace import Serve
from tests.tui.served_workspace import serve as serve
from tests.tui.socket_clients import hello
from tests.tui.ui.test_agent_overview import order, report

from fugue_tui.control.agents.agent_monitor import AgentMonitor
from fugue_tui.control.command_table import panes, windows
from fugue_tui.control.commands.panes import ListPanes
from fugue_tui.control.commands.read_pane import ReadPane
from fugue_tui.control.commands.send_keys import SendInput
from fugue_tui.control.commands.show_agents import ShowAgents, TablePlace
from fugue_tui.control.commands.undo import UndoChange
from fugue_tui.control.core.command import Interface, Origin
from fugue_tui.control.core.new_pane import Direction
from fugue_tui.control.keymap import binding
from fugue_tui.errors import FugueError, Refused
from fugue_tui.geometry import Size
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer.restored_pane import RerunOffer
from fugue_tui_widgets.dialogs import Ask, Confirm
from fugue_tui_widgets.table_view import TableScreen, TableView

TABLE = PaneId(4)


async def opened(stage: Stage) -> TableView:
    """Two agents beside each other, and below them the table, which is focused: panes %2, %3 and %4."""
    AgentMonitor(stage.mux)
    for name in ("writer", "tests"):
        stage.run(panes.SplitPane(direction=Direction.HORIZONTAL, command=("cat",), name=name, cwd="/"))
    report(stage, 2, "state=working:app=codex:title=Zml4IHRoZSBwYXJzZXI=")
    report(stage, 3, "state=blocked:app=claude:kind=permission:msg=YXBwcm92ZSBCYXNoOiBtYWtl")
    await stage.until(lambda: len(stage.mux.agents.statuses) == 2)
    stage.run(ShowAgents(place=TablePlace.SPLIT, direction=Direction.DOWN, pane="%1"))
    stage.run(panes.SwapPane(pane="%4", other="%1"))
    stage.run(panes.FocusPane(pane="%4"))
    await stage.until(lambda: "2 agents" in stage.text)
    return table(stage)


def table(stage: Stage) -> TableView:
    view = stage.app.grid.contents[TABLE]
    assert isinstance(view, TableView)
    return view


def chosen(stage: Stage) -> str:
    row = table(stage).chosen
    return row.key if row is not None else ""


def is_followed(stage: Stage) -> bool:
    """Whether a table is kept up to date."""
    return stage.app.actions.agents.follows


async def test_keys_are_for_the_table_while_it_has_the_focus(open_stage: Open) -> None:
    async with open_stage(cols=100, rows=30) as stage:
        await opened(stage)
        assert order(stage) == ["claude", "codex"]
        assert chosen(stage) == "%3"
        await stage.press("j")
        assert chosen(stage) == "%2"
        await stage.press("k", "down", "up", "end")
        assert chosen(stage) == "%2"
        await stage.press("s")
        await stage.until(lambda: "by pane" in stage.text and order(stage) == ["codex", "claude"])
        assert chosen(stage) == "%2", "the cursor stays on its row"
        await stage.press("enter")
        await stage.until(lambda: stage.mux.focused == PaneId(2))
        await stage.press("j")
        await stage.until(lambda: "j" in stage.pane_text(2))
        assert chosen(stage) == "%2"


async def test_it_names_as_many_keys_as_fit_below_it(open_stage: Open) -> None:
    async with open_stage(cols=80, rows=24) as stage:
        await opened(stage)
        stage.run(panes.ZoomPane(pane="%4"))
        few = "2 agents, 1 waits · Enter goes there · a answers · i interrupts · x stops"
        await stage.until(lambda: f"{few}\n" in stage.text)
        await stage.pilot.resize_terminal(120, 24)
        await stage.until(lambda: f"{few} · R restarts · s sorts · / filters\n" in stage.text)


async def test_the_prefix_works_in_the_table(open_stage: Open) -> None:
    async with open_stage(cols=100, rows=30) as stage:
        await opened(stage)
        await stage.prefix("z")
        await stage.until(lambda: stage.mux.window_of(TABLE).zoomed and table(stage).region.height == 28)
        await stage.prefix("z")
        await stage.prefix("ctrl+b")
        await stage.press("j")
        assert chosen(stage) == "%2", "the prefix pressed twice is a key for the table"
        await stage.prefix(";")
        await stage.until(lambda: stage.mux.focused != TABLE)
        await stage.prefix(";")
        await stage.until(lambda: stage.mux.focused == TABLE and stage.app.base.focused is table(stage))


async def test_the_filter_gets_every_letter(open_stage: Open) -> None:
    async with open_stage(cols=100, rows=30) as stage:
        await opened(stage)
        await stage.press("slash", *"parse")
        await stage.until(lambda: order(stage) == ["codex"] and "1 shown" in stage.text)
        await stage.press("x", "q")
        await stage.until(lambda: order(stage) == [])
        await stage.press("escape")
        await stage.until(lambda: len(order(stage)) == 2 and stage.app.base.focused is table(stage))
        await stage.press("escape")
        assert TABLE in stage.mux.workspace.panes


async def test_a_paste_goes_to_the_filter_or_nowhere(open_stage: Open) -> None:
    from textual.events import Paste

    async with open_stage(cols=100, rows=30) as stage:
        await opened(stage)
        stage.app.post_message(Paste("nowhere"))
        await stage.press("slash")
        stage.app.post_message(Paste("parser"))
        await stage.until(lambda: order(stage) == ["codex"])


async def test_a_click_chooses_and_a_double_click_goes_there(open_stage: Open) -> None:
    async with open_stage(cols=100, rows=30) as stage:
        await opened(stage)
        stage.run(panes.FocusPane(pane="%1"))
        await stage.until(lambda: stage.app.base.focused is stage.view(1))
        y = next(y for y, line in enumerate(stage.text.splitlines()) if " codex " in line and "%2" in line)
        x = table(stage).region.x + 4
        await stage.pilot.click(offset=(x, y))
        await stage.until(lambda: stage.mux.focused == TABLE and chosen(stage) == "%2")
        await stage.pilot.click(offset=(x, y), times=2)
        await stage.until(lambda: stage.mux.focused == PaneId(2))


async def test_an_answer_is_typed_into_the_pane_of_the_agent(open_stage: Open) -> None:
    async with open_stage(cols=100, rows=30) as stage:
        await opened(stage)
        await stage.press("a")
        await stage.until(lambda: isinstance(stage.app.screen, Ask))
        await stage.press(*"yes", "enter")
        await stage.until(lambda: "yes" in stage.pane_text(3) and stage.app.on_panes)
        assert stage.app.base.focused is table(stage)


@pytest.mark.parametrize(("key", "words"), [("x", "End the agent"), ("R", "Restart the agent")])
async def test_what_ends_an_agent_asks_first(open_stage: Open, key: str, words: str) -> None:
    async with open_stage(cols=100, rows=30) as stage:
        await opened(stage)
        await stage.press(key)
        await stage.until(lambda: isinstance(stage.app.screen, Confirm) and words in stage.text)
        await stage.press("n")
        await stage.until(lambda: stage.app.on_panes)
        assert stage.mux.runs(PaneId(3))


async def test_an_agent_is_stopped(open_stage: Open) -> None:
    async with open_stage(cols=100, rows=30) as stage:
        await opened(stage)
        stage.mux.agents.set_program(PaneId(3), "claude")
        await stage.press("x")
        await stage.until(lambda: isinstance(stage.app.screen, Confirm))
        await stage.press("y")
        await stage.until(lambda: not stage.mux.terminals.get(PaneId(3)) or not stage.mux.runs(PaneId(3)))


async def test_the_overlay_is_kept_as_a_pane(open_stage: Open) -> None:
    async with open_stage(cols=100, rows=30) as stage:
        stage.app.actions.run(binding("show-agents"))
        await stage.until(lambda: isinstance(stage.app.screen, TableScreen))
        await stage.press("p")
        await stage.until(lambda: stage.app.on_panes and stage.mux.focused == PaneId(2))
        assert stage.mux.workspace.panes[PaneId(2)].content == "agents"


async def test_the_overlay_is_opened_once_by_a_command(open_stage: Open) -> None:
    async with open_stage(cols=100, rows=30) as stage:
        stage.run(ShowAgents())
        stage.run(ShowAgents())
        await stage.until(lambda: isinstance(stage.app.screen, TableScreen))
        await stage.press("q")
        await stage.until(lambda: stage.app.on_panes)
        with pytest.raises(Refused, match="only the user"):
            stage.app.dispatcher.run(ShowAgents(place=TablePlace.OVERLAY), Origin(Interface.MCP, PaneId(1)))


async def test_it_closes_and_comes_back(open_stage: Open) -> None:
    async with open_stage(cols=100, rows=30) as stage:
        await opened(stage)
        await stage.press("q")
        await stage.until(lambda: TABLE not in stage.app.grid.contents and "▶%4" not in stage.text)
        await stage.until(lambda: not is_followed(stage))
        assert "pane %4 (agents)" in stage.run(UndoChange()).text
        await stage.until(lambda: TABLE in stage.app.grid.contents and order(stage) == ["claude", "codex"])


async def test_nothing_runs_while_it_is_hidden(open_stage: Open) -> None:
    async with open_stage(cols=100, rows=30) as stage:
        await opened(stage)
        assert is_followed(stage)
        stage.run(windows.CreateWindow(command=("cat",)))
        await stage.until(lambda: not is_followed(stage))
        report(stage, 2, "state=done:app=codex")
        stage.run(windows.SelectWindow(window="last"))
        await stage.until(lambda: is_followed(stage) and "done" in stage.text)
        stage.run(panes.ZoomPane(pane="%3"))
        await stage.until(lambda: not is_followed(stage))


async def test_programs_see_what_it_is_and_read_it(open_stage: Open) -> None:
    async with open_stage(cols=100, rows=30) as stage:
        await opened(stage)
        found = {each.id: each for each in stage.run(ListPanes()).panes}
        assert (found["%4"].content, found["%4"].pid, found["%3"].content) == ("agents", None, "")
        stage.run(panes.ZoomPane(pane="%4"))
        stage.run(windows.CreateWindow(command=("cat",)))
        report(stage, 2, "state=blocked:app=codex:kind=question:msg=d2hpY2ggb25lPw==")
        await stage.until(lambda: len(stage.mux.agents.waiting()) == 2)
        lines = stage.run(ReadPane(pane="%4")).text.splitlines()
        assert lines[0].split() == ["pane", "agent", "for", "doing", "where", "says"]
        writer, tests = sorted(lines[1:])
        assert writer.startswith("◆  %2 writer")
        assert writer.endswith("question: which one?")
        assert tests.startswith("◆  %3 tests")
        assert tests.endswith("permission: approve Bash: make")


async def test_nothing_can_be_typed_or_run_there(open_stage: Open) -> None:
    async with open_stage(cols=100, rows=30) as stage:
        await opened(stage)
        for command in (SendInput(pane="%4", text="ls"), panes.RespawnPane(pane="%4")):
            with pytest.raises(FugueError, match="%4 shows agents and runs no program"):
                stage.run(command)


async def test_a_program_takes_its_place(open_stage: Open) -> None:
    async with open_stage("sh", "-c", "echo it runs; exec cat", cols=100, rows=30) as stage:
        await opened(stage)
        record = stage.mux.workspace.panes[TABLE]
        stage.mux.put_back(replace(record, content="", argv=("cat",)), RerunOffer(starts=True))
        stage.mux.fill(TABLE, stage.mux.blank(Size(80, 24)))
        await stage.until(lambda: stage.view(4).display and stage.app.base.focused is stage.view(4))
        await stage.press(*"typed")
        await stage.until(lambda: "typed" in stage.text)


async def test_it_is_copied_from_as_text(open_stage: Open) -> None:
    async with open_stage(cols=100, rows=30) as stage:
        await opened(stage)
        await stage.prefix("[")
        await stage.until(lambda: "copy mode" in stage.text and stage.view(4).display)
        await stage.press("v", *"llll", "y")
        await stage.until(lambda: stage.app.clipboard == "   pa")
        await stage.until(lambda: not stage.view(4).display and stage.app.base.focused is table(stage))
        await stage.press("j")
        assert chosen(stage) == "%2"


async def test_the_overlay_shows_at_once_what_a_pane_shows(open_stage: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fugue_tui.tui.ui.agent_overview.SECONDS", 1_000)
    async with open_stage(cols=100, rows=30) as stage:
        await opened(stage)
        stage.run(ShowAgents())
        await stage.until(lambda: "━ 2 agents, 1 waits" in stage.text)


@pytest.mark.parametrize(("cols", "rows"), [(1, 1), (2, 3), (7, 4), (20, 6), (300, 90)])
async def test_it_takes_every_size(open_stage: Open, cols: int, rows: int) -> None:
    async with open_stage(cols=100, rows=30) as stage:
        await opened(stage)
        stage.run(panes.ZoomPane(pane="%4"))
        await stage.pilot.resize_terminal(cols, rows)
        await stage.press("j", "s", "pagedown", "k")
        stage.run(ReadPane(pane="%4"))
        await stage.pilot.resize_terminal(100, 30)
        await stage.until(lambda: "2 agents" in stage.text and len(order(stage)) == 2)


@pytest.mark.slow
def test_terminals_of_different_sizes_show_it(serve: Serve) -> None:
    reports = r"printf '\033]7501;state=blocked:app=claude:msg=d2hpY2ggb25lPw==\a'; exec cat"
    serving = serve("sh", "-c", reports, first=hello(Size(100, 30)))
    serving.until(lambda: serving.call("list-agents")["agents"])
    serving.call("show-agents", "--place", "split", "--pane", "%1", "--focus=true")
    serving.shows(serving.first, "blocked: which one?", "doing")
    small = serving.attach(Size(40, 12))
    serving.shows(small, "▶%2 agents", "blocked: …")
    serving.shows(serving.first, "▶%2 agents", "blocked: …")
    small.send("q")
    serving.until(lambda: len(serving.call("list-panes")["panes"]) == 1)
    serving.until(lambda: "agents" not in serving.first.text + small.text)
