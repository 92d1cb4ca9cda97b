"""Restored panes show their old text, run nothing, and start their programs below it."""

import os
from pathlib import Path

import pytest
from tests.multiplexer.conftest import Room

from fugue_tui.control.commands.panes import ClosePane, RespawnPane, SplitPane
from fugue_tui.control.commands.restore import StartPane
from fugue_tui.errors import Refused, SpawnFailed, TerminalGone
from fugue_tui.geometry import Axis, Size
from fugue_tui.ids import PaneId, WindowId
from fugue_tui.layout.tree import Leaf, Split
from fugue_tui.multiplexer.restored_pane import RerunOffer, nearest_directory, write_notice
from fugue_tui.terminal.engines import make_emulator
from fugue_tui.terminal.screen.pins import Point
from fugue_tui.workspace import edit
from fugue_tui.workspace.model import Pane, Window, Workspace

LOUD = ("sh", "-c", "echo now in $PWD at $FUGUE_PANE; exec cat")


def two(*argv: str, cwd: str = "") -> Workspace:
    """A window with panes %3 and %7 side by side; %7 has this argv."""
    layout = Split(Axis.HORIZONTAL, (Leaf(PaneId(3)), Leaf(PaneId(7))), (1, 1))
    window = Window(WindowId(2), "back", layout, PaneId(7), "dev")
    records = [Pane(PaneId(3), argv=("cat",)), Pane(PaneId(7), argv=argv, cwd=cwd)]
    return edit.add_window(Workspace("test"), window, records)


def back(room: Room, *argv: str, offer: RerunOffer | None = None, cwd: str = "", text: str = "of old") -> PaneId:
    """Restore two panes, and fill the second."""
    room.mux.bring_back(two(*argv, cwd=cwd), {PaneId(3): RerunOffer(), PaneId(7): offer or RerunOffer(words="x")})
    fill(room, text)
    return PaneId(7)


def fill(room: Room, text: str = "of old", pane: int = 7) -> None:
    """Deliver a pane's old text."""
    emulator = room.mux.blank(room.mux.terminals[PaneId(pane)].size)
    emulator.feed(text.encode() + b"\r\n")
    room.mux.fill(PaneId(pane), emulator)


def test_panes_are_restored_at_their_sizes_and_run_nothing(room: Room) -> None:
    pane = back(room, "cat")
    assert room.mux.terminals[pane].size == Size(40, 24)
    assert room.text(pane) == "of old"
    assert not room.mux.runs(pane)
    assert room.mux.terminals[pane].exit is None
    assert room.mux.focused == pane
    room.mux.resize(Size(41, 10))
    assert room.mux.terminals[pane].size == Size(20, 10)


def test_new_ids_are_larger_than_the_restored_ones(room: Room) -> None:
    pane = back(room, "cat")
    assert int(room.run(SplitPane(pane=str(pane), command=("cat",))).id[1:]) == 8


def test_a_program_starts_under_the_old_text(room: Room) -> None:
    pane = back(room, *LOUD)
    room.run(StartPane(pane=str(pane)))
    assert room.mux.runs(pane)
    assert room.shows(pane, "now in").startswith("of old\nnow in")
    assert "at %7" in room.text(pane)
    room.say(f"send-input {pane} --text still --submit")
    room.shows(pane, "still\nstill")


def test_respawning_a_pane_that_waits_starts_it_under_its_old_text_too(room: Room) -> None:
    pane = back(room, "cat")
    room.run(RespawnPane(pane=str(pane), command=LOUD))
    assert room.shows(pane, "now in").startswith("of old\nnow in")
    assert room.mux.workspace.panes[pane].argv == LOUD


def test_what_is_offered_runs_once_and_the_pane_stays_what_it_was(room: Room) -> None:
    pane = back(room, "cat", offer=RerunOffer(("echo", "resumed"), "echo resumed"))
    room.run(StartPane(pane=str(pane)))
    room.ended(pane)
    assert room.mux.workspace.panes.get(pane, Pane(pane, argv=("cat",))).argv == ("cat",)


def test_only_the_shell_starts_if_that_is_asked_for(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHELL", "/bin/sh")
    pane = back(room, offer=RerunOffer(("echo", "resumed"), "echo resumed", shell=True))
    room.run(StartPane(pane=str(pane), shell=True))
    room.say(f"send-input {pane} --text 'echo $((6*7))' --submit")
    room.shows(pane, "42")
    assert "resumed" not in room.text(pane)


def test_what_starts_by_itself_starts_once_its_text_is_there(room: Room) -> None:
    room.mux.bring_back(two(*LOUD), {PaneId(3): RerunOffer(), PaneId(7): RerunOffer(starts=True)})
    assert not room.mux.runs(PaneId(7))
    fill(room)
    assert room.mux.runs(PaneId(7))
    assert room.shows(PaneId(7), "now in").startswith("of old\nnow in")


def test_a_pane_that_is_started_before_its_text_is_there_starts_with_it(room: Room) -> None:
    room.mux.bring_back(two(*LOUD), {PaneId(3): RerunOffer(), PaneId(7): RerunOffer()})
    room.run(StartPane(pane="%7"))
    assert not room.mux.runs(PaneId(7))
    fill(room)
    assert room.shows(PaneId(7), "now in").startswith("of old\nnow in")


def test_a_program_that_is_gone_is_reported_in_the_pane_and_can_be_tried_again(room: Room, tmp_path: Path) -> None:
    pane = back(room, str(tmp_path / "tool"))
    for _ in range(2):
        with pytest.raises(SpawnFailed, match="there is no such file"):
            room.run(StartPane(pane=str(pane)))
    assert room.text(pane).count("cannot start") == 2
    assert not room.mux.runs(pane)
    (tmp_path / "tool").write_text("#!/bin/sh\necho here now; exec cat\n")
    (tmp_path / "tool").chmod(0o755)
    room.run(StartPane(pane=str(pane)))
    assert room.shows(pane, "here now").startswith("of old\n")


def test_one_that_starts_by_itself_and_cannot_waits(room: Room) -> None:
    pane = back(room, "/nowhere/x", offer=RerunOffer(starts=True))
    assert not room.mux.runs(pane)
    assert "cannot start" in room.text(pane)
    assert pane in room.mux.restored_panes


def test_a_directory_that_is_gone_gives_way_to_the_nearest_above(room: Room, tmp_path: Path) -> None:
    pane = back(room, *LOUD, cwd=str(tmp_path / "a" / "b"))
    room.run(StartPane(pane=str(pane)))
    room.shows(pane, "at %7")
    assert room.joined(pane) == f"of old\nnow in {tmp_path} at %7"
    assert room.mux.workspace.panes[pane].cwd == str(tmp_path / "a" / "b")


def test_the_nearest_directory_is_never_the_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert nearest_directory("") == ""
    assert nearest_directory(str(tmp_path)) == str(tmp_path)
    assert nearest_directory(str(tmp_path / "x" / "y" / "z")) == str(tmp_path)
    assert nearest_directory("/nowhere/at/all") == str(tmp_path)
    (tmp_path / "file").touch()
    assert nearest_directory(str(tmp_path / "file")) == str(tmp_path)


def test_keys_to_a_pane_that_is_not_started_are_ignored(room: Room) -> None:
    pane = back(room, "cat")
    with pytest.raises(TerminalGone, match="start-pane"):
        room.say(f"send-input {pane} --text lost")
    assert room.text(pane) == "of old"


def test_a_pane_that_runs_cannot_be_started(room: Room) -> None:
    pane = room.cat()
    with pytest.raises(Refused, match="does not wait"):
        room.run(StartPane(pane=str(pane)))


def test_a_pane_that_waits_can_be_closed_and_filling_it_then_is_no_fault(room: Room) -> None:
    room.mux.bring_back(two("cat"), {PaneId(3): RerunOffer(), PaneId(7): RerunOffer()})
    room.run(ClosePane(pane="%7"))
    emulator = room.mux.blank(Size(40, 24))
    room.mux.fill(PaneId(7), emulator)
    assert room.open == [PaneId(3)]
    assert PaneId(7) not in room.mux.restored_panes


def test_a_text_for_another_size_is_fitted(room: Room) -> None:
    room.mux.bring_back(two("cat"), {PaneId(3): RerunOffer(), PaneId(7): RerunOffer()})
    emulator = room.mux.blank(room.mux.terminals[PaneId(7)].size)
    emulator.feed(b"of old\r\n")
    room.mux.resize(Size(41, 10))
    room.mux.fill(PaneId(7), emulator)
    with room.mux.terminals[PaneId(7)].locked() as screen:
        assert screen.emulator.size == Size(20, 10)


def test_what_waits_is_said(room: Room) -> None:
    pane = back(room, "cat", offer=RerunOffer(words="cat"))
    info = next(each for each in room.say("list-panes").panes if each.id == str(pane))
    assert (info.waits, info.exit, info.pid) == ("cat", None, None)
    state = room.say(f"get-status {pane}").state
    assert not state.running
    room.run(StartPane(pane=str(pane)))
    info = next(each for each in room.say("list-panes").panes if each.id == str(pane))
    assert info.waits is None
    assert info.pid == room.mux.terminals[pane].pid


def test_ids_that_are_kept_free_are_given_to_what_is_restored_once(room: Room) -> None:
    room.mux.ids.reserve(7, 2)
    assert room.cat() == PaneId(8)
    assert room.mux.ids.claim(two("cat"), room.mux.workspace)
    assert not room.mux.ids.claim(two("cat"), room.mux.workspace)


def test_many_restored_and_closed_panes_leave_no_resources(room: Room) -> None:
    room.cat()
    before = len(os.listdir("/proc/self/fd"))
    for number in range(20, 50):
        pane = PaneId(number)
        window = Window(WindowId(number), "", Leaf(pane), pane, "dev")
        room.mux.bring_back(
            edit.add_window(room.mux.workspace, window, [Pane(pane, argv=("cat",))]), {pane: RerunOffer()}
        )
        fill(room, pane=number)
        room.run(ClosePane(pane=str(pane)))
    assert len(os.listdir("/proc/self/fd")) <= before
    assert not room.mux.restored_panes


def test_a_long_command_that_enter_would_run_is_shown_to_its_end() -> None:
    emulator = make_emulator("ghostty", Size(40, 30), 100)
    write_notice(emulator, f"press Enter to run again: echo {'x' * 400}; curl evil")
    assert emulator.between(Point(0), Point(30)).endswith("x; curl evil")
