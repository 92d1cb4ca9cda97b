"""Saved work that is damaged, missing, large or put beside what is open."""

import threading
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.control.restore.workspace_generations import Life, NewLife, state
from tests.control.restore.workspace_generations import live as live
from tests.control.restore.workspace_generations import saved as saved

from fugue_tui.control.commands.restore import RestoreSession, RestoreSnapshot, StartPane
from fugue_tui.control.commands.save import CreateSnapshot, SaveSession
from fugue_tui.control.core.command import USER
from fugue_tui.control.restore import restorer
from fugue_tui.errors import InvalidArgument, NotFound, Refused
from fugue_tui.geometry import Size
from fugue_tui.ids import PaneId
from fugue_tui.store.store import Store
from fugue_tui.terminal.emulator.command_record import CommandRecord
from fugue_tui.terminal.emulator.protocol import Emulator


def test_a_snapshot_is_restored_in_a_window_of_its_own_and_runs_nothing(saved: Life) -> None:
    saved.done(CreateSnapshot(pane="%1", name="then"))
    saved.typed(1, "clear")
    result = saved.done(RestoreSnapshot(name="then"))
    assert len(result.panes) == 1
    pane = PaneId(result.panes[0].pane[1:])
    assert "once upon" in saved.text(pane)
    assert not saved.mux.runs(pane)
    assert saved.mux.runs(PaneId(1))


def test_a_snapshot_takes_the_place_of_a_pane_that_has_ended_but_of_no_other(saved: Life) -> None:
    saved.done(CreateSnapshot(pane="%2", name="then"))
    with pytest.raises(Refused, match="kill=true"):
        saved.run(RestoreSnapshot(name="then", pane="%4"))
    saved.done(RestoreSnapshot(name="then", pane="%3"))
    assert "the log" in saved.text(PaneId(3))
    assert state(saved, 3) == (False, "echo the log; exec cat")
    old = saved.mux.terminals[PaneId(4)].pid
    saved.done(RestoreSnapshot(name="then", pane="%4", kill=True))
    saved.gone(old)
    saved.run(StartPane(pane="%4"))
    saved.shows(PaneId(4), "the log")


def test_of_a_snapshot_of_all_a_pane_takes_its_own(saved: Life) -> None:
    saved.done(CreateSnapshot(name="all"))
    saved.done(RestoreSnapshot(name="all", pane="%3"))
    assert "failed" in saved.text(PaneId(3))
    saved.say("close-pane %3")
    strange = saved.opened("create-pane --on-exit keep --command 'exit 1'")
    saved.ended(strange)
    with pytest.raises(InvalidArgument, match="not in the snapshot"):
        saved.done(RestoreSnapshot(name="all", pane=str(strange)))


def test_what_was_never_saved_is_not_found(live: NewLife) -> None:
    life = live()
    life.cat()
    for said, told in (
        (RestoreSession(name="nothing"), "no session is saved as nothing; list-saved"),
        (RestoreSnapshot(name="nothing"), "no snapshot is saved as nothing; list-saved"),
        (RestoreSession(), "has no earlier run"),
    ):
        with pytest.raises(NotFound, match=told):
            life.done(said)
    with pytest.raises(InvalidArgument):
        life.done(RestoreSession(name="../etc/passwd"))
    assert len(life.open) == 1


def damage(file: Path, how: str) -> None:
    """Spoil a file."""
    data = bytearray(file.read_bytes())
    if how == "flip":
        data[len(data) // 2] ^= 0x10
    file.write_bytes(b"" if how == "empty" else data[: len(data) // 2] if how == "cut" else data)
    if how == "link":
        file.unlink()
        file.symlink_to("/etc/passwd")
    if how == "gone":
        file.unlink()


@pytest.mark.parametrize("how", ["flip", "cut", "empty", "link", "gone"])
def test_a_damaged_text_costs_its_own_pane_and_is_reported(
    saved: Life, live: NewLife, tmp_path: Path, how: str
) -> None:
    victim = next(
        file
        for file in (tmp_path / "state" / "texts").iterdir()
        if not file.name.startswith(".") and b"the log" in _portable(Store(tmp_path / "state").text(file.name))
    )
    damage(victim, how)
    life = live()
    result = life.restored()
    assert len(result.faults) == 1
    assert result.faults[0].startswith("%2: its text is left out")
    assert "its text was damaged and is left out" in life.flat(2)
    assert "once upon" in life.text(PaneId(1))
    assert state(life, 2) == (False, "echo the log; exec cat")


def test_swapped_texts_are_noticed(saved: Life, live: NewLife, tmp_path: Path) -> None:
    one, two, *_ = sorted(file for file in (tmp_path / "state" / "texts").iterdir() if not file.name.startswith("."))
    first, second = one.read_bytes(), two.read_bytes()
    one.write_bytes(second)
    two.write_bytes(first)
    life = live()
    assert len(life.restored().faults) == 2
    assert len(life.open) == 4


def test_a_damaged_manifest_gives_way_to_the_copy_before_it(saved: Life, live: NewLife, tmp_path: Path) -> None:
    saved.done(SaveSession(name="it", overwrite=True))
    damage(tmp_path / "state" / "named" / "it.json", "flip")
    life = live()
    result = life.restored()
    assert len(result.panes) == 4
    assert any("kept as it.json.bad" in fault for fault in result.faults)


@pytest.mark.slow
def test_sixty_four_dense_panes_are_restored_and_the_main_thread_is_never_long_away(
    live: NewLife, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = live(engine="ghostty", area=Size(160, 60))
    first.launcher.scrollback = 2000
    first.say("create-window --command 'seq 3000; exec cat'")
    for number in range(2, 65):
        first.say(f"create-window --command 'seq {number} 3000; exec cat'")
    for number in range(1, 65):
        first.shows(PaneId(number), "3000")
    first.done(SaveSession(name="it"))
    life = live(engine="ghostty", area=Size(160, 60))
    life.launcher.scrollback = 2000
    readers, recall = set[threading.Thread](), restorer.recall

    def noted(emulator: Emulator, data: bytes) -> Sequence[CommandRecord]:
        readers.add(threading.current_thread())
        return recall(emulator, data)

    monkeypatch.setattr(restorer, "recall", noted)
    answer = RestoreSession(name="it").run(life.mux, USER)
    while not answer.done:
        life.turn()
    assert answer.result().faults == ()
    assert len(life.open) == 64
    assert all("3000" in life.text(pane) for pane in life.open)
    assert readers
    assert threading.main_thread() not in readers


def test_an_error_while_reading_a_save_reaches_the_caller(
    saved: Life, live: NewLife, monkeypatch: pytest.MonkeyPatch
) -> None:
    life = live()

    def blank(size: Size) -> None:
        raise MemoryError("no memory for a terminal")

    monkeypatch.setattr(life.mux, "blank", blank)
    with pytest.raises(MemoryError):
        life.restored()
    assert not any(thread.name.startswith("reader") for thread in threading.enumerate())


def _portable(text: bytes) -> bytes:
    from fugue_tui.terminal.emulator.save_format import unpack

    return unpack(text).portable
