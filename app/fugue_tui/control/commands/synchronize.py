"""The command that sends the user's input to several panes."""

from msgspec import Struct

from fugue_tui.control.core import target
from fugue_tui.control.core.command import Command, Effect, Origin, Toolset
from fugue_tui.errors import InvalidArgument, Refused
from fugue_tui.ids import PaneId
from fugue_tui.layout.tree import panes, tiled
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.workspace.model import Window


class SynchronizedPanes(Struct, frozen=True):
    """The panes of a window that get the same input."""

    window: str
    """The window's id."""
    panes: tuple[str, ...]
    """Their ids; empty if input is not synchronized."""


class SynchronizePanes(
    Command[SynchronizedPanes], name="synchronize-panes", effect=Effect.INPUT, toolset=Toolset.OTHER, user_only=True
):
    """Send what the user types and pastes into one of several panes of a window to all of them, or no longer; nothing
    that agents type, and no mouse."""

    window: str = target.ACTIVE
    """The window: an id, a name, or active."""
    panes: tuple[str, ...] = ()
    """Which panes of it, by id or name; omitted, all that do not float, also those that you add later."""
    on: bool | None = None
    """Whether to synchronize; omitted, toggle, unless panes are given."""

    def targets(self, mux: Multiplexer, origin: Origin) -> tuple[PaneId, ...]:
        """The panes."""
        window = target.window(mux, self.window, origin)
        return self._chosen(mux, origin, window) or tuple(panes(tiled(window.layout)))

    def run(self, mux: Multiplexer, origin: Origin) -> SynchronizedPanes:
        """What is synchronized now. Raises Refused for fewer than two panes."""
        window, options = target.window(mux, self.window, origin), mux.user_options
        chosen = self._chosen(mux, origin, window)
        wanted = bool(chosen) or not options.synchronized(window) if self.on is None else self.on
        if not wanted:
            options.end_synchronized(window.id)
        elif len(chosen or tuple(panes(tiled(window.layout)))) < 2:
            raise Refused("input is synchronized between two panes or more; split this one, or name others")
        else:
            options.synchronize(window, chosen or None)
        return SynchronizedPanes(str(window.id), tuple(map(str, options.synchronized(window))))

    def _chosen(self, mux: Multiplexer, origin: Origin, window: Window) -> tuple[PaneId, ...]:
        """The panes that are given. Raises InvalidArgument for one of another window."""
        chosen = tuple(dict.fromkeys(target.pane(mux, each, origin) for each in self.panes))
        if strangers := [pane for pane in chosen if pane not in panes(window.layout)]:
            raise InvalidArgument(f"panes: {strangers[0]} is not in window {window.id}; join-pane moves it there")
        return chosen
