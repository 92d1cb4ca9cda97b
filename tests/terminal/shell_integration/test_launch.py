"""The launcher of panes starts shells with marks, if the person wants that."""

import threading
from pathlib import Path

import pytest
from tests.terminal.conftest import Witness
from tests.terminal.shell_integration.conftest import SIZE, Shell
from tests.terminal.shell_integration.conftest import home as home

from fugue_tui.config.model import TerminalSettings
from fugue_tui.multiplexer.events.pane_events import PaneReports
from fugue_tui.multiplexer.spawner import Launcher
from fugue_tui.terminal.emulator.events import Event
from fugue_tui.terminal.pty.io_loop import IOLoop
from fugue_tui.terminal.pty.spawn import Program


def live_after(events: list[Event]) -> PaneReports:
    """What is known of a pane after these."""
    live = PaneReports()
    for event in events:
        live.record(event)
    return live


@pytest.mark.parametrize("wanted", [True, False])
@pytest.mark.parametrize("argv", [(), ("bash",)])
def test_panes_have_marks_if_they_are_wanted(argv: tuple[str, ...], wanted: bool, pump: IOLoop, home: Path) -> None:
    (home / ".bashrc").write_text("PS1='prompt> '\n")
    (home / ".bash_profile").write_text(". ~/.bashrc\n")
    launcher = Launcher(pump)
    launcher.configure(TerminalSettings(shell_integration=wanted))
    witness = Witness()
    program = Program(argv, str(home), {"HOME": str(home), "SHELL": "/bin/bash", "PATH": "/usr/bin:/bin"})
    shell = Shell(launcher(program, SIZE, witness), witness, home)
    shell.wait(lambda: "prompt>" in shell.text)
    if wanted:
        assert shell.run("sh -c 'exit 6'").exit_code == 6
        shell.wait(lambda: live_after(witness.events).at_prompt)
        assert live_after(witness.events).last_status == 6
    assert shell.terminal.shell.integrated is wanted
    shell.terminal.close()
    shell.wait(lambda: witness.exits)


def test_each_shell_has_a_nonce_of_its_own(pump: IOLoop, home: Path) -> None:
    launcher = Launcher(pump)
    nonces: set[str] = set()
    for _ in range(2):
        witness = Witness()
        program = Program(("bash", "--norc"), str(home), {"HOME": str(home), "PS1": "> "})
        shell = Shell(launcher(program, SIZE, witness), witness, home)
        shell.wait_for_prompt()
        shell.run("echo $__fugue_nonce")
        nonces.add(shell.output(shell.ended[-1]))
        shell.terminal.close()
        shell.wait(lambda witness=witness: witness.exits)
    assert len(nonces) == 2
    assert all(len(nonce) == 16 for nonce in nonces)


@pytest.mark.slow
def test_commands_may_be_asked_for_from_any_thread_while_they_run(pump: IOLoop, home: Path) -> None:
    witness = Witness()
    program = Program(("bash", "--norc"), str(home), {"HOME": str(home), "PS1": "> "})
    shell = Shell(Launcher(pump)(program, SIZE, witness), witness, home)
    shell.wait_for_prompt()
    stop, faults = threading.Event(), list[BaseException]()

    def ask() -> None:
        try:
            while not stop.is_set():
                for command in shell.terminal.shell.commands[-3:]:
                    shell.terminal.shell.output(command)
                    assert command.start is None or command.start.line is not None or command.start.gone
                with shell.terminal.locked() as screen:
                    screen.emulator.pin()
        except BaseException as fault:  # noqa: BLE001
            faults.append(fault)

    asker = threading.Thread(target=ask)
    asker.start()
    for _ in range(20):
        shell.run("seq 2000")
    stop.set()
    asker.join()
    shell.terminal.close()
    shell.wait(lambda: witness.exits)
    assert faults == []
