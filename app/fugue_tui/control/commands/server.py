"""The commands on the workspace as a whole: what it is called, and its end."""

from dataclasses import dataclass, replace

from fugue_tui import sockets
from fugue_tui.control.core.command import Command, Confirmation, Effect, Origin, Toolset
from fugue_tui.control.core.confirmation import count
from fugue_tui.errors import InvalidArgument, Refused, SocketError
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.sanitize import clean


@dataclass(frozen=True, slots=True)
class WorkspaceName:
    """What a workspace is called."""

    workspace: str
    """Its name."""
    before: str
    """What it was called before."""


@dataclass(frozen=True, slots=True)
class Ending:
    """A workspace that ends."""

    workspace: str
    """Its name."""
    panes: int
    """How many panes end with it."""


class RenameWorkspace(
    Command[WorkspaceName], name="rename-workspace", effect=Effect.LAYOUT, toolset=Toolset.SESSIONS, repeatable=True
):
    """Give the workspace another name; its panes, programs and clients stay, and the old name is free at once."""

    name: str
    """Its new name: letters, digits and . _ -"""

    def run(self, mux: Multiplexer, origin: Origin) -> WorkspaceName:
        """The workspace under its new name. Raises InvalidArgument, or Refused if another runs under that name."""
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
        return WorkspaceName(workspace=name, before=clean(before))


class KillServer(Command[Ending], name="kill-server", effect=Effect.DESTROY, toolset=Toolset.SESSIONS):
    """End the workspace: every program in it, every terminal attached to it, and its server."""

    workspace: str = ""
    """Its name, which agents must give; omitted, the workspace that is asked."""

    def confirmation(self, mux: Multiplexer, origin: Origin) -> Confirmation | None:
        """Always asked, as the workspace itself goes too; not where another one is meant, which is refused."""
        if self.workspace not in ("", mux.workspace.name):
            return None
        running = count(sum(map(mux.runs, mux.terminals)), "running program")
        return Confirmation(f"End the workspace {clean(mux.workspace.name, 40)} with {running}?", self)

    def run(self, mux: Multiplexer, origin: Origin) -> Ending:
        """What ends now. Raises Refused if another workspace was meant."""
        name = mux.workspace.name
        if self.workspace != name and (self.workspace or origin.is_agent):
            asked = f"not {clean(self.workspace)}" if self.workspace else "and an agent must give that name to end it"
            raise Refused(f"this workspace is called {clean(name)}, {asked}")
        ending = Ending(workspace=clean(name), panes=len(mux.workspace.panes))
        mux.clients.leave()
        return ending
