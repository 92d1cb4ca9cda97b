"""Terminals of every kind around the real program: what they can do, what they send, and what must not be typed."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.client.client_terminal import LEFT, Window
from tests.e2e.conftest import Launch, Running

pytestmark = [pytest.mark.slow, pytest.mark.forked]


SHOWN = ("--", "sh", "-c", "stty raw -echo; printf '\\033[38;2;255;100;50mready\\033[m '; exec cat -v")
PLAIN = {"TERM": "xterm-256color", "COLORTERM": ""}
PATIENT = """
import runpy
from fugue_tui.client import relay
relay.RECENT_SECONDS, relay.QUIET_SECONDS = 60.0, (1.0, 1.5)
runpy.run_module("fugue_tui", run_name="__main__", alter_sys=True)
"""
"""The program, which waits longer for answers than a slow machine needs to send them."""


@pytest.mark.parametrize("server", [True, False])
@pytest.mark.parametrize(("term", "exact"), [("xterm-256color", True), ("linux", False)])
def test_a_terminal_shows_the_colours_that_it_has(launch: Launch, server: bool, term: str, exact: bool) -> None:
    running = launch(*SHOWN, server=server, env={"TERM": term, "COLORTERM": ""})
    running.ready()
    running.host.wait_text("ready")
    if exact:  # It is asked, and answers as ghostty does.
        running.host.wait_until(lambda: b"38;2;255;100;50" in running.host.received)
    else:
        running.host.send("!")
        running.host.wait_text("ready !")
        assert b";2;255;100;50" not in running.host.received
    assert running.ask("list-clients")["clients"][0]["colours"] == (1 << 24 if exact else 16)


@pytest.fixture
def window(launch: Launch) -> Iterator[tuple[Running, Window]]:
    """A workspace with a terminal, and a second one that answers nothing by itself."""
    running = launch(*SHOWN, server=True)
    running.ready()
    running.host.wait_text("ready")
    env = {**os.environ, **running.env, **PLAIN}
    window = Window((sys.executable, "-c", PATIENT, running.name), env)
    yield running, window
    window.close()


def test_a_terminal_that_answers_nothing_is_shown_everything_and_types(window: tuple[Running, Window]) -> None:
    running, silent = window
    silent.shows(b"\x1b[c")
    silent.shows(b"ready")
    silent.type(b"\x1b.\x1bb\x1b\x7f\x08")
    running.host.wait_text("ready ^[.^[b^[^?^H")
    silent.type(b"\x1b")
    running.host.wait_text("ready ^[.^[b^[^?^H^[")


def test_answers_that_come_when_a_program_without_a_server_has_left_are_not_typed(room: Path) -> None:
    env = {**os.environ, **PLAIN, "XDG_RUNTIME_DIR": str(room)}
    slow = Window((sys.executable, "-c", PATIENT, "--foreground", "--", "sh", "-c", "echo ready; read line"), env)
    slow.shows(b"\x1b[c")
    slow.shows(b"ready")
    slow.type(b"\r")
    slow.shows(LEFT)
    slow.type(b"\x1b[?0u\x1b[?2026;2$y\x1bP1+r524742=38\x1b\\\x1b[?62;22c")
    assert slow.over() == 0
    assert slow.restored
    assert b"62;22" not in bytes(slow.received).partition(LEFT)[2], "the shell would echo it"
    assert slow.typed == b""
    slow.close()


def test_what_a_terminal_answers_only_when_it_is_left_is_typed_nowhere(window: tuple[Running, Window]) -> None:
    running, slow = window
    slow.shows(b"ready")
    slow.type(b"\x02d")
    slow.shows(b"\x1b[?1049l")
    slow.type(b"\x1b[?0u\x1b[?2026;2$y\x1bP1+r524742=38\x1b\\\x1b[?62;22c")
    assert slow.over() == 0
    assert LEFT in slow.received
    assert slow.restored
    assert b"62;22" not in bytes(slow.received).partition(LEFT)[2], "the shell would echo it"
    assert slow.typed == b""
    running.host.send("!")
    running.host.wait_text("ready !")


ANSWERED = (
    b"\x1b[?25u\x1b[?2026;2$y\x1b]10;rgb:d0d0/d0d0/d0d0\x1b\\\x1b]11;rgb:0000/0000/0000\x07"
    b"\x1bP1+r524742=38\x1b\\\x1bP1$r0;48:2::1:2:3m\x1b\\\x1b[4;384;640t\x1b[6;16;8t\x1b[?62;22c"
)


@pytest.mark.parametrize(
    ("pieces", "colours"),
    [
        ([ANSWERED], 1 << 24),
        ([ANSWERED[at : at + 7] for at in range(0, len(ANSWERED), 7)], 1 << 24),
        ([b"\x1b[?6c"], 256),
        ([b"\x1bP0+r\x1b\\\x1bP0$r\x1b\\\x1b[?1;2c"], 256),
        ([b"\x1b[?;;;x\x1b[>!\x1b[99999999;9t\x1b]11;\x07\x1bP1+r=;=\x1b\\\x1b[?c", b"\x1b[?\x1b[=;\x1b[?62c"], 256),
    ],
)
def test_whatever_a_terminal_answers_is_typed_nowhere(
    window: tuple[Running, Window], pieces: list[bytes], colours: int
) -> None:
    running, other = window
    other.shows(b"ready")
    for piece in pieces:
        other.type(piece)
        other.step(0.04)
        running.host.step(0.0)
    other.type(b"!")
    running.host.wait_text("ready !")
    assert [client["colours"] for client in running.ask("list-clients")["clients"]] == [1 << 24, colours]
