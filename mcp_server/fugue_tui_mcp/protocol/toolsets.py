"""Which tools a client sees: a few at first, further sets when it switches them on. No I/O; of the SDK only its types.

Every tool can be called by its name, listed or not: the list is there to keep a model's context small.
"""

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, Final, cast

from mcp_types import CallToolResult, TextContent, Tool, ToolAnnotations

from fugue_tui.control.core.command import Toolset, registry
from fugue_tui.control.introspection import tool_name
from fugue_tui.control.schema.field_docs import field_docs
from fugue_tui.errors import InvalidArgument
from fugue_tui_mcp.protocol import tools
from fugue_tui_mcp.protocol.truncate import written

NAME: Final = "fugue_toolsets"
"""The tool that tells the sets and switches them; it is no command, for only clients of this protocol have sets."""
ALL: Final = "all"
"""Stands for every set."""
DEAF: Final = ("codex",)
"""How clients call themselves that never list again, whatever they are told (Codex 0.169): they see all at once."""


class Toolsets:
    """The sets that one client has switched on."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        self._on = {Toolset.DEFAULT} | _named(names)

    def meet(self, client: str) -> None:
        """Learn what the client calls itself."""
        if client.lower().startswith(DEAF) and self._on == {Toolset.DEFAULT}:
            self._on = set(Toolset)

    def listed(self) -> list[Tool]:
        """The tools that the client sees now: always in the same order."""
        return [_switch(), *(each for each in tools.tools() if tools.by_name()[each.name].toolset in self._on)]

    def switch(self, arguments: Mapping[str, Any]) -> bool:
        """Switch sets on and off; whether other tools are listed now. Raises InvalidArgument."""
        for name in arguments:
            if name not in ("enable", "disable"):
                raise InvalidArgument(f"{name[:40]!a}: no such argument; it takes enable, disable")
        before = set(self._on)
        self._on |= _checked(arguments, "enable")
        self._on = (self._on - _checked(arguments, "disable")) | {Toolset.DEFAULT}
        return self._on != before

    def told(self) -> CallToolResult:
        """The sets, whether they are on, and their tools."""
        about = field_docs(Toolset)
        sets = [
            {"name": each.value, "on": each in self._on, "about": about.get(each.name, ""), "tools": found}
            for each in Toolset
            if (found := [tool_name(cls) for cls in registry().values() if cls.toolset is each])
        ]
        return CallToolResult(content=[TextContent(text=written({"sets": sets}))], structured_content={"sets": sets})


def _checked(arguments: Mapping[str, Any], name: str) -> set[Toolset]:
    given = arguments.get(name, [])
    words = cast("list[Any]", given if isinstance(given, list) else [given])
    for word in words:
        if word not in (*Toolset, ALL):
            raise InvalidArgument(f"{name}: no set {str(word)[:40]!a}; there are {', '.join(Toolset)}, and {ALL}")
    return _named(words)


def _named(names: Iterable[str]) -> set[Toolset]:
    named = set(names)
    return {each for each in Toolset if each in named or ALL in named}


@cache
def _switch() -> Tool:
    names = {"type": "array", "items": {"type": "string", "enum": [*Toolset, ALL]}}
    entry = {
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "on": {"type": "boolean"},
            "about": {"type": "string"},
            "tools": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["name", "on", "about", "tools"],
    }
    return Tool(
        name=NAME,
        title="Toolsets",
        description=(
            "Find and switch on further tools: they come in sets, of which only some are listed at first. Tells every "
            "set with its tools, and whether it is on; enable and disable change what is listed for you."
        ),
        input_schema={
            "type": "object",
            "properties": {
                "enable": names | {"description": "Sets to list from now on; all for every one."},
                "disable": names | {"description": "Sets to list no longer; default always is."},
            },
            "additionalProperties": False,
        },
        output_schema={
            "type": "object",
            "properties": {"sets": {"type": "array", "items": entry}},
            "required": ["sets"],
        },
        annotations=ToolAnnotations(
            title="Toolsets", read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
        ),
        _meta={"anthropic/alwaysLoad": True},
    )
