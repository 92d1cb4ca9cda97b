"""Panes open and close with their programs, and keep their sizes, positions and ids."""

import os

import pytest
from tests.multiplexer.conftest import Room, agent

from fugue_tui.control.commands.panes import ClosePane, CreatePane, FocusPane, RespawnPane, SplitPane
from fugue_tui.errors import NotFound, SpawnFailed
from fugue_tui.geometry import Rect, Size
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer import multiplexer
from fugue_tui.multiplexer.undo.closed_panes import SECONDS
from fugue_tui.terminal.pty.spawn import Exit
from fugue_tui.workspace.model import OnExit

SIZE = "stty size; exec cat"


def test_the_first_pane_fills_the_area_and_has_the_focus(room: Room) -> None:
    pane = room.cat()
    assert room.mux.focused == pane
    assert room.mux.terminals[pane].size == Size(81, 24)


def test_a_program_starts_at_the_size_that_its_pane_will_have(room: Room) -> None:
    room.cat()
    beside = room.opened(f"split-pane --ratio 0.75 --command '{SIZE}'")
    room.shows(beside, "24 20")
    below = room.opened(f"split-pane {beside} --direction vertical --command '{SIZE}'")
    rect = room.mux.rect(below)
    assert rect is not None
    assert room.shows(below, " ").splitlines()[0] == f"{rect.rows} {rect.cols}"


def test_every_terminal_follows_its_pane(room: Room) -> None:
    first, second = room.cat(), room.cat()
    room.say(f"resize-pane {first} --share 0.75")
    assert room.mux.terminals[first].size == Size(60, 24)
    assert room.mux.terminals[second].size == Size(20, 24)
    room.mux.resize(Size(41, 10))
    assert room.mux.terminals[first].size == Size(30, 10)
    assert room.mux.terminals[second].size == Size(10, 10)


def test_a_hidden_pane_keeps_its_size(room: Room) -> None:
    first, second = room.cat(), room.cat()
    room.say(f"zoom-pane {first}")
    assert room.mux.terminals[first].size == Size(81, 24)
    assert room.mux.terminals[second].size == Size(40, 24)
    assert room.mux.rect(second) is None
    room.say(f"zoom-pane {first}")
    assert room.mux.rect(second) is not None


def test_a_screen_too_small_loses_no_pane(room: Room) -> None:
    opened = [room.cat() for _ in range(6)]
    room.mux.resize(Size(1, 1))
    assert room.mux.rect(room.mux.focused or opened[0]) is not None
    room.mux.resize(Size(81, 24))
    assert all(room.mux.rect(pane) for pane in opened)


def test_a_program_that_cannot_be_started_leaves_everything_as_it_was(room: Room) -> None:
    room.cat()
    before = room.mux.workspace
    for line in ("split-pane --command '[\"/nowhere/x\"]'", "split-pane --cwd /nowhere"):
        with pytest.raises(SpawnFailed):
            room.say(line)
    assert room.mux.workspace is before


def test_ids_are_never_used_again(room: Room) -> None:
    seen = [room.cat()]
    for _ in range(3):
        seen.append(room.cat())
        room.say(f"close-pane {seen[-1]}")
    with pytest.raises(SpawnFailed):
        room.say("split-pane --cwd /nowhere")
    seen.append(room.cat())
    assert len(set(seen)) == len(seen)
    assert seen == sorted(seen)


def test_closing_a_pane_ends_everything_in_it(room: Room) -> None:
    room.cat()
    pane = room.opened("split-pane --command 'trap \"\" HUP; sleep 1000 & echo $!; wait'")
    room.until(lambda: room.text(pane).strip().isdigit())
    child, shell = int(room.text(pane)), room.mux.terminals[pane].pid
    room.run(ClosePane(pane=str(pane)))
    room.skip(SECONDS)
    room.gone(child)
    room.gone(shell)


def test_a_pane_whose_program_ends_well_closes(room: Room) -> None:
    room.cat()
    pane = room.opened("split-pane --command 'exit 0'")
    room.until(lambda: pane not in room.mux.workspace.panes)
    assert room.mux.focused in room.mux.workspace.panes


def test_a_pane_whose_program_fails_stays_and_can_be_read(room: Room) -> None:
    room.cat()
    pane = room.opened("split-pane --command 'echo broken; exit 3'")
    room.ended(pane)
    assert room.mux.exits[pane] == Exit(3)
    assert "broken" in room.say(f"read-pane {pane}").text


def test_an_agents_pane_stays_when_its_program_ends_well(room: Room) -> None:
    first = room.cat()
    pane = room.opened("split-pane --command 'echo done'", agent(first))
    room.ended(pane)
    assert room.mux.exits[pane] == Exit(0)
    assert room.mux.workspace.panes[pane].on_exit is OnExit.KEEP


def test_a_program_can_be_run_again_in_its_place(room: Room) -> None:
    room.cat()
    pane = room.opened("split-pane --on-exit keep --command 'stty size; echo $$'")
    room.ended(pane)
    first = room.text(pane).splitlines()
    info = room.run(RespawnPane(pane=str(pane)))
    assert (info.id, info.exit) == (str(pane), None)
    room.ended(pane)
    again = room.text(pane).splitlines()
    assert again[0] == first[0]
    assert again[1] != first[1]


def test_running_another_program_ends_the_old_one(room: Room) -> None:
    pane = room.cat()
    old = room.mux.terminals[pane].pid
    room.run(RespawnPane(pane=str(pane), command="echo other; exec cat"))
    room.shows(pane, "other")
    room.gone(old)
    assert pane not in room.mux.exits


def test_a_late_exit_event_does_not_affect_the_new_program(room: Room) -> None:
    pane = room.opened("create-pane --on-exit close --command 'exit 0'")
    old = room.mux.terminals[pane]
    room.until(lambda: old.exit, playing=False)
    room.run(RespawnPane(pane=str(pane), command=("cat",)))
    room.say(f"send-input {pane} --text still --submit")
    room.shows(pane, "still\nstill")
    assert pane not in room.mux.exits


def test_the_last_pane_of_all_empties_the_workspace(room: Room) -> None:
    room.opened("create-pane --command 'exit 0'")
    room.until(lambda: room.empty)
    assert room.mux.workspace.windows == ()
    assert room.mux.focused is None
    assert room.cat() == PaneId(2)


def test_the_environment_of_a_program_names_its_pane_and_workspace(room: Room) -> None:
    pane = room.opened(
        'create-pane --env \'{"OWN": "x", "FUGUE_PANE": "%99"}\' '
        "--command 'echo $FUGUE_WORKSPACE $FUGUE_PANE $FUGUE_SOCKET $OWN; exec cat'"
    )
    assert room.shows(pane, "x").startswith(f"test {pane} /run/test.sock x")


def test_a_new_pane_starts_where_its_source_works(room: Room, tmp_path: os.PathLike[str]) -> None:
    where = os.path.realpath(tmp_path)
    os.mkdir(os.path.join(where, "in"))
    room.opened(f"create-pane --cwd '{where}' --command 'cd in; echo there; exec cat'")
    room.shows(PaneId(1), "there")
    room.run(SplitPane(command="pwd; exec cat"))
    room.run(CreatePane(cwd="..", command="pwd; exec cat", source_pane="%1"))
    assert "/in" in room.shows(PaneId(2), "/").replace("\n", "")
    room.until(lambda: room.text(PaneId(3)).replace("\n", "") == where)


def test_change_callbacks_get_the_old_and_the_new_workspace(room: Room) -> None:
    changes: list[tuple[int, int]] = []
    off = room.mux.on_change.connect(lambda old, new: changes.append((len(old.panes), len(new.panes))))
    first, _ = room.cat(), room.cat()
    room.run(FocusPane(pane=str(first)))
    off()
    room.cat()
    assert changes == [(0, 1), (1, 2), (2, 2)]


def test_what_programs_report_is_kept_and_published(room: Room) -> None:
    told: list[str] = []
    room.mux.on_event.connect(lambda pane, event: told.append(type(event).__name__))
    pane = room.opened("create-pane --command 'printf \"\\a\\033]2;hello\\a\\033]133;A\\a\"; exec cat'")
    room.until(lambda: room.mux.pane_reports[pane].bells == 1 and room.mux.pane_reports[pane].at_prompt)
    assert room.mux.terminals[pane].title == "hello"
    assert told[0] == "Started"
    assert {"Bell", "TitleChanged"} <= set(told)


def test_a_pane_belongs_to_the_user_who_types_in_it_for_two_seconds(room: Room) -> None:
    pane = room.cat()
    assert room.mux.lease.reserved_ms(pane) is None
    room.mux.human_input(pane)
    room.now += 0.5
    assert room.mux.lease.reserved_ms(pane) == 1500
    room.now += 1.5
    assert room.mux.lease.reserved_ms(pane) is None


def test_a_pane_that_is_gone_is_not_found(room: Room) -> None:
    room.cat()
    gone = room.cat()
    room.say(f"close-pane {gone}")
    for line in ("read-pane", "send-input --text x", "close-pane", "split-pane", "rename-pane --name x", "zoom-pane"):
        with pytest.raises(NotFound, match=rf"no pane {gone}; list-panes"):
            room.say(f"{line.split(' ')[0]} {gone} {' '.join(line.split(' ')[1:])}")


@pytest.mark.parametrize(("least", "stays"), [(1000.0, True), (0.0, False)])
def test_a_login_shell_that_the_user_left_closes_whatever_its_status(
    room: Room, monkeypatch: pytest.MonkeyPatch, least: float, stays: bool
) -> None:
    monkeypatch.setenv("SHELL", "/bin/sh")
    monkeypatch.setattr(multiplexer, "SHELL_SECONDS", least)
    room.cat()
    pane = room.opened("split-pane")
    room.say(f"send-input {pane} --text 'exit 7' --submit")
    room.ended(pane)
    assert (pane in room.mux.workspace.panes) is stays


def test_a_shell_that_failed_at_once_stays_however_late_that_is_handled(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHELL", "/bin/false")
    monkeypatch.setattr(multiplexer, "SHELL_SECONDS", 1000.0)
    room.cat()
    pane = room.opened("split-pane")
    room.now += 2000.0
    room.ended(pane)
    assert room.mux.exits[pane] == Exit(1)
    assert pane in room.mux.workspace.panes


def test_rows_for_titles_are_no_panes_rows(room: Room) -> None:
    room.mux.layouts.title_rows = lambda window: 1
    pane = room.opened(f"create-pane --command '{SIZE}'")
    assert room.mux.rect(pane) == Rect(0, 1, 81, 23)
    assert room.shows(pane, "23 81")


@pytest.mark.slow
def test_many_opened_and_closed_panes_leave_no_resources(room: Room) -> None:
    first = room.cat()
    room.cat()
    room.say(f"close-pane {room.open[-1]}")
    before = len(os.listdir("/proc/self/fd"))
    for count in range(2, 32):
        room.opened("split-pane %1 --command 'exec true'")
        if count % 5 == 0:  # The window has room for some at a time.
            room.until(lambda: room.open == [first])
    room.until(lambda: room.open == [first])
    room.until(lambda: len(os.listdir("/proc/self/fd")) <= before)
    assert list(room.mux.terminals) == list(room.mux.pane_reports) == [first]
    assert not room.mux.exits
