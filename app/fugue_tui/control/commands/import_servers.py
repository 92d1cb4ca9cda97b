"""Take over the MCP servers that other clients have configured."""

import asyncio
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated

from msgspec import Meta, Struct
from msgspec.structs import replace

from fugue_tui import trusted_files
from fugue_tui.config import model
from fugue_tui.config.servers import ServerSettings, described
from fugue_tui.config.values import toml, toml_key
from fugue_tui.control.core import target
from fugue_tui.control.core.command import Command, Confirmation, Effect, Origin, Toolset
from fugue_tui.control.core.deferred import Deferred, run_task
from fugue_tui.errors import NotFound, Refused, SaveError
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.sanitize import PATH_LIMIT, clean
from fugue_tui.validation.suggestion import suggestion

if TYPE_CHECKING:
    from fugue_tui.config.client_servers import FoundServer


class ImportableServer(Struct, frozen=True):
    """A server that another client has configured. Its texts are those of the client's file."""

    server: str
    """Its name in [mcp.servers]."""
    state: str
    """new, taken: it was taken over just now, known: there is the same, differs: there is another of that name, or
    why it cannot be taken over."""
    settings: str
    """Its settings as TOML, whole."""
    client: str
    """The client."""
    file: str
    """The client's file."""


class ImportedServers(Struct, frozen=True):
    """The servers of other clients."""

    servers: tuple[ImportableServer, ...]
    """The servers that were found, or those that were asked for."""
    written: str
    """The configuration that they were written to; empty if nothing was."""
    note: str
    """What to do next."""


class ImportServers(
    Command[ImportedServers],
    name="import-servers",
    effect=Effect.ADMIN,
    given=("servers", "all"),
    toolset=Toolset.SERVERS,
):
    """Show the MCP servers that Claude Code, Codex, Gemini CLI, VS Code, Cursor and other clients have configured, and
    take over those that you name into [mcp.servers].

    Nothing is changed without names. Files of the project in your pane's directory count too.
    """

    servers: tuple[str, ...] = ()
    """The servers to take over, by the names that are shown."""
    all: bool = False
    """Take over all that are new."""
    directory: Annotated[str, Meta(max_length=PATH_LIMIT)] = ""
    """The project; omitted, the directory of your pane."""

    def confirmation(self, mux: Multiplexer, origin: Origin) -> Confirmation | None:
        """Whether to take them over."""
        if not self.servers and not self.all:
            return None
        what = "all new servers of other clients" if self.all else ", ".join(map(clean, self.servers))
        return Confirmation(f"Take over {what} into [mcp.servers]? import-servers alone shows what they are.", self)

    def run(self, mux: Multiplexer, origin: Origin) -> Deferred[ImportedServers]:
        """The servers. The result fails with NotFound, Refused or SaveError; then nothing has changed."""
        here = mux.cwd(target.pane(mux, target.ACTIVE, origin)) if mux.workspace.windows else ""
        directory = os.path.realpath(os.path.join(here or os.getcwd(), os.path.expanduser(self.directory)))
        return run_task(self._import(mux, origin, directory))

    async def _import(self, mux: Multiplexer, origin: Origin, directory: str) -> ImportedServers:
        from fugue_tui.config import client_servers

        found = await asyncio.to_thread(lambda: client_servers.distinct(client_servers.found(directory)))
        known = mux.permissions.servers
        wanted = self._wanted(found, known)
        if not wanted:
            note = "import-servers --servers NAME takes one over" if found else "no other client has MCP servers"
            return ImportedServers(tuple(_shown(each, known) for each in found), "", note)
        added = {each.name: each.settings for each in wanted if each.settings is not None}
        file = model.path()
        await asyncio.to_thread(_write, file, added)
        note = "they are used once you have approved the changed configuration"
        if origin.kind.acts_for_user:
            servers = MappingProxyType({**mux.permissions.servers, **added})
            mux.permissions = replace(mux.permissions, servers=servers)
            mux.on_permissions()
            note = "list-servers shows them"
        return ImportedServers(tuple(_shown(each, known, taken=True) for each in wanted), str(file), note)

    def _wanted(self, found: Sequence["FoundServer"], known: Mapping[str, ServerSettings]) -> list["FoundServer"]:
        by_name = {each.name: each for each in found}
        if self.all:
            return [each for each in found if each.settings is not None and each.name not in known]
        for name in self.servers:
            if name not in by_name:
                there = suggestion(name, by_name) or f"; there are {', '.join(by_name) or 'none'}"
                raise NotFound(f"no other client has an MCP server {clean(name, 64)!a}{there}")
            if by_name[name].settings is None:
                raise Refused(f"{name} cannot be taken over: {by_name[name].fault}")
            if name in known:
                raise Refused(f"[mcp.servers.{name}] is there already; rename it, or edit the configuration")
        return [by_name[name] for name in dict.fromkeys(self.servers)]


def _shown(each: "FoundServer", known: Mapping[str, ServerSettings], *, taken: bool = False) -> ImportableServer:
    same = "known" if known.get(each.name) == each.settings else "differs"
    state = "taken" if taken else each.fault or (same if each.name in known else "new")
    settings = clean(toml(described(each.settings)), 4_000) if each.settings is not None else ""
    return ImportableServer(each.name, state, settings, each.client, clean(each.file, 400))


def _write(file: Path, servers: Mapping[str, ServerSettings]) -> None:
    """Add sections to the configuration. Raises SaveError if that does not add just these."""
    try:
        file = Path(os.path.realpath(file))
        before = trusted_files.text(file) if file.exists() else ""
        mode = file.stat().st_mode & 0o777 if file.exists() else 0o600
        text = before if not before or before.endswith("\n") else before + "\n"
        for name, settings in servers.items():
            lines = [f"{key} = {toml(value)}" for key, value in described(settings).items()]
            text += "\n".join(["", f"[mcp.servers.{toml_key(name)}]", *lines, ""])
        expected = {**model.parse(before).config.mcp.servers, **servers}
        if model.parse(text).config.mcp.servers != expected:
            raise SaveError(f"{clean(str(file))}: sections cannot be added to it; add [mcp.servers.NAME] by hand")
        file.parent.mkdir(parents=True, exist_ok=True)
        trusted_files.write(file, text, overwrite=True, mode=mode)
    except (OSError, ValueError) as error:
        raise SaveError(trusted_files.describe(file, error)) from None
