"""Layout files for the tests of what writes, reads and lists them."""

from pathlib import Path
from typing import Any

import pytest
from tests.multiplexer.conftest import Room

from fugue_tui.control.commands.layout_files import LayoutList, LoadedLayout, SavedLayout
from fugue_tui.control.core.command import USER, Origin
from fugue_tui.workspace.model import Pane


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with a project in it, in which everything happens."""
    project = tmp_path / "home" / "shop"
    project.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("FUGUE_CONFIG", str(tmp_path / "config" / "config.toml"))
    monkeypatch.setenv("SHELL", "/bin/sh")
    for name in ("VISUAL", "EDITOR", "DATABASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(project)
    return project


def save(room: Room, line: str, origin: Origin = USER) -> SavedLayout:
    return room.say(f"save-layout {line}", origin)


def load(room: Room, line: str, origin: Origin = USER) -> LoadedLayout:
    """Load a layout; the user trusts its file."""
    disconnect = room.mux.approvals.on_change.connect(lambda: room.mux.post(lambda: approve_all(room)))
    try:
        return room.say(f"load-layout {line}", origin)
    finally:
        disconnect()


def approve_all(room: Room) -> None:
    for request in room.mux.approvals.waiting():
        room.mux.approvals.approve(request.id)


def listed(room: Room, origin: Origin = USER) -> LayoutList:
    return room.say("list-layouts", origin)


def file_of(home: Path, *windows: str) -> Path:
    """A project's file with these windows."""
    file = home / ".fugue.toml"
    file.write_text("".join(f"[[windows]]\n{window}\n" for window in windows))
    return file


def opened_by(room: Room, action: Any) -> list[Pane]:
    """The panes that came by something, in reading order."""
    before = set(room.open)
    action()
    return [room.mux.workspace.panes[pane] for pane in room.open if pane not in before]
