"""Few tools at first, more when they are asked for."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
from mcp_types import CallToolResult, Tool, ToolListChangedNotification
from tests.mcp.conftest import Served
from tests.mcp.protocol.test_session import ERAS, client, text_of

from fugue_tui.config.model import McpSettings
from fugue_tui.config.values import TOOLSETS
from fugue_tui.control.core.command import Toolset, registry
from fugue_tui.control.introspection import tool_name
from fugue_tui.errors import InvalidArgument
from fugue_tui_mcp.protocol import tools
from fugue_tui_mcp.protocol.toolsets import NAME, Toolsets
from mcp import Client

TOKEN = 4
"""Characters of a token, about."""
MOST_TOKENS = 9_000
CORE = {
    "list-panes", "get-status", "read-pane", "send-input", "send-keys", "split-pane", "create-pane", "create-layout",
    "focus-pane", "close-pane", "resize-pane", "load-workspace", "parse-output", "detect-intent", "wait-for-output",
    "screenshot-pane", "snapshot-pane", "search-panes", "list-events", "stream-output",
}  # fmt: skip
"""What the first set must have for look, run, wait, read, type, open and arrange."""


def ours(toolset: Toolset) -> set[str]:
    """The commands of a set."""
    found = registry().values()
    return {cls.verb for cls in found if cls.toolset is toolset and cls.__module__.startswith("fugue_tui.")}


def names(listed: list[Tool]) -> list[str]:
    return [tool.name for tool in listed if not tool.name.startswith("fugue_test_")]


def test_the_default_toolset_is_small_and_complete() -> None:
    assert ours(Toolset.DEFAULT) >= CORE
    assert len(ours(Toolset.DEFAULT)) <= 26


def test_what_a_model_must_read_of_the_first_set_is_small() -> None:
    read = [
        json.dumps({"name": tool.name, "description": tool.description, "input_schema": tool.input_schema})
        for tool in Toolsets().listed()
    ]
    assert sum(map(len, read)) / TOKEN < MOST_TOKENS


def test_the_sets_are_those_that_the_configuration_knows() -> None:
    assert {*Toolset, "all"} == set(TOOLSETS)
    assert McpSettings().toolsets == ("default",)


def test_every_set_has_commands_and_says_what_it_is_for() -> None:
    structure: Any = Toolsets().result().structured_content
    told = {each["name"]: each for each in structure["sets"]}
    assert set(told) - {"other"} <= {each.value for each in Toolset if ours(each)}
    for name, each in told.items():
        assert each["about"].endswith("."), name
        assert each["on"] == (name == "default")


def test_switching_says_whether_the_list_is_another() -> None:
    sets = Toolsets()
    first = names(sets.listed())
    assert sets.switch({"enable": ["layout", "saving"]})
    assert not sets.switch({"enable": "layout"})
    assert "fugue_zoom_pane" in names(sets.listed())
    assert sets.switch({"disable": ["all"]})
    assert names(sets.listed()) == first
    assert not sets.switch({"disable": ["default"]})


def test_a_client_that_never_lists_again_sees_all_at_once_unless_it_was_chosen_otherwise() -> None:
    all_tools = names(Toolsets(["all"]).listed())
    for called, configured, listed in (
        ("codex-mcp-client", ["default"], all_tools),
        ("claude-code", ["default"], names(Toolsets().listed())),
        ("codex-mcp-client", ["default", "saving"], names(Toolsets(["saving"]).listed())),
    ):
        sets = Toolsets(configured)
        sets.identify(called)
        assert names(sets.listed()) == listed


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"enable": ["lay\x1bout"]}, r"enable: no set 'lay\\x1bout'; there are default, layout, "),
        ({"disable": [3]}, "disable: no set '3'"),
        ({"on": ["layout"]}, "'on': no such argument; it accepts enable, disable"),
    ],
)
def test_a_wrong_set_is_reported(arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidArgument, match=said):
        Toolsets().switch(arguments)


@pytest.mark.slow
@pytest.mark.parametrize("era", ERAS)
async def test_a_client_sees_the_first_set_and_switches_on_more(served: Served, era: str) -> None:
    changed = asyncio.Event()

    async def heard(message: Any) -> None:
        if isinstance(message, ToolListChangedNotification):
            changed.set()

    async with client(served, era, message_handler=heard) as agent:
        listed = names((await agent.list_tools()).tools)
        assert listed[0] == NAME
        assert {name.removeprefix("fugue_").replace("_", "-") for name in listed[1:]} == ours(Toolset.DEFAULT)
        told = await switched_on(agent, era, changed)
        more = names((await agent.list_tools()).tools)
    assert {tool_name(registry()[verb]) for verb in ours(Toolset.LAYOUT)} == set(more) - set(listed)
    structure: Any = told.structured_content
    assert {each["name"] for each in structure["sets"] if each["on"]} == {"default", "layout"}


async def switched_on(agent: Client, era: str, changed: asyncio.Event) -> CallToolResult:
    """Switch a set on, and be told that the list is another."""
    if era == "legacy":
        told = await agent.call_tool(NAME, {"enable": ["layout"]})
        await asyncio.wait_for(changed.wait(), 40)
        return told
    async with agent.listen(tools_list_changed=True) as events:
        told = await agent.call_tool(NAME, {"enable": ["layout"]})
        async with asyncio.timeout(40):
            await anext(aiter(events))
    return told


@pytest.mark.slow
async def test_a_tool_that_is_not_listed_can_be_called(served: Served) -> None:
    async with client(served, "auto") as agent:
        assert "fugue_zoom_pane" not in names((await agent.list_tools()).tools)
        zoomed = await agent.call_tool("fugue_zoom_pane", {"pane": "%1"})
        wrong = await agent.call_tool(NAME, {"enable": ["nothing"]})
    assert not zoomed.is_error
    assert wrong.is_error
    assert text_of(wrong).startswith("invalid_argument: enable: no set 'nothing'")


async def test_the_configuration_says_what_is_listed_at_first(serve: Callable[..., Served]) -> None:
    served = serve(settings=McpSettings(toolsets=("saving", "seeing")))
    async with client(served, "auto") as agent:
        listed = names((await agent.list_tools()).tools)
    assert "fugue_save_layout" in listed
    assert "fugue_read_pane" in listed
    assert "fugue_zoom_pane" not in listed
    assert set(listed) < {NAME, *tools.by_name()}
