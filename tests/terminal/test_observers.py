"""Who listens to a terminal hears all of it, once and in order."""

from typing import Any

import pytest
from tests.terminal.conftest import Spawn

from fugue_tui.terminal.emulator.events import Bell
from fugue_tui.terminal.observers import CLOSED
from fugue_tui.terminal.pty.spawn import Exit


def test_an_observer_gets_output_in_order_then_the_end(spawn: Spawn) -> None:
    pane = spawn("read x; echo one; echo two; exit 3", say=lambda data: [Bell()] if b"two" in data else [])
    told: list[Any] = []
    pane.terminal.observe(lambda what: told.append(bytes(what) if isinstance(what, memoryview) else what))
    pane.terminal.write(b"\n")
    pane.wait_exit()
    assert b"".join(each for each in told if isinstance(each, bytes)).endswith(b"one\r\ntwo\r\n")
    assert told[-1] == Exit(3)
    assert Bell() in told
    assert pane.terminal.fed == len(pane.recorder.text)


def test_a_removed_observer_gets_nothing_more(spawn: Spawn) -> None:
    pane = spawn("cat")
    first, second = list[object](), list[object]()
    unobserve = pane.terminal.observe(lambda what: first.append(what))
    pane.terminal.observe(lambda what: second.append(what))
    unobserve()
    unobserve()
    pane.terminal.write(b"hello\n")
    pane.wait_for("hello")
    pane.terminal.close()
    assert first == []
    assert CLOSED in second


def test_output_is_copied_once_for_all_observers(spawn: Spawn, monkeypatch: pytest.MonkeyPatch) -> None:
    pane = spawn("cat")
    fed, told = list[object](), list[object]()
    monkeypatch.setattr(pane.recorder, "feed", fed.append)
    pane.terminal.observe(lambda what: told.append(what.obj if isinstance(what, memoryview) else what))
    pane.terminal.receive(memoryview(bytearray(b"hello\n")))
    assert fed == told == [b"hello\n"]
    assert fed[0] is told[0]
