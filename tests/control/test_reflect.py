"""The registry as documents."""

import json

import pytest
from jsonschema import Draft202012Validator

from fugue_tui.control.command import Effect, registry
from fugue_tui.control.reflect import ESSENTIAL, Format, annotations, known, listing, reflect, tool_name
from fugue_tui.errors import UnknownCommand


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
    assert [each["name"] for each in found["tools"]] == [tool_name(cls) for cls in registry().values()]


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
    assert [effect for effect in Effect if annotations(effect)["readOnlyHint"]] == [Effect.READ]
    assert [effect for effect in Effect if annotations(effect)["destructiveHint"]] == [Effect.INPUT, Effect.DESTROY]


def test_the_essential_commands_exist() -> None:
    assert set(registry()) >= ESSENTIAL


def test_commands_are_known_and_listed() -> None:
    assert known("split-pane").verb == "split-pane"
    with pytest.raises(UnknownCommand, match="did you mean split-pane"):
        known("splitpane")
    assert all(f"  {verb} " in listing() for verb in registry())
