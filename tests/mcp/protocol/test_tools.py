"""What a model reads when a tool has run."""

import asyncio
import json
import re
import secrets
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from mcp_types import CallToolResult, ImageContent, TextContent
from tests.mcp.conftest import Served, until
from tests.mcp.protocol.test_resources import say
from tests.mcp.protocol.test_session import client

from fugue_tui.config.model import McpSettings
from fugue_tui.control.core.answers import ImageAnswer, TextAnswer
from fugue_tui.control.core.command import Command, Effect, registry
from fugue_tui.control.core.results import WindowInfo, WindowList
from fugue_tui.control.dispatch.thread_gateway import Answer
from fugue_tui.control.introspection import tool
from fugue_tui.control.schema.command_schema import build
from fugue_tui.errors import InvalidArgument, Refused
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer.events.derive import EventKind
from fugue_tui_mcp.protocol import tools


@pytest.mark.slow
@given(st.text())
def test_fenced_text_holds_no_control_character_and_cannot_end_the_fence(text: str) -> None:
    lines = tools.fenced(text, "pane %3").split("\n")
    assert lines[0].startswith("untrusted output of pane %3, ")
    assert lines[1] == lines[-1]
    assert lines[1] not in lines[2:-1]
    assert all(char.isprintable() or char == "\t" or char.isspace() for line in lines for char in line if char < "\x7f")
    assert not {"\x1b", "\u202e", "\u200b", "\U000e0041"} & set("".join(lines))


def test_a_fence_that_occurs_in_the_text_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    tokens = iter(["feed", "beef"])

    def token(size: int) -> str:
        return next(tokens)

    monkeypatch.setattr(secrets, "token_hex", token)
    assert tools.fenced("--- feed", "pane %1").endswith("--- beef\n--- feed\n--- beef")


def test_an_error_carries_its_code_and_data() -> None:
    result = tools.failure(Refused("the user is typing in %1", retry_after_ms=1500))
    (content,) = result.content
    assert isinstance(content, TextContent)
    assert result.is_error
    assert content.text == "refused: the user is typing in %1\nretry_after_ms: 1500"


class _Probe(Command[TextAnswer], name="told-probe", effect=Effect.READ, plain=True):
    """Tell nothing."""


class _Reading(TextAnswer, frozen=True, kw_only=True):
    lines: int
    more: bool = False

    @property
    def styled(self) -> bool:
        return True

    @property
    def untrusted(self) -> str:
        return "pane %7"


def texts(result: CallToolResult) -> list[str]:
    return [content.text for content in result.content if isinstance(content, TextContent)]


def test_a_text_with_facts_is_fenced_and_the_facts_follow_as_json() -> None:
    told = _Reading(text="\x1b[31mred\x1b[0m\x1b]52;c;eA==\x07 👨‍👩‍👧 \u202ex", lines=0)
    fence, facts = texts(tools.success(_Probe, Answer(told, None)))
    assert fence.startswith("untrusted output of pane %7, ")
    assert fence.split("\n")[2] == "␛[31mred␛[0m 👨‍👩‍👧 x"
    assert json.loads(facts) == {"lines": 0}


def test_a_picture_comes_as_an_image_with_what_is_to_be_said_of_it() -> None:
    told = ImageAnswer(text="a picture", image="aGVsbG8=", media_type="image/png")
    image, text, facts = tools.success(_Probe, Answer(told, None)).content
    assert isinstance(image, ImageContent)
    assert (image.data, image.mime_type) == ("aGVsbG8=", "image/png")
    assert isinstance(text, TextContent)
    assert text.text == "a picture"
    assert isinstance(facts, TextContent)
    assert json.loads(facts.text) == {"media_type": "image/png"}


def test_a_text_that_is_too_long_keeps_its_end_and_says_how_to_ask_for_less() -> None:
    text = "\n".join(f"line {number}" for number in range(10_000))
    result = tools.success(registry()["read-pane"], Answer(text, PaneId(3)), 5_000)
    fence, facts = (content.text for content in result.content if isinstance(content, TextContent))
    assert fence.splitlines()[0].startswith("untrusted output of pane %3, ")
    assert fence.splitlines()[2].startswith("line ")
    assert fence.splitlines()[-2] == "line 9999"
    assert len(fence) < 5_300
    assert re.fullmatch(
        r"the first \d+ of \d+ characters; pane, .*lines, .*offset.* ask for less", json.loads(facts)["left_out"]
    )


def test_a_structure_that_is_too_long_fits_its_schema_and_says_what_is_gone() -> None:
    cls = registry()["list-windows"]
    windows = tuple(WindowInfo(f"@{number}", "w" * 100, "s", False, False, "%1", ("%1",)) for number in range(1, 500))
    result = tools.success(cls, Answer(WindowList(windows), None), 5_000)
    structure: Any = result.structured_content
    assert len(json.dumps(structure, separators=(",", ":"))) < 5_200
    assert structure["left_out"].startswith(f"windows: {len(structure['windows'])} of 499; session asks for less")
    assert Draft202012Validator(tool(cls)["outputSchema"]).is_valid(structure)  # pyright: ignore[reportUnknownMemberType]


@pytest.mark.parametrize("key", [3, "", "k" * 129])
def test_a_key_that_is_none_is_refused(key: object) -> None:
    with pytest.raises(InvalidArgument, match="split-pane: idempotency_key: must be a text of 1 to 128 characters"):
        tools.key_of(registry()["split-pane"], {"idempotency_key": key})


def test_a_key_is_left_to_the_command_that_does_not_create() -> None:
    arguments = {"idempotency_key": "k"}
    assert tools.key_of(registry()["close-pane"], arguments) == ""
    assert arguments


@pytest.mark.slow
async def test_a_long_reading_comes_in_pages_of_what_a_client_takes(serve: Callable[..., Served]) -> None:
    served = serve(settings=McpSettings(longest_answer=4_000), engine="ghostty")
    say(served, "split-pane --pane %1 --on-exit keep --command 'seq 1000 1500'")
    await asyncio.to_thread(until, lambda: served.on_main(lambda: 2 in served.mux.exits))
    async with client(served, "auto") as agent:
        arguments: dict[str, Any] = {"pane": "%2", "source": "scrollback", "lines": 1_000, "offset": 0}
        read = list[str]()
        while arguments["offset"] is not None:
            text, facts = texts(await agent.call_tool("fugue_read_pane", arguments))
            assert len(text) < 4_400
            read = [line for line in text.splitlines() if line.isdigit()] + read
            arguments["offset"] = json.loads(facts).get("next_offset")
    assert read == [str(number) for number in range(1000, 1501)]


@pytest.mark.slow
@pytest.mark.parametrize("limit", [2_000, 5_000])
async def test_a_long_log_comes_in_pages_of_what_a_client_takes(serve: Callable[..., Served], limit: int) -> None:
    served = serve(settings=McpSettings(longest_answer=limit))
    for number in range(300):
        served.on_main(
            lambda number=number: served.mux.event_log.record(EventKind.NOTIFICATION, title=f"{number}", body="é" * 40)
        )
    async with client(served, "auto") as agent:
        read, after = list[str](), 0
        while True:
            arguments = {"after": after, "limit": 1_000, "kinds": ["notification"]}
            page: Any = (await agent.call_tool("fugue_list_events", arguments)).structured_content
            assert "left_out" not in page
            assert len(json.dumps(page, ensure_ascii=False)) <= limit
            if not page.get("events"):
                break
            read += [event["facts"]["title"] for event in page["events"]]
            after = page["next"]
    assert read == [str(number) for number in range(300)]


def test_what_may_be_left_out_has_one_type_in_a_tools_schema_and_may_be_null_all_the_same() -> None:
    after = tool(registry()["list-events"])["inputSchema"]["properties"]["after"]
    assert (after["type"], after["minimum"]) == ("integer", 0)
    assert all('"null"' not in json.dumps(tool(cls)["inputSchema"]) for cls in registry().values())
    assert build(registry()["list-events"], {"after": None}) == build(registry()["list-events"], {})


@pytest.mark.slow
@pytest.mark.parametrize("tool", ["fugue_run_command", "fugue_execute_command"])
async def test_a_long_output_keeps_both_ends_and_says_where_its_middle_is_read(
    serve: Callable[..., Served], tool: str
) -> None:
    served = serve(settings=McpSettings(longest_answer=2_000), engine="ghostty")
    served.launcher.shell = ("sh",)
    say(served, "create-pane --name shell")
    where = {"keep": "always"} if tool == "fugue_run_command" else {"pane": "shell"}
    async with client(served, "auto") as agent:
        ran = await agent.call_tool(tool, {"command": "seq 1000 1480", "limit": 200_000, **where})
        text, facts = texts(ran)
        assert len(text) < 2_400
        assert "left_out" not in json.loads(facts)
        assert json.loads(facts)["omitted_lines"] > 0
        read, cursor = numbers(text), json.loads(facts)["cursor"]
        assert (read[0], read[-1]) == (1000, 1480)
        while cursor:
            text, facts = texts(await agent.call_tool("fugue_read_pane", {"cursor": cursor}))
            read += numbers(text)
            cursor = json.loads(facts)["cursor"] if json.loads(facts).get("truncated") else None
    assert sorted(set(read)) == list(range(1000, 1481))


def numbers(text: str) -> list[int]:
    """The lines that are numbers."""
    return [int(line) for line in text.splitlines() if line.isdigit()]
