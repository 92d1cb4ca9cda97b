"""Lives of one workspace after the other, of which a later one brings back what an earlier one saved."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.multiplexer.conftest import Room

from fugue_tui.config.model import SessionSettings
from fugue_tui.control.commands.restore import RestoreSession
from fugue_tui.control.commands.save import SaveSession
from fugue_tui.control.commands.send_keys import SendInput
from fugue_tui.control.core.command import USER, Command, Origin
from fugue_tui.control.core.deferred import Deferred, is_deferred
from fugue_tui.control.restore.restorer import RestoreResult
from fugue_tui.control.schema.command_line import command
from fugue_tui.geometry import Size
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer.autosave.saver import Saver
from fugue_tui.multiplexer.autosave.writer import SnapshotWriter
from fugue_tui.store.store import Store
from fugue_tui.terminal.pty.io_loop import IOLoop


class Life(Room):
    """One life of a workspace, which can save and restore."""

    def __init__(self, pump: IOLoop, state: Path, *, engine: str = "ghostty", area: Size = Size(81, 24)) -> None:
        super().__init__(pump, area)
        self.launcher.engine = engine
        self.launcher.shell = ("/bin/sh",)
        self.resume: Callable[[tuple[str, ...], int, str], tuple[str, ...]] = lambda argv, pid, cwd: ()
        settings = SessionSettings(save=False)
        recorder = SnapshotWriter(Store(state), settings, lambda argv, pid, cwd: self.resume(argv, pid, cwd))
        self.saver = self.mux.saver = Saver(self.mux, recorder, settings)
        self.saver.start()

    def done(self, said: Command[Any] | str, origin: Origin = USER) -> Any:
        """Run a command and wait for its answer."""
        answer: Any = (command(said) if isinstance(said, str) else said).run(self.mux, origin)
        if is_deferred(answer):
            later: Deferred[Any] = answer
            self.until(lambda: later.done)
            return later.result()
        return answer

    def typed(self, pane: int, line: str) -> None:
        """Type a line, and Enter."""
        self.run(SendInput(pane=f"%{pane}", text=line, submit=True))

    def flat(self, pane: int) -> str:
        """What is on a pane's screen, however it is wrapped."""
        return self.text(PaneId(pane)).replace("\n", "")

    def restored(self, name: str = "it", origin: Origin = USER) -> RestoreResult:
        """Bring a saved session back."""
        found = self.done(RestoreSession(name=name), origin)
        assert isinstance(found, RestoreResult)
        return found


NewLife = Callable[..., Life]


@pytest.fixture
def live(main_loop: asyncio.AbstractEventLoop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[NewLife]:
    """Starts lives that share what is saved."""
    monkeypatch.setenv("PS1", "$ ")
    pump = IOLoop()
    pump.start()
    lives: list[Life] = []

    def live(**wanted: Any) -> Life:
        lives.append(Life(pump, tmp_path / "state", **wanted))
        return lives[-1]

    yield live
    for each in lives:
        each.saver.finish()
        each.mux.close()
    pump.stop()


@pytest.fixture
def saved(live: NewLife, tmp_path: Path) -> Life:
    """A life with two windows, a shell and a few programs, saved as `it`."""
    first = live()
    first.say(f"create-window --name work --cwd '{tmp_path}'")
    first.typed(1, "echo once' 'upon")
    first.shows(PaneId(1), "once upon")
    first.opened("split-pane --name log --command 'echo the log; exec cat'")
    first.shows(PaneId(2), "the log")
    first.opened("split-pane --direction vertical --ratio 0.25 --command 'echo failed; exit 3'")
    first.ended(PaneId(3))
    first.say("create-window --name other --command 'echo elsewhere; exec cat'")
    first.shows(PaneId(4), "elsewhere")
    first.done(SaveSession(name="it"))
    return first


def state(life: Life, pane: int | str) -> tuple[bool, str | None]:
    """Whether a pane's program runs, and what it waits for."""
    info = next(each for each in life.say("list-panes").panes if each.id == f"%{pane}")
    return life.mux.runs(PaneId(int(pane))), info.waits
