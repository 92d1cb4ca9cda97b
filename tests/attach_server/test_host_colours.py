"""Frames and the status bar have the colours of the terminal that was used last; programs in panes are told of them."""

from typing import Any

import pytest
from tests.tui.served_workspace import Serve, Serving
from tests.tui.served_workspace import serve as serve
from tests.tui.served_workspace import serve_mirrored as serve_mirrored
from tests.tui.socket_clients import Client, hello

pytestmark = pytest.mark.slow

PROGRAM = ("sh", "-c", "stty raw -echo; printf '\\033[?2031hready '; exec cat -v")
"""Shows what reaches it, and wants to know of light and dark."""
ON_DARK, ON_LIGHT = b"48;2;97;175;239", b"48;2;28;94;190"
"""Behind the workspace's name in the status bar."""
CHANGED = b"\x1b[?997;2n"
"""The report of mode 2031, that the colours are light ones now."""


def started(serve: Serve, **facts: Any) -> Serving:
    """A workspace with one client, whose terminal is dark."""
    serving = serve(*PROGRAM, first=hello(**facts))
    serving.shows(serving.first, "ready")
    return serving


def lighten(client: Client) -> None:
    """Give a terminal a white background."""
    client.emulator.set_colours(0x000000, 0xFFFFFF)


def test_the_theme_is_that_of_the_terminals_background(serve: Serve) -> None:
    serving = started(serve)
    serving.until(lambda: ON_DARK in serving.first.received)


def test_a_report_of_other_colours_changes_the_theme_and_is_passed_on_to_programs_that_want_it(serve: Serve) -> None:
    serving = started(serve)
    serving.until(lambda: ON_DARK in serving.first.received)
    lighten(serving.first)
    serving.first.send(CHANGED)
    serving.until(lambda: ON_LIGHT in serving.first.received)
    serving.shows(serving.first, "ready ^[[?997;2n")


def test_colours_are_asked_for_again_when_the_terminal_gets_the_focus(serve: Serve) -> None:
    serving = started(serve)
    serving.until(lambda: ON_DARK in serving.first.received)
    lighten(serving.first)
    serving.first.send("\x1b[O\x1b[I")
    serving.until(lambda: ON_LIGHT in serving.first.received)


def test_of_several_terminals_the_one_used_last_decides(serve_mirrored: Serve) -> None:
    serving = started(serve_mirrored)
    serving.until(lambda: ON_DARK in serving.first.received)
    other = serving.attach()
    lighten(other)
    other.send("\x1b[I")
    serving.settle()
    serving.until(lambda: ON_LIGHT in other.received)
    serving.settle()
    seen = len(serving.first.received)
    serving.first.send("x")
    serving.until(lambda: ON_DARK in serving.first.received[seen:])


def test_without_an_answer_what_stands_out_has_colours_of_its_own(serve: Serve) -> None:
    serving = started(serve)
    other = serving.attach(answering=lambda answer: b"")
    serving.until(lambda: b"\x1b[30;46m test " in other.received)


def test_a_user_who_wants_no_colour_gets_none(serve: Serve) -> None:
    serving = started(serve, no_color=True)
    serving.call("split-pane")
    serving.shows(serving.first, "%2")
    serving.settle()
    assert b"38;2;" not in serving.first.received
    assert b"48;2;" not in serving.first.received
