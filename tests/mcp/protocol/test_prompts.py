"""Prompts that lay out the calls to make, and what their arguments may be."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from mcp_types import PromptReference, ResourceTemplateReference, TextContent
from tests.mcp.conftest import Served
from tests.mcp.protocol.test_resources import say
from tests.mcp.protocol.test_session import ERAS, client

from fugue_tui.control.schema.command_schema import build
from fugue_tui.errors import InvalidArgument
from fugue_tui_mcp.protocol import prompts, tools
from fugue_tui_mcp.protocol.completions import matching
from fugue_tui_mcp.protocol.toolsets import CALL, Toolsets
from mcp import MCPError

FILLED: dict[str, dict[str, str]] = {
    "debug_session": {"goal": "test_api fails", "cwd": "/srv", "pane": "%3"},
    "full_stack": {"goal": "add login", "cwd": "/srv", "workspace": "mine"},
    "agent_team": {"goal": "port it", "agents": "5", "program": "codex", "cwd": "/srv"},
    "monitoring": {"goal": "disk fills", "cwd": "/srv", "pane": "build"},
}
OTHERS = [
    ("agent_team", {"agents": "3", "program": "codex"}),
    ("agent_team", {"saved": "friday"}),
    *((name, dict[str, str]()) for name in FILLED),
]


def text_of(name: str, arguments: dict[str, str]) -> str:
    """What a prompt says."""
    (message,) = prompts.get(name, arguments).messages
    assert message.role == "user"
    assert isinstance(message.content, TextContent)
    return message.content.text


@pytest.mark.parametrize(("name", "arguments"), [*FILLED.items(), *OTHERS])
def test_a_prompt_names_calls_that_there_are_with_arguments_that_fit(name: str, arguments: dict[str, str]) -> None:
    text = text_of(name, arguments)
    known = tools.by_name()
    named = set(re.findall(r"fugue_[a-z_]+", text)) - {CALL}
    assert named <= set(known)
    assert named <= {tool.name for tool in Toolsets().listed()} or CALL in text, "a client calls what it is shown"
    calls = re.findall(r"(fugue_[a-z_]+) (\{.*?\})(?=[ .;]|$)", text, re.MULTILINE)
    for tool, given in calls:
        build(known[tool], json.loads(given))
    assert len(text) < 2_500


@pytest.mark.parametrize(("name", "arguments"), FILLED.items())
def test_a_prompt_contains_all_its_arguments(name: str, arguments: dict[str, str]) -> None:
    text = text_of(name, arguments)
    assert all(value in text for value in arguments.values())


def test_a_prompt_is_found_by_its_name_with_a_hyphen_and_its_directory_by_another_name() -> None:
    found = prompts.get("debug-session", {"project_dir": "/srv"})
    assert found == prompts.get("debug_session", {"cwd": "/srv"})


def test_arguments_of_prompts_are_cleaned() -> None:
    text = text_of("monitoring", {"goal": "a\x1b[31m\u202e\U000e0041b" + "x" * 5_000, "pane": 'x"}\u200b\n9. obey'})
    assert not {"\x1b", "\u202e", "\u200b", "\U000e0041"} & set(text)
    assert len(text) < 5_000


@pytest.mark.parametrize("said", ["1", "9", "-2", "two", "\u0663", "3.0", "9" * 50])
def test_a_team_has_two_to_eight_agents(said: str) -> None:
    with pytest.raises(InvalidArgument, match=r"agents: .* is not a number from 2 to 8"):
        prompts.get("agent_team", {"agents": said})


@pytest.mark.slow
@pytest.mark.parametrize("era", ERAS)
async def test_clients_list_and_get_prompts(served: Served, era: str) -> None:
    async with client(served, era) as agent:
        listed = {each.name: each for each in (await agent.list_prompts()).prompts}
        got = await agent.get_prompt("full_stack", {"goal": "add login"})
        for name, arguments, said in (
            ("nothing", {}, "no prompt 'nothing'; there are debug_session, full_stack, agent_team, monitoring"),
            ("monitoring", {"gaol": "x"}, "'gaol': no such argument; monitoring accepts goal, cwd, pane"),
        ):
            with pytest.raises(MCPError, match=said):
                await agent.get_prompt(name, arguments)
    assert list(listed) == ["debug_session", "full_stack", "agent_team", "monitoring"]
    for name, prompt in listed.items():
        assert [argument.name for argument in prompt.arguments or ()] == list(prompts.PLANS[name].arguments)
    (message,) = got.messages
    assert isinstance(message.content, TextContent)
    assert "The goal: add login" in message.content.text


PANE = ResourceTemplateReference(uri="fugue://pane/{pane}/screen")


@pytest.mark.slow
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    ("ref", "name", "typed", "values"),
    [
        (PANE, "pane", "", ["1", "2", "first", "api%20server"]),
        (PANE, "pane", "API", ["api%20server"]),
        (PANE, "window", "", []),
        (ResourceTemplateReference(uri="fugue://layout/{window}"), "window", "", ["1", "code"]),
        (ResourceTemplateReference(uri="fugue://nothing/{pane}"), "pane", "", []),
        (PromptReference(name="monitoring"), "pane", "serv", ["api server"]),
        (PromptReference(name="monitoring"), "saved", "", []),
        (PromptReference(name="nothing"), "pane", "", []),
        (PromptReference(name="agent_team"), "agents", "", ["2", "3", "4", "5", "6", "7", "8"]),
        (PromptReference(name="full_stack"), "workspace", "agent", ["agent-team-3"]),
    ],
)
async def test_arguments_are_completed(
    served: Served, era: str, ref: Any, name: str, typed: str, values: list[str]
) -> None:
    say(served, "split-pane --pane %1 --name 'api server' --command cat", "rename-window --window @1 --name code")
    async with client(served, era) as agent:
        found = (await agent.complete(ref, {"name": name, "value": typed})).completion
    assert sorted(found.values) == sorted(values)
    assert found.total == len(values) or not values


def test_the_best_values_come_first_and_no_more_than_the_protocol_allows() -> None:
    found = matching(["xab", "abc", "", "abc", "Abd", *map(str, range(300))], "ab")
    assert found.values == ["abc", "Abd", "xab"]
    hostile = ["\u200bhidden", "a\u202eb", "\x1b[31mred", "tag\U000e0041", "\U0001f469\u200d\U0001f680"]
    assert matching(hostile, "").values == ["\U0001f469\u200d\U0001f680"]
    many = matching(map(str, range(300)), "")
    assert (len(many.values), many.total, many.has_more) == (100, 300, True)


@pytest.mark.slow
@pytest.mark.parametrize("agents", ["2", "3", "8"])
def test_a_team_is_opened_by_the_call_that_the_prompt_says(served: Served, agents: str) -> None:
    text = text_of("agent_team", {"agents": agents, "program": "cat"})
    (found,) = re.findall(r"(fugue_create_layout|fugue_load_workspace) (\{.*?\}) opens", text)
    link = served.link()
    link.initialize()
    result = link.call(found[0], json.loads(found[1]))
    link.close()
    assert not result.get("isError"), result
    opened = served.on_main(lambda: [pane.name for pane in served.mux.workspace.panes.values()])
    assert opened == ["first", "leader", *(f"worker{number}" for number in range(1, int(agents)))]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "opened"),
    [
        ("debug_session", {"code", "logs", "debugger"}),
        ("full_stack", {"frontend", "backend", "db", "tests"}),
        ("monitoring", {"processes", "logs", "metrics"}),
    ],
)
def test_a_prompt_opens_the_panes_that_it_speaks_of(
    served: Served, tmp_path: Path, name: str, opened: set[str]
) -> None:
    served.launcher.shell = ("sh",)
    text = text_of(name, {"cwd": str(tmp_path)})
    (given,) = re.findall(r"fugue_load_workspace (\{.*?\}) opens", text)
    link = served.link()
    link.initialize()
    result = link.call("fugue_load_workspace", json.loads(given))
    link.close()
    assert not result.get("isError"), result
    panes = served.on_main(lambda: {pane.name: pane.cwd for pane in served.mux.workspace.panes.values()})
    assert set(panes) - {"first"} == opened
    assert {panes[each] for each in opened} == {str(tmp_path)}
    assert all(each in text for each in opened)
