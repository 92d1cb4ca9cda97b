"""The reference has every subcommand, command, key, setting, MCP tool, event and error code, and the other pages name
none that there is not."""

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
from docs.reference import pages
from msgspec import Struct

from fugue_tui.cli import tmux_words
from fugue_tui.cli.subcommands import OPTIONS, SUBCOMMANDS
from fugue_tui.config.model import Config, KeySettings
from fugue_tui.control.core.command import for_agents, registry
from fugue_tui.control.introspection import tool_name
from fugue_tui.control.keymap import keymap
from fugue_tui.multiplexer.events.derive import EventKind
from fugue_tui.tui.input.key_labels import label, written

ROOT = Path(__file__).parents[2]
PAGES = pages()


def settings(section: type[Any], seen: tuple[type[Any], ...] = ()) -> Iterator[str]:
    """The keys of a section, and of the sections in it."""
    for name, hint in get_type_hints(section).items():
        inner = [each for each in parts(hint) if isinstance(each, type) and issubclass(each, Struct)]
        if not inner:
            yield name
        for each in inner:
            if each not in seen:
                yield from settings(each, (*seen, each))


def parts(hint: Any) -> Iterator[Any]:
    """A type and the types in it."""
    yield hint
    for each in get_args(hint):
        yield from parts(each)


def error_codes() -> set[str]:
    """The codes of all errors in the source."""
    found = set[str]()
    for path in [*ROOT.glob("app/**/*.py"), *ROOT.glob("mcp_server/**/*.py"), *ROOT.glob("widgets/**/*.py")]:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef) and node.bases:
                found |= {
                    each.value.value
                    for each in node.body
                    if isinstance(each, ast.Assign)
                    and [target.id for target in each.targets if isinstance(target, ast.Name)] == ["code"]
                    and isinstance(each.value, ast.Constant)
                    and isinstance(each.value.value, str)
                }
    return found


def ours() -> dict[str, Any]:
    """The commands that this program declares."""
    return {verb: cls for verb, cls in registry().items() if cls.__module__.startswith("fugue_tui.")}


def test_every_subcommand_and_command_is_in_the_reference() -> None:
    assert [each.name for each in SUBCOMMANDS if each.name and each.name not in PAGES["subcommands.md"]] == []
    assert [verb for verb in ours() if f"\n## {verb}\n" not in PAGES["commands.md"]] == []


def test_every_key_is_in_the_reference() -> None:
    page = PAGES["keys.md"]
    keys, _ = keymap(KeySettings())
    bound = [*keys.always.items(), *keys.prefixed.items()]
    assert len(bound) > 80
    assert [label(binding) for _, binding in bound if label(binding).replace("|", "\\|") not in page] == []
    counted = [written(press) for press, _ in bound if press.name.isalpha() and not press.modifiers]
    assert [press for press in counted if press.replace("|", "\\|") not in page] == []


def test_every_setting_is_in_the_reference() -> None:
    names = set(settings(Config))
    assert {"scrollback", "headers", "sampling"} <= names
    assert [name for name in names if f"`{name}`" not in PAGES["configuration.md"]] == []


def test_every_tool_event_and_error_code_is_in_the_reference() -> None:
    tools = [tool_name(each) for each in for_agents() if each.__module__.startswith("fugue_tui.")]
    assert [name for name in tools if f"[`{name}`]" not in PAGES["mcp-tools.md"]] == []
    assert [kind for kind in EventKind if f"`{kind.value}`" not in PAGES["events.md"]] == []
    assert {"bad_recording", "not_found"} <= error_codes()
    assert [code for code in error_codes() if f"`{code}`" not in PAGES["errors.md"]] == []


def lines(text: str) -> Iterator[str]:
    """The command lines of a page that call the program."""
    for line in text.splitlines():
        if found := re.match(r"(?: {4}|\$ )?fugue-tui (.*)", line):
            yield re.split(r"\s+#|\s[|>&]", found[1])[0]


def unknown(line: str, commands: Mapping[str, Any]) -> str:
    """What of a command line there is not; empty if nothing is missing."""
    words = re.sub(r"'[^']*'?|\\\\$", "WORD", line).split()
    known = {each.name for each in SUBCOMMANDS} | commands.keys()
    if not words or words[0] not in known or tmux_words.rewritten(words) != words:
        return ""  # The name of a workspace, an option, or one of tmux's words.
    cls = commands.get(words[0])
    flags = {flag for each in OPTIONS for flag in each.flags}
    if cls is not None:
        flags = {f"--{name.replace('_', '-')}" for name in cls.__struct_fields__}
        flags |= {f"--no-{flag[2:]}" for flag in flags} | {"--json", "--workspace", "--output"}
        given = [word.partition("=")[0] for word in words[1:] if word.startswith("--") and len(word) > 2]
        return " ".join(each for each in given if each not in flags)
    return ""


@pytest.mark.parametrize("page", [*sorted(ROOT.glob("docs/**/*.md")), ROOT / "README.md"], ids=lambda page: page.name)
def test_what_pages_have_the_reader_type_exists(page: Path) -> None:
    commands = ours()
    assert {line: found for line in lines(page.read_text()) if (found := unknown(line, commands))} == {}


def test_an_option_that_there_is_not_is_found() -> None:
    (line,) = lines("    fugue-tui split-pane --size 0.3 --nope 1   # a note")
    assert unknown(line, ours()) == "--nope"
