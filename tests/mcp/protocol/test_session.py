"""Real MCP clients of both eras, straight on the socket and through the bridge."""

import asyncio
import json
import os
import sys
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from mcp_types import CallToolResult, TextContent
from tests.mcp.conftest import HELD, LET_GO, Served

from fugue_tui.control.core.command import Toolset, for_agents
from fugue_tui.control.introspection import annotations, tool_name
from fugue_tui_mcp.protocol.toolsets import CALL, NAME
from mcp import Client, StdioServerParameters

ERAS = ("auto", "legacy")
pytestmark = pytest.mark.parametrize("era", ERAS)


def client(served: Served, era: str, **more: Any) -> Client:
    """A client that speaks through the bridge, as Claude Code does."""
    env = {**os.environ, "FUGUE_SOCKET": served.path}
    bridge = StdioServerParameters(command=sys.executable, args=["-m", "fugue_tui", "mcp"], env=env)
    return Client(bridge, mode=era, **more)


def text_of(result: CallToolResult) -> str:
    """The text of a result."""
    content, *_ = result.content
    assert isinstance(content, TextContent)
    return content.text


def ids(result: CallToolResult) -> list[str]:
    """The ids of a list of panes."""
    found: Any = result.structured_content
    return [pane["id"] for pane in found["panes"]]


@pytest.mark.slow
async def test_the_list_of_tools_is_the_registry_once_all_sets_are_on(served: Served, era: str) -> None:
    async with client(served, era) as agent:
        await agent.call_tool(NAME, {"enable": ["all"]})
        listed = (await agent.list_tools()).tools
        again = (await agent.list_tools()).tools
    assert listed == again
    assert [listed.pop(0).name, listed.pop(0).name] == [NAME, CALL]
    assert [tool.name for tool in listed] == [tool_name(cls) for cls in for_agents()]
    for tool, cls in zip(listed, for_agents(), strict=True):
        described = tool.description or ""
        assert described.isascii(), tool.name
        assert len(described) < 1500, tool.name
        Draft202012Validator.check_schema(tool.input_schema)
        assert tool.annotations is not None
        hints = tool.annotations.model_dump(by_alias=True, exclude_none=True)
        assert hints == annotations(cls) | {"title": tool.title}
        assert (tool.meta == {"anthropic/alwaysLoad": True}) == (cls.toolset is Toolset.DEFAULT)


@pytest.mark.slow
async def test_the_server_says_who_it_is_in_few_words(served: Served, era: str) -> None:
    async with client(served, era) as agent:
        assert agent.instructions is not None
        assert len(agent.instructions) < 700
        assert agent.server_capabilities.tools is not None
        assert agent.server_capabilities.tools.list_changed is True
        assert agent.protocol_version == ("2026-07-28" if era == "auto" else "2025-11-25")


@pytest.mark.slow
async def test_state_comes_as_a_structure_that_fits_its_schema(served: Served, era: str) -> None:
    async with client(served, era) as agent:
        schemas = {tool.name: tool.output_schema for tool in (await agent.list_tools()).tools}
        made = await agent.call_tool("fugue_split_pane", {"pane": "%1", "ratio": 0.7, "command": "cat", "name": "log"})
        seen = await agent.call_tool("fugue_list_panes", {})
    assert made.structured_content is not None
    assert json.loads(text_of(made)) == made.structured_content
    checker: Any = Draft202012Validator(schemas["fugue_split_pane"] or {})
    assert checker.is_valid(made.structured_content)
    assert ids(seen) == ["%1", made.structured_content["id"]]


@pytest.mark.slow
async def test_what_a_command_printed_comes_as_text_with_facts_beside_it(served: Served, era: str) -> None:
    async with client(served, era) as agent:
        await agent.list_tools()
        ran = await agent.call_tool("fugue_run_command", {"command": "echo hello; exit 3", "keep": "never"})
    text, facts = (each.text for each in ran.content if isinstance(each, TextContent))
    assert ran.structured_content is None
    assert text.startswith("untrusted output of a command in pane %2, ")
    assert "\nhello\n" in text
    assert json.loads(facts)["exit_code"] == 3


@pytest.mark.slow
async def test_text_of_a_pane_comes_plain_and_fenced(served: Served, era: str) -> None:
    async with client(served, era) as agent:
        await agent.call_tool("fugue_send_input", {"pane": "%1", "text": "hello there", "submit": True})
        async with asyncio.timeout(40):
            while "hello there\nhello there" not in (text := text_of(await read(agent))):
                await asyncio.sleep(0.01)
    head, *lines = text.splitlines()
    assert head.startswith("untrusted output of pane %1, up to the second line with ")
    assert lines[0] == lines[-1] == f"--- {head.split()[11].rstrip(';')}"
    assert lines[1:-1] == ["hello there", "hello there"]


async def read(agent: Client) -> CallToolResult:
    """What the first pane shows."""
    result = await agent.call_tool("fugue_read_pane", {"pane": "%1"})
    assert result.structured_content is None
    return result


@pytest.mark.slow
@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("fugue_split_pan", {}, "unknown_command: no tool 'fugue_split_pan'; did you mean fugue_split_pane?"),
        ("fugue_\x1b[31mx", {}, "unknown_command: no tool 'fugue_\\x1b[31mx'"),
        (
            "fugue_split_pane",
            {"rato": 0.5},
            "invalid_argument: fugue_split_pane: rato: no such argument; did you mean ratio?",
        ),
        ("fugue_split_pane", {"ratio": "0.5"}, 'ratio: "0.5" is not a number from 0.1 to 0.9'),
        ("fugue_split_pane", {"ratio": 1.5}, "ratio: 1.5 is not a number"),
        ("fugue_split_pane", {"pane": "%9"}, "not_found: no pane %9; fugue_list_panes shows what is open"),
        ("fugue_rename_pane", {"pane": "%1"}, "name: is missing"),
        ("fugue_close_pane", {"pane": "first"}, "refused: "),
        ("fugue_test_bug", {}, "internal: a bug in fugue-tui; its log has the details"),
    ],
)
async def test_errors_are_text_that_a_model_can_act_on(
    served: Served, era: str, tool: str, arguments: dict[str, Any], said: str
) -> None:
    async with client(served, era) as agent:
        result = await agent.call_tool(tool, arguments)
    assert result.is_error
    assert said in text_of(result)
    assert text_of(result).isprintable() or "\n" in text_of(result)
    assert list(served.on_main(lambda: served.mux.workspace.panes)) == [1]


async def test_a_refusal_says_when_to_try_again(served: Served, era: str) -> None:
    served.on_main(lambda: served.mux.human_input(served.mux.focused))  # pyright: ignore[reportArgumentType]
    async with client(served, era) as agent:
        result = await agent.call_tool("fugue_send_input", {"pane": "%1", "text": "x"})
    assert text_of(result).startswith("refused: the user is typing in %1; try again in ")
    assert "\nretry_after_ms: " in text_of(result)


@pytest.mark.slow
async def test_alternative_names_and_a_clients_own_argument_are_accepted(served: Served, era: str) -> None:
    async with client(served, era) as agent:
        result = await agent.call_tool("fugue_resize_pane", {"pane_id": "%1", "delta": 0.1, "wait_for_previous": True})
        assert "no such argument" not in text_of(result)
        layout = json.dumps(
            {"direction": "horizontal", "splits": [{"ratio": 0.65, "pane": {}}, {"ratio": 0.35, "pane": {}}]}
        )
        result = await agent.call_tool("fugue_create_layout", {"layout": layout})
    assert not result.is_error, text_of(result)
    assert (result.structured_content or {})["layout_applied"] == "custom"


@pytest.mark.slow
async def test_parallel_calls_each_get_their_own_answer(served: Served, era: str) -> None:
    async with client(served, era) as agent:
        await agent.list_tools()
        calls = [agent.call_tool("fugue_test_echo", {"text": f"<{number}>"}) for number in range(100)]
        answers = await asyncio.gather(*calls)
    for number, answer in enumerate(answers):
        assert f"\n<{number}>\n" in text_of(answer)


@pytest.mark.slow
async def test_a_call_that_is_cancelled_does_not_hold_others(served: Served, era: str) -> None:
    async with client(served, era) as agent:
        held = asyncio.create_task(agent.call_tool("fugue_test_hold", {}))
        await asyncio.to_thread(HELD.wait, 10)
        late = asyncio.create_task(agent.call_tool("fugue_create_pane", {"command": "cat"}))
        await asyncio.sleep(0)
        late.cancel()
        held.cancel()
        await asyncio.gather(late, held, return_exceptions=True)
        LET_GO.set()
        result = await agent.call_tool("fugue_list_panes", {})
    assert ids(result) == ["%1"]


@pytest.mark.slow
async def test_the_client_is_named_in_the_record(served: Served, era: str) -> None:
    async with client(served, era) as agent:
        await agent.call_tool("fugue_get_status", {})
    entry = served.on_main(lambda: list(served.dispatcher.audit)[-1])
    assert (entry.interface, entry.command, entry.outcome) == ("mcp", "get-status", "done")
    assert entry.client == "mcp"
