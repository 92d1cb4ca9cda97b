"""The frame of a pane that gets the focus flashes, unless the user wants no motion or the link is slow."""

import re

import pytest
from tests.tui.served_workspace import Serve, Serving
from tests.tui.served_workspace import serve as serve
from tests.tui.socket_clients import Client, hello

from fugue_tui.attach_protocol import Hello
from fugue_tui.attach_server.capabilities import Capabilities
from fugue_tui.attach_server.client import SLOW_SECONDS

pytestmark = pytest.mark.slow

FLASH = re.compile(rb"\x1b\[[0-9;]*1;7;38;2;97;175;239")
"""The colour of the focused pane's frame on a dark terminal, in reverse video."""


SLOW = "from fugue_tui.attach_server import client; client.SLOW_SECONDS = 0.0\n"
"""A server for which every link is slow."""


def started(serve: Serve, prelude: str = "") -> Serving:
    """Two panes side by side, the frame of which is drawn in the terminal's theme."""
    serving = serve("sh", "-c", "printf ready; exec cat", first=hello(), prelude=prelude)
    serving.shows(serving.first, "ready")
    serving.until(lambda: b"48;2;97;175;239" in serving.first.received)
    serving.call("split-pane")
    serving.shows(serving.first, "%2")
    serving.settle()
    return serving


def after(serving: Serving, client: Client, *keys: str) -> bytes:
    """What a terminal got after keys, until nothing more came."""
    seen = len(client.received)
    for key in keys:
        client.send(key)
    serving.settle()
    return bytes(client.received[seen:])


def test_the_frame_of_a_pane_that_gets_the_focus_flashes_for_a_moment(serve: Serve) -> None:
    serving = started(serve)
    sent = bytearray()
    seen = len(serving.first.received)
    serving.first.send("\x02o")
    serving.until(lambda: FLASH.search(serving.first.received, seen))
    sent += serving.first.received[seen:]
    flashed = FLASH.search(sent)
    assert flashed is not None
    serving.until(lambda: b"1;38;2;97;175;239" in serving.first.received[seen + flashed.end() :])


def test_a_key_switches_motion_off(serve: Serve) -> None:
    serving = started(serve)
    after(serving, serving.first, "\x02\x1bm")
    serving.shows(serving.first, "motion is off")
    assert not FLASH.search(after(serving, serving.first, "\x02o"))


def test_nothing_flashes_over_a_slow_link(serve: Serve) -> None:
    serving = started(serve, SLOW)
    assert not FLASH.search(after(serving, serving.first, "\x02o"))


def test_a_terminal_that_was_quick_once_is_not_slow() -> None:
    capabilities = Capabilities(Hello())
    capabilities.queries()
    capabilities.receive("\x1b[?62;22c")
    assert 0 < capabilities.round_trip < SLOW_SECONDS
    first = capabilities.round_trip
    capabilities.queries()
    capabilities.receive("\x1b[?62;22c")
    assert capabilities.round_trip <= first
