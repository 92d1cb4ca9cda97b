"""The tools listed for a client: a few, and further sets when enabled. No I/O; uses only the SDK's types.

Every tool can be called by its name, listed or not: a short list keeps a model's context small. Claude Code searches
tools itself and shows its model those that are marked: it gets the whole list. Models in other clients find further
tools by `fugue_toolsets` and call them by `fugue_call`.
"""

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, Final, cast

from mcp_types import CallToolResult, TextContent, Tool, ToolAnnotations

from fugue_tui.control.core.command import Toolset, for_agents
from fugue_tui.control.introspection import tool, tool_name
from fugue_tui.control.schema import aliases
from fugue_tui.control.schema.command_search import search
from fugue_tui.errors import InvalidArgument
from fugue_tui.validation.field_docs import field_docs
from fugue_tui_mcp.protocol import tools
from fugue_tui_mcp.protocol.truncate import written

NAME: Final = "fugue_toolsets"
"""The tool that finds tools and switches sets; no command, as only MCP clients have sets."""
CALL: Final = "fugue_call"
"""The tool that calls others, for clients that call only what is listed."""
ALL: Final = "all"
"""All sets."""
SEARCHING_CLIENTS: Final = ("claude-code",)
"""Names of clients that search tools themselves, and load those with this mark at once."""
_ALWAYS: Final = {"anthropic/alwaysLoad": True}
_MOST_FOUND: Final = 4
"""Tools in the answer to a query."""


class Toolsets:
    """The enabled sets of one client."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        self._on = {Toolset.DEFAULT} | _sets_of(names)
        self._searches = False

    def identify(self, client: str) -> None:
        """Set the client's name."""
        self._searches = client.lower().startswith(SEARCHING_CLIENTS)

    def listed(self) -> list[Tool]:
        """The listed tools, always in the same order."""
        if self._searches:
            return [_marked(each, always=self._is_on(each)) for each in tools.tools()]
        return [_toolsets(), _call(), *filter(self._is_on, tools.tools())]

    def switch(self, arguments: Mapping[str, Any]) -> bool:
        """Enable and disable sets; whether the list has changed. Raises InvalidArgument."""
        for name in arguments:
            if name not in ("query", "enable", "disable"):
                raise InvalidArgument(f"{name[:40]!a}: no such argument; it accepts query, enable, disable")
        before = set(self._on)
        self._on |= _parse_sets(arguments, "enable")
        self._on = (self._on - _parse_sets(arguments, "disable")) | {Toolset.DEFAULT}
        return self._on != before

    def result(self, query: str = "") -> CallToolResult:
        """The tools that a query finds, with their arguments; without one, the sets with their tools."""
        found = {"tools": _found(query)} if query else {"sets": self._sets()}
        return CallToolResult(content=[TextContent(text=written(found))], structured_content=found)

    def _sets(self) -> list[dict[str, Any]]:
        about = field_docs(Toolset)
        return [
            {"name": each.value, "on": each in self._on, "about": about.get(each.name, ""), "tools": names}
            for each in Toolset
            if (names := [tool_name(cls) for cls in for_agents() if cls.toolset is each])
        ]

    def _is_on(self, listed: Tool) -> bool:
        return tools.by_name()[listed.name].toolset in self._on


def parse_call(arguments: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """The tool and the arguments that `fugue_call` is to call. Raises InvalidArgument."""
    name, given = arguments.get("tool"), cast("Any", arguments.get("arguments") or {})
    if not isinstance(name, str) or name == CALL:
        raise InvalidArgument(f"tool: requires the name of a tool; {NAME} finds one")
    if not isinstance(given, dict):
        raise InvalidArgument("arguments: requires an object")
    return name, cast("dict[str, Any]", given)


def _found(query: str) -> list[dict[str, Any]]:
    """The definitions of the tools that a query names or describes."""
    named = aliases.tool(query.strip(), {})[0] if query.strip().replace("_", "").isalpha() else ""
    verbs = dict.fromkeys((named, *search(query, _MOST_FOUND)))
    known = {cls.verb: tool(cls) for cls in for_agents()}
    shown = [known[verb] for verb in verbs if verb in known][:_MOST_FOUND]
    return [{name: each[name] for name in ("name", "description", "inputSchema")} for each in shown]


def _marked(listed: Tool, *, always: bool) -> Tool:
    return listed.model_copy(update={"meta": _ALWAYS if always else None})


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
def _toolsets() -> Tool:
    names = {"type": "array", "items": {"type": "string"}}
    return Tool(
        name=NAME,
        title="Toolsets",
        description=(
            f"Find further tools by words, such as 'screenshot' or 'resize', with their arguments; {CALL} calls them. "
            "Without a query: all sets of tools."
        ),
        input_schema={
            "type": "object",
            "properties": {
                "query": {"type": "string", "description": "What to do, or a tool's name."},
                "enable": names | {"description": "Sets to list from now on, or all."},
                "disable": names | {"description": "Sets to list no longer."},
            },
        },
        output_schema={
            "type": "object",
            "properties": {
                name: {"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}}}}
                for name in ("sets", "tools")
            },
        },
        annotations=ToolAnnotations(
            title="Toolsets", read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
        ),
        _meta=_ALWAYS,
    )


@cache
def _call() -> Tool:
    return Tool(
        name=CALL,
        title="Call",
        description=f"Call a tool that is not listed; {NAME} finds it and its arguments.",
        input_schema={
            "type": "object",
            "properties": {
                "tool": {"type": "string", "description": "Its name, such as fugue_screenshot_pane."},
                "arguments": {"type": "object", "description": "Its arguments."},
            },
            "required": ["tool"],
        },
        annotations=ToolAnnotations(
            title="Call", read_only_hint=False, destructive_hint=True, idempotent_hint=False, open_world_hint=True
        ),
        _meta=_ALWAYS,
    )
