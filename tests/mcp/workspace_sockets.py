"""The directory of workspaces' sockets."""

from pathlib import Path

import pytest


@pytest.fixture
def runtime(private_dir: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The directory of named workspaces' sockets."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(private_dir))
    return private_dir / "fugue-tui"


def sockets_in(directory: Path) -> list[str]:
    """The names of the sockets in a directory."""
    return sorted(file.name for file in directory.glob("*.sock"))
