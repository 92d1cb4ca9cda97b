"""Real shells in a workspace, and commands that are run in them."""

import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.multiplexer.conftest import Room, agent

from fugue_tui.control.commands.execute_command import ExecuteCommand
from fugue_tui.control.commands.panes import CreatePane
from fugue_tui.control.core.deferred import Deferred, is_deferred
from fugue_tui.control.shell_exec.result import CommandOutcome
from fugue_tui.ids import PaneId

INTEGRATED = ("bash", "zsh", "fish")
MARKED = ("dash", "bash-", "zsh-", "fish-")
"""Shells that mark nothing; with a dash, as Fugue did not set them up."""
ALL = (*INTEGRATED, *MARKED)
POSIX = tuple(name for name in ALL if "fish" not in name)


class Shell:
    """A shell in a pane of its own."""

    def __init__(self, room: Room, name: str, home: Path) -> None:
        self.room, self.kind, self.home = room, name.rstrip("-"), home
        room.launcher.engine, room.launcher.scrollback = "ghostty", 10_000
        room.launcher.shell_integration = not name.endswith("-")
        room.clock = time.monotonic
        env = {name: str(home) for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME")}
        env |= {"LANG": "C.UTF-8"} | ({"PS1": "$ "} if self.kind == "dash" else {})
        opened = room.run(CreatePane(command=(self.kind,), cwd=str(home), env=env), agent())
        self.pane = PaneId(opened.id[1:])

    @property
    def method(self) -> str:
        return "integration" if self.room.launcher.shell_integration and self.kind != "dash" else "marker"

    def command(self, command: str, **options: object) -> ExecuteCommand:
        options.setdefault("timeout", 40.0)
        return ExecuteCommand(pane=str(self.pane), command=command, **options)  # pyright: ignore[reportArgumentType]

    def run(self, command: str, **options: object) -> CommandOutcome:
        return self.room.awaited(self.begin(command, **options))

    def runs(self, program: str) -> bool:
        """Whether a program is in front, and the shell has marked its command as begun."""
        terminal = self.room.mux.terminal(self.pane)
        return terminal.foreground == program and any(each.running for each in terminal.shell.commands[-1:])

    def overdue(self, command: str, condition: Callable[[], object]) -> CommandOutcome:
        """Run a command whose time is over once a condition holds."""
        later = self.begin(command)
        self.room.until(condition, lambda: self.text)
        self.room.drain(self.pane)
        self.room.skip(50)
        return self.room.awaited(later)

    def begin(self, command: str, **options: object) -> Deferred[CommandOutcome]:
        later = self.command(command, **options).run(self.room.mux, agent())
        assert is_deferred(later)
        return later

    def says(self, command: str, **options: object) -> tuple[int | None, str]:
        ran = self.run(command, **options)
        return ran.exit_code, ran.text

    @property
    def fish(self) -> bool:
        return self.kind == "fish"

    @property
    def text(self) -> str:
        return self.room.text(self.pane)


def start(room: Room, name: str, home: Path) -> Shell:
    """A shell whose person has nothing but a prompt set up."""
    if shutil.which(name.rstrip("-")) is None:
        pytest.skip(f"there is no {name.rstrip('-')} here")
    for file in (".bashrc", ".zshrc"):
        (home / file).write_text("PS1='$ '\nPS2='> '\nHISTCONTROL=ignorespace\n")
    (home / "fish").mkdir(exist_ok=True)
    (home / "fish" / "config.fish").write_text("set -g fish_greeting\nfunction fish_prompt; echo -n '$ '; end\n")
    return Shell(room, name, home)


@pytest.fixture
def shell(request: pytest.FixtureRequest, room: Room, tmp_path: Path) -> Shell:
    """The shell that a test is parametrized with."""
    return start(room, request.param, tmp_path)
