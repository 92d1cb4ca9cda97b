"""Starts the programs of panes: what they run, where, in which environment, and by which engine they are shown."""

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Protocol

from fugue_tui.config.model import TerminalSettings
from fugue_tui.geometry import Size
from fugue_tui.terminal.emulator.protocol import Emulator
from fugue_tui.terminal.engines import make_emulator
from fugue_tui.terminal.pty.io_loop import IOLoop
from fugue_tui.terminal.pty.spawn import Program, environment, login_shell
from fugue_tui.terminal.shell_integration.inject import integrated
from fugue_tui.terminal.shell_integration.saved_commands import TerminalHandover
from fugue_tui.terminal.terminal import Terminal, Watcher
from fugue_tui.workspace.model import Pane


class Spawner(Protocol):
    """Starts a program on a terminal of a size. Raises SpawnFailed."""

    shell: tuple[str, ...]
    """What runs where nothing was asked for; empty for the login shell."""

    def __call__(
        self, program: Program, size: Size, watcher: Watcher, legacy: TerminalHandover | None = None
    ) -> Terminal:
        """A running terminal, whose watcher is called on the pump's thread, under what was shown before."""
        ...

    def wait(self, size: Size, watcher: Watcher, legacy: TerminalHandover | None = None) -> Terminal:
        """A terminal without a program, that shows what was shown before."""
        ...

    def blank(self, size: Size) -> Emulator:
        """An emulator for a terminal of that size. Any thread."""
        ...


class Launcher:
    """The spawner of the real program: one pump, and what holds for every new pane. May be changed between calls."""

    def __init__(self, pump: IOLoop, engine: str = "ghostty", scrollback: int = 10_000) -> None:
        self.pump = pump
        self.engine = engine
        self.scrollback = scrollback
        self.shell: tuple[str, ...] = ()
        """What runs where nothing was asked for; empty for the login shell."""
        self.term = ""
        """What TERM says; empty for the default."""
        self.shell_integration = True
        """Whether shells are started so that they mark their prompts."""
        self.colours: tuple[int, int] | None = None
        """The host's own foreground and background (0xRRGGBB), for programs that ask."""

    def equip(self, wanted: TerminalSettings, engine: str = "") -> None:
        """Go by a configuration; `engine`, if given, was asked for by hand and goes first."""
        self.engine, self.scrollback = engine or wanted.engine, wanted.scrollback
        self.shell, self.term = wanted.shell, wanted.term
        self.shell_integration = wanted.shell_integration

    def __call__(
        self, program: Program, size: Size, watcher: Watcher, legacy: TerminalHandover | None = None
    ) -> Terminal:
        """Start a program."""
        env = {"TERM": self.term, **program.env} if self.term else program.env
        program = replace(program, argv=program.argv or self.shell, env=env)
        nonce = os.urandom(8).hex() if self.shell_integration else ""
        started = with_marks(program, nonce) if nonce else None
        legacy = legacy or TerminalHandover(self.blank(size))
        return Terminal.spawn(
            started or program,
            size,
            pump=self.pump,
            emulator=legacy.emulator,
            watcher=watcher,
            nonce=nonce if started else "",
            before=legacy.commands,
        )

    def wait(self, size: Size, watcher: Watcher, legacy: TerminalHandover | None = None) -> Terminal:
        """A terminal without a program."""
        legacy = legacy or TerminalHandover(self.blank(size))
        return Terminal.waiting(
            size,
            pump=self.pump,
            emulator=legacy.emulator,
            watcher=watcher,
            title=legacy.title,
            before=legacy.commands,
        )

    def blank(self, size: Size) -> Emulator:
        """An emulator of the engine that is wanted, in the host's colours."""
        emulator = make_emulator(self.engine, size, self.scrollback)
        if self.colours is not None:
            emulator.set_colours(*self.colours)
        return emulator


def with_marks(program: Program, nonce: str) -> Program | None:
    """The program as a shell that marks its prompts with a nonce; None if it is none that can."""
    env = environment(program)
    login = program.login or not program.argv
    start = integrated(program.argv or (login_shell(env),), env, nonce, login=login)
    if start is None:
        return None
    return replace(program, argv=start.argv, env={**program.env, **start.env}, login=login)


def program_of(pane: Pane, told: Mapping[str, str]) -> Program:
    """What to run for a pane; `told` is what Fugue tells every program, which no pane can override."""
    return Program(pane.argv, pane.cwd, {**pane.env, **told})
