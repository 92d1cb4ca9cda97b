"""The table of agents: it follows them, sorts and filters them, and its keys go there, answer and interrupt."""

import pytest
from msgspec.structs import replace
from tests.tui.conftest import Open, Stage
from tests.tui.test_snapshots import Picture
from tests.tui.test_snapshots import picture as picture

from fugue_tui.control.agents.agent_monitor import AgentMonitor
from fugue_tui.control.command_table import panes
from fugue_tui.control.commands.agents import AgentInfo, State
from fugue_tui.control.commands.show_agents import AgentRows, ShowAgents, TablePlace, agent_row, duration
from fugue_tui.control.core.new_pane import Direction
from fugue_tui.control.keymap import binding
from fugue_tui.layout.table import TableRow
from fugue_tui_widgets.table_view import TableScreen


def report(stage: Stage, pane: int, words: str) -> None:
    stage.terminal(pane).receive(memoryview(f"\x1b]7501;{words}\x07".encode()))


async def opened(stage: Stage) -> TableScreen:
    """Three agents, and the table."""
    AgentMonitor(stage.mux)
    for name in ("writer", "tests", "reader"):
        stage.run(panes.SplitPane(direction=Direction.HORIZONTAL, command=("cat",), name=name, cwd="/"))
    report(stage, 4, "state=idle:app=gemini:title=cmVhZCB0aGUgZG9jcw==")
    report(stage, 2, "state=working:app=codex:progress=40:title=Zml4IHRoZSBwYXJzZXI=")
    report(stage, 3, "state=blocked:app=claude:kind=permission:msg=YXBwcm92ZSBCYXNoOiBtYWtl")
    await stage.until(lambda: len(stage.mux.agents.statuses) == 3)
    stage.app.actions.run(binding("show-agents"))
    await stage.until(lambda: isinstance(stage.app.screen, TableScreen) and "3 agents" in stage.text)
    screen = stage.app.screen
    assert isinstance(screen, TableScreen)
    return screen


def order(stage: Stage) -> list[str]:
    """The agents in the order of their rows; the status bar may tell of one, too."""
    names = ("gemini", "codex", "claude")
    lines = [line for line in stage.text.splitlines()[:-1] if any(f" {name} " in line for name in names)]
    return [name for line in lines for name in names if f" {name} " in line]


async def test_it_shows_who_waits_first_and_sorts_in_other_ways(open_stage: Open) -> None:
    async with open_stage(cols=110, rows=20) as stage:
        await opened(stage)
        assert order(stage) == ["claude", "codex", "gemini"]
        await stage.press("s")
        await stage.until(lambda: "by pane" in stage.text)
        assert order(stage) == ["codex", "claude", "gemini"]
        await stage.press("s")
        await stage.until(lambda: "by agent" in stage.text)
        assert order(stage) == ["claude", "codex", "gemini"]


async def test_it_follows_the_agents(open_stage: Open) -> None:
    async with open_stage(cols=110, rows=20) as stage:
        await opened(stage)
        report(stage, 3, "state=done:app=claude")
        report(stage, 4, "state=blocked:app=gemini:kind=question:msg=d2hpY2ggb25lPw==")
        await stage.until(lambda: "question: which one?" in stage.text)
        assert order(stage) == ["gemini", "claude", "codex"]


async def test_enter_goes_to_the_pane_and_escape_closes(open_stage: Open) -> None:
    async with open_stage(cols=110, rows=20) as stage:
        await opened(stage)
        await stage.press("down", "enter")
        await stage.until(lambda: stage.app.on_panes and str(stage.mux.focused) == "%2")
        stage.app.actions.run(binding("show-agents"))
        await stage.until(lambda: isinstance(stage.app.screen, TableScreen))
        await stage.press("escape")
        await stage.until(lambda: stage.app.on_panes)


async def test_it_filters(open_stage: Open) -> None:
    async with open_stage(cols=110, rows=20) as stage:
        await opened(stage)
        await stage.press("slash", *"parser")
        await stage.until(lambda: order(stage) == ["codex"])
        await stage.press("escape")
        await stage.until(lambda: len(order(stage)) == 3)
        assert isinstance(stage.app.screen, TableScreen)


async def test_an_answer_is_typed_into_the_pane(open_stage: Open) -> None:
    async with open_stage(cols=110, rows=20) as stage:
        await opened(stage)
        await stage.press("a")
        await stage.until(lambda: "to claude in %3 tests: approve Bash: make" in stage.text)
        await stage.press(*"yes", "enter")
        await stage.until(lambda: "yes" in stage.pane_text(3))


async def test_the_choices_of_a_question_are_shown_where_it_is_answered(open_stage: Open) -> None:
    dialog = "\r\n Proceed?\r\n ❯ 1. Yes\r\n   2. Yes to\r\n      \x1b[1mall\x1b[0m\r\n   3. No\r\n\r\n Esc".encode()
    async with open_stage(cols=110, rows=20) as stage:
        await opened(stage)
        stage.terminal(3).receive(memoryview(dialog))
        await stage.press("a")
        await stage.until(lambda: "approve Bash: make (1 Yes, 2 Yes to, 3 No)" in stage.text)


async def test_without_agents_it_says_how_to_start_one(open_stage: Open) -> None:
    async with open_stage(rows=20) as stage:
        stage.app.actions.run(binding("show-agents"))
        await stage.until(lambda: "No agent runs in a pane" in stage.text)


@pytest.mark.parametrize(
    ("seconds", "words"), [(0, "0s"), (59, "59s"), (60, "1m"), (3599, "59m"), (7200, "2h"), (200_000, "2d")]
)
def test_times_are_short(seconds: int, words: str) -> None:
    assert duration(seconds) == words


def agent(pane: str, program: str, state: State, seconds: int, cwd: str, branch: str) -> AgentInfo:
    return AgentInfo(
        pane=pane, name="", role="", team="", program=program, state=state, kind=None, words="", title="",
        progress=None, seconds=seconds, signal="report", cwd=cwd, branch=branch, tasks=(),
    )  # fmt: skip


AGENTS = [
    replace(
        agent("%3", "claude", "blocked", 725, "/src/shop", "main"),
        name="tests", kind="permission", words="approve Bash: make", model="claude-opus-4-5", cost=1.5,
    ),
    replace(agent("%2", "codex", "working", 40, "/src/parser", "fix"), name="writer", title="fix the parser"),
    replace(agent("%7", "gemini", "idle", 7200, "/src/docs", ""), title="Ready (docs)"),
    replace(agent("%5", "make", "error", 3, "/src/shop", "main"), words="2 tests failed"),
]  # fmt: skip


@pytest.fixture
def fleet(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four agents whose times do not change."""

    def rows(_: AgentRows) -> list[TableRow]:
        return [agent_row(each) for each in AGENTS]

    monkeypatch.setattr(AgentRows, "rows", rows)


def test_the_table_of_agents(picture: Picture, fleet: None) -> None:
    async def script(stage: Stage) -> None:
        stage.app.actions.run(binding("show-agents"))
        await stage.until(lambda: "4 agents" in stage.text)

    assert picture(script, 110, 16)


async def beside_a_terminal(stage: Stage) -> None:
    stage.run(ShowAgents(place=TablePlace.SPLIT, direction=Direction.VERTICAL))
    await stage.until(lambda: "%5" in stage.text)


@pytest.mark.parametrize(("cols", "rows"), [(120, 36), (80, 24), (40, 12)])
def test_the_pane_of_agents(picture: Picture, fleet: None, cols: int, rows: int) -> None:
    assert picture(beside_a_terminal, cols, rows)


@pytest.mark.parametrize(("cols", "rows"), [(80, 24), (40, 12)])
def test_the_pane_without_agents(picture: Picture, cols: int, rows: int) -> None:
    async def script(stage: Stage) -> None:
        stage.run(ShowAgents(place=TablePlace.SPLIT))
        await stage.until(lambda: "No agent" in stage.text)

    assert picture(script, cols, rows)
