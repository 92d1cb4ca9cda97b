"""Terminals that lie about themselves, or say a great deal: none of it reaches anybody else, or keeps them waiting."""

from pathlib import Path
from typing import Any

import pytest
from tests.tui.served_workspace import Serve, Serving
from tests.tui.served_workspace import serve as serve
from tests.tui.socket_clients import hello

from fugue_tui import attach_protocol
from fugue_tui.geometry import Size

pytestmark = pytest.mark.slow


EVIL = "\x1b]2;evil\x07\x1b[2J\u202e"
LONG = "x" * 100_000


def resident(serving: Serving) -> int:
    """The server's memory in bytes."""
    return int(Path(f"/proc/{serving.process.pid}/statm").read_text().split()[1]) * 4096


@pytest.mark.parametrize(
    "said",
    [
        {"term": EVIL, "colorterm": EVIL, "tty": EVIL},
        {"nested": EVIL},
        {"nested": LONG, "tty": LONG, "term": LONG},
        {"prefix": EVIL},
        {"prefix": LONG},
        {"version": EVIL, "protocol": 7},
        {"cols": 10**30, "rows": -(10**30), "xpixel": -1},
    ],
)
def test_names_of_a_terminal_are_cleaned_before_they_are_shown(serve: Serve, said: dict[str, Any]) -> None:
    serving = serve(first=hello(Size(120, 30)))
    serving.shows(serving.first, "1 cat")
    cols, rows = int(said.pop("cols", 80)), int(said.pop("rows", 24))
    liar = hello(**said)
    liar.__dict__.update(cols=cols, rows=rows)
    connected = serving.connect()
    connected.sendall(attach_protocol.request(liar))
    connected.settimeout(40)
    told = connected.recv(1 << 16)
    clients = serving.call("list-clients")
    serving.settle()
    connected.close()
    serving.until(lambda: len(serving.call("list-clients")["clients"]) == 1)
    serving.settle()
    assert b"\x1b]2;evil" not in told
    assert "\x1b" not in str(clients)
    assert all(len(str(client)) < 700 for client in clients["clients"])
    assert b"\x1b]2;evil" not in serving.first.received
    serving.first.send("alive\r")
    serving.shows(serving.first, "alive")


def test_many_resizes_delay_no_client_and_use_bounded_memory(serve: Serve) -> None:
    serving = serve(first=hello())
    serving.shows(serving.first, "1 cat")
    before = resident(serving)
    other = serving.attach(Size(60, 20))
    serving.shows(other, "1 cat")
    storm = b"".join(
        attach_protocol.frame(
            attach_protocol.SIZE, attach_protocol.Extent(50 + n % 60, 20 + n % 7 if n % 3 else 20).dump()
        )
        for n in range(5000)
    )
    other.raw(storm)
    serving.call("get-status")
    other.close()
    serving.until(lambda: len(serving.call("list-clients")["clients"]) == 1)
    serving.first.send("alive\r")
    serving.shows(serving.first, "alive")
    assert resident(serving) - before < 64 << 20


def test_a_client_that_sends_nothing_blocks_no_other(serve: Serve) -> None:
    serving = serve(first=hello())
    serving.shows(serving.first, "1 cat")
    held = [serving.connect() for _ in range(150)]
    other = serving.attach()
    serving.shows(other, "1 cat")
    for each in held:
        each.close()
