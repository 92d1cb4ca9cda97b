"""The whole program on a terminal: it starts, takes keys, follows the size, and leaves the terminal as it found it."""

import signal

import pytest
from tests.tui.conftest import Start

from fugue_tui.geometry import Size

pytestmark = pytest.mark.slow


def test_the_first_prompt_comes_and_the_shell_answers(start: Start) -> None:
    host = start()
    host.wait_text("$", "test")
    host.send("echo one$((1+1))three\r")
    host.wait_text("one2three")


def test_the_programs_follow_the_size_of_the_host(start: Start) -> None:
    host = start("sh", "-c", "trap 'stty size' WINCH; stty size; while :; do sleep 0.05; done")
    host.wait_text("23 80")
    host.resize(Size(100, 30))
    host.wait_text("29 100")


def test_leaving_restores_the_terminal(start: Start) -> None:
    host = start("cat")
    host.wait_text("test")
    assert host.emulator.modes.alternate_screen
    host.send(b"\x02Q")
    host.wait_text("End the workspace test with 1 running program")
    host.send("y")
    assert host.wait_exit().code == 0
    while host.step(0.01):
        pass
    modes = host.emulator.modes
    assert not modes.alternate_screen
    assert not modes.bracketed_paste
    assert not modes.focus_events
    assert not modes.mouse
    assert not modes.kitty_flags
    assert host.cursor.visible


def test_keys_act_at_once_beside_a_flood(start: Start) -> None:
    host = start("cat", config="[terminal]\nshell = ['yes', 'flood']\n")
    host.wait_text("test", "1 cat")
    host.send(b"\x02%")
    host.wait_text("%2 yes", "flood")
    host.send(b"\x1b[1;3Dtyped")
    host.wait_text("typed")
    host.send(b"\x02;")
    host.send(b"\x02x")
    host.wait_text("Close pane %2")
    host.send("y")
    host.wait_until(lambda: "flood" not in host.text)


def test_a_hung_up_terminal_ends_the_program(start: Start) -> None:
    host = start("cat")
    host.wait_text("test")
    host.hang_up()
    end = host.wait_exit()
    assert end.code == 129 or end.signal == signal.SIGHUP
