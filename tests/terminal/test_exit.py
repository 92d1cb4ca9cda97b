"""A terminal ends what it started, and shows what an ended program left."""

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from tests.terminal.conftest import Eventually, Spawn

from fugue_tui.errors import TerminalGone
from fugue_tui.geometry import Size
from fugue_tui.terminal.input.keys import KeyPress
from fugue_tui.terminal.pty import process
from fugue_tui.terminal.pty.spawn import Exit
from fugue_tui.terminal.screen.cells import Damage, Row, Scrollback

pytestmark = pytest.mark.slow


def test_closing_ends_programs_that_ignore_hangups(spawn: Spawn, eventually: Eventually) -> None:
    pane = spawn("bash", "--norc", "-i")
    script = "(trap '' HUP; sleep 71) & trap '' HUP; (trap '' HUP TERM; while :; do sleep 72; done) & echo re''ady\n"
    pane.terminal.write(script.encode())
    pane.wait_for("ready")
    pane.terminal.close()
    pane.terminal.close()
    eventually(lambda: not process.session_members([pane.terminal.pid]))
    assert pane.wait_exit().signal in (signal.SIGHUP, signal.SIGKILL)
    assert pane.recorder.closed


def test_closing_wakes_and_ends_stopped_jobs(spawn: Spawn, eventually: Eventually) -> None:
    pane = spawn("bash", "--norc", "-i")
    pane.terminal.write(b"sleep 81\n")
    eventually(lambda: pane.terminal.foreground == "sleep")
    pane.terminal.write(b"\x1a")
    eventually(lambda: pane.terminal.foreground == "bash")
    pane.terminal.close()
    eventually(lambda: not process.session_members([pane.terminal.pid]))
    pane.wait_exit()


def test_a_daemon_that_left_the_session_outlives_the_terminal(spawn: Spawn, tmp_path: Path) -> None:
    note = tmp_path / "pid"
    daemon = f"setsid sh -c 'echo $$ > {note}; exec sleep 60'"
    pane = spawn(f"{daemon} & while [ ! -s {note} ]; do sleep 0.01; done; echo up; sleep 60")
    pane.wait_for("up")
    pane.terminal.close()
    pane.wait_exit()
    os.kill(int(note.read_text()), signal.SIGKILL)


def test_a_closed_terminal_shows_nothing_and_takes_nothing(spawn: Spawn) -> None:
    pane = spawn("cat")
    terminal = pane.terminal
    terminal.close()
    pane.wait_exit()
    assert terminal.closed
    assert terminal.seen.refresh() == Damage()
    assert terminal.seen.frame()[:2] == (Damage(), [])
    assert terminal.seen.row(0) == Row(())
    assert terminal.lines(0, 9) == []
    assert terminal.scrollback == Scrollback(0, 0)
    assert not terminal.press(KeyPress("a", text="a"))
    terminal.resize(Size(9, 9))
    terminal.focus(True)
    for refused in (lambda: terminal.write(b"x"), lambda: terminal.paste("x"), lambda: terminal.interrupt(2)):
        with pytest.raises(TerminalGone):
            refused()


def test_an_ended_program_can_still_be_read(spawn: Spawn) -> None:
    pane = spawn("echo last words; exit 2")
    assert pane.wait_exit() == Exit(2)
    assert pane.terminal.lines(0, 5) == ["last words"]
    pane.terminal.resize(Size(20, 5))
    assert pane.recorder.size == Size(20, 5)
    assert not pane.terminal.press(KeyPress("a", text="a"))


def test_a_fork_bomb_does_not_outlive_its_terminal() -> None:
    # In a process of its own, so that the limit binds the bomb and nobody else.
    script = """
        import resource, sys, time, os
        sys.path[:0] = ["."]
        from fugue_tui.geometry import Size
        from fugue_tui.terminal.pty import process
        from fugue_tui.terminal.pty.spawn import Program
        from fugue_tui.terminal.pty.io_loop import IOLoop
        from fugue_tui.terminal.terminal import Terminal
        from tests.terminal.conftest import Recorder, Witness
        io_loop, witness = IOLoop(), Witness()
        io_loop.start()
        own = 20_000 + os.getpid() % 40_000  # The limit counts all processes of a user: have one for this run alone.
        os.setgid(own); os.setuid(own)
        resource.setrlimit(resource.RLIMIT_NPROC, (60, 60))
        bomb = Program(("/bin/sh", "-c", "b() { b | b & sleep 60; }; b & read line"), "/")
        terminal = Terminal.spawn(bomb, Size(80, 24), pump=io_loop, emulator=Recorder(Size(80, 24)), watcher=witness)
        start = time.monotonic()
        while len(process.session_members([terminal.pid]).get(terminal.pid, [])) <= 10:
            assert time.monotonic() - start < 45, "the bomb does not go off"
            time.sleep(0.02)
        start = time.monotonic()
        terminal.close()
        while process.session_members([terminal.pid]):
            assert time.monotonic() - start < 30, "the bomb lives"
            time.sleep(0.02)
        io_loop.stop()
    """
    if os.getuid() != 0:
        pytest.skip("a limit on processes would bind this user's other processes")
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
