"""Ending what runs in a pane."""

import os
from functools import partial
from pathlib import Path
from threading import Event

import pytest
from tests.control.real_shells import Shell
from tests.control.real_shells import shell as shell
from tests.multiplexer.conftest import Room, agent

from fugue_tui.control.commands.panes import CreatePane
from fugue_tui.control.commands.signals import InterruptPane, Signal, SignalPane
from fugue_tui.control.shell_exec.result import OnCancel
from fugue_tui.errors import NotFound, Refused, TerminalGone
from fugue_tui.ids import PaneId
from fugue_tui.terminal.pty import process

both = pytest.mark.parametrize("shell", ["bash", "dash"], indirect=True)
STUBBORN = "trap '' INT TERM; echo ready; while :; do sleep 0.05; done"


def busy(shell: Shell, command: str) -> None:
    """Have a shell run something, and wait until it shows that it does."""
    shell.run("true")
    shell.begin(command, on_cancel=OnCancel.LEAVE, timeout=100)
    shell.room.shows(shell.pane, "\nready")


@both
def test_ctrl_c_ends_a_program_and_tells_its_code(shell: Shell) -> None:
    busy(shell, "echo ready; sleep 60")
    shell.room.until(lambda: shell.room.mux.terminal(shell.pane).foreground == "sleep")
    found = shell.room.run(InterruptPane(pane=str(shell.pane)), agent())
    assert (found.program, found.steps, found.ended) == ("sleep", ("ctrl+c",), True)
    assert found.exit_code == (130 if shell.kind == "bash" else None)
    assert found.front == shell.kind
    assert shell.says("echo next") == (0, "next")


@both
def test_at_the_prompt_there_is_nothing_to_end(shell: Shell) -> None:
    shell.run("true")
    found = shell.room.run(InterruptPane(pane=str(shell.pane)), agent())
    assert (found.ended, found.idle, found.program) == (False, True, shell.kind)
    found = shell.room.run(SignalPane(pane=str(shell.pane), signal=Signal.INT), agent())
    assert (found.ended, found.idle) == (False, True)
    assert shell.says("echo next") == (0, "next")


@both
def test_a_program_that_ignores_both_signals_is_killed(shell: Shell) -> None:
    busy(shell, f'sh -c "{STUBBORN}"')
    found = shell.room.run(InterruptPane(pane=str(shell.pane), escalate=True, wait=0.3), agent())
    assert (found.steps, found.ended, found.idle) == (("ctrl+c", "sigint", "sigterm", "sigkill"), True, False)
    assert found.exit_code == 137
    shell.begin(f'sh -c "{STUBBORN}"', on_cancel=OnCancel.LEAVE, timeout=100)
    shell.room.until(lambda: shell.room.text(shell.pane).count("\nready") == 2)
    found = shell.room.run(SignalPane(pane=str(shell.pane), signal=Signal.INT, escalate=True, wait=0.3), agent())
    assert (found.steps, found.ended) == (("sigint", "sigterm", "sigkill"), True)
    assert shell.says("echo next") == (0, "next")


@both
def test_a_loop_of_the_shell_itself_is_interrupted(shell: Shell) -> None:
    busy(shell, "echo ready; while :; do :; done")
    found = shell.room.run(InterruptPane(pane=str(shell.pane)), agent())
    assert found.ended
    assert shell.says("echo next") == (0, "next")


@both
def test_a_shell_itself_is_never_killed_by_an_interrupt(shell: Shell) -> None:
    busy(shell, "trap '' INT; echo ready; while :; do :; done")
    found = shell.room.run(InterruptPane(pane=str(shell.pane), escalate=True, wait=0.3), agent())
    assert (found.steps, found.ended, found.idle) == (("ctrl+c", "sigint"), False, False)
    assert shell.pane not in shell.room.mux.exits


def test_the_end_of_the_panes_own_program_is_reported(room: Room) -> None:
    room.cat()
    pane = PaneId(room.run(CreatePane(command=("sleep", "60")), agent()).id[1:])
    pid = room.mux.terminal(pane).pid
    room.until(lambda: room.mux.terminal(pane).foreground == "sleep")
    found = room.run(SignalPane(pane=str(pane), signal=Signal.TERM, wait=30), agent())
    assert (found.ended, found.front, found.exit_code) == (True, "", None)
    assert room.mux.exits[pane].words == "killed by SIGTERM"
    room.gone(pid)
    with pytest.raises(TerminalGone, match="has ended"):
        room.run(InterruptPane(pane=str(pane)), agent())


def suspend(until: Event) -> None:
    assert until.wait(40)


def test_the_end_of_the_panes_own_program_is_awaited_when_its_report_is_late(room: Room) -> None:
    room.cat()
    pane = PaneId(room.run(CreatePane(command=("sh", "-c", "trap 'exit 7' TERM; echo ready; read x")), agent()).id[1:])
    room.shows(pane, "ready")
    terminal, reads = room.mux.terminal(pane), Event()
    terminal._io_loop.post(partial(suspend, reads))  # pyright: ignore[reportPrivateUsage]
    later = SignalPane(pane=str(pane), signal=Signal.TERM, wait=30).run(room.mux, agent())
    room.until(lambda: not process.in_group(terminal.pid))
    room.skip(0.1)
    for _ in range(5):
        room.turn()
    reads.set()
    found = room.awaited(later)
    assert (found.ended, found.front, found.exit_code) == (True, "", 7)


def test_a_program_can_be_stopped_and_continued(room: Room) -> None:
    room.cat()
    pane = PaneId(room.run(CreatePane(command=("sleep", "60")), agent()).id[1:])
    room.until(lambda: room.mux.terminal(pane).foreground == "sleep")
    stat = Path(f"/proc/{room.mux.terminal(pane).pid}/stat")
    assert not room.run(SignalPane(pane=str(pane), signal=Signal.STOP), agent()).ended
    room.until(lambda: stat.read_text().rpartition(")")[2].split()[0] == "T")
    assert not room.run(SignalPane(pane=str(pane), signal=Signal.CONT), agent()).ended
    room.until(lambda: stat.read_text().rpartition(")")[2].split()[0] == "S")
    os.kill(room.mux.terminal(pane).pid, 9)


def test_agents_name_what_they_signal_by_its_exact_id(room: Room) -> None:
    room.cat("web")
    with pytest.raises(Refused, match="exact id"):
        room.run(SignalPane(pane="web"), agent())
    with pytest.raises(Refused, match="exact id"):
        room.run(InterruptPane(pane="web", escalate=True), agent())
    with pytest.raises(Refused, match="nothing to escalate"):
        room.run(SignalPane(pane="%1", signal=Signal.USR1, escalate=True), agent())
    with pytest.raises(NotFound):
        room.run(InterruptPane(pane="%9"), agent())
