"""A shell command in the background: its output, its end, and its limits."""

from pathlib import Path

import pytest
from tests.multiplexer.conftest import Room

from fugue_tui.control.commands.run_shell import LONGEST, RunShell, ShellOutput
from fugue_tui.control.core.command import USER
from fugue_tui.errors import SpawnFailed


def test_it_answers_with_what_was_printed_and_the_exit_code(room: Room, tmp_path: Path) -> None:
    room.cat()
    found = room.run(RunShell(line="pwd; echo wrong >&2; exit 3", cwd=str(tmp_path)))
    assert found == ShellOutput(f"{tmp_path}\nwrong\n", 3, timed_out=False, cut=False)


def test_it_reads_nothing_and_has_no_pane(room: Room) -> None:
    room.cat()
    assert room.run(RunShell(line="cat; tty")).output.startswith("not a tty")
    assert len(room.mux.workspace.panes) == 1


def test_what_takes_too_long_is_ended_with_its_children(room: Room, tmp_path: Path) -> None:
    room.cat()
    pid = tmp_path / "pid"
    found = room.run(RunShell(line=f"sleep 600 & echo $! > {pid}; wait", timeout=0.3))
    assert (found.timed_out, found.exit_code) == (True, -9)
    child = Path(f"/proc/{pid.read_text().strip()}/stat")
    assert not child.exists() or child.read_text().split()[2] == "Z"


def test_what_goes_on_in_the_background_is_ended_as_well(room: Room, tmp_path: Path) -> None:
    room.cat()
    pid = tmp_path / "pid"
    found = room.run(RunShell(line=f"sleep 600 & echo $! > {pid}", timeout=0.3))
    assert found.timed_out
    room.gone(int(pid.read_text()))


def test_what_left_the_process_group_does_not_outlast_the_time(room: Room) -> None:
    room.cat()
    found = room.run(RunShell(line="setsid sleep 5 & echo begun", timeout=0.3))
    assert (found.output, found.timed_out) == ("begun\n", True)


def test_what_closes_its_output_is_waited_for(room: Room) -> None:
    room.cat()
    found = room.run(RunShell(line="exec >&- 2>&-; sleep 0.2; exit 4"))
    assert (found.exit_code, found.timed_out) == (4, False)


def test_a_cancelled_command_is_ended(room: Room, tmp_path: Path) -> None:
    room.cat()
    pid = tmp_path / "pid"
    later = RunShell(line=f"echo $$ > {pid}; exec sleep 600").run(room.mux, USER)
    room.until(lambda: pid.exists() and pid.read_text().strip() != "")
    later.cancel()
    room.gone(int(pid.read_text()))


def test_a_flood_is_read_to_its_end_and_kept_in_part(room: Room) -> None:
    room.cat()
    found = room.run(RunShell(line=f"yes | head -c {4 * LONGEST}"))
    assert (len(found.output), found.cut, found.exit_code) == (LONGEST, True, 0)


def test_a_directory_that_is_not_there_is_an_error(room: Room) -> None:
    room.cat()
    with pytest.raises(SpawnFailed, match="nowhere"):
        room.run(RunShell(line="true", cwd="/nowhere"))
