"""What an argument of a prompt or of a resource's URI may be. No I/O; of the SDK only its types."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, NamedTuple

from mcp_types import CompleteRequestParams, Completion, PromptReference

from fugue_tui.sanitize import clean
from fugue_tui_mcp.protocol import resources
from fugue_tui_mcp.protocol.prompts import MOST_AGENTS, PLANS

MOST: Final = 100
"""Values in one answer; the protocol allows no more."""
AGENTS: Final = ("claude", "codex", "gemini")


class Source(NamedTuple):
    """Where values come from."""

    verb: str
    """The command that knows them; empty if none is needed."""
    values: Callable[[dict[str, Any]], Iterable[str]]
    """The values in its result."""


def source(params: CompleteRequestParams) -> Source | None:
    """Where the values of the argument come from that a client completes; None if nothing is known of it."""
    name = params.argument.name
    if isinstance(params.ref, PromptReference):
        plan = PLANS.get(params.ref.name)
        return _PROMPTS.get(name) if plan is not None and name in plan.takes else None
    known = {each.uri_template for each in resources.templates()}
    return _RESOURCES.get(name) if params.ref.uri in known and f"{{{name}}}" in params.ref.uri else None


def chosen(values: Iterable[str], typed: str) -> Completion:
    """The values that begin with what was typed, and then those that hold it elsewhere; none that hides something."""
    low, found = typed.lower(), [each for each in dict.fromkeys(values) if each and clean(each, len(each)) == each]
    first = [value for value in found if value.lower().startswith(low)]
    rest = [value for value in found if low in value.lower() and value not in first]
    fitting = first + rest
    return Completion(values=fitting[:MOST], total=len(fitting), has_more=len(fitting) > MOST)


def _each(of: str, *names: str) -> Callable[[dict[str, Any]], Iterable[str]]:
    """The values of some fields of every entry of a list."""
    return lambda result: (str(entry[name]) for name in names for entry in result[of])


def _in_uri(of: str) -> Callable[[dict[str, Any]], Iterable[str]]:
    return lambda result: map(resources.quoted, _each(of, "id", "name")(result))


def _always(values: Iterable[str]) -> Source:
    def known(_: dict[str, Any]) -> Iterable[str]:
        return values

    return Source("", known)


def _sessions(result: dict[str, Any]) -> Iterable[str]:
    return (entry["name"] for entry in result["saved"] if entry["kind"] == "session")


_PROMPTS: Final[Mapping[str, Source]] = {
    "pane": Source("list-panes", _each("panes", "name", "id")),
    "cwd": Source("list-panes", _each("panes", "cwd")),
    "workspace": Source("list-layouts", _each("layouts", "name")),
    "saved": Source("list-saved", _sessions),
    "agents": _always([str(number) for number in range(2, MOST_AGENTS + 1)]),
    "program": _always(AGENTS),
}
_RESOURCES: Final[Mapping[str, Source]] = {
    "pane": Source("list-panes", _in_uri("panes")),
    "window": Source("list-windows", _in_uri("windows")),
}
