"""Terminals attached to a server: they come, mirror each other, and go; the workspace stays."""

import signal
from pathlib import Path

import pytest
from tests.tui.render.test_two_ways_of_painting import differing
from tests.tui.served_workspace import Serve
from tests.tui.served_workspace import serve as serve
from tests.tui.served_workspace import serve_mirrored as serve_mirrored
from tests.tui.socket_clients import hello

from fugue_tui.geometry import Size

pytestmark = pytest.mark.slow


def test_the_first_terminal_types_and_leaves_and_the_program_continues(serve_mirrored: Serve) -> None:
    serving = serve_mirrored(first=hello())
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


def test_the_last_pane_ends_the_server_and_says_so(serve_mirrored: Serve) -> None:
    serving = serve_mirrored(first=hello())
    serving.shows(serving.first, "1 cat")
    serving.first.send("\x04")
    serving.until(lambda: serving.process.poll() is not None)
    serving.until(lambda: not serving.first.open)
    assert serving.process.returncode == 0
    assert serving.first.bye is not None
    assert (serving.first.bye.reason, serving.first.bye.status) == ("ended", 0)
    assert serving.log == ""


def test_two_terminals_show_the_same(serve_mirrored: Serve) -> None:
    serving = serve_mirrored(first=hello())
    other = serving.attach()
    serving.shows(other, "1 cat")
    for number, keys in enumerate(("one\r", "\x02%", "two\r", '\x02"', "three\r", "\x02z", "\x02z")):
        (serving.first, other)[number % 2].send(keys)
        serving.settle()
        assert differing(serving.first.picture, other.picture) == []
        assert serving.first.cursor == other.cursor
    serving.shows(other, "one", "two", "three")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_server_in_good_order(serve_mirrored: Serve, number: int) -> None:
    serving = serve_mirrored(
        "sh", "-c", "trap '' HUP TERM; echo ready; while :; do sleep 0.2; done", first=hello(Size(60, 12))
    )
    serving.shows(serving.first, "ready", "test")
    assert serving.end(number) == 128 + number
    serving.until(lambda: not serving.first.open)
    assert serving.first.bye is not None
    assert serving.first.bye.status == 128 + number
    assert not Path(serving.path).exists()
    assert serving.log == ""


STEPS = (
    ('\x02"', "%3"), ("\x02?", "/ searches"), ("\x1b", "!/ searches"), ("\x02z", "!%1"), ("\x02z", "%1"),
    ("\x02p", "command palette"), ("\x1b", "!command palette"), ("\x02c", "[2 sh]"),
    ("\x021", "![2 sh]"), ("\x02{", "%2"),
    ("\x02", "and then"), ("\x1b", "!and then"), ("\x02x", "Close pane"), ("n", "!Close pane"),
)  # fmt: skip
"""Keys, and what is on the screens then, or with a `!` is not."""


def test_mirrors_agree_through_floods_splits_dialogs_and_sizes(serve_mirrored: Serve) -> None:
    serving = serve_mirrored(first=hello(Size(80, 24)), config="[ui]\nwhich_key_delay_ms = 20\n")
    other = serving.attach(Size(80, 24))
    serving.shows(other, "1 cat")
    loop = "i=0; while [ $i -lt 400 ]; do seq $i $((i+40)); i=$((i+1)); done; echo over; exec cat"
    serving.call("split-pane", "--", "sh", "-c", loop)
    for number, (keys, sign) in enumerate(STEPS):
        (serving.first, other)[number // 2 % 2].send(keys)
        for client in (serving.first, other):
            serving.until(lambda c=client, s=sign: (s.lstrip("!") in c.text) != s.startswith("!"))
        if number % 4 == 3:
            size = Size(60 + number * 3, 26 + number)
            for client in (serving.first, other):
                client.resize(size)
    late = serving.attach(serving.first.emulator.size)
    serving.shows(late, "over")
    serving.settle()
    for client in (other, late):
        assert differing(client.picture, serving.first.picture) == []
        assert client.cursor == serving.first.cursor
    assert serving.log == ""


def test_a_terminal_that_disconnects_in_the_middle_of_a_key_command_leaves_no_panel(serve_mirrored: Serve) -> None:
    serving = serve_mirrored(first=hello(), config="[ui]\nwhich_key_delay_ms = 20\n")
    other = serving.attach()
    serving.shows(other, "1 cat")
    other.send("\x02")
    serving.shows(serving.first, "and then")
    other.close()
    serving.until(lambda: "and then" not in serving.first.text and "key?" not in serving.first.text)
    serving.first.send("typed")
    serving.shows(serving.first, "typed")


def test_terminals_beyond_the_limit_are_refused(serve_mirrored: Serve) -> None:
    limit = "from fugue_tui.attach_server import server; server.MOST_TERMINALS = 2"
    serving = serve_mirrored(first=hello(), prelude=limit)
    serving.shows(serving.first, "1 cat")
    serving.shows(serving.attach(), "1 cat")
    third = serving.attach()
    serving.until(lambda: third.answer is not None)
    assert third.answer is not None
    assert "2 terminals are attached already" in third.answer["error"]["message"]
    serving.first.send("\x02d")
    serving.until(lambda: not serving.first.open)
    serving.shows(serving.attach(), "1 cat")
