"""Commands for the whole workspace: rename it, and end its server."""

import asyncio

from msgspec import Struct
from msgspec.structs import replace

from fugue_tui import sockets
from fugue_tui.control.core.command import Command, Confirmation, Effect, Origin, Toolset
from fugue_tui.control.core.confirmation import count
from fugue_tui.control.core.deferred import Deferred, run_task
from fugue_tui.errors import InvalidArgument, Refused, SocketError
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.sanitize import clean


class WorkspaceName(Struct, frozen=True):
    """The name of a workspace."""

    workspace: str
    """Its name."""
    before: str
    """Its old name."""


class Ending(Struct, frozen=True):
    """The workspace that ends."""

    workspace: str
    """Its name."""
    panes: int
    """How many panes end with it."""


class RenameWorkspace(
    Command[WorkspaceName], name="rename-workspace", effect=Effect.ADMIN, toolset=Toolset.SESSIONS, repeatable=True
):
    """Rename the workspace; its panes, programs and clients stay, and the old name is free at once."""

    name: str
    """The new name: letters, digits and . _ -"""

    def run(self, mux: Multiplexer, origin: Origin) -> Deferred[WorkspaceName]:
        """The renamed workspace, once its files have the new name. Raises InvalidArgument, or Refused if another one
        runs or is saved under that name."""
        before = mux.workspace.name
        try:
            name = sockets.check_name(self.name)
        except SocketError as error:
            raise InvalidArgument(f"name: {error}") from None
        try:
            mux.move(name)
        except SocketError as error:
            raise Refused(f"{before} keeps its name: {error}") from None
        mux.assign(replace(mux.workspace, name=name))
        return run_task(_moved(mux, WorkspaceName(workspace=name, before=clean(before))))


class KillServer(
    Command[Ending], name="kill-server", effect=Effect.DESTROY, also=Effect.ADMIN, toolset=Toolset.SESSIONS
):
    """Kill the server: end every program in the workspace and detach every client."""

    workspace: str = ""
    """The workspace's name, required for agents; omitted, the workspace that runs the command."""

    def targets(self, mux: Multiplexer, origin: Origin) -> tuple[PaneId, ...]:
        """Every pane."""
        return tuple(mux.workspace.panes)

    def confirmation(self, mux: Multiplexer, origin: Origin) -> Confirmation | None:
        """Always asked, unless another workspace is named, which is refused."""
        if self.workspace not in ("", mux.workspace.name):
            return None
        running = count(sum(map(mux.runs, mux.terminals)), "running program")
        return Confirmation(f"End the workspace {clean(mux.workspace.name, 40)} with {running}?", self)

    def run(self, mux: Multiplexer, origin: Origin) -> Ending:
        """The workspace that ends. Raises Refused if another one is named."""
        name = mux.workspace.name
        if self.workspace != name and (self.workspace or origin.is_agent):
            mismatch = (
                f"not {clean(self.workspace)}" if self.workspace else "and an agent must give that name to end it"
            )
            raise Refused(f"this workspace is called {clean(name)}, {mismatch}")
        for pane in mux.workspace.panes:
            mux.lease.check_end(pane)
        ending = Ending(workspace=clean(name), panes=len(mux.workspace.panes))
        mux.clients.leave()
        return ending


async def _moved(mux: Multiplexer, renamed: WorkspaceName) -> WorkspaceName:
    """The result, once the automatic save and the journals have the new name: moving them began with the rename, or
    belongs to loading them."""
    await mux.tasks.loaded.wait()
    for journal in (mux.mailboxes.journal, mux.tasks.journal, mux.team_starts.journal):
        if journal is not None:
            await journal.moved()
    if mux.saver is not None:
        await asyncio.wrap_future(mux.saver.ask(lambda writer, wanted: None))
    return renamed
