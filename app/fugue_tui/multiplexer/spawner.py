"""Starts the programs of panes with their directory, environment and terminal engine."""

import os
from collections.abc import Mapping
from types import MappingProxyType
from typing import Protocol

from msgspec.structs import replace

from fugue_tui.config.model import TerminalSettings
from fugue_tui.geometry import Size
from fugue_tui.terminal.emulator.protocol import Emulator
from fugue_tui.terminal.engines import make_emulator
from fugue_tui.terminal.pty.io_loop import IOLoop
from fugue_tui.terminal.pty.spawn import Program, environment, login_shell
from fugue_tui.terminal.screen.images import Graphics
from fugue_tui.terminal.shell_integration.inject import integrated
from fugue_tui.terminal.shell_integration.saved_commands import TerminalHandover
from fugue_tui.terminal.terminal import Terminal, Watcher
from fugue_tui.workspace.model import Pane


class Spawner(Protocol):
    """Creates the terminals of panes."""

    shell: tuple[str, ...]
    """What runs in panes without a program of their own; empty for the login shell."""

    def __call__(
        self, program: Program, size: Size, watcher: Watcher, handover: TerminalHandover | None = None
    ) -> Terminal:
        """A terminal with a running program, below the text of `handover`; `watcher` is called on the I/O threads.

        Raises SpawnFailed."""
        ...

    def wait(self, size: Size, watcher: Watcher, handover: TerminalHandover | None = None) -> Terminal:
        """A terminal without a program, with the text of `handover`."""
        ...

    def blank(self, size: Size) -> Emulator:
        """An empty emulator. Any thread."""
        ...


class Launcher:
    """Spawns real programs on one I/O loop, with the settings of all new panes, which may change between calls."""

    def __init__(self, io_loop: IOLoop, engine: str = "ghostty", scrollback: int = 10_000) -> None:
        self._io_loop = io_loop
        self.engine = engine
        self.scrollback = scrollback
        self.shell: tuple[str, ...] = ()
        """What runs in panes without a program of their own; empty for the login shell."""
        self.term = ""
        """The value of TERM; empty for the default."""
        self.shell_integration = True
        """Whether shells are set up to mark their prompts (OSC 133)."""
        self.colours: tuple[int, int] | None = None
        """The host terminal's foreground and background (0xRRGGBB), for programs that query them."""

        self.graphics = Graphics()
        """What programs may do with images."""

    def configure(self, settings: TerminalSettings, engine: str = "") -> None:
        """Apply a configuration; `engine`, if given, overrides it."""
        self.engine, self.scrollback = engine or settings.engine, settings.scrollback
        self.shell, self.term = settings.shell, settings.term
        self.shell_integration = settings.shell_integration
        memory = settings.image_memory << 20 if settings.images == "auto" else 0
        self.graphics = replace(self.graphics, memory=memory)

    def __call__(
        self, program: Program, size: Size, watcher: Watcher, handover: TerminalHandover | None = None
    ) -> Terminal:
        """Start a program."""
        env = {"TERM": self.term, **program.env} if self.term else program.env
        program = replace(program, argv=program.argv or self.shell, env=env)
        nonce = os.urandom(8).hex() if self.shell_integration else ""
        started = with_marks(program, nonce) if nonce else None
        handover = handover or TerminalHandover(self.blank(size))
        return Terminal.spawn(
            started or program,
            size,
            pump=self._io_loop,
            emulator=handover.emulator,
            watcher=watcher,
            nonce=nonce if started else "",
            before=handover.commands,
        )

    def wait(self, size: Size, watcher: Watcher, handover: TerminalHandover | None = None) -> Terminal:
        """A terminal without a program."""
        handover = handover or TerminalHandover(self.blank(size))
        return Terminal.waiting(
            size,
            pump=self._io_loop,
            emulator=handover.emulator,
            watcher=watcher,
            title=handover.title,
            before=handover.commands,
        )

    def blank(self, size: Size) -> Emulator:
        """An empty emulator of the configured engine, with the host terminal's colours."""
        emulator = make_emulator(self.engine, size, self.scrollback)
        emulator.set_graphics(self.graphics)
        if self.colours is not None:
            emulator.set_colours(*self.colours)
        return emulator


def with_marks(program: Program, nonce: str) -> Program | None:
    """The program as a shell that marks its prompts with a nonce; None if it is no supported shell."""
    env = environment(program)
    login = program.login or not program.argv
    start = integrated(program.argv or (login_shell(env),), env, login=login)
    if start is None:
        return None
    return replace(
        program,
        argv=start.argv,
        env={**program.env, **start.env},
        login=login,
        secret=nonce,
        closes_descriptors=start.closes_descriptors,
    )


def program_of(
    pane: Pane, env: Mapping[str, str], inherited: Mapping[str, str] = MappingProxyType({}), unset: tuple[str, ...] = ()
) -> Program:
    """The program of a pane; `env` overrides the pane's own environment, and that what is inherited or unset."""
    return Program(pane.argv, pane.cwd, {**inherited, **pane.env, **env}, unset)
