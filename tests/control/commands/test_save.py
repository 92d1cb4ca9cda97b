"""Saving by hand, snapshots, listing and deleting."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.multiplexer.conftest import Room

from fugue_tui.config.model import SessionSettings
from fugue_tui.control.commands.save import Deleted, DeleteSaved, ListSaved, SavedInfo, SavedKind, SaveSession
from fugue_tui.control.core.command import USER, Command
from fugue_tui.control.core.deferred import Deferred, is_deferred
from fugue_tui.control.schema.command_line import command
from fugue_tui.errors import Cancelled, InvalidArgument, NotFound, Refused, SaveError
from fugue_tui.multiplexer.autosave.saver import Saver
from fugue_tui.multiplexer.autosave.writer import SnapshotWriter
from fugue_tui.store.store import Store
from fugue_tui.terminal.emulator.save_format import unpack
from fugue_tui.terminal.shell_integration.saved_commands import LineFilter
from fugue_tui.workspace.save_codec import decode

DEADLINE = 40.0


@pytest.fixture
def store(room: Room, tmp_path: Path) -> Iterator[Store]:
    """A workspace that can be saved, and does not save itself."""
    settings = SessionSettings(save=False)
    store = Store(tmp_path / "state")
    room.mux.saver = Saver(room.mux, SnapshotWriter(store, settings), settings)
    room.mux.saver.start()
    yield store
    room.mux.saver.finish()


def begun(room: Room, line: str) -> Deferred[Any]:
    found = command(line).run(room.mux, USER)
    assert is_deferred(found)
    return found


def listed(room: Room, said: str = "list-saved") -> list[tuple[SavedKind, str]]:
    return [(each.kind, each.name) for each in room.say(said).saved]


def test_a_workspace_is_saved_under_a_name_with_everything_in_it(room: Room, store: Store) -> None:
    pane = room.opened("create-pane --name first --command 'echo some words; exec cat'")
    room.shows(pane, "some words")
    room.say("create-window --command cat")
    found = room.run(SaveSession(name="before-lunch"))
    assert isinstance(found, SavedInfo)
    assert (found.kind, found.name, found.workspace) == (SavedKind.SESSION, "before-lunch", "test")
    assert (found.windows, found.panes, found.faults) == (2, 2, ())
    assert found.saved_at[:2] == "20"
    assert found.bytes > 100
    saved, faults = decode(store.get("named", "before-lunch").manifest)
    assert (saved.workspace, faults) == (room.mux.workspace, [])
    assert "some words" in unpack(store.text(saved.seen[pane].text)).portable.decode()


def test_what_is_there_is_replaced_only_if_that_is_asked_for(room: Room, store: Store) -> None:
    room.cat()
    room.say("save-session one")
    room.cat()
    with pytest.raises(Refused, match="there is a saved session one already; overwrite=true replaces it"):
        room.say("save-session one")
    assert room.say("list-saved").saved[0].panes == 1
    assert room.say("save-session one --overwrite").panes == 2
    assert room.say("create-snapshot --name one").panes == 2


def test_without_a_name_there_is_one_of_the_time(room: Room, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fugue_tui.control.commands.save.stamp", lambda: "2026-11-21-170000")
    room.cat()
    names = [room.say("save-session").name for _ in range(3)]
    assert names == ["2026-11-21-170000", "2026-11-21-170000-2", "2026-11-21-170000-3"]


@pytest.mark.parametrize("name", ["../up", "a b", ".hidden", "x" * 49, "a/b", "\x1b[2J", "-x"])
def test_a_name_that_could_be_no_files_is_refused_before_anything_happens(room: Room, store: Store, name: str) -> None:
    room.cat()
    said: list[Command[Any]] = [SaveSession(name=name), DeleteSaved(name=name)]
    for each in said:
        with pytest.raises(InvalidArgument, match="name: "):
            each.run(room.mux, USER)
    assert not Path(store.root).exists()


def test_a_snapshot_of_one_pane_holds_that_pane_alone(room: Room, store: Store) -> None:
    room.cat("one")
    pane = room.cat("two")
    room.mux.terminals[pane].write(b"in the second one\r")
    room.shows(pane, "in the second one")
    before = room.mux.workspace
    found = room.say("create-snapshot two --name shot")
    assert (found.kind, found.windows, found.panes) == (SavedKind.SNAPSHOT, 1, 1)
    saved, _ = decode(store.get("snapshots", "shot").manifest)
    assert set(saved.workspace.panes) == set(saved.seen) == {pane}
    assert "in the second one" in unpack(store.text(saved.seen[pane].text)).portable.decode()
    assert room.mux.workspace is before
    with pytest.raises(NotFound):
        command("create-snapshot %99").run(room.mux, USER)


def test_everything_that_was_saved_is_listed_kind_by_kind(room: Room, store: Store) -> None:
    room.cat()
    for line in ("save-session one", "save-session two", "create-snapshot --name three"):
        room.say(line)
    session, snapshot = SavedKind.SESSION, SavedKind.SNAPSHOT
    assert listed(room) == [(session, "two"), (session, "one"), (snapshot, "three")]
    assert listed(room, "list-saved snapshot") == [(snapshot, "three")]
    assert listed(room, "list-saved auto") == []


def test_what_cannot_be_read_is_listed_with_the_reason(room: Room, store: Store) -> None:
    room.cat()
    room.say("save-session one")
    (Path(store.root) / "named" / "one.json").write_text("nothing of ours\x1b[2J")
    (found,) = room.say("list-saved").saved
    assert found.name == "one"
    assert "is no saved workspace" in found.faults[0]
    assert found.panes == 0


def test_what_was_saved_is_deleted_by_kind_and_name(room: Room, store: Store) -> None:
    room.cat()
    room.say("save-session one")
    room.say("create-snapshot --name one")
    assert room.run(DeleteSaved(name="one")) == Deleted(SavedKind.SESSION, "one")
    assert listed(room) == [(SavedKind.SNAPSHOT, "one")]
    with pytest.raises(NotFound, match="no session is saved as one; list-saved shows what is"):
        room.say("delete-saved one")


def test_a_disk_error_is_reported_to_the_caller_of_save(
    room: Room, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(fd: int, data: bytes) -> None:
        raise OSError(28, "No space left on device")

    room.cat()
    room.say("save-session one")
    monkeypatch.setattr("fugue_tui.store.private_dir._write", refuse)
    with pytest.raises(SaveError, match="No space left on device; make room"):
        room.say("save-session one --overwrite")
    assert listed(room) == [(SavedKind.SESSION, "one")]


def test_saving_that_is_cancelled_midway_saves_nothing(
    room: Room, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = room.cat(), room.cat()
    reached, go_on = threading.Event(), threading.Event()
    monkeypatch.setattr(room.mux.terminals[first], "saved", held(reached, go_on))
    monkeypatch.setattr(room.mux.terminals[second], "saved", held(reached, go_on))
    later = begun(room, "save-session one")
    room.until(reached.is_set)
    assert later.cancel()
    reached.clear()
    go_on.set()
    assert listed(room) == []
    assert not reached.is_set()
    assert isinstance(later.error, Cancelled)


def held(reached: threading.Event, go_on: threading.Event) -> Callable[[LineFilter], bytes]:
    def saved(line_filter: LineFilter) -> bytes:
        reached.set()
        assert go_on.wait(DEADLINE)
        return b"text"

    return saved


def test_where_nothing_is_saved_that_is_said(room: Room) -> None:
    room.cat()
    with pytest.raises(Refused, match="nothing can be saved here"):
        ListSaved().run(room.mux, USER)
