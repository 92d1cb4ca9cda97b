"""The command that drops the lines above a pane's screen."""

from msgspec import Struct

from fugue_tui.control.core import target
from fugue_tui.control.core.command import Command, Effect, Origin, Toolset
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer import Multiplexer


class ClearedHistory(Struct, frozen=True):
    """A pane whose history was cleared."""

    pane: str
    """The pane's id."""
    lines: int
    """How many lines were dropped."""


class ClearHistory(
    Command[ClearedHistory], name="clear-history", effect=Effect.DESTROY, toolset=Toolset.RUNNING, repeatable=True
):
    """Drop the lines of a pane above its screen; they do not come back."""

    pane: str = target.ACTIVE
    """The pane; agents must give its exact id."""

    def targets(self, mux: Multiplexer, origin: Origin) -> tuple[PaneId, ...]:
        """The pane."""
        return (target.pane_to_close(mux, self.pane, origin),)

    def run(self, mux: Multiplexer, origin: Origin) -> ClearedHistory:
        """How much was dropped."""
        pane = target.pane_to_close(mux, self.pane, origin)
        terminal = mux.terminal(pane)
        lines = terminal.scrollback.lines
        terminal.clear_history()
        return ClearedHistory(str(pane), lines - terminal.scrollback.lines)
