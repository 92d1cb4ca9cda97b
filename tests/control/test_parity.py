"""No interface lacks or adds a command: each offers the registry, whole."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

from fugue_tui.cli.args import split_own
from fugue_tui.control import commands
from fugue_tui.control.core.command import Command, registry
from fugue_tui.control.introspection import Format, reflect, tool_name
from fugue_tui.control.schema.command_line import flag, format, help_text, parse
from fugue_tui.control.schema.command_schema import build, describe, input_schema, output_schema
from fugue_tui.tui.ui.command_palette import entries
from fugue_tui.validation.annotations import fields_of
from fugue_tui_mcp.protocol import tools

OURS = {verb: cls for verb, cls in registry().items() if cls.__module__.startswith("fugue_tui.")}

ALONE = [cls for cls in OURS.values() if not any(field.required for field in describe(cls).fields)]


@pytest.mark.slow
def test_every_declared_command_is_in_the_registry() -> None:
    declared: list[str] = []
    folder = Path(commands.__file__ or "").parent
    for file in (*sorted(folder.glob("*.py")), folder.parent / "tmux/run_tmux_command.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.ClassDef):
                words = {word.arg: word.value for word in node.keywords}
                declared += [ast.literal_eval(words["name"])] if {"name", "effect"} <= set(words) else []
    assert sorted(declared) == sorted(OURS)
    assert OURS


def test_the_palette_offers_the_registry() -> None:
    assert sorted(cls.verb for cls, _ in entries()) == sorted(registry())


def test_mcp_offers_the_registry() -> None:
    tools.tools.cache_clear()
    tools.by_name.cache_clear()
    assert [tool.name for tool in tools.tools()] == [tool_name(cls) for cls in registry().values() if not cls.user_only]
    assert list(tools.by_name().values()) == [cls for cls in registry().values() if not cls.user_only]


@pytest.mark.slow
def test_the_command_line_offers_the_registry() -> None:
    command = [sys.executable, "-m", "fugue_tui", "--help"]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    listed = said.partition("commands (")[2].splitlines()[1:]
    verbs = [line.split()[0] for line in listed if line.startswith("    ")]
    assert sorted(verbs) == sorted(OURS)


@pytest.mark.slow
def test_reflection_prints_the_registry() -> None:
    command = [sys.executable, "-m", "fugue_tui", "reflect", "--format", "json"]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert [each["name"] for each in json.loads(said)["commands"]] == list(OURS)
    assert [each["name"] for each in json.loads(reflect(Format.JSON))["commands"]] == list(registry())


@pytest.mark.parametrize("cls", OURS.values(), ids=OURS)
def test_a_command_says_everything_that_every_interface_needs(cls: type[Command[object]]) -> None:
    about = describe(cls)
    assert "-" in cls.verb, "the command line tells commands from workspaces by the hyphen"
    assert about.summary.endswith(".")
    assert about.text.isascii()
    for field in about.fields:
        assert field.doc, f"{cls.verb}: {field.name} has no docstring"
        assert field.doc.isascii()
        assert flag(field.name) in help_text(cls)
        assert input_schema(cls)["properties"][field.name]["description"] == field.doc
    output = output_schema(cls)
    assert (output is None) == cls.plain
    for name, schema in (output or {"properties": {}})["properties"].items():
        assert schema.get("description"), f"{cls.verb}: its result's {name} has no docstring"


@pytest.mark.parametrize("cls", OURS.values(), ids=OURS)
def test_every_flag_of_a_command_reaches_it(cls: type[Command[object]]) -> None:
    usage = help_text(cls).partition("\n\n")[0].split()
    flags = [word.strip("[]").partition("|")[0] for word in usage if word.lstrip("[").startswith("--")]
    assert len(flags) == len(set(flags)), flags
    for field in fields_of(cls) if cls.verb != "kill-server" else ():
        given = f"{flag(field.name)}=x"
        assert split_own([cls.verb, given])[1] == {}, f"the client takes {given}"


@pytest.mark.parametrize("cls", ALONE, ids=[cls.verb for cls in ALONE])
def test_a_command_that_needs_nothing_can_be_said_by_its_name_alone(cls: type[Command[object]]) -> None:
    said = build(*parse([cls.verb]))
    assert said == cls()
    assert format(said) == [cls.verb]
