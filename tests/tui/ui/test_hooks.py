"""Hooks: events run the user's commands, and what hooks cause runs none."""

from types import MappingProxyType

import pytest
from msgspec.structs import replace
from tests.tui.conftest import CALM, Open, Stage
from tests.tui.ui.test_agent_overview import report

from fugue_tui.config.model import Config, HookSettings, parse
from fugue_tui.config.values import HOOKS
from fugue_tui.control.agents.agent_monitor import AgentMonitor
from fugue_tui.control.commands.panes import ClosePane, RenamePane, SplitPane
from fugue_tui.control.commands.windows import CreateWindow, RenameWindow
from fugue_tui.control.hooks import ALIASES, faults
from fugue_tui.multiplexer.agents.state import AgentState
from fugue_tui.multiplexer.events.derive import EventKind
from fugue_tui.tui.config_reload import without_risks
from fugue_tui.tui.ui.hooks import RUNS


def hooked(**on: str | tuple[str, ...]) -> Config:
    """A configuration with hooks."""
    return replace(CALM, hooks=HookSettings(on=MappingProxyType({name.replace("_", "-"): on[name] for name in on})))


def test_every_event_but_output_is_a_hook() -> None:
    agents = {f"agent-{state.value}" for state in AgentState}
    assert set(HOOKS) == {each.value for each in EventKind} - {"output"} | set(ALIASES.values()) | agents


async def test_an_event_runs_its_commands_with_its_own_pane(open_stage: Open) -> None:
    config = hooked(pane_exited=("rename-pane {pane} --name ended", "rename-window --name code-{code}"))
    config = replace(config, terminal=replace(config.terminal, on_exit="keep"))
    async with open_stage(config=config) as stage:
        stage.run(SplitPane(command=("sh", "-c", "exit 3")))
        await stage.until(lambda: [each.name for each in stage.mux.workspace.panes.values()] == ["", "ended"])
        await stage.until(lambda: stage.mux.workspace.windows[0].name == "code-3")


async def test_states_of_agents_are_hooks_together_and_each_by_itself(open_stage: Open) -> None:
    config = hooked(
        agent=("split-pane --pane {pane} --no-focus",),
        agent_blocked=("rename-pane {pane} --name waits", "rename-window --name blocked"),
        agent_done="rename-pane {pane} --name done",
    )
    async with open_stage(config=config) as stage:
        AgentMonitor(stage.mux)
        report(stage, 1, "state=working:app=claude-code")
        await stage.until(lambda: len(names(stage)) == 2)
        report(stage, 1, "state=blocked:app=claude-code:kind=permission:msg=bWFrZQ==")
        await stage.until(lambda: "waits" in names(stage) and stage.mux.workspace.windows[0].name == "blocked")
        report(stage, 1, "state=blocked:app=claude-code:kind=permission:msg=bWFrZSBhbGw=")
        report(stage, 1, "state=done:app=claude-code")
        await stage.until(lambda: "done" in names(stage))
        assert len(names(stage)) == 4, "other words are no other state"


def names(stage: Stage) -> list[str]:
    """The names of the panes."""
    return [each.name for each in stage.mux.workspace.panes.values()]


async def test_what_a_hook_causes_runs_no_hook(open_stage: Open) -> None:
    async with open_stage(config=hooked(window_created="create-window", pane_created="split-pane")) as stage:
        stage.run(CreateWindow())
        await stage.until(lambda: len(stage.mux.workspace.windows) == 3)
        for _ in range(5):
            await stage.pilot.pause()
        assert (len(stage.mux.workspace.windows), len(stage.mux.workspace.panes)) == (3, 4)


async def test_a_hook_that_fails_is_reported_and_the_rest_of_it_left_out(open_stage: Open) -> None:
    async with open_stage(config=hooked(pane_renamed=("focus-pane %9", "split-pane"))) as stage:
        stage.run(RenamePane(name="new"))
        await stage.until(lambda: "hook pane-renamed: no pane %9" in stage.text)
        assert len(stage.mux.workspace.panes) == 1


async def test_a_hook_runs_only_so_often(open_stage: Open) -> None:
    async with open_stage(config=hooked(window_renamed="split-pane --direction auto --no-focus")) as stage:
        for at in range(3 * RUNS):
            stage.run(RenameWindow(name=f"name-{at}"))
        await stage.until(lambda: "hook window-renamed: more than 20 events" in stage.text)
        assert len(stage.mux.workspace.panes) <= RUNS + 1


async def test_another_configuration_changes_the_hooks(open_stage: Open) -> None:
    async with open_stage() as stage:
        stage.server.config_applier.change(hooked(pane_closed="rename-window --name closed"))
        stage.run(SplitPane())
        stage.run(ClosePane(pane="%2"))
        await stage.until(lambda: stage.mux.workspace.windows[0].name == "closed")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[hooks]\non = { pane-exitd = 'zoom-pane' }", "no event 'pane-exitd'; did you mean pane-exited?"),
        ("[hooks.on]\nbell = 3", "hooks.on.bell: 3 is not a command line or a list of them"),
    ],
)
def test_a_wrong_hook_is_named(text: str, said: str) -> None:
    (fault,) = parse(text).faults
    assert said in fault


def test_a_wrong_command_of_a_hook_is_named() -> None:
    settings = HookSettings(on=MappingProxyType({"bell": "zoom-pan {pane}", "exit": "close-pane {pane}"}))
    assert faults(settings) == ["hooks.on.bell: no command zoom-pan; did you mean zoom-pane?"]


def test_a_file_whose_hook_does_more_than_arrange_waits_for_approval() -> None:
    new = hooked(bell="close-pane {pane}", exit="zoom-pane {pane}")
    safe, held = without_risks(CALM, new)
    assert dict(safe.hooks.on) == {"exit": "zoom-pane {pane}"}
    assert held == ['[hooks.on] bell = "close-pane {pane}"']
