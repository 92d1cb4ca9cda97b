"""An outline shows where the focused pane goes, unless the user wants no animation or the link is slow or remote."""

import re
from typing import Any

import pytest
from tests.tui.served_workspace import Serve, Serving
from tests.tui.served_workspace import serve as serve
from tests.tui.socket_clients import Client, hello

from fugue_tui.attach_protocol import Hello
from fugue_tui.attach_server.capabilities import Capabilities
from fugue_tui.attach_server.client import SLOW_SECONDS
from fugue_tui.tui.render.moving_outline import STEPS

pytestmark = pytest.mark.slow

OUTLINE = re.compile(
    rb"\x1b7.*?\x1b\[[0-9;]*38;2;97;175;239m\x1b\[[0-9;]+H(?:\xe2\x94[\x80-\xbf]){4,}.*?\x1b8", re.DOTALL
)
"""A step: lines in the colour of the focused pane's frame on a dark terminal, drawn with the cursor's place kept."""
SLOW = "from fugue_tui.attach_server import client; client.SLOW_SECONDS = 0.0\n"
"""A server for which every link is slow."""
WIDE = (
    "sh",
    "-c",
    "yes 漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢 | head -30; printf ready; exec cat",
)


def started(serve: Serve, *command: str, prelude: str = "", animation: str = "auto", **said: Any) -> Serving:
    """Two panes side by side, the frame of which is drawn in the terminal's theme."""
    config = f"[ui]\nwhich_key_delay_ms = 10000\nanimation = {animation!r}\n"
    argv = command or ("sh", "-c", "printf ready; exec cat")
    serving = serve(*argv, first=hello(**said), prelude=prelude, config=config)
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


def steps(sent: bytes) -> int:
    """How many steps of an outline were drawn."""
    return len(OUTLINE.findall(sent))


@pytest.mark.parametrize(
    "keys", ["\x02o", "\x02z", "\x02%", "\x02xy", "\x02\x1b2"], ids=["focus", "zoom", "split", "close", "layout"]
)
def test_an_outline_moves_to_where_the_focused_pane_goes(serve: Serve, keys: str) -> None:
    serving = started(serve)
    assert 1 <= steps(after(serving, serving.first, keys)) <= STEPS


@pytest.mark.parametrize("command", [(), WIDE], ids=["narrow", "wide"])
def test_nothing_of_the_outline_is_left(serve: Serve, command: tuple[str, ...]) -> None:
    serving = started(serve, *command)
    assert steps(after(serving, serving.first, "\x02o"))
    seen = serving.first.picture
    after(serving, serving.first, "\x02r")
    assert seen == serving.first.picture


def test_nothing_of_the_outline_is_left_where_a_program_scrolls(serve: Serve) -> None:
    serving = started(serve, "sh", "-c", "printf ready; read x; seq 300; read y")
    serving.first.send("\r\x02o")
    serving.shows(serving.first, "300")
    serving.settle()
    seen = serving.first.picture
    after(serving, serving.first, "\x02r")
    assert seen == serving.first.picture


def test_a_key_ends_the_outline(serve: Serve) -> None:
    serving = started(serve)
    assert not steps(after(serving, serving.first, "\x02ox"))
    assert "x" in serving.first.text


def test_programs_receive_their_size_once(serve: Serve) -> None:
    counting = "trap 'echo resized' WINCH; printf ready; while :; do sleep 60 & wait $!; kill $!; done"
    serving = started(serve, "bash", "-c", counting)
    before = serving.first.text.count("resized")
    assert steps(after(serving, serving.first, "\x02z"))
    assert serving.first.text.count("resized") == before + 1


def test_a_key_switches_animation_off(serve: Serve) -> None:
    serving = started(serve)
    after(serving, serving.first, "\x02\x1bm")
    serving.shows(serving.first, "animation is off")
    assert not steps(after(serving, serving.first, "\x02o"))


def test_the_configuration_switches_animation_off(serve: Serve) -> None:
    serving = started(serve, animation="none")
    assert not steps(after(serving, serving.first, "\x02o"))


@pytest.mark.parametrize(("animation", "moves"), [("auto", False), ("full", True)])
def test_over_ssh_an_outline_moves_only_if_the_user_asks(serve: Serve, animation: str, moves: bool) -> None:
    serving = started(serve, animation=animation, remote=True)
    assert bool(steps(after(serving, serving.first, "\x02o"))) is moves


def test_no_outline_moves_over_a_slow_link(serve: Serve) -> None:
    serving = started(serve, prelude=SLOW)
    assert not steps(after(serving, serving.first, "\x02o"))


def test_no_outline_moves_for_those_who_only_watch(serve: Serve) -> None:
    serving = started(serve)
    watching = serving.attach(read_only=True)
    serving.until(lambda: "%2" in watching.text)
    serving.settle()
    seen = len(watching.received)
    assert steps(after(serving, serving.first, "\x02o"))
    assert not steps(bytes(watching.received[seen:]))
    assert watching.text.splitlines()[:-1] == serving.first.text.splitlines()[:-1]


def test_no_outline_moves_while_a_border_is_dragged(serve: Serve) -> None:
    serving = started(serve)
    sent = after(serving, serving.first, "\x1b[<0;41;9M", "\x1b[<32;30;9M", "\x1b[<32;20;9M", "\x1b[<0;20;9m")
    assert sent
    assert not steps(sent)


def test_a_terminal_that_was_quick_once_is_not_slow() -> None:
    capabilities = Capabilities(Hello())
    capabilities.queries()
    capabilities.receive("\x1b[?62;22c")
    assert 0 < capabilities.round_trip < SLOW_SECONDS
    first = capabilities.round_trip
    capabilities.queries()
    capabilities.receive("\x1b[?62;22c")
    assert capabilities.round_trip <= first
