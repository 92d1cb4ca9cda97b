"""Shows the audit log in a pane."""

import sys

from fugue_tui.control.commands.panes import SplitPane
from fugue_tui.control.core import target
from fugue_tui.control.core.command import Command, Effect, Origin, Toolset
from fugue_tui.control.core.new_pane import Direction
from fugue_tui.control.core.results import OpenedPane
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.workspace.model import OnExit


class ShowAudit(Command[OpenedPane], name="show-audit", effect=Effect.LAYOUT, toolset=Toolset.SESSIONS, creates=True):
    """Open a pane that follows the audit log: who ran which command, who typed where, and what was refused.

    The log itself is read by `fugue-tui audit`.
    """

    source_pane: str = target.ACTIVE
    """The pane to split: an id, a name, or active for your own."""
    focus: bool | None = None
    """Whether to focus the new pane; omitted, only if the user ran the command."""

    def run(self, mux: Multiplexer, origin: Origin) -> OpenedPane:
        """The new pane."""
        program = (sys.executable, "-P", "-m", "fugue_tui", "audit", "--follow", "--workspace", mux.workspace.name)
        return SplitPane(
            pane=self.source_pane,
            direction=Direction.VERTICAL,
            command=program,
            name="" if any(pane.name == "audit" for pane in mux.workspace.panes.values()) else "audit",
            focus=self.focus,
            on_exit=OnExit.CLOSE,
        ).run(mux, origin)
