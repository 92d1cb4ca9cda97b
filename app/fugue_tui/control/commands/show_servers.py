"""Show what MCP servers offer, return and log: over the panes, or in panes of their own, which read as text."""

import asyncio
import os
from base64 import b64decode
from collections.abc import Callable
from functools import partial
from textwrap import wrap
from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import replace

from fugue_tui import trusted_files
from fugue_tui.control.commands.call_server import answer_of
from fugue_tui.control.commands.panes import SplitPane
from fugue_tui.control.commands.show_agents import TablePlace
from fugue_tui.control.core import target
from fugue_tui.control.core.command import Command, Effect, Origin, Toolset
from fugue_tui.control.core.deferred import Deferred, reporter, run_task, spawn
from fugue_tui.control.core.new_pane import Direction, Placement
from fugue_tui.control.core.results import OpenedPane
from fugue_tui.errors import FugueError, InvalidArgument, NotFound, Refused, SaveError
from fugue_tui.geometry import Size
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.mcp_servers.model import Call, ServerState
from fugue_tui.multiplexer.mcp_servers.shown import LOG, RESOURCE, RESULT, TOOLS, Shown
from fugue_tui.sanitize import clean_path


class ShowTools(
    Command[None], name="show-tools", effect=Effect.LAYOUT, plain=True, toolset=Toolset.SERVERS, user_only=True
):
    """Find a tool, a prompt or a resource of all MCP servers, fill in its form, run it and see what it returns."""

    def run(self, mux: Multiplexer, origin: Origin) -> None:
        """Open the palette of tools."""
        mux.on_overlay(TOOLS)


class ShowResult(
    Command[OpenedPane], name="show-result", effect=Effect.LAYOUT, toolset=Toolset.SERVERS, user_only=True
):
    """Show what an MCP server returned in a pane of its own."""

    result: Annotated[int, Meta(ge=1)]
    """The number of the result."""
    place: TablePlace = TablePlace.SPLIT
    """split beside a pane, window for a new window."""
    pane: str = target.ACTIVE
    """The pane to split: an id, a name, or active for your own."""

    def run(self, mux: Multiplexer, origin: Origin) -> OpenedPane:
        """The new pane. Raises NotFound or Refused."""
        shown = _kept_result(mux, self.result)
        return _opened(mux, origin, f"{RESULT} {self.result}", shown, self.place, self.pane)


class SavedResult(Struct, frozen=True):
    """A result that was written to a file."""

    path: str
    """The file."""
    bytes: int
    """How long it is."""


class SaveResult(
    Command[SavedResult], name="save-result", effect=Effect.ADMIN, toolset=Toolset.SERVERS, user_only=True
):
    """Write what an MCP server returned to a new file: its image or other bytes, else its text."""

    result: Annotated[int, Meta(ge=1)]
    """The number of the result."""
    output: str
    """The file, which must not exist; relative to the directory of your pane."""

    def run(self, mux: Multiplexer, origin: Origin) -> Deferred[SavedResult]:
        """The file. Raises NotFound; the result fails with SaveError."""
        shown = _kept_result(mux, self.result)
        here = mux.cwd(target.pane(mux, target.ACTIVE, origin)) or os.getcwd()
        path = os.path.normpath(os.path.join(here, os.path.expanduser(self.output)))
        return run_task(self._save(path, shown))

    async def _save(self, path: str, shown: Shown) -> SavedResult:
        data = next((block.data for block in shown.content.blocks if block.data), "")
        content = b64decode(data) if data else answer_of(shown.server, shown.content).text.encode()
        await asyncio.to_thread(_write, path, content)
        return SavedResult(clean_path(path), len(content))


class ShowResource(
    Command[OpenedPane], name="show-resource", effect=Effect.LAYOUT, toolset=Toolset.SERVERS, creates=True
):
    """Show a resource of an MCP server in a pane of its own, which is read again whenever the server reports that the
    resource has changed."""

    server: str
    """The server's name in [mcp.servers]."""
    uri: str
    """The resource's URI."""
    place: TablePlace = TablePlace.SPLIT
    """split beside a pane, window for a new window."""
    pane: str = target.ACTIVE
    """The pane to split: an id, a name, or active for your own."""

    @property
    def mcp_server(self) -> str:
        """The server."""
        return self.server

    def effects_in(self, mux: Multiplexer) -> frozenset[Effect]:
        """It reads."""
        return frozenset((Effect.READ,))

    def run(self, mux: Multiplexer, origin: Origin) -> Deferred[OpenedPane]:
        """The new pane. Raises NotFound or InvalidArgument; the result fails with what reading it fails with."""
        mux.mcp_servers.find(self.server)
        if not self.uri or "{" in self.uri:
            raise InvalidArgument("uri: replace the {variables} of a template; list-servers shows the resources")
        return run_task(self._show(mux, origin))

    async def _show(self, mux: Multiplexer, origin: Origin) -> OpenedPane:
        call = Call(uri=self.uri)
        content = await mux.mcp_servers.request(self.server, call, reporter())
        shown, key = Shown(self.server, call, content), f"{RESOURCE} {self.server} {self.uri}"
        opened = _opened(mux, origin, key, shown, self.place, self.pane)
        await follow(mux, key, shown)
        return opened


class ShowServerLog(
    Command[OpenedPane], name="show-server-log", effect=Effect.LAYOUT, toolset=Toolset.SERVERS, creates=True
):
    """Show what an MCP server writes on stderr, and its logging messages, in a pane of its own."""

    server: str
    """The server's name in [mcp.servers]."""
    place: TablePlace = TablePlace.SPLIT
    """split beside a pane, window for a new window."""
    pane: str = target.ACTIVE
    """The pane to split: an id, a name, or active for your own."""

    @property
    def mcp_server(self) -> str:
        """The server."""
        return self.server

    def effects_in(self, mux: Multiplexer) -> frozenset[Effect]:
        """It reads."""
        return frozenset((Effect.READ,))

    def run(self, mux: Multiplexer, origin: Origin) -> OpenedPane:
        """The new pane. Raises NotFound or Refused."""
        mux.mcp_servers.find(self.server)
        return _opened(mux, origin, f"{LOG} {self.server}", None, self.place, self.pane)


async def follow(mux: Multiplexer, key: str, shown: Shown) -> None:
    """Keep what panes show of a resource up to date, until none shows it."""
    servers, shows = mux.mcp_servers, mux.mcp_servers.shown
    if key in shows.ends:
        return

    def updated(server: str, uri: str) -> None:
        if (server, uri) == (shown.server, shown.call.uri):
            spawn(_read_again(mux, key))

    connected = servers.status(shown.server).state is ServerState.CONNECTED

    def reconnected(server: str) -> None:
        nonlocal connected
        if server != shown.server or key not in shows.panes:
            return
        before, connected = connected, servers.status(server).state is ServerState.CONNECTED
        if shows.panes[key].error or (connected and not before):  # No server reports what changed before it was up.
            spawn(_read_again(mux, key))

    stops = [servers.on_updated.connect(updated), servers.on_change.connect(reconnected)]

    def end() -> None:
        for stop in stops:
            stop()
        servers.unsubscribe(shown.server, shown.call.uri)

    shows.ends[key] = end
    if (await servers.ensure(shown.server)).subscribes:
        try:
            await servers.subscribe(shown.server, shown.call.uri)
        except FugueError as error:
            shows.put(key, replace(shows.panes[key], error=f"it is not kept up to date: {error}"))


async def _read_again(mux: Multiplexer, key: str) -> None:
    servers, before = mux.mcp_servers, mux.mcp_servers.shown.panes.get(key)
    if before is None:
        return
    try:
        content = await servers.request(before.server, before.call, lambda text, fraction: None)
        after = Shown(before.server, before.call, content)
    except FugueError as error:
        after = replace(before, error=str(error))
    if key in servers.shown.panes:
        servers.shown.put(key, after)


def content_text(mux: Multiplexer, key: str, size: Size) -> str:
    """What a pane with this content shows, as text."""
    if key.startswith(LOG):
        server = key.removeprefix(LOG).strip()
        lines = [f"{line.level}: {line.text}" if line.level else line.text for line in mux.mcp_servers.log(server)]
        shown = [part for line in lines[-500:] for part in wrap(line, size.cols) or [""]]
        return "\n".join(shown[-size.rows :]) or f"the MCP server {server} has logged nothing"
    shown = mux.mcp_servers.shown.panes.get(key)
    if shown is None:
        return "\n".join(wrap(f"{key} is not known any more; close this pane, or press r in it", size.cols))
    text = answer_of(shown.server, shown.content).text
    lines = [part for line in text.splitlines() for part in wrap(line, size.cols, replace_whitespace=False) or [""]]
    return "\n".join([*([f"({shown.error})"[: size.cols]] if shown.error else []), *lines][:2_000])


def register(mux: Multiplexer, key: str) -> None:
    """Have panes with this content read as text, and forget the content once no pane shows it."""
    if key in mux.contents.texts:
        return
    mux.contents.texts[key] = partial(content_text, mux, key)
    ends = list[Callable[[], None]]()

    def changed(*_: object) -> None:
        if all(pane.content != key for pane in mux.workspace.panes.values()):
            mux.contents.texts.pop(key, None)
            mux.mcp_servers.shown.end(key)
            ends.pop()()

    ends.append(mux.on_change.connect(changed))


def _kept_result(mux: Multiplexer, number: int) -> Shown:
    """What a server returned. Raises NotFound."""
    shown = mux.mcp_servers.shown.result(number)
    if shown is None:
        raise NotFound(f"no result {number} is kept; call the tool again")
    return shown


def _opened(
    mux: Multiplexer, origin: Origin, key: str, shown: Shown | None, place: TablePlace, pane: str
) -> OpenedPane:
    if place is TablePlace.OVERLAY:
        raise Refused("place: split or window; over the panes only the palette of tools shows results")
    if shown is not None:
        mux.mcp_servers.shown.put(key, shown)
    at, direction = Placement(place.value), Direction.AUTO
    opened = SplitPane(pane=pane, place=at, direction=direction, name="").open(mux, origin, key)
    register(mux, key)
    return opened


def _write(path: str, content: bytes) -> None:
    """Write a new file. Raises SaveError."""
    try:
        with open(path, "xb") as file:
            file.write(content)
    except (OSError, ValueError) as error:
        raise SaveError(trusted_files.describe(path, error)) from None
