"""Shells that are set up as people do it."""

import shutil
import time
from pathlib import Path

import pytest
from tests.control.real_shells import Shell
from tests.multiplexer.conftest import Room

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


def pause(shell: Shell, seconds: float) -> None:
    """Let the shell settle, where nothing tells that it has."""
    end = time.monotonic() + seconds
    shell.room.until(lambda: time.monotonic() > end)


def terminal_of(shell: Shell) -> Terminal:
    return shell.room.mux.terminals[shell.pane]
