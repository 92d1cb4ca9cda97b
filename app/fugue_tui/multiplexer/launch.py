"""Starts the programs of panes: what they run, where, in which environment, and by which engine they are shown."""

from collections.abc import Mapping
from typing import Protocol

from fugue_tui.geometry import Size
from fugue_tui.terminal.engines import make_emulator
from fugue_tui.terminal.pty import Program
from fugue_tui.terminal.pump import Pump
from fugue_tui.terminal.terminal import Terminal, Watcher
from fugue_tui.workspace.model import Pane


class Spawner(Protocol):
    """Starts a program on a terminal of a size. Raises SpawnFailed."""

    def __call__(self, program: Program, size: Size, watcher: Watcher) -> Terminal:
        """A running terminal, whose watcher is called on the pump's thread."""
        ...


class Launcher:
    """The spawner of the real program: one pump, one engine, one length of scrollback for new panes."""

    def __init__(self, pump: Pump, engine: str = "ghostty", scrollback: int = 10_000) -> None:
        self.pump = pump
        self.engine = engine
        self.scrollback = scrollback

    def __call__(self, program: Program, size: Size, watcher: Watcher) -> Terminal:
        """Start a program; engine and scrollback may be changed between calls and hold for later panes."""
        emulator = make_emulator(self.engine, size, self.scrollback)
        return Terminal.spawn(program, size, pump=self.pump, emulator=emulator, watcher=watcher)


def program_of(pane: Pane, told: Mapping[str, str]) -> Program:
    """What to run for a pane; `told` is what Fugue tells every program, which no pane can override."""
    return Program(pane.argv, pane.cwd, {**pane.env, **told})
