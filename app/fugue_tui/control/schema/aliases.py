"""Other names of tools and arguments that models use, such as those of the first designs of this interface.

They are accepted and not listed. A tool's name is looked up where tools are called, an argument's where commands are
built from JSON; a name that a command has itself is never an alias.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, TypeAlias, cast

from msgspec import Struct, field

from fugue_tui.errors import InvalidArgument
from fugue_tui.terminal.input.keys import parse_key
from fugue_tui.validation.annotations import Field
from fugue_tui.validation.field_types import Kind, ListOf, Null, OneOf

Convert: TypeAlias = Callable[[Any], Any]


class ToolAlias(Struct, frozen=True):
    """The command that another tool's name stands for."""

    verb: str
    fixed: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Arguments that it has unless the call gives them."""
    renamed: Mapping[str, str] = field(default_factory=dict[str, str])
    """Its arguments that have another name in the command."""


def _seconds(milliseconds: Any) -> Any:
    return milliseconds / 1000 if isinstance(milliseconds, int | float) else milliseconds


TOOLS: Final[Mapping[str, ToolAlias]] = MappingProxyType(
    {
        "send-text": ToolAlias("send-input"),
        "get-output": ToolAlias("read-pane", {"source": "scrollback"}),
        "get-scrollback": ToolAlias("read-pane", {"source": "scrollback"}, {"limit": "lines"}),
        "get-selection": ToolAlias("read-pane", {"source": "selection"}),
        "get-raw-text": ToolAlias("read-pane", {"format": "plain"}),
        "get-formatted-output": ToolAlias("read-pane", {"source": "scrollback", "format": "ansi"}),
        "parse-output-structured": ToolAlias("parse-output"),
    }
)
"""Tools by their names as command names."""

ACTIONS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "resize": "resize-pane",
        "close": "close-pane",
        "focus": "focus-pane",
        "zoom": "zoom-pane",
        "interrupt": "interrupt-pane",
        "respawn": "respawn-pane",
    }
)
"""The commands that the tool `control` stands for, by its argument `action`."""

ARGUMENTS: Final[Mapping[str, tuple[tuple[str, ...], Convert | None]]] = MappingProxyType(
    {
        "pane_id": (("pane", "panes", "source_pane"), None),
        "pane": (("panes", "source_pane"), None),
        "target": (("pane",), None),
        "window_id": (("window",), None),
        "session_id": (("session", "name"), None),
        "pattern": (("any_of",), None),
        "patterns": (("any_of",), None),
        "timeout_ms": (("timeout",), _seconds),
        "project_dir": (("cwd",), None),
        "working_directory": (("cwd",), None),
        "cmd": (("command",), None),
        "input": (("text",), None),
    }
)
"""The fields that an argument may stand for, of which the first is meant that a command has, and how its value is
converted."""

IGNORED: Final = frozenset({"wait_for_previous"})
"""Arguments that some clients add to every call."""
_LAYOUT: Final = ("direction", "splits", "pane")
_PREFIXES: Final = ("fugue-", "crux-")
_NAMED: Final = {"\r": "Enter", "\n": "Enter", "\t": "Tab", "\x1b": "Escape", "\x7f": "BSpace", " ": "Space"}


def tool(name: str, arguments: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """The command and the arguments of a call by a tool's name, which may be an alias. Raises InvalidArgument."""
    verb = name.replace("_", "-")
    for prefix in _PREFIXES:
        verb = verb.removeprefix(prefix)
    given = dict(arguments)
    if verb == "control":
        return _action(given.pop("action", None)), given
    alias = TOOLS.get(verb)
    if alias is None:
        return verb, given
    return alias.verb, {**alias.fixed, **{alias.renamed.get(name, name): value for name, value in given.items()}}


def fields(own: Mapping[str, Field], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """A call's arguments by the names of the command's `own` fields, a single text as the list that a field wants."""
    given = {name: value for name, value in arguments.items() if name in own or name not in IGNORED}
    if "layout" in own and not {"layout", "preset"} & set(given) and (parts := set(given) & set(_LAYOUT) - set(own)):
        given["layout"] = {name: given.pop(name) for name in _LAYOUT if name in parts}
    for other, (names, convert) in ARGUMENTS.items():
        meant = next((name for name in names if name in own), None)
        if other in given and other not in own and meant is not None and meant not in given:
            value = given.pop(other)
            given[meant] = value if convert is None else convert(value)
    return {name: _listed(name, own[name].kind, value) if name in own else value for name, value in given.items()}


def _listed(name: str, kind: Kind, value: Any) -> Any:
    """The value, in a list if the field is one and the value a text that is no JSON list."""
    if isinstance(kind, OneOf):
        real = [each for each in kind.kinds if not isinstance(each, Null)]
        kind = real[0] if len(real) == 1 else kind
    if not isinstance(kind, ListOf) or not isinstance(value, str) or value.lstrip().startswith("["):
        return value
    return _keys(value) if name == "keys" else [value]


def _keys(text: str) -> list[str]:
    """The keys in a text: one name, several names, or characters as a terminal sends them."""
    if _is_key(text):
        return [text]
    if text.isprintable():
        return text.split()
    return [_NAMED.get(char) or (char if char.isprintable() else f"C-{chr(ord(char) + 0x60)}") for char in text]


def _is_key(text: str) -> bool:
    try:
        parse_key(text)
    except InvalidArgument:
        return False
    return True


def _action(action: Any) -> str:
    if isinstance(action, str) and action in ACTIONS:
        return ACTIONS[action]
    raise InvalidArgument(f"action: {str(cast('object', action))[:40]!a} is none of {', '.join(ACTIONS)}")
