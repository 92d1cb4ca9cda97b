"""Commands by subject, for the lists that people read."""

from typing import Any, Final

from fugue_tui.control.core.command import Command, Toolset, registry

_TITLES: Final = {
    Toolset.DEFAULT: "Panes: open, read, run, wait",
    Toolset.LAYOUT: "Layout",
    Toolset.SESSIONS: "Windows, sessions, terminals",
    Toolset.RUNNING: "Programs",
    Toolset.READING: "Output and history",
    Toolset.SEEING: "Screenshots",
    Toolset.SAVING: "Saving and restoring",
    Toolset.AGENTS: "Agents",
    Toolset.SERVERS: "Other MCP servers",
    Toolset.OTHER: "Everything else",
}
"""The subjects in their order; a toolset that is not here comes last, under its own name."""


def by_subject() -> list[tuple[str, list[type[Command[Any]]]]]:
    """Every command once, in the order of names, under the title of its subject."""
    found: dict[Toolset, list[type[Command[Any]]]] = {toolset: [] for toolset in (*_TITLES, *Toolset)}
    for _, cls in sorted(registry().items()):
        found[cls.toolset].append(cls)
    return [
        (_TITLES.get(toolset, toolset.value.capitalize()), commands) for toolset, commands in found.items() if commands
    ]
