"""Sockets of workspaces, and where they are."""

from pathlib import Path

import pytest


@pytest.fixture
def runtime(private_dir: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where workspaces listen under their names."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(private_dir))
    return private_dir / "fugue-tui"


def sockets_in(directory: Path) -> list[str]:
    """The names of the sockets there."""
    return sorted(file.name for file in directory.glob("*.sock"))
