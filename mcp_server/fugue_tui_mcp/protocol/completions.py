"""Completions of prompt arguments and resource URIs. No I/O; uses only the SDK's types."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, NamedTuple

from mcp_types import CompleteRequestParams, Completion, PromptReference

from fugue_tui.sanitize import clean
from fugue_tui_mcp.protocol import resources
from fugue_tui_mcp.protocol.prompts import MOST_AGENTS, PLANS

MOST: Final = 100
"""Values in one result, as the protocol allows."""
AGENTS: Final = ("claude", "codex", "gemini")


class Source(NamedTuple):
    """The source of an argument's values."""

    verb: str
    """The command whose result has them; empty if they are constant."""
    values: Callable[[dict[str, Any]], Iterable[str]]
    """Extracts the values from its result."""


def source(params: CompleteRequestParams) -> Source | None:
    """The source of the values for the argument to complete; None if there is none."""
    name = params.argument.name
    if isinstance(params.ref, PromptReference):
        plan = PLANS.get(params.ref.name)
        return _PROMPTS.get(name) if plan is not None and name in plan.arguments else None
    uris = {each.uri_template for each in resources.templates()}
    return _RESOURCES.get(name) if params.ref.uri in uris and f"{{{name}}}" in params.ref.uri else None


def matching(values: Iterable[str], typed: str) -> Completion:
    """The values that begin with the typed text, then those that contain it; none with characters to sanitize."""
    lower, candidates = (
        typed.lower(),
        [each for each in dict.fromkeys(values) if each and clean(each, len(each)) == each],
    )
    first = [value for value in candidates if value.lower().startswith(lower)]
    rest = [value for value in candidates if lower in value.lower() and value not in first]
    matches = first + rest
    return Completion(values=matches[:MOST], total=len(matches), has_more=len(matches) > MOST)


def _each(of: str, *names: str) -> Callable[[dict[str, Any]], Iterable[str]]:
    """The values of some fields of every entry of a list."""
    return lambda result: (str(entry[name]) for name in names for entry in result[of])


def _in_uri(of: str) -> Callable[[dict[str, Any]], Iterable[str]]:
    return lambda result: map(resources.quoted, _each(of, "id", "name")(result))


def _constant(values: Iterable[str]) -> Source:
    def values_of(_: dict[str, Any]) -> Iterable[str]:
        return values

    return Source("", values_of)


def _sessions(result: dict[str, Any]) -> Iterable[str]:
    return (entry["name"] for entry in result["saved"] if entry["kind"] == "session")


_PROMPTS: Final[Mapping[str, Source]] = {
    "pane": Source("list-panes", _each("panes", "name", "id")),
    "cwd": Source("list-panes", _each("panes", "cwd")),
    "workspace": Source("list-layouts", _each("layouts", "name")),
    "saved": Source("list-saved", _sessions),
    "agents": _constant([str(number) for number in range(2, MOST_AGENTS + 1)]),
    "program": _constant(AGENTS),
}
_RESOURCES: Final[Mapping[str, Source]] = {
    "pane": Source("list-panes", _in_uri("panes")),
    "window": Source("list-windows", _in_uri("windows")),
}
