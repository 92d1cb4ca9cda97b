"""Whose size the screen has, and whose keys are prefixes."""

import json
import os
import shlex
import socket
import sys
from typing import Any

import pytest
from tests.tui.served_workspace import Serve, Serving
from tests.tui.served_workspace import serve as serve
from tests.tui.served_workspace import serve_mirrored as serve_mirrored
from tests.tui.socket_clients import Client, hello

from fugue_tui import attach_protocol
from fugue_tui.geometry import Size

pytestmark = pytest.mark.slow


LARGE, SMALL, OTHER = Size(90, 30), Size(50, 20), Size(70, 15)


def size(serving: Serving) -> tuple[int, int]:
    """The size of the one pane."""
    rect = serving.call("list-panes")["panes"][0]["rect"]
    return rect["cols"], rect["rows"]


def wait_size(serving: Serving, cols: int, rows: int) -> None:
    """Wait until the pane has a size."""
    serving.until(lambda: size(serving) == (cols, rows))


def test_the_latest_client_is_the_one_that_typed_attached_or_resized_last(serve_mirrored: Serve) -> None:
    serving = serve_mirrored(first=hello(LARGE))
    serving.shows(serving.first, "1 cat")
    wait_size(serving, 90, 29)
    small = serving.attach(SMALL)
    wait_size(serving, 50, 19)
    serving.first.send("x")
    wait_size(serving, 90, 29)
    small.resize(OTHER)
    wait_size(serving, 70, 14)
    serving.first.send("\x1b[<35;3;3M")
    serving.settle()
    assert size(serving) == (70, 14), "a pointer that passes over is no use"
    serving.first.send("\x1b[<0;3;3M\x1b[<0;3;3m")
    wait_size(serving, 90, 29)
    latest = [client["latest"] for client in serving.call("list-clients")["clients"]]
    assert latest == [True, False]
    serving.first.send("\x02d")
    wait_size(serving, 70, 14)


def test_the_smallest_policy_takes_the_smallest_columns_and_rows(serve_mirrored: Serve) -> None:
    serving = serve_mirrored(first=hello(LARGE), config="[session]\nsize = 'smallest'\n")
    serving.shows(serving.first, "1 cat")
    small, other = serving.attach(SMALL), serving.attach(OTHER)
    wait_size(serving, 50, 14)
    looking = serving.attach(Size(20, 5), read_only=True)
    serving.shows(looking, "test")
    serving.first.send("x")
    serving.settle()
    assert size(serving) == (50, 14)
    for client in (small, other):
        client.send("\x02d")
        serving.until(lambda c=client: not c.open)
    wait_size(serving, 90, 29)


def test_a_changed_size_policy_applies_at_once(serve_mirrored: Serve) -> None:
    serving = serve_mirrored(first=hello(SMALL))
    serving.shows(serving.first, "1 cat")
    large = serving.attach(LARGE)
    wait_size(serving, 90, 29)
    serving.config.write_text("[session]\nsize = 'smallest'\n")
    wait_size(serving, 50, 19)
    serving.shows(large, "1 cat")


@pytest.mark.parametrize("cols", [0, -5, 1, 100_000])
def test_an_invalid_size_is_clamped_and_affects_no_other_client(serve_mirrored: Serve, cols: int) -> None:
    serving = serve_mirrored(first=hello(SMALL))
    serving.shows(serving.first, "1 cat")
    serving.first.raw(attach_protocol.frame(attach_protocol.SIZE, attach_protocol.Extent(cols, cols).dump()))
    wait_size(serving, min(max(cols, 1), 1500), max(min(max(cols, 1), 800) - 1, 1))
    serving.first.resize(SMALL)
    serving.first.send("alive\r")
    serving.shows(serving.first, "alive", "1 cat")


# Prefixes


def count_windows(serving: Serving) -> int:
    """How many windows there are."""
    return len(serving.call("list-windows")["windows"])


def test_a_terminal_in_another_multiplexer_gets_a_message_and_a_further_prefix(serve_mirrored: Serve) -> None:
    serving = serve_mirrored(first=hello(LARGE), config="[keys]\nnested_prefix = 'ctrl+g'\n")
    serving.shows(serving.first, "1 cat")
    nested = serving.attach(LARGE, nested="tmux")
    serving.shows(nested, "inside tmux: ctrl+g is a prefix here")
    nested.send("\x07c")
    serving.until(lambda: count_windows(serving) == 2)
    nested.send("\x02c")
    serving.until(lambda: count_windows(serving) == 3)
    serving.first.send("\x07c")
    serving.settle()
    assert count_windows(serving) == 3


def test_a_terminal_may_bring_a_prefix_of_its_own(serve_mirrored: Serve) -> None:
    serving = serve_mirrored(first=hello(LARGE, prefix="ctrl+a"))
    serving.shows(serving.first, "1 cat")
    serving.first.send("\x01d")
    serving.until(lambda: serving.first.bye is not None)
    odd = serving.attach(LARGE, prefix="no such key")
    serving.until(lambda: odd.bye is not None)
    assert odd.bye is not None
    assert odd.bye.reason == "error"
    assert "no such key" in odd.bye.message


def test_what_follows_a_prefix_comes_from_the_terminal_that_pressed_it(serve_mirrored: Serve) -> None:
    serving = serve_mirrored(first=hello(LARGE), config="[ui]\nwhich_key_delay_ms = 10000\n")
    other = serving.attach(LARGE)
    serving.shows(other, "1 cat")
    serving.first.send("\x02")
    serving.shows(other, "key?")
    other.send("x")
    serving.settle()
    assert "Close pane" not in other.text
    serving.shows(other, "x")
    serving.first.send("c")
    serving.until(lambda: count_windows(serving) == 2)


# Who is let in


def refused(serving: Serving, line: bytes) -> dict[str, Any]:
    """What the server says to a first line that it refuses."""
    connected = serving.connect()
    connected.sendall(line)
    client = Client(connected, hello())
    serving.clients.append(client)
    serving.until(lambda: client.answer is not None or not client.open)
    serving.until(lambda: not client.open)
    assert client.answer is not None
    return client.answer["error"]


def test_another_protocol_is_refused_with_the_way_out(serve_mirrored: Serve) -> None:
    serving = serve_mirrored(first=hello())
    serving.shows(serving.first, "1 cat")
    error = refused(serving, attach_protocol.request(attach_protocol.Hello(protocol=99, version="9.9")))
    assert error["code"] == attach_protocol.REFUSED
    assert "9.9" in error["message"]
    assert "kill-server" in error["message"]


@pytest.mark.parametrize("params", [{"cols": "wide"}, [1], 3, {"read_only": 1}])
def test_what_is_no_hello_is_refused(serve_mirrored: Serve, params: object) -> None:
    serving = serve_mirrored(first=hello())
    serving.shows(serving.first, "1 cat")
    said = {"jsonrpc": "2.0", "id": 1, "method": attach_protocol.METHOD, "params": params}
    assert refused(serving, json.dumps(said).encode() + b"\n")["code"] < 0
    serving.first.send("alive\r")
    serving.shows(serving.first, "alive")


def test_a_pane_cannot_show_its_own_workspace(serve_mirrored: Serve) -> None:
    serving = serve_mirrored("sh", first=hello())
    serving.shows(serving.first, "test")
    script = serving.config.with_name("inside.py")
    line = attach_protocol.request(hello())
    script.write_text(f"import socket\ns = socket.socket(1)\ns.connect({serving.path!r})\ns.sendall({line!r})\n")
    with script.open("a") as file:
        file.write("print(s.recv(999))\n")
    serving.first.send(f"{shlex.quote(sys.executable)} {script}\r")
    serving.shows(serving.first, "show itself in itself")
    assert len(serving.call("list-clients")["clients"]) == 1


def test_with_mcp_disabled_clients_and_the_command_line_still_connect(serve_mirrored: Serve) -> None:
    serving = serve_mirrored(first=hello(), config="[mcp]\nenabled = false\n")
    serving.shows(serving.first, "1 cat")
    assert count_windows(serving) == 1
    other = serving.attach()
    serving.shows(other, "1 cat")
    error = refused(serving, b'{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}\n')
    assert "mcp.enabled" in error["message"]


def test_input_that_comes_with_the_first_line_is_not_lost(serve_mirrored: Serve) -> None:
    serving = serve_mirrored(first=hello())
    serving.shows(serving.first, "1 cat")
    connected = socket.socket(socket.AF_UNIX)
    connected.connect(serving.path)
    client = Client(connected, hello())
    serving.clients.append(client)
    client.raw(attach_protocol.request(hello()) + attach_protocol.frame(attach_protocol.INPUT, b"early\r"))
    serving.shows(client, "early")
    assert os.path.exists(serving.path)


def test_a_fault_in_the_configuration_is_shown_before_other_messages(serve_mirrored: Serve) -> None:
    serving = serve_mirrored(
        first=hello(LARGE, nested="tmux"), config="[keys.bindings]\n'|' = 'create-window'\nPageUp = 'scroll'\n"
    )
    serving.until(lambda: any(word in serving.first.text for word in ("inside tmux", "PageUp")))
    assert "served.toml: keys.bindings.PageUp: 'PageUp' is no key" in serving.first.text
    serving.first.send("\x02|")
    serving.shows(serving.first, "[2 ")
