"""Shells that are set up as people do it."""

import shutil
from contextlib import suppress
from pathlib import Path

import pytest
from tests.control.real_shells import Shell
from tests.multiplexer.conftest import Room

from fugue_tui.control.shell_exec.prompt_detection import shell_in
from fugue_tui.errors import Refused
from fugue_tui.terminal.terminal import Terminal

RC = {"bash": ".bashrc", "zsh": ".zshrc", "fish": "fish/config.fish"}


def dressed(room: Room, kind: str, home: Path, settings: str) -> Shell:
    """A shell whose person has set it up so."""
    if shutil.which(kind.rstrip("-")) is None:
        pytest.skip(f"there is no {kind.rstrip('-')} here")
    file = home / RC[kind.rstrip("-")]
    file.parent.mkdir(exist_ok=True)
    greeting = "set -g fish_greeting\n" if kind.startswith("fish") else ""
    file.write_text(f"{greeting}{settings}\n")
    return Shell(room, kind, home)


def await_prompt(shell: Shell, *, after: str = "") -> None:
    """Wait until the shell shows its prompt, below some text."""
    shell.room.until(lambda: shell.text.endswith(f"{after}\n$") and _is_settled(shell), lambda: shell.text)


def _is_settled(shell: Shell) -> bool:
    with suppress(Refused):
        found = shell_in(shell.room.mux, shell.pane, patient=True)
        return found is not None and found.settled
    return False


def terminal_of(shell: Shell) -> Terminal:
    return shell.room.mux.terminals[shell.pane]
