"""One thread serves every terminal: nothing is lost, nothing starves, nothing leaks, and nobody spins."""

import errno
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.terminal.conftest import DEADLINE, Eventually, Recorder, Spawn, Witness

from fugue_tui.errors import InputFull
from fugue_tui.geometry import Size
from fugue_tui.terminal.emulator.events import Event
from fugue_tui.terminal.pty import channel, process
from fugue_tui.terminal.pty.io_loop import IOLoop
from fugue_tui.terminal.pty.spawn import Exit, Program
from fugue_tui.terminal.pty.write_queue import CAPACITY
from fugue_tui.terminal.terminal import Terminal

Waits = list[float | None]
"""How long the loop wanted to sleep, each time."""


@pytest.fixture
def waits(pump: IOLoop, monkeypatch: pytest.MonkeyPatch) -> Waits:
    """The sleeps of the loop from the next on."""
    waits: Waits = []
    selector = pump._selector  # pyright: ignore[reportPrivateUsage]
    select = selector.select

    def noted(timeout: float | None = None) -> Any:
        waits.append(timeout)
        return select(timeout)

    monkeypatch.setattr(selector, "select", noted)
    return waits


@pytest.mark.parametrize("run", range(20))
def test_the_last_line_of_a_program_that_ends_at_once_is_shown(spawn: Spawn, run: int) -> None:
    pane = spawn("seq 1 20000; exit 7")
    assert pane.wait_exit() == Exit(7)
    assert pane.text.endswith("19999\r\n20000\r\n")
    assert pane.text.count("\n") == 20000


def test_a_program_ends_though_an_orphan_holds_its_terminal(spawn: Spawn, tmp_path: Path) -> None:
    note = tmp_path / "pid"
    pane = spawn(f"trap '' HUP; setsid sleep 60 & echo $! > {note}; echo done; exit 4")
    assert pane.wait_exit() == Exit(4)
    assert "done" in pane.text
    os.kill(int(note.read_text()), signal.SIGKILL)


def test_a_program_ends_though_an_orphan_floods_its_terminal(spawn: Spawn) -> None:
    pane = spawn("trap '' HUP; setsid sh -c 'trap \"\" HUP; yes' & read line; exit 0", limit=1000)
    pane.witness.wait(lambda: pane.recorder.fed > 100_000)
    pane.terminal.write(b"\n")
    assert pane.wait_exit() == Exit(0)


def test_the_signal_that_ended_a_program_is_reported(spawn: Spawn) -> None:
    pane = spawn("kill -TERM $$; sleep 9")
    assert pane.wait_exit() == Exit(None, signal.SIGTERM)
    assert pane.terminal.exit == Exit(None, signal.SIGTERM)


@pytest.mark.slow
def test_two_hundred_terminals_leave_nothing_behind(
    spawn: Spawn, open_files: Callable[[], int], zombies: Callable[[], int]
) -> None:
    spawn("true").wait_exit()
    before = open_files()
    for _ in range(20):
        panes = [spawn("true") for _ in range(10)]
        for pane in panes:
            assert pane.wait_exit() == Exit(0)
            pane.terminal.close()
    assert zombies() == 0
    assert open_files() == before


@pytest.mark.slow
def test_sixty_four_programs_at_once_each_get_their_own_bytes(spawn: Spawn) -> None:
    panes = [spawn("cat") for _ in range(64)]
    for number, pane in enumerate(panes):
        pane.terminal.write(b"I am %d.\n" % number)
    for number, pane in enumerate(panes):
        pane.wait_for(f"I am {number}.\r\nI am {number}.")
        assert pane.text.count("I am") == 2
        pane.terminal.close()
    for pane in panes:
        assert pane.wait_exit() == Exit(None, signal.SIGHUP)


def test_an_exit_status_reaped_by_another_thread_still_ends_the_pane(spawn: Spawn) -> None:
    pane = spawn("cat")
    os.kill(pane.terminal.pid, signal.SIGSTOP)
    os.kill(pane.terminal.pid, signal.SIGKILL)
    try:
        os.waitpid(pane.terminal.pid, 0)
        stolen = True
    except ChildProcessError:
        stolen = False
    assert pane.wait_exit() == (Exit(None) if stolen else Exit(None, signal.SIGKILL))


def test_statuses_of_other_children_are_left_alone(spawn: Spawn) -> None:
    other = subprocess.Popen(["sh", "-c", "exit 9"])
    panes = [spawn(f"sleep 0; exit {code}") for code in range(5)]
    assert [pane.wait_exit().code for pane in panes] == list(range(5))
    assert other.wait() == 9


def test_a_program_that_does_not_read_refuses_what_finds_no_room(spawn: Spawn) -> None:
    deaf, live = spawn("stty raw -echo; echo ready; sleep 60"), spawn("cat")
    deaf.wait_for("ready")
    assert deaf.terminal.write(bytes(CAPACITY)) == CAPACITY
    with pytest.raises(InputFull, match="bytes wait for the program, which does not read them"):
        deaf.terminal.write(bytes(1 << 20))
    live.terminal.write(b"alive\n")
    live.wait_for("alive\r\nalive")


def test_a_large_write_arrives_whole_and_in_order(spawn: Spawn) -> None:
    pane = spawn("stty raw -echo; echo ready; head -c 1000000 | cksum")
    pane.wait_for("ready")
    data = b"".join(b"%07d\n" % number for number in range(125_000))
    assert pane.terminal.write(data) == len(data)
    pane.wait_exit()
    assert pane.text.split()[1:] == _cksum(data)


def test_a_line_longer_than_the_kernel_keeps_is_cut_by_the_kernel(spawn: Spawn) -> None:
    pane = spawn("stty -echo; echo ready; wc -c")
    pane.wait_for("ready")
    assert pane.terminal.write(b"x" * 6000 + b"\n\x04") == 6002
    pane.wait_exit()
    assert pane.text.split()[1:] == ["4096"]


def test_ctrl_c_stops_a_flood(spawn: Spawn) -> None:
    pane = spawn("yes", limit=1000)
    pane.witness.wait(lambda: pane.recorder.fed > 1_000_000)
    pane.terminal.write(b"\x03")
    assert pane.wait_exit() == Exit(None, signal.SIGINT)


@pytest.mark.slow
def test_every_key_is_echoed_beside_floods(spawn: Spawn) -> None:
    floods = [spawn("yes", limit=1000) for _ in range(4)]
    for flood in floods:
        flood.witness.wait(lambda flood=flood: flood.recorder.fed > 500_000)
    pane = spawn("cat")
    for number in range(41):
        pane.terminal.write(b"x")
        pane.witness.wait(lambda number=number: pane.recorder.fed > number)


@pytest.mark.slow
def test_a_slow_engine_gets_smaller_pieces_and_slows_the_program(spawn: Spawn, monkeypatch: pytest.MonkeyPatch) -> None:
    pieces: list[int] = []
    clock = SimpleNamespace(monotonic=time.monotonic, thread_time=lambda: sum(pieces) / 200_000)
    monkeypatch.setattr(channel, "time", clock)

    def slow(data: bytes) -> list[Event]:
        pieces.append(len(data))
        return []

    pane = spawn("yes", limit=1000, say=slow)
    pane.witness.wait(lambda: len(pieces) > 30)
    assert max(pieces[-10:]) <= 2048


def test_the_idle_loop_does_not_wake_up(spawn: Spawn, pump: IOLoop, waits: Waits, eventually: Eventually) -> None:
    panes = [spawn("cat") for _ in range(4)]
    for pane in panes:
        pane.terminal.write(b"x\n")
        pane.wait_for("x\r\nx")
    eventually(lambda: _post(pump) or waits[-1:] == [None])
    waits.clear()
    for _ in range(20):
        _post(pump)
    assert set(waits) == {None}
    assert len(waits) <= 21, "it wakes for more than the posts"


def test_a_live_program_that_closed_its_terminal_uses_no_cpu(
    spawn: Spawn, waits: Waits, eventually: Eventually
) -> None:
    pane = spawn("echo gone; exec <&- >&- 2>&-; sleep 60")
    pane.wait_for("gone")
    waits.clear()
    eventually(lambda: any(seconds and seconds > 0.3 for seconds in waits))
    assert len(waits) < 12
    pane.terminal.close()
    assert pane.wait_exit() == Exit(None, signal.SIGHUP)


def test_a_terminal_that_is_opened_again_is_read_again(spawn: Spawn) -> None:
    pane = spawn("t=$(tty); exec <&- >&- 2>&-; sleep 0.1; exec > $t; echo back; sleep 0.1")
    pane.wait_for("back")
    assert pane.wait_exit() == Exit(0)


def test_a_fault_ends_its_own_terminal_only(spawn: Spawn, caplog: pytest.LogCaptureFixture) -> None:
    def fault(data: bytes) -> list[Event]:
        raise ZeroDivisionError("planted")

    good, bad = spawn("cat"), spawn("cat", say=fault)
    bad.terminal.write(b"x\n")
    assert bad.wait_exit() == Exit(None, signal.SIGHUP)
    assert "planted" in caplog.text
    good.terminal.write(b"fine\n")
    good.wait_for("fine\r\nfine")


def test_an_error_in_an_exit_callback_affects_no_other_terminal(pump: IOLoop, spawn: Spawn) -> None:
    class Faulty(Witness):
        def ended(self, terminal: Terminal, exit: Exit) -> None:
            super().ended(terminal, exit)
            raise ZeroDivisionError("planted")

    witness = Faulty()
    Terminal.spawn(Program(("true",)), Size(9, 9), pump=pump, emulator=Recorder(Size(9, 9)), watcher=witness)
    witness.wait(lambda: witness.exits)
    assert spawn("true").wait_exit() == Exit(0)
    assert len(witness.exits) == 1


def test_stopping_ends_every_program(spawn: Spawn, pump: IOLoop, zombies: Callable[[], int]) -> None:
    panes = [spawn("sh -c 'sleep 60 & sleep 60' & echo up; sleep 60") for _ in range(10)]
    stubborn = spawn("trap '' HUP TERM INT; echo up; while :; do sleep 60; done")
    for pane in [*panes, stubborn]:
        pane.wait_for("up")
    pump.stop()
    assert not process.session_members(pane.terminal.pid for pane in [*panes, stubborn])
    assert zombies() == 0
    assert stubborn.witness.exits == [Exit(None, signal.SIGKILL)]


def test_stopping_with_nothing_open_gives_everything_back(open_files: Callable[[], int]) -> None:
    before = open_files()
    pump = IOLoop()
    pump.start()
    pump.stop()
    pump.stop()
    pump.post(lambda: None)
    assert open_files() == before


def test_without_pidfds_a_program_still_ends(spawn: Spawn, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(pid: int) -> int:
        raise OSError(errno.ENOSYS, "no such call")

    monkeypatch.setattr(os, "pidfd_open", refuse)
    pane = spawn("exit 6; true")
    assert pane.wait_exit() == Exit(6)


def _post(pump: IOLoop) -> None:
    """Wait until the loop ran a call."""
    ran = threading.Event()
    pump.post(ran.set)
    assert ran.wait(DEADLINE)


def _cksum(data: bytes) -> list[str]:
    return subprocess.run(["cksum"], input=data, capture_output=True, check=True).stdout.decode().split()[:2]
