"""The tools listed for a client: a few at first, and further sets when enabled. No I/O; uses only the SDK's types.

Every tool can be called by its name, listed or not: a short list keeps a model's context small.
"""

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, Final, cast

from mcp_types import CallToolResult, TextContent, Tool, ToolAnnotations

from fugue_tui.control.core.command import Toolset, for_agents
from fugue_tui.control.introspection import tool_name
from fugue_tui.errors import InvalidArgument
from fugue_tui.validation.field_docs import field_docs
from fugue_tui_mcp.protocol import tools
from fugue_tui_mcp.protocol.truncate import written

NAME: Final = "fugue_toolsets"
"""The tool that lists and switches the sets; no command, as only MCP clients have sets."""
ALL: Final = "all"
"""All sets."""
STATIC_LIST_CLIENTS: Final = ("codex",)
"""Names of clients that ignore list changes (Codex 0.169): they are shown all sets."""


class Toolsets:
    """The enabled sets of one client."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        self._on = {Toolset.DEFAULT} | _sets_of(names)

    def identify(self, client: str) -> None:
        """Set the client's name."""
        if client.lower().startswith(STATIC_LIST_CLIENTS) and self._on == {Toolset.DEFAULT}:
            self._on = set(Toolset)

    def listed(self) -> list[Tool]:
        """The listed tools, always in the same order."""
        return [_tool(), *(each for each in tools.tools() if tools.by_name()[each.name].toolset in self._on)]

    def switch(self, arguments: Mapping[str, Any]) -> bool:
        """Enable and disable sets; whether the list has changed. Raises InvalidArgument."""
        for name in arguments:
            if name not in ("enable", "disable"):
                raise InvalidArgument(f"{name[:40]!a}: no such argument; it accepts enable, disable")
        before = set(self._on)
        self._on |= _parse_sets(arguments, "enable")
        self._on = (self._on - _parse_sets(arguments, "disable")) | {Toolset.DEFAULT}
        return self._on != before

    def result(self) -> CallToolResult:
        """The sets with their state and their tools."""
        about = field_docs(Toolset)
        sets = [
            {"name": each.value, "on": each in self._on, "about": about.get(each.name, ""), "tools": names}
            for each in Toolset
            if (names := [tool_name(cls) for cls in for_agents() if cls.toolset is each])
        ]
        return CallToolResult(content=[TextContent(text=written({"sets": sets}))], structured_content={"sets": sets})


def _parse_sets(arguments: Mapping[str, Any], name: str) -> set[Toolset]:
    value = arguments.get(name, [])
    words = cast("list[Any]", value if isinstance(value, list) else [value])
    for word in words:
        if word not in (*Toolset, ALL):
            raise InvalidArgument(f"{name}: no set {str(word)[:40]!a}; there are {', '.join(Toolset)}, and {ALL}")
    return _sets_of(words)


def _sets_of(names: Iterable[str]) -> set[Toolset]:
    named = set(names)
    return {each for each in Toolset if each in named or ALL in named}


@cache
def _tool() -> Tool:
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
            "Find and enable further tools: they come in sets, of which only some are listed at first. Lists every "
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
