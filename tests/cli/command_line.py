"""The command line as a shell runs it, in an environment of its own."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.fork_server import ForkServer

from fugue_tui.cli import main

Shell = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def shell(private_dir: Path, fork_server: ForkServer) -> Shell:
    """Runs `fugue-tui` in a forked process with an environment of its own."""

    def run(*arguments: str, **env: str) -> "subprocess.CompletedProcess[str]":
        kept = {name: value for name, value in os.environ.items() if not name.startswith("FUGUE")}
        kept |= {"XDG_RUNTIME_DIR": str(private_dir), "FUGUE_CONFIG": str(private_dir / "config.toml"), **env}
        return fork_server.run(("-m", "fugue_tui", *arguments), kept, os.getcwd())

    return run


@pytest.fixture
def in_process(private_dir: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Shell:
    """Runs the command line in this process, for the many cases that differ in their words alone."""

    def run(*arguments: str, **env: str) -> "subprocess.CompletedProcess[str]":
        with monkeypatch.context() as patch:
            for name in [name for name in os.environ if name.startswith("FUGUE")]:
                patch.delenv(name)
            settings = {"XDG_RUNTIME_DIR": str(private_dir), "FUGUE_CONFIG": str(private_dir / "config.toml"), **env}
            for name, value in settings.items():
                patch.setenv(name, value)
            capfd.readouterr()
            status = main.run(arguments)
            out, err = capfd.readouterr()
        return subprocess.CompletedProcess(arguments, status, out, err)

    return run
