"""Automatic saves by a clock that the test advances."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.multiplexer.conftest import Room

from fugue_tui.config.model import SessionSettings
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer.autosave.saver import Saver
from fugue_tui.multiplexer.autosave.schedule import SOON
from fugue_tui.multiplexer.autosave.writer import SnapshotWriter
from fugue_tui.store.store import Area, Store
from fugue_tui.terminal.emulator.save_format import unpack
from fugue_tui.workspace.save_codec import decode
from fugue_tui.workspace.save_model import SavedPane, SavedWorkspace

DEADLINE = 40.0
SETTINGS = SessionSettings()


class Keeping:
    """A workspace with a saver, and helpers for tests."""

    def __init__(self, room: Room, root: Path, settings: SessionSettings) -> None:
        self.room, self.settings = room, settings
        self.store = Store(root)
        self.now = 5000.0
        self.recorder = SnapshotWriter(self.store, settings, lambda argv, pid, cwd: ("again", *argv[:1]))
        self.saver = Saver(room.mux, self.recorder, settings, lambda: self.now)
        self.news: list[str] = []
        self.saver.on_message.connect(lambda text, topic: self.news.append(text))

    def wait(self, seconds: float = SOON) -> None:
        """Advance the clock, and wait until what is due is done."""
        self.now += seconds
        self.saver.configure(self.settings)
        self.room.until(lambda: self.saver.due > self.now)
        self.done()

    def done(self) -> None:
        """Wait until the saver has finished all its jobs."""
        asked = self.saver.ask(lambda recorder, wanted: None)
        self.room.until(asked.done)

    def change(self, settings: SessionSettings) -> None:
        """Apply other settings, and wait until the saver has acted on them."""
        self.settings = settings
        self.saver.configure(settings)
        self.wait()

    def generation(self) -> int:
        """The number of saves so far."""
        return next((entry.generation for entry in self.store.names("auto")), 0)

    def saved(self, name: str = "test", area: Area = "auto") -> SavedWorkspace:
        """The newest save."""
        saved, faults = decode(self.store.get(area, name).manifest)
        assert not faults
        return saved

    def seen(self, pane: PaneId) -> SavedPane:
        """A pane in the newest save."""
        return self.saved().seen[pane]

    def text(self, pane: PaneId) -> str:
        """The portable part of a pane's saved text."""
        return unpack(self.store.text(self.seen(pane).text)).portable.decode()


@pytest.fixture
def keep(room: Room, tmp_path: Path) -> Iterator[Callable[..., Keeping]]:
    made: list[Keeping] = []

    def start(settings: SessionSettings = SETTINGS) -> Keeping:
        keeping = Keeping(room, tmp_path / "state", settings)
        made.append(keeping)
        keeping.saver.start()
        return keeping

    yield start
    for each in made:
        each.saver.finish()
