"""Real shells on real terminals, with start-up files of their own."""

import os
import shutil
import termios
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol

import pytest
from tests.terminal.conftest import Witness
from tests.terminal.conftest import pump as pump

from fugue_tui.geometry import Size
from fugue_tui.multiplexer.spawner import with_marks
from fugue_tui.terminal.emulator.command_record import CommandRecord
from fugue_tui.terminal.emulator.events import CommandFinished, PromptMark
from fugue_tui.terminal.emulator.locked_screen import passage
from fugue_tui.terminal.engines import make_emulator
from fugue_tui.terminal.pty.io_loop import IOLoop
from fugue_tui.terminal.pty.spawn import Program
from fugue_tui.terminal.terminal import Terminal

SIZE = Size(100, 30)
SHELLS = ("bash", "zsh", "fish")
DEADLINE = 40.0


class Shell:
    """A shell that runs on a terminal."""

    def __init__(self, terminal: Terminal, witness: Witness, home: Path) -> None:
        self.terminal, self.witness, self.home = terminal, witness, home
        self.finished = 0

    def wait(self, condition: Callable[[], object]) -> None:
        self.witness.wait(condition, DEADLINE)

    def until(self, condition: Callable[[], object]) -> None:
        """Wait for what nothing tells of."""
        end = time.monotonic() + DEADLINE
        while not condition():
            assert time.monotonic() < end, "the deadline passed"
            time.sleep(0.01)

    def marks(self, kind: str) -> int:
        return sum(isinstance(event, PromptMark) and event.kind == kind for event in self.witness.events)

    def wait_for_prompt(self, before: int = 0) -> None:
        """Wait for a prompt after so many marks of prompts."""
        self.wait(lambda: self.marks("A") > before and self.terminal.shell.at_prompt)

    def type(self, keys: str) -> None:
        self.terminal.write(keys.encode())

    def interrupt(self) -> None:
        """Press Ctrl+C, and wait for the next prompt, none of which the kernel throws away meanwhile."""
        tty = os.open(f"/proc/{self.terminal.pid}/fd/0", os.O_RDWR | os.O_NOCTTY)
        attributes = termios.tcgetattr(tty)
        attributes[3] |= termios.NOFLSH
        termios.tcsetattr(tty, termios.TCSANOW, attributes)
        os.close(tty)
        # readline misses a signal, until the next key, that arrives just before it waits for one.
        self.until(lambda: _state(self.terminal.pid) == "S")
        prompts = self.marks("A")
        self.type("\x03")
        self.wait_for_prompt(prompts)

    def enter(self, line: str) -> None:
        """Enter a line, and wait for the next prompt."""
        prompts = self.marks("D")
        self.type(line + "\r")
        self.wait(lambda: self.marks("D") > prompts and self.terminal.shell.at_prompt)

    def run(self, line: str) -> CommandRecord:
        """Enter a line that is a command; what became of it."""
        before = len(self.ended)
        self.type(line + "\r")
        self.wait(lambda: len(self.ended) > before and self.terminal.shell.at_prompt)
        return self.ended[-1]

    def said(self, line: str) -> str:
        return self.output(self.run(line))

    def output(self, record: CommandRecord) -> str:
        return self.terminal.shell.output(record).text

    @property
    def ended(self) -> list[CommandRecord]:
        return [event.command for event in self.witness.events if isinstance(event, CommandFinished)]

    @property
    def text(self) -> str:
        with self.terminal.locked() as screen:
            return passage(screen.emulator, 0).text


def _state(pid: int) -> str:
    """The kernel's letter for the state of a process: S sleeps."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


class Start(Protocol):
    """Starts a shell with these files in its home; with marks unless told otherwise."""

    def __call__(
        self,
        kind: str,
        *arguments: str,
        files: dict[str, str] | None = None,
        login: bool = False,
        marks: bool = True,
        env: dict[str, str] | None = None,
        engine: str = "ghostty",
    ) -> Shell: ...


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home without files, and an environment that knows no other."""
    for name in list(os.environ):
        if name.startswith(("XDG_", "BASH", "PYENV", "ZDOT", "FUGUE_")) or name in ("ENV", "PROMPT_COMMAND", "PS1"):
            monkeypatch.delenv(name)
    home = tmp_path / "home"
    home.mkdir()
    return home


@pytest.fixture
def start(home: Path, pump: IOLoop) -> Iterator[Start]:
    shells: list[Shell] = []

    def start(
        kind: str,
        *arguments: str,
        files: dict[str, str] | None = None,
        login: bool = False,
        marks: bool = True,
        env: dict[str, str] | None = None,
        engine: str = "ghostty",
    ) -> Shell:
        path = shutil.which(kind)
        if path is None:
            pytest.skip(f"no {kind} here")
        for name, text in {
            ".config/fish/config.fish": "set -g fish_greeting\n",
            ".zshrc": "PS1='%# '\n",
            **(files or {}),
        }.items():
            (home / name).parent.mkdir(parents=True, exist_ok=True)
            (home / name).write_text(text)
        told = {"HOME": str(home), "SHELL": path, "PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C.UTF-8"}
        program = Program(() if login else (path, *arguments), str(home), {**told, **(env or {})})
        program = (with_marks(program, "5ec2e7") if marks else None) or program
        witness = Witness()
        emulator = make_emulator(engine, SIZE, 1_000)
        terminal = Terminal.spawn(
            program, SIZE, pump=pump, emulator=emulator, watcher=witness, nonce="5ec2e7" if marks else ""
        )
        shell = Shell(terminal, witness, home)
        shells.append(shell)
        if marks:
            shell.wait_for_prompt()
        return shell

    yield start
    for shell in shells:
        shell.terminal.close()
    for shell in shells:
        shell.wait(lambda shell=shell: shell.witness.exits)
