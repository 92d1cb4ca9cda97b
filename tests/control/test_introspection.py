"""The registry as documents."""

import json

import pytest
from jsonschema import Draft202012Validator

from fugue_tui.control.core.command import Effect, Toolset, registry
from fugue_tui.control.introspection import (
    KEY,
    Format,
    annotations,
    known,
    lean_schema,
    listing,
    reflect,
    tool,
    tool_name,
)
from fugue_tui.control.schema.command_schema import input_schema
from fugue_tui.errors import UnknownCommand


@pytest.mark.slow
def test_json_holds_every_command_with_valid_schemas() -> None:
    found = json.loads(reflect(Format.JSON))
    assert [each["name"] for each in found["commands"]] == list(registry())
    for each in found["commands"]:
        Draft202012Validator.check_schema(each["input"])
        assert each["plain"] == (each["output"] is None) or each["output"] is None
        if each["output"]:
            Draft202012Validator.check_schema(each["output"])


def test_mcp_is_the_list_of_tools() -> None:
    found = json.loads(reflect(Format.MCP))
    assert [each["name"] for each in found["tools"]] == [
        tool_name(cls) for cls in registry().values() if not cls.user_only
    ]


def test_tree_and_markdown_name_every_command_and_flag() -> None:
    for format in (Format.TREE, Format.MARKDOWN):
        text = reflect(format)
        assert all(verb in text for verb in registry())
        assert "--on-exit" in text


def test_every_format_is_ascii_and_ends_in_one_newline() -> None:
    for format in Format:
        text = reflect(format)
        assert text.isascii()
        assert text.endswith("\n")
        assert not text.endswith("\n\n")


def test_only_reading_is_called_harmless() -> None:
    for verb, cls in registry().items():
        hints = annotations(cls)
        assert hints["readOnlyHint"] == (cls.all_effects <= {Effect.READ, Effect.CLIPBOARD}), verb
        assert hints["destructiveHint"] == (not cls.all_effects <= {Effect.READ, Effect.CLIPBOARD, Effect.LAYOUT}), verb
        assert hints["idempotentHint"] or cls.effect is not Effect.READ, verb


def test_what_creates_takes_a_key_and_nothing_else_does() -> None:
    for verb, cls in registry().items():
        assert (KEY in tool(cls)["inputSchema"]["properties"]) == cls.creates, verb
        assert KEY not in input_schema(cls)["properties"], verb
    assert {"split-pane", "create-pane", "create-window", "create-session", "create-layout"} <= creating()
    assert {"run-command", "restore-session", "restore-snapshot", "coordinate-panes"} <= creating()
    assert {"load-layout", "load-workspace", "create-snapshot", "save-session", "save-layout"} <= creating()


def creating() -> set[str]:
    return {verb for verb, cls in registry().items() if cls.creates}


def test_every_command_of_ours_is_in_a_set_of_tools() -> None:
    ours = [cls for cls in registry().values() if cls.__module__.startswith("fugue_tui.")]
    assert [cls.verb for cls in ours if cls.toolset is Toolset.OTHER and not cls.user_only] == []


def test_commands_are_known_and_listed() -> None:
    assert known("split-pane").verb == "split-pane"
    with pytest.raises(UnknownCommand, match="did you mean split-pane"):
        known("splitpane")
    assert all(f"  {verb} " in listing() for verb in registry())


def test_keywords_are_left_out_of_a_schema_of_results_but_no_properties() -> None:
    schema = {"type": "object", "required": ["default"], "properties": {"default": {"type": "string", "default": ""}}}
    assert lean_schema(schema) == {"type": "object", "properties": {"default": {"type": "string"}}}
