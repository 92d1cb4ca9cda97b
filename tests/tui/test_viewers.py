"""Terminals attached to a server: they come, mirror each other, and go; the workspace stays."""

import signal
from pathlib import Path

import pytest
from tests.tui.serving import Serve, hello
from tests.tui.serving import serve as serve
from tests.tui.test_two_ways_of_painting import differing

from fugue_tui.geometry import Size


def test_the_first_terminal_types_and_leaves_and_the_program_goes_on(serve: Serve) -> None:
    serving = serve(first=hello())
    serving.shows(serving.first, "test", "1 cat")
    assert serving.first.answer is not None
    assert serving.first.answer["result"]["workspace"] == "test"
    serving.first.send("typed\r")
    serving.shows(serving.first, "typed")
    serving.first.send("\x02d")
    serving.until(lambda: serving.first.bye is not None and not serving.first.open)
    assert serving.first.bye is not None
    assert (serving.first.bye.reason, serving.first.bye.status) == ("detached", 0)
    again = serving.attach()
    serving.shows(again, "typed", "1 cat")
    again.send("again\r")
    serving.shows(again, "again")
    assert serving.end() == 143
    assert again.bye is not None
    assert (again.bye.reason, again.bye.status) == ("ended", 143)
    assert serving.log == ""


def test_the_last_pane_ends_the_server_and_says_so(serve: Serve) -> None:
    serving = serve(first=hello())
    serving.shows(serving.first, "1 cat")
    serving.first.send("\x04")
    serving.until(lambda: serving.process.poll() is not None)
    serving.until(lambda: not serving.first.open)
    assert serving.process.returncode == 0
    assert serving.first.bye is not None
    assert (serving.first.bye.reason, serving.first.bye.status) == ("ended", 0)
    assert serving.log == ""


def test_two_terminals_show_the_same(serve: Serve) -> None:
    serving = serve(first=hello())
    other = serving.attach()
    serving.shows(other, "1 cat")
    for number, keys in enumerate(("one\r", "\x02%", "two\r", '\x02"', "three\r", "\x02z", "\x02z")):
        (serving.first, other)[number % 2].send(keys)
        serving.settle()
        assert differing(serving.first.picture, other.picture) == []
        assert serving.first.cursor == other.cursor
    serving.shows(other, "one", "two", "three")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_server_in_good_order(serve: Serve, number: int) -> None:
    serving = serve("sh", "-c", "trap '' HUP TERM; echo ready; while :; do sleep 0.2; done", first=hello(Size(60, 12)))
    serving.shows(serving.first, "ready", "test")
    assert serving.end(number) == 128 + number
    serving.until(lambda: not serving.first.open)
    assert serving.first.bye is not None
    assert serving.first.bye.status == 128 + number
    assert not Path(serving.path).exists()
    assert serving.log == ""
