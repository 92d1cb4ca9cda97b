"""Share a pane's directory with MCP servers, as a root."""

from msgspec import Struct

from fugue_tui.control.core import target
from fugue_tui.control.core.command import Command, Effect, Origin, Toolset
from fugue_tui.errors import NotFound
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.sanitize import clean_path


class SharedDirectories(Struct, frozen=True):
    """The directories that MCP servers get as roots."""

    directories: tuple[str, ...]
    """Those of the panes that share theirs."""


class ShareDirectory(
    Command[SharedDirectories], name="share-directory", effect=Effect.ADMIN, toolset=Toolset.SERVERS, user_only=True
):
    """Share the directory of a pane with MCP servers as a root: where they may work. Otherwise they get none."""

    pane: str = target.ACTIVE
    """The pane: an id, a name, or active."""
    share: bool = True
    """false ends that."""

    def run(self, mux: Multiplexer, origin: Origin) -> SharedDirectories:
        """The directories that are shared now. Raises NotFound."""
        pane = target.pane(mux, self.pane, origin)
        if self.share and not mux.cwd(pane):
            raise NotFound(f"the directory of {pane} is not known")
        mux.mcp_servers.share(pane, on=self.share)
        return SharedDirectories(tuple(map(clean_path, mux.mcp_servers.roots)))
