"""The host's clipboard is set by the terminal or by a program of the desktop, and the user is told what is known."""

import os
import time
from pathlib import Path
from typing import Any, cast

import pytest
from tests.tui.conftest import Open

from fugue_tui.attach_protocol import Hello
from fugue_tui.attach_server.client import AttachedClient, Link
from fugue_tui.terminal.pty import run_program
from fugue_tui.tui.input.clipboard import clipboard_program, copy


class Terminal:
    """The link to a terminal that is not attached."""

    writer: Any = None


def client(*, reports: bool) -> AttachedClient:
    """A client whose terminal reports that programs may set its clipboard, or not."""
    found = AttachedClient(1, cast("Link", Terminal()), Hello())
    found.capabilities.receive("\x1b[?62;52c" if reports else "\x1b[?62;22c")
    return found


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory of programs, alone on PATH, with those that the others need."""
    monkeypatch.setenv("PATH", str(tmp_path))
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "SSH_CONNECTION", "SSH_TTY"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def program(folder: Path, name: str, line: str) -> None:
    (file := folder / name).write_text(f"#!/bin/sh\nPATH=/usr/bin:/bin\n{line}\n")
    file.chmod(0o700)


def test_the_program_is_that_of_the_desktop_and_none_over_ssh(programs: Path) -> None:
    path = {"PATH": str(programs)}
    assert clipboard_program(path | {"DISPLAY": ":1"}) == ()
    for name in ("wl-copy", "xclip", "xsel"):
        program(programs, name, "exit 0")
    assert clipboard_program(path | {"DISPLAY": ":1"})[0] == "xclip"
    assert clipboard_program(path | {"DISPLAY": ":1", "WAYLAND_DISPLAY": "wayland-0"}) == ("wl-copy",)
    (programs / "xclip").unlink()
    assert clipboard_program(path | {"DISPLAY": ":1"})[0] == "xsel"
    assert clipboard_program(path | {"DISPLAY": ":10", "SSH_CONNECTION": "a 1 b 22"}) == ()


async def test_what_is_said_is_what_is_known(open_stage: Open, programs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copies = programs / "copied"
    async with open_stage("/bin/cat") as stage:
        stage.mux.client_environment.names = ("DISPLAY",)
        copy(stage.app, "one", stage.terminal(), client(reports=True))
        await stage.until(lambda: "copied 3 characters to the clipboard; ctrl+b ] pastes" in stage.text)
        copy(stage.app, "three", stage.terminal(), client(reports=False))
        await stage.until(lambda: "copied 5 characters, clipboard not confirmed; ctrl+b ] pastes" in stage.text)
        program(programs, "xclip", f"cat > {copies}; sleep 60 &")
        monkeypatch.setenv("DISPLAY", ":1")
        copy(stage.app, "four", stage.terminal(), client(reports=False))
        await stage.until(lambda: "copied 4 characters to the clipboard" in stage.text)
        assert copies.read_text() == "four"
        program(programs, "xclip", "exit 1")
        copy(stage.app, "eleven", stage.terminal(), client(reports=False))
        await stage.until(lambda: "copied 6 characters, clipboard not confirmed" in stage.text)
        assert [each.text for each in stage.mux.clipboard.entries] == ["eleven", "four", "three", "one"]


def test_a_program_is_killed_with_its_children_after_its_time() -> None:
    started = time.monotonic()
    assert run_program.run(("sh", "-c", "sleep 60 & sleep 60"), env=os.environ, seconds=0.2) is None
    assert run_program.run(("sh", "-c", "sleep 60"), env=os.environ, seconds=0.2, given="text") is None
    assert time.monotonic() - started < 20


def test_output_is_bounded_and_failures_are_reported() -> None:
    line = "head -c 100000 /dev/zero | tr '\\0' a"
    assert run_program.run(("sh", "-c", line), env=os.environ, seconds=20) == "a" * run_program.MOST_OUTPUT
    assert run_program.run(("sh", "-c", "echo x; exit 3"), env=os.environ, seconds=20) is None
    assert run_program.run(("true",), env=os.environ, seconds=20, given="text" * 100_000) is not None
