"""Show a file in a pane of its own."""

import os
import sys

from fugue_tui.control.commands.layout_files import callers_path
from fugue_tui.control.commands.panes import SplitPane
from fugue_tui.control.core import target
from fugue_tui.control.core.command import Command, Effect, Origin, StartedCommand, Toolset
from fugue_tui.control.core.new_pane import Direction
from fugue_tui.control.core.results import OpenedPane
from fugue_tui.file_kind import FileKind
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.workspace.model import OnExit


class ShowFile(Command[OpenedPane], name="show-file", effect=Effect.RUN, toolset=Toolset.SEEING, creates=True):
    """Show a file in a new pane: text, a diff, Markdown, an image or a table. It is read again whenever it changes."""

    path: str
    """The file; relative to the caller's directory."""
    type: FileKind = FileKind.AUTO
    """How it is shown; auto goes by its name."""
    pane: str = target.ACTIVE
    """The pane to split: an id, a name, or active for your own."""
    direction: Direction | None = None
    """horizontal or right: to the right. vertical or down: below. auto: along the longer side."""
    name: str = ""
    """A name for the new pane; omitted, the file's."""

    def started(self, mux: Multiplexer, origin: Origin) -> tuple[StartedCommand, ...]:
        """The program that shows it."""
        return (StartedCommand(self._program(mux, origin)),)

    def run(self, mux: Multiplexer, origin: Origin) -> OpenedPane:
        """The new pane. Raises NotFound, Refused or SpawnFailed."""
        return SplitPane(
            pane=self.pane,
            direction=self.direction,
            command=self._program(mux, origin),
            name=self.name or os.path.basename(self.path),
            on_exit=OnExit.CLOSE,
        ).run(mux, origin)

    def _program(self, mux: Multiplexer, origin: Origin) -> tuple[str, ...]:
        path = callers_path(mux, origin, self.path)
        # -P: the directory of the pane may have modules of its own.
        return (sys.executable, "-P", "-m", "fugue_tui", "show", "--type", self.type.value, "--", path)
