"""A pane tells where it works, what runs in it, what its shell ran, and all of it at once."""

import os
import sys
from pathlib import Path

import pytest
from tests.control.real_shells import start
from tests.control.scripted_program import Driven, marks
from tests.multiplexer.conftest import Room, agent

from fugue_tui.control.commands.pane_info import (
    GetCurrentDirectory,
    GetPaneState,
    GetRunningProcess,
    ListCommands,
    SnapshotPane,
)
from fugue_tui.control.commands.panes import CreatePane
from fugue_tui.control.commands.read_pane import ReadPane
from fugue_tui.control.commands.status import GetStatus
from fugue_tui.control.schema.command_schema import payload
from fugue_tui.errors import NotFound
from fugue_tui.ids import PaneId


@pytest.fixture
def driven(room: Room) -> Driven:
    return Driven(room)


def test_the_directory_is_the_process_s_own_whatever_a_program_reports(driven: Driven, tmp_path: Path) -> None:
    room = driven.room
    driven.does(f"cd '{tmp_path}'")
    found = room.run(GetCurrentDirectory(pane=str(driven.pane)))
    assert (found.cwd, found.known_by) == (str(tmp_path), "seen")
    assert found.reported == ""
    driven.does("printf '\\033]7;file:///tmp\\007'")
    room.until(lambda: room.mux.terminals[driven.pane].reported_cwd == "/tmp")
    found = room.run(GetCurrentDirectory())
    assert (found.cwd, found.known_by, found.reported) == (str(tmp_path), "seen", "/tmp")
    opened = room.run(CreatePane(command=("cat",)))
    assert opened.cwd == str(tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_the_directory_that_the_pane_s_own_shell_reports_keeps_its_spelling(
    name: str, room: Room, tmp_path: Path
) -> None:
    (tmp_path / "a;b%20").mkdir()
    link = tmp_path / "li nk;%"
    link.symlink_to(tmp_path / "a;b%20")
    shell = start(room, name, tmp_path)
    shell.run(f"cd '{link}'")
    room.until(lambda: room.mux.terminal(shell.pane).shell.at_prompt)
    found = room.run(GetCurrentDirectory(pane=str(shell.pane)))
    assert (found.cwd, found.known_by) == (str(link), "reported")
    shell.run("printf '\\033]7;file:///tmp\\007'; sh -c 'exit 0'")
    room.until(lambda: room.mux.terminal(shell.pane).shell.at_prompt)
    later = shell.overdue("printf '\\033]7;file:///tmp\\007'; cat", lambda: shell.runs("cat"))
    assert later.cwd == str(tmp_path / "a;b%20")
    found = room.run(GetCurrentDirectory(pane=str(shell.pane)))
    assert (found.cwd, found.known_by, found.reported) == (str(link), "reported", "/tmp")
    opened = room.run(CreatePane(command=("cat",), source_pane=str(shell.pane)))
    assert room.mux.workspace.panes[PaneId(opened.id[1:])].cwd == str(link)


def test_a_directory_that_was_removed_is_reported_by_its_name(driven: Driven, tmp_path: Path) -> None:
    room, gone = driven.room, tmp_path / "gone"
    gone.mkdir()
    driven.does(f"cd '{gone}'")
    assert room.run(GetCurrentDirectory()).exists
    gone.rmdir()
    found = room.run(GetCurrentDirectory())
    assert (found.cwd, found.known_by, found.exists) == (str(gone), "seen", False)
    strange = tmp_path / "one (deleted)"
    strange.mkdir()
    driven.does(f"cd '{strange}'")
    found = room.run(GetCurrentDirectory())
    assert (found.cwd, found.exists) == (str(strange), True)


def test_the_directory_of_a_program_that_is_over_is_where_it_was_started(room: Room, tmp_path: Path) -> None:
    room.cat()
    line = CreatePane(command="exit 3", cwd=str(tmp_path), name="over")
    room.ended(PaneId(room.run(line).id[1:]))
    found = room.run(GetCurrentDirectory(pane="over"))
    assert (found.cwd, found.known_by) == (str(tmp_path), "started")


def test_the_program_in_the_foreground_is_reported_with_what_it_started(driven: Driven) -> None:
    room = driven.room
    own = room.mux.terminals[driven.pane].pid
    room.until(lambda: room.run(GetRunningProcess()).is_own)
    waits = room.run(GetRunningProcess())
    assert (waits.pid, waits.name) == (own, waits.started.name if waits.started else "")
    room.mux.terminals[driven.pane].write(b"sh -c 'sleep 60 & sleep 61; true'\n")
    room.until(lambda: len(room.run(GetRunningProcess()).others) >= 2)
    found = room.run(GetRunningProcess(), agent(driven.pane))
    assert found.started is not None
    assert found.started.pid == own
    assert {("sleep", "60"), ("sleep", "61")} <= {each.argv for each in (*found.others,)}
    assert payload(GetRunningProcess, found)


def test_an_interactive_shell_tells_the_job_that_is_in_front(room: Room) -> None:
    pane = PaneId(room.run(CreatePane(command=("/bin/bash", "--norc", "-i"), env={"PS1": "$ "})).id[1:])
    room.shows(pane, "$")
    room.mux.terminals[pane].write(b"sleep 60 | cat\n")
    room.until(lambda: room.run(GetRunningProcess()).name == "sleep")
    found = room.run(GetRunningProcess())
    assert (found.is_own, found.argv) == (False, ("sleep", "60"))
    assert [each.name for each in found.others] == ["cat"]
    assert found.started is not None
    assert found.started.name == "bash"


def test_nothing_runs_in_a_pane_whose_program_is_over(room: Room) -> None:
    room.cat()
    pane = room.opened("split-pane --command 'exit 3'")
    room.ended(pane)
    found = room.run(GetRunningProcess(pane=str(pane)))
    assert (found.name, found.pid, found.started, found.others) == ("", None, None, ())


def test_an_agent_is_known_by_its_program_and_not_by_what_it_prints(room: Room, tmp_path: Path) -> None:
    program = tmp_path / "claude"
    program.symlink_to("/bin/cat")
    real = PaneId(room.run(CreatePane(command=(str(program),))).id[1:])
    room.until(lambda: room.run(GetPaneState(pane=str(real))).agent == "claude")
    fake = PaneId(room.run(CreatePane(command="printf '> claude'; exec cat")).id[1:])
    room.shows(fake, "claude")
    assert room.run(GetPaneState(pane=str(fake))).agent == ""
    assert room.run(GetRunningProcess(pane=str(real))).agent == "claude"


def test_the_arguments_of_a_process_are_clean(room: Room) -> None:
    script = "import time; print('up', flush=True); time.sleep(60)"
    argv = (sys.executable, "-c", script, "a\u202eb\x1b[31m", "x" * 9000)
    pane = PaneId(room.run(CreatePane(command=argv)).id[1:])
    room.shows(pane, "up")
    found = room.run(GetRunningProcess(pane=str(pane)))
    assert found.argv[3] == "ab"
    assert len(found.argv[4]) <= 256
    assert found.name.startswith("python")


def test_the_state_of_a_pane_tells_all_of_its_terminal(driven: Driven) -> None:
    room = driven.room
    driven.does("printf '\\033]0;the \\302\\233title\\007\\033[?2004h\\033[?1049h'")
    state = room.run(GetPaneState())
    assert state == room.run(GetStatus(pane="active")).state
    assert (state.alternate_screen, state.modes, state.running) == (True, ("bracketed_paste",), True)
    assert state.title.isprintable()
    assert state.title.startswith("the")
    assert (state.at_prompt, state.marks_trusted, state.waits, state.exit) == (None, False, None, None)
    assert state.cwd == os.getcwd()
    room.cat()
    over = room.opened("split-pane --command 'exit 3'")
    room.ended(over)
    assert room.run(GetPaneState(pane=str(over))).exit == "exit 3"


def test_commands_are_listed_with_how_they_ended(driven: Driven) -> None:
    driven.does(marks("make", "echo built", 0))
    driven.does(marks("false \\\\033[31m", "true", 1))
    found = driven.room.run(ListCommands(pane=str(driven.pane)))
    first, second = found.commands
    assert (first.number, first.line, first.exit_code, first.running, first.trusted) == (1, "make", 0, False, False)
    assert first.seconds is not None
    assert second.exit_code == 1
    assert "\x1b" not in second.line
    assert (found.total, found.marked) == (2, True)
    assert [each.number for each in driven.room.run(ListCommands(limit=1)).commands] == [2]
    assert driven.room.run(ListCommands(limit=1)).total == 2


def test_a_shell_that_does_not_mark_its_prompts_has_no_known_commands(driven: Driven) -> None:
    found = driven.room.run(ListCommands())
    assert (found.commands, found.total, found.marked) == ((), 0, False)


def test_a_snapshot_has_the_whole_state_of_a_pane(driven: Driven) -> None:
    driven.does(marks("make", "echo built", 2))
    found = driven.room.run(SnapshotPane(), agent(driven.pane))
    assert found.state.pane == str(driven.pane)
    assert found.process.pid == driven.room.mux.terminals[driven.pane].pid
    assert "built" in found.text
    assert found.last_command is not None
    assert (found.last_command.line, found.last_command.exit_code) == ("make", 2)
    driven.does("echo; echo since")
    assert "since" in driven.room.run(ReadPane(cursor=found.cursor)).text
    assert payload(SnapshotPane, found)


def test_a_pane_that_is_closed_meanwhile_is_reported_as_gone(room: Room) -> None:
    driven = Driven(room)
    room.cat()
    later = SnapshotPane(pane=str(driven.pane)).run(room.mux, agent())
    room.say(f"close-pane {driven.pane}")
    with pytest.raises(NotFound, match="meanwhile"):
        room.awaited(later)
