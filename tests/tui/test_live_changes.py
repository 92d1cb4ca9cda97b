"""What changes while the workspace runs: a drag that is undone, the configuration file, what programs are told."""

from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.tui.conftest import Open

from fugue_tui.config.model import (
    AgentSettings,
    ClaudeSettings,
    CommunicationSettings,
    Config,
    KeySettings,
    McpSettings,
    SessionSettings,
    TerminalSettings,
    UiSettings,
)
from fugue_tui.config.monitor import Action, MonitorRules
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.access.grants import Scope
from fugue_tui.tui.config_reload import ConfigWatch, without_risks


@pytest.mark.slow
async def test_a_whole_drag_is_one_step_of_undo(open_stage: Open) -> None:
    async with open_stage() as stage:
        await stage.prefix("percent_sign")
        await stage.until(lambda: len(stage.rects) == 2)
        x = stage.rects[1].right
        before = stage.rects[1].cols
        await stage.drag((x, 5), (x + 1, 5), (x + 2, 5), (x + 5, 5), (x + 9, 5))
        await stage.until(lambda: stage.rects[1].cols == before + 9)
        await stage.prefix("u")
        await stage.until(lambda: stage.rects[1].cols == before)
        await stage.prefix("U")
        await stage.until(lambda: stage.rects[1].cols == before + 9)


@pytest.mark.slow
async def test_a_drag_that_moves_nothing_is_no_step(open_stage: Open) -> None:
    async with open_stage() as stage:
        await stage.prefix("percent_sign")
        await stage.until(lambda: len(stage.rects) == 2)
        history = stage.mux.layout_history.of(stage.mux.workspace.active)
        x = stage.rects[1].right
        await stage.drag((x, 5), (x, 7))
        assert stage.mux.layout_history.of(stage.mux.workspace.active) == history


@pytest.mark.slow
async def test_another_configuration_comes_into_force_at_once(open_stage: Open) -> None:
    async with open_stage() as stage:
        wanted = Config(ui=UiSettings(titles="always", dividers="ascii", status=False, theme="nord"))
        stage.server.config_applier.change(replace(wanted, mcp=replace(wanted.mcp, destroy="refuse")))
        await stage.until(lambda: "---" in stage.text.splitlines()[0])
        assert stage.app.theme == "nord"
        assert stage.rects[1].bottom == stage.app.size.height
        assert stage.mux.permissions.destroy == "refuse"


@pytest.mark.slow
async def test_another_prefix_is_taken_and_the_old_one_belongs_to_programs(open_stage: Open) -> None:
    async with open_stage("sh", "-c", "stty raw -echo; echo up; cat -v") as stage:
        await stage.until_text("up")
        config = Config()
        stage.server.config_applier.change(replace(config, keys=replace(config.keys, prefix="ctrl+a")))
        await stage.press("ctrl+b")
        await stage.until_text("^B")
        await stage.press("ctrl+a", "c")
        await stage.until(lambda: len(stage.mux.workspace.windows) == 2)


def test_a_changed_file_is_read_and_a_broken_one_is_reported(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    taken: list[Config] = []
    told: list[str] = []
    following = ConfigWatch(file, taken.append, told.append)
    following.poll()
    file.write_text("[terminal]\nscrollback = 77\n")
    following.poll()
    assert [config.terminal.scrollback for config in taken] == [77]
    file.write_text("[terminal]\nscrolback = 78\n")
    following.poll()
    assert len(taken) == 1
    assert "scrollback" in told[0]
    assert "config.toml" in told[0]
    assert "old configuration stays" in told[0]
    file.write_text("[terminal\n")
    following.poll()
    assert len(taken) == 1
    assert len(told) == 2


@pytest.mark.slow
async def test_new_panes_run_the_shell_that_the_configuration_names(open_stage: Open) -> None:
    async with open_stage() as stage:
        wanted = TerminalSettings(shell=("sh", "-c", "echo shell is $TERM; exec cat"), term="xterm-direct")
        stage.server.config_applier.change(Config(terminal=wanted))
        await stage.until(lambda: stage.mux.approvals.waiting())
        stage.mux.approvals.approve(stage.mux.approvals.waiting()[0].id)
        await stage.until(lambda: stage.app.settings.terminal == wanted and stage.app.on_panes)
        await stage.prefix("c")
        await stage.until_text("shell is xterm-direct", pane=2)


@pytest.mark.slow
async def test_programs_that_ask_receive_the_colours_of_the_host(open_stage: Open) -> None:
    async with open_stage("sh", "-c", "stty raw -echo; echo up; cat -v") as stage:
        await stage.until_text("up")
        stage.server.config_applier.set_default_colour(True, (1, 2, 3))
        stage.server.config_applier.set_default_colour(False, (250, 251, 252))
        await stage.prefix("c")
        stage.terminal().receive(memoryview(b"\x1b]11;?\x1b\\"))
        await stage.until_text("rgb:fafa/fbfb/fcfc")


async def test_the_bar_says_so_when_the_engine_is_the_fallback(open_stage: Open) -> None:
    async with open_stage(config=Config(terminal=TerminalSettings(engine="pyte"))) as stage:
        await stage.until(lambda: "reduced: pyte" in stage.text.splitlines()[-1])
        assert isinstance(stage.mux, Multiplexer)


async def test_a_bug_in_a_command_is_reported_and_ends_nothing(
    open_stage: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_stage() as stage:

        def broken(*_: object) -> None:
            raise RuntimeError("planted")

        monkeypatch.setattr(stage.app.dispatcher, "run", broken)
        await stage.prefix("percent_sign")
        await stage.until(lambda: "internal error: RuntimeError" in stage.text.splitlines()[-1])
        assert stage.terminal().exit is None


def _permitted(config: Config, **rules: str) -> Config:
    return replace(config, mcp=replace(config.mcp, **rules))  # pyright: ignore[reportArgumentType]


async def test_what_tightens_applies_at_once_and_what_loosens_waits_for_the_user(open_stage: Open) -> None:
    async with open_stage() as stage:
        stage.mux.permissions = McpSettings(input="refuse", destroy="refuse")
        wanted = Config(ui=UiSettings(theme="nord"), mcp=McpSettings(read="refuse", input="allow", destroy="ask"))
        stage.server.config_applier.change(wanted)
        assert stage.mux.permissions == McpSettings(read="refuse", input="refuse", destroy="refuse")
        await stage.until(lambda: stage.app.theme == "nord" and stage.mux.approvals.waiting())
        (request,) = stage.mux.approvals.waiting()
        assert request.question.what == "\n".join(
            ["[mcp] input = 'allow' (it is 'refuse')", "[mcp] destroy = 'ask' (it is 'refuse')"]
        )
        assert request.question.scopes == (Scope.ONCE,)
        stage.mux.approvals.approve(request.id)
        await stage.until(lambda: stage.mux.permissions == wanted.mcp)


async def test_a_configuration_that_is_gone_loosens_nothing_by_itself(open_stage: Open) -> None:
    async with open_stage() as stage:
        stage.mux.permissions, stage.mux.secrets = (
            McpSettings(input="refuse", trust="ask"),
            ("MINE", *stage.mux.secrets),
        )
        stage.server.config_applier.change(Config())
        await stage.until(lambda: stage.mux.approvals.waiting())
        assert stage.mux.permissions.input == "refuse"
        assert "MINE" in stage.mux.secrets
        (request,) = stage.mux.approvals.waiting()
        assert "[session] secrets without MINE" in request.question.what
        stage.mux.approvals.deny(request.id)
        await stage.until(lambda: "stays as it was" in stage.text)
        assert (stage.mux.permissions.input, "MINE" in stage.mux.secrets) == ("refuse", True)


async def test_a_question_about_a_file_that_has_changed_again_is_withdrawn(open_stage: Open) -> None:
    async with open_stage() as stage:
        stage.mux.permissions = McpSettings(input="refuse")
        stage.server.config_applier.change(_permitted(Config(), input="allow"))
        await stage.until(lambda: stage.mux.approvals.waiting())
        stage.server.config_applier.change(_permitted(Config(), input="refuse"))
        await stage.until(lambda: not stage.mux.approvals.waiting())
        assert stage.mux.permissions.input == "refuse"


async def test_the_port_for_http_opens_only_once_the_user_agrees_and_closes_at_once(open_stage: Open) -> None:
    async with open_stage() as stage:
        seen: list[bool] = []
        stage.mux.on_permissions.connect(lambda: seen.append(stage.mux.permissions.tcp))
        stage.server.config_applier.change(Config(mcp=McpSettings(tcp=True, tcp_port=4321)))
        await stage.until(lambda: stage.mux.approvals.waiting())
        assert seen == [False]
        (request,) = stage.mux.approvals.waiting()
        assert request.question.what == "[mcp] tcp = true (it is false)"
        stage.mux.approvals.approve(request.id)
        await stage.until(lambda: seen == [False, True])
        stage.server.config_applier.change(Config())
        assert seen == [False, True, False]


def test_changes_that_let_a_file_run_commands_are_held_back() -> None:
    old = Config(keys=KeySettings(bindings={"v": "split-pane"}))
    keys = KeySettings(prefix="e", bindings={"c": "approve-request 1", "v": "close-pane", "w": "focus-pane left"})
    new = Config(keys=keys, terminal=TerminalSettings(shell=("/tmp/evil",), clipboard="on", scrollback=5))
    safe, held = without_risks(old, replace(new, session=SessionSettings(rerun="all")))
    assert (safe.keys.prefix, dict(safe.keys.bindings)) == ("ctrl+b", {"v": "split-pane", "w": "focus-pane left"})
    assert (safe.terminal.shell, safe.terminal.clipboard, safe.terminal.scrollback) == ((), "ask", 5)
    assert safe.session.rerun == "shells"
    assert len(held) == 6
    assert without_risks(new, old)[1] == ["[terminal] shell = []"]


def test_a_file_that_binds_a_key_without_the_prefix_waits_for_approval_if_it_does_more_than_arrange() -> None:
    direct = {"alt+x": ("zoom-pane", "close-pane"), "alt+h": "focus-pane left"}
    safe, held = without_risks(Config(), Config(keys=KeySettings(direct=direct)))
    assert dict(safe.keys.direct) == {"alt+h": "focus-pane left"}
    assert held == ['[keys.direct] alt+x = ["zoom-pane", "close-pane"]']


def test_a_file_that_lets_more_programs_print_tags_waits_for_approval() -> None:
    strict = CommunicationSettings(sideband_enabled=False, require_key=True)
    loose = CommunicationSettings(prefer="sideband", panes=("build",))
    old, new = (replace(Config(), claude=ClaudeSettings(each)) for each in (strict, loose))
    safe, held = without_risks(old, new)
    assert safe == old
    assert len(held) == 4
    assert without_risks(new, old) == (old, [])


def test_what_is_done_about_agents_waits_for_the_user_and_no_longer_doing_it_does_not() -> None:
    off = Config()
    on = replace(off, agents=AgentSettings(monitor=MonitorRules(idle=(Action.NUDGE,))))
    safe, held = without_risks(off, on)
    assert (safe, held) == (off, ["[agents.monitor] idle for 300 s: nudge"])
    assert without_risks(on, off) == (off, [])
