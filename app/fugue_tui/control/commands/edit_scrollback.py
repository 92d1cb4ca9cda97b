"""Open what a pane has printed in the user's editor."""

import asyncio
import os
import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import Annotated, Final

from msgspec import Meta

from fugue_tui.control.commands.panes import SplitPane
from fugue_tui.control.core import target
from fugue_tui.control.core.command import Command, Effect, Origin
from fugue_tui.control.core.deferred import Deferred, run_task
from fugue_tui.control.core.editor import editor_once, write_private
from fugue_tui.control.core.new_pane import Placement
from fugue_tui.control.core.results import OpenedPane
from fugue_tui.control.output.full_text import full_text
from fugue_tui.control.output.last_command import printed
from fugue_tui.errors import InvalidArgument, Refused, TerminalGone
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.sanitize import clean_text
from fugue_tui.terminal.copy_mode.motions import output_at
from fugue_tui.terminal.screen.pins import Point
from fugue_tui.terminal.terminal import Terminal
from fugue_tui.workspace.model import OnExit

_SECONDS: Final = 5.0
"""The time limit for reading the scrollback; the newest part is then opened."""


class EditScrollback(Command[OpenedPane], name="edit-scrollback", effect=Effect.RUN, user_only=True, creates=True):
    """Open a pane's screen and scrollback, or a command's output, in $VISUAL or $EDITOR in a new window.

    The text is in a private temporary file, which is removed when the editor ends.
    """

    pane: str = target.ACTIVE
    """The pane: an id, a name, or active for your own."""
    last: bool = False
    """Whether to open only the output of the last command."""
    line: Annotated[int, Meta(ge=0)] | None = None
    """Instead of the last command, the one in whose output this line is; 0 is the oldest that is kept."""

    def run(self, mux: Multiplexer, origin: Origin) -> Deferred[OpenedPane]:
        """The new pane. Raises NotFound, InvalidArgument if there is nothing to open, Refused or SpawnFailed."""
        pane = target.pane(mux, self.pane, origin)
        mux.terminal(pane)
        return run_task(self._open(mux, origin, pane))

    async def _open(self, mux: Multiplexer, origin: Origin, pane: PaneId) -> OpenedPane:
        terminal = mux.terminal(pane)
        text = await asyncio.to_thread(self._reader(mux, pane))
        if not text.strip():
            raise InvalidArgument(f"{pane}: there is no output of a command" if self.last else f"{pane}: is empty")
        try:
            path = await asyncio.to_thread(write_private, clean_text(text, len(text) + 1) + "\n")
        except OSError as error:
            raise Refused(f"no temporary file: {error.strerror}") from None
        with ExitStack() as unused:
            unused.callback(os.unlink, path)
            if mux.terminals.get(pane) is not terminal:
                raise TerminalGone("the pane was closed meanwhile")
            opened = self._window(pane, path).run(mux, origin)
            unused.pop_all()
        return opened

    def _reader(self, mux: Multiplexer, pane: PaneId) -> Callable[[], str]:
        terminal, line = mux.terminal(pane), self.line
        if not self.last:
            return lambda: _whole(terminal)
        if line is not None:
            return lambda: _output(terminal, Point(line))
        read = printed(mux, pane, end=True)
        return lambda: read().output

    def _window(self, pane: PaneId, path: str) -> SplitPane:
        name = f"{'output' if self.last else 'scrollback'} of {pane}"
        return SplitPane(
            pane=str(pane),
            place=Placement.WINDOW,
            command=editor_once(path),
            name=name,
            on_exit=OnExit.CLOSE,
            focus=True,
        )


def _whole(terminal: Terminal) -> str:
    """The text up to its last line."""
    found = full_text(terminal, time.monotonic() + _SECONDS)
    return "\n".join(found.lines).rstrip() if found is not None else ""


def _output(terminal: Terminal, at: Point) -> str:
    """The output that a position is in; empty if no prompts are known there."""
    with terminal.locked() as screen:
        found = None if screen.closed else output_at(screen.emulator, screen.clamp(at))
        if found is None:
            return ""
        first, last = found
        return screen.emulator.between(first, Point(last.line, last.column + 1))
