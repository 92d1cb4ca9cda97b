"""Input that waits goes in order, and loses nothing."""

from functools import partial

import pytest
from tests.terminal.conftest import Spawn

from fugue_tui.errors import InputFull, TerminalGone
from fugue_tui.terminal.input.input_gate import InputGate
from fugue_tui.terminal.input.keys import KeyPress
from fugue_tui.terminal.input.mouse import Button, MouseAction, MouseKind


def test_what_waits_follows_the_last_call_of_the_one_who_held_it() -> None:
    gate, made = InputGate(), list[str]()
    gate.close()
    for word in ("b", "c"):
        assert gate.wait(partial(made.append, word), 7) == 7
    assert (gate.closed, made) == (True, [])
    gate.open(partial(made.append, "a"))
    assert (gate.closed, made) == (False, ["a", "b", "c"])


def test_one_that_waited_may_hold_the_others_again() -> None:
    gate, made = InputGate(), list[str]()
    gate.close()
    gate.wait(gate.close, None)
    gate.wait(partial(made.append, "later"), None)
    gate.open()
    assert (gate.closed, made) == (True, [])
    gate.open()
    assert (gate.closed, made) == (False, ["later"])


@pytest.mark.parametrize("error", [TerminalGone("gone"), InputFull("full")])
def test_an_input_that_fails_holds_no_other_up(error: Exception) -> None:
    gate, made = InputGate(), list[str]()

    def fail() -> None:
        raise error

    gate.close()
    gate.wait(fail, None)
    gate.wait(partial(made.append, "next"), None)
    with pytest.raises(ZeroDivisionError):
        gate.open(lambda: 1 // 0)
    assert (gate.closed, made) == (False, ["next"])


def test_every_input_of_a_terminal_waits(spawn: Spawn) -> None:
    pane = spawn("stty raw -echo; echo ready; exec cat")
    pane.wait_for("ready")
    terminal = pane.terminal
    terminal.gate.close()
    assert terminal.write(b"one") == 3
    assert terminal.press(KeyPress("x", text="x"))
    assert terminal.paste("two") == 3
    assert not terminal.mouse(MouseAction(MouseKind.PRESS, Button.LEFT, 0, 0))
    assert terminal.sent.count == 0
    terminal.gate.open(lambda: terminal._channel.write(b"first"))  # pyright: ignore[reportPrivateUsage]
    assert terminal.sent.count == 3
    pane.wait_for("firstonextwo")
