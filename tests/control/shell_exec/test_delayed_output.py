"""Commands whose output is long on its way, as on a machine that is busy with something else."""

import threading
import time

import pytest
from tests.control.real_shells import Shell
from tests.control.real_shells import shell as shell
from tests.multiplexer.conftest import DEADLINE

from fugue_tui.control.shell_exec.command_state import QUIET

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("shell", ["bash", "zsh"], indirect=True)
def test_a_prompt_that_is_still_on_its_way_is_not_taken_for_one_without_marks(shell: Shell) -> None:
    assert shell.says("true") == (0, "")
    terminal, go_on = shell.room.mux.terminal(shell.pane), threading.Event()
    later = shell.begin("sleep 0.1; echo slow")
    shell.room.until(lambda: terminal.foreground == "sleep")

    def hold() -> None:
        go_on.wait(DEADLINE)

    terminal._io_loop.post(hold)  # pyright: ignore[reportPrivateUsage]
    shell.room.until(lambda: terminal.foreground_group == terminal.pid)
    late = time.monotonic() + 4 * QUIET
    shell.room.until(lambda: time.monotonic() > late)
    go_on.set()
    ran = shell.room.awaited(later)
    assert (ran.exit_code, ran.text, ran.note) == (0, "slow", "")
