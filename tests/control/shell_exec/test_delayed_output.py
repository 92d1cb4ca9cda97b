"""Commands whose output is long on its way, as on a machine that is busy with something else."""

import fcntl
import os
import termios
import threading
import time
from types import SimpleNamespace

import pytest
from tests.control.real_shells import Shell
from tests.control.real_shells import shell as shell
from tests.multiplexer.conftest import DEADLINE

from fugue_tui.control.shell_exec import command_state, execution, prompt_detection
from fugue_tui.control.shell_exec.command_state import QUIET, CommandEnd
from fugue_tui.control.shell_exec.execution import Execution
from fugue_tui.terminal.pty.channel import Channel

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("shell", ["bash", "zsh"], indirect=True)
def test_a_prompt_that_is_still_on_its_way_is_not_taken_for_one_without_marks(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert shell.says("true") == (0, "")
    now, checks = time.monotonic(), list[tuple[object, int]]()
    for module in (execution, command_state, prompt_detection):
        monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: now))
    check = Execution._silent_end  # pyright: ignore[reportPrivateUsage]

    def noted(execution: Execution) -> CommandEnd | None:
        found = check(execution)
        checks.append((found, len(execution._checks._due)))  # pyright: ignore[reportPrivateUsage]
        return found

    monkeypatch.setattr(Execution, "_silent_end", noted)
    terminal, held, go_on = shell.room.mux.terminal(shell.pane), threading.Event(), threading.Event()
    channel = terminal._channel  # pyright: ignore[reportPrivateUsage]
    assert isinstance(channel, Channel)
    fd = channel._pty.fd  # pyright: ignore[reportPrivateUsage]
    os.mkfifo(gate := shell.home / "gate")
    later = shell.begin(f"cat '{gate}'")
    shell.room.until(lambda: shell.runs("cat"))
    shell.room.drain(shell.pane)

    def hold() -> None:
        held.set()
        go_on.wait(DEADLINE)

    terminal._io_loop.post(hold)  # pyright: ignore[reportPrivateUsage]
    assert held.wait(DEADLINE)
    gate.write_text("slow\n")
    shell.room.until(lambda: terminal.foreground_group == terminal.pid)
    shell.room.until(lambda: not termios.tcgetattr(fd)[3] & termios.ICANON)  # It edits a line.
    shell.room.until(lambda: any(fcntl.ioctl(fd, termios.FIONREAD, bytes(4))))
    now += 10 * QUIET
    shell.room.until(lambda: checks)
    go_on.set()
    ran = shell.room.awaited(later)
    assert checks == [(None, 0)], "it would have been checked again, and taken for over"
    assert (ran.exit_code, ran.text, ran.note) == (0, "slow", "")
