"""Few tools at first, more when they are asked for."""

import asyncio
import json
import re
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
from fugue_tui_mcp.protocol.toolsets import CALL, NAME, Toolsets
from mcp import Client

MOST_TOOLS, MOST_CHARACTERS = 14, 16_000
CORE = {
    "list-panes", "snapshot-pane", "read-pane", "search-panes", "split-pane", "create-layout", "close-pane",
    "run-command", "execute-command", "send-input", "wait-for-output", "interrupt-pane",
}  # fmt: skip
"""The first set: look, open, run, type, wait, end."""


def ours(toolset: Toolset) -> set[str]:
    """The commands of a set."""
    found = registry().values()
    return {cls.verb for cls in found if cls.toolset is toolset and cls.__module__.startswith("fugue_tui.")}


def names(listed: list[Tool]) -> list[str]:
    return [tool.name for tool in listed if not tool.name.startswith("fugue_test_")]


def read_by_models(listed: list[Tool]) -> int:
    """The characters of tools that a client sends to its model."""
    schemas = (json.dumps(each.input_schema, separators=(",", ":"), ensure_ascii=False) for each in listed)
    return sum(
        len(each.name) + len(each.description or "") + len(schema) for each, schema in zip(listed, schemas, strict=True)
    )


def test_the_first_set_is_small_and_complete() -> None:
    listed = [each for each in Toolsets().listed() if not each.name.startswith("fugue_test_")]
    assert ours(Toolset.DEFAULT) == CORE
    assert len(listed) <= MOST_TOOLS
    assert read_by_models(listed) <= MOST_CHARACTERS


def test_no_description_names_a_command_that_is_a_tool() -> None:
    verbs = {verb for verb in tools.by_verb() if "-" in verb}
    for each in Toolsets(["all"]).listed():
        words = re.findall(r"[a-z]+(?:-[a-z]+)+", (each.description or "") + json.dumps(each.input_schema))
        assert not verbs & set(words), each.name


def test_claude_code_gets_all_tools_and_loads_the_first_set() -> None:
    sets = Toolsets()
    sets.identify("claude-code")
    listed = sets.listed()
    assert [each.name for each in listed] == [each.name for each in tools.tools()]
    assert {each.name for each in listed if each.meta} == {tool_name(registry()[verb]) for verb in CORE}
    assert sets.switch({"enable": ["layout"]})
    assert "fugue_zoom_pane" in {each.name for each in sets.listed() if each.meta}


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("take a screenshot", "fugue_screenshot_pane"),
        ("set environment variables", "fugue_inject_context"),
        ("make the pane bigger", "fugue_resize_pane"),
        ("kill-pane", "fugue_close_pane"),
        ("fugue_zoom_pane", "fugue_zoom_pane"),
        ("get_output", "fugue_read_pane"),
        ("why did the tests fail", "fugue_detect_intent"),
    ],
)
def test_tools_are_found_by_words(query: str, first: str) -> None:
    structure: Any = Toolsets().result(query).structured_content
    assert structure["tools"][0]["name"] == first
    assert structure["tools"][0]["inputSchema"]["type"] == "object"
    assert len(structure["tools"]) <= 4


def test_a_query_without_a_meaning_finds_nothing() -> None:
    assert Toolsets().result("xyzzy").structured_content == {"tools": []}


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


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"enable": ["lay\x1bout"]}, r"enable: no set 'lay\\x1bout'; there are default, layout, "),
        ({"disable": [3]}, "disable: no set '3'"),
        ({"on": ["layout"]}, "'on': no such argument; it accepts query, enable, disable"),
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
        assert listed[:2] == [NAME, CALL]
        assert {name.removeprefix("fugue_").replace("_", "-") for name in listed[2:]} == ours(Toolset.DEFAULT)
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
        called = await agent.call_tool(CALL, {"tool": "fugue_zoom_pane", "arguments": {"pane": "%1", "zoomed": False}})
        looped = await agent.call_tool(CALL, {"tool": CALL})
        wrong = await agent.call_tool(NAME, {"enable": ["nothing"]})
    assert not zoomed.is_error
    assert not called.is_error
    assert ("zoom-pane --pane %1 --no-zoomed", "done") in served.outcomes()
    assert text_of(looped).startswith("invalid_argument: tool: requires the name of a tool")
    assert wrong.is_error
    assert text_of(wrong).startswith("invalid_argument: enable: no set 'nothing'")


async def test_the_configuration_says_what_is_listed_at_first(serve: Callable[..., Served]) -> None:
    served = serve(settings=McpSettings(toolsets=("saving", "seeing")))
    async with client(served, "auto") as agent:
        listed = names((await agent.list_tools()).tools)
    assert "fugue_save_layout" in listed
    assert "fugue_read_pane" in listed
    assert "fugue_zoom_pane" not in listed
    assert set(listed) < {NAME, CALL, *tools.by_name()}
