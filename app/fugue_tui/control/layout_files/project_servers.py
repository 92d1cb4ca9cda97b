"""Brings back the MCP servers of the project files that a saved workspace had opened."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from fugue_tui.config.servers import ServerSettings
from fugue_tui.control.layout_files import catalog, trust
from fugue_tui.errors import FugueError, Refused
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.sanitize import clean

MOST: Final = 64
"""Project files that are read."""


async def bring_back(mux: Multiplexer, projects: Mapping[str, str]) -> tuple[str, ...]:
    """Use the servers of project files, by path with the directory of each, that the user still trusts as they are.

    Returns what was left out, and why."""
    faults = list[str]()
    mux.projects.update(projects)
    for path, base in list(projects.items())[:MOST]:
        try:
            mux.add_mcp_servers(await asyncio.to_thread(_trusted, Path(path)), base, path)
        except FugueError as error:
            faults.append(f"MCP servers: {error}")
    return tuple(faults)


def _trusted(file: Path) -> Mapping[str, ServerSettings]:
    """The servers of a file that is trusted, as it is now. Raises FugueError. Any thread."""
    raw = catalog.content(file)
    if not trust.is_trusted(file, raw, own=file.parent == catalog.own_dir()):
        raise Refused(f"changed and not trusted: {clean(str(file), 400)}; load-layout or fugue-tui open shows it")
    return catalog.parse(raw, file).servers
