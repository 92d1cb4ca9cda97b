"""Processes that leave their pane stay below this process, which reaps them and no other."""

import os
import subprocess
import sys

import pytest

from fugue_tui.terminal.pty import process

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Linux tells who adopts orphans")


def test_an_orphan_is_known_to_come_from_below() -> None:
    script = (
        "import os; from fugue_tui.terminal.pty import orphans, process;"
        "assert orphans.adopt();"
        "ready, told = os.pipe();"
        "child = os.fork();\n"
        "if not child:\n"
        "    os.setsid()\n"
        "    if os.fork(): os._exit(0)\n"
        "    os.setsid()\n"
        "    os.read(0, 1)\n"
        "    os.write(told, repr(process.came_from(os.getpid(), os.getppid())).encode())\n"
        "    os._exit(0)\n"
        "os.waitpid(child, 0)\n"
        "print(flush=True)\n"
        "os.close(told)\n"
        "pids, inside = eval(os.read(ready, 10_000))\n"
        "assert inside and pids[1] == os.getpid(), (pids, os.getpid())\n"
        "while not (reaped := orphans.reap()): pass\n"
        "assert reaped == [pids[0]], reaped\n"
        "assert orphans.reap() == []\n"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as program:
        assert program.stdin is not None
        assert program.stdout is not None
        program.stdout.readline()
        program.stdin.write(b"x")
        program.stdin.close()
        assert program.wait(60) == 0


def test_children_that_are_reaped_elsewhere_are_left() -> None:
    script = (
        "import os, subprocess, sys; from fugue_tui.geometry import Size;"
        "from fugue_tui.terminal.pty import orphans, process; from fugue_tui.terminal.pty.spawn import Program, Pty;"
        "own = subprocess.Popen(['true']);"
        "pane = Pty.spawn(Program(argv=('sh', '-c', 'exit 3')), Size(80, 24));\n"
        "while len(process.zombies(os.getpid())) < 2: pass\n"
        "assert orphans.reap() == []\n"
        "assert (own.wait(), pane.reap().code) == (0, 3)\n"
        "assert not orphans.own\n"
    )
    assert subprocess.run([sys.executable, "-c", script], timeout=60, check=False).returncode == 0


def test_a_process_that_has_gone_may_have_come_from_anywhere() -> None:
    with subprocess.Popen(["true"]) as gone:
        gone.wait()
    assert process.came_from(gone.pid, os.getpid()) == ((gone.pid,), True)
    assert process.came_from(None, os.getpid()) == ((), False)
    assert process.came_from(os.getppid(), os.getpid())[1] is False
