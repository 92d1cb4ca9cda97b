"""However the program ends, the terminal is given back, no program outlives its pane, and the name is free again."""

import os
import signal
import termios
from pathlib import Path

import pytest
from tests.e2e.conftest import Launch, Running

from fugue_tui.terminal.pty.process import session_members

pytestmark = [pytest.mark.slow, pytest.mark.forked]


STUBBORN = ("--", "sh", "-c", "trap '' HUP TERM; echo ready; while :; do sleep 0.2; done")


def assert_given_back(running: Running) -> None:
    """The terminal is as it was before the program started."""
    while running.host.step(0.01):
        pass
    modes = running.host.emulator.modes
    assert not modes.alternate_screen
    assert not modes.bracketed_paste
    assert not modes.focus_events
    assert not modes.mouse
    assert not modes.kitty_flags
    assert running.host.cursor.visible, bytes(running.host.received[-300:])
    assert b"Traceback" not in running.host.received


def echoes(running: Running) -> bool:
    """Whether the terminal's line discipline is in its first mode."""
    local: int = termios.tcgetattr(running.host._pty.fd)[3]  # pyright: ignore[reportPrivateUsage]
    return bool(local & termios.ECHO) and bool(local & termios.ICANON)


@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_ends_it_in_good_order(launch: Launch, number: int, status: int) -> None:
    running = launch(*STUBBORN)
    running.ready()
    running.host.wait_text("ready")
    sessions = running.sessions()
    assert not echoes(running)
    os.kill(running.host.pid, number)
    assert running.host.wait_exit().code == status
    assert_given_back(running)
    assert echoes(running)
    running.wait_gone(sessions)
    assert not running.socket.exists()
    assert running.log == ""


def test_a_signal_in_the_middle_of_the_start_is_handled_too(launch: Launch) -> None:
    running = launch(*STUBBORN)
    running.host.wait_until(lambda: b"\x1b[?1049h" in running.host.received)
    os.kill(running.host.pid, signal.SIGTERM)
    assert running.host.wait_exit().code == 143
    assert_given_back(running)
    assert not running.socket.exists()


def test_a_vanished_terminal_ends_the_panes_too(launch: Launch) -> None:
    running = launch(*STUBBORN)
    running.ready()
    running.host.wait_text("ready")
    sessions = running.sessions()
    running.host.hang_up()
    assert running.host.wait_exit().code == 129
    running.wait_gone(sessions)
    assert not running.socket.exists()


def test_twenty_panes_of_trees_leave_no_process_behind(launch: Launch) -> None:
    running = launch(*STUBBORN)
    running.ready()
    for _ in range(19):
        running.ask("create-window", "--command", "sh -c 'sleep 1000 & sleep 1000'; true")
    sessions = running.sessions()
    assert len(sessions) == 20
    running.host.send(b"\x02Q")
    running.host.wait_text("with 20 running programs?")
    running.host.send("y")
    assert running.host.wait_exit().code == 0
    running.wait_gone(sessions)
    assert_given_back(running)


def test_a_stopped_program_continues_and_paints_everything_again(launch: Launch) -> None:
    running = launch("--", "sh", "-c", "echo ready; while read line; do echo got $line; done")
    running.ready()
    running.host.wait_text("ready")
    os.kill(running.host.pid, signal.SIGSTOP)
    running.host.draw(b"\x1b[2J\x1b[Hscribbled over")
    os.kill(running.host.pid, signal.SIGCONT)
    running.host.wait_text("ready", running.name)
    assert "scribbled" not in running.host.text
    running.host.send("on\r")
    running.host.wait_text("got on")


def test_a_workspace_that_is_told_to_stop_restores_the_terminal_until_it_continues(launch: Launch) -> None:
    running = launch("--", "sh", "-c", "echo ready; while read line; do echo got $line; done")
    running.ready()
    running.host.wait_text("ready")
    os.kill(running.host.pid, signal.SIGTSTP)
    stat = Path(f"/proc/{running.host.pid}/stat")
    running.host.wait_until(lambda: stat.read_text().rpartition(")")[2].split()[0] == "T")
    running.host.wait_until(lambda: "ready" not in running.host.text)
    os.kill(running.host.pid, signal.SIGCONT)
    running.host.wait_text("ready", running.name)
    running.host.send("on\r")
    running.host.wait_text("got on")


def test_after_a_kill_the_panes_are_hung_up_and_the_name_starts_again(launch: Launch) -> None:
    first = launch("--", "sh", "-c", "echo ready; cat")
    first.ready()
    first.host.wait_text("ready")
    first.ask("split-pane", "--command", "sleep 1000")
    sessions = first.sessions()
    os.kill(first.host.pid, signal.SIGKILL)
    first.host.wait_exit()
    first.wait_gone(sessions)
    assert first.socket.exists()
    second = launch("--", "sh", "-c", "echo again; cat")
    second.ready()
    second.host.wait_text("again")
    assert len(second.sessions()) == 1


def test_a_second_of_the_same_name_is_refused_and_the_first_continues(launch: Launch, room: Path) -> None:
    first = launch("--", "cat")
    first.ready()
    second = launch("--", "cat")
    second.host.wait_until(lambda: b"already running" in second.host.received)
    assert second.host.wait_exit().code == 1
    assert b"\x1b[?1049h" not in second.host.received
    assert len(first.sessions()) == 1
    assert not any(session_members([second.host.pid]).values())
