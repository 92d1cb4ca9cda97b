"""Peers that send what no page does: they are dropped, and pages are served all the same."""

import socket
import struct
from contextlib import closing

import pytest
from tests.web.conftest import Page
from tests.web.page_server import Served
from tests.web.page_server import served as served
from tests.web.raw_peers import (
    BINARY,
    CLOSE,
    PING,
    SHOW,
    TEXT,
    answered,
    frame,
    handshaken,
    logged_in,
    page_of,
    raw,
    read_until,
)

pytestmark = [pytest.mark.slow, pytest.mark.forked]


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        pytest.param(frame(TEXT, b"\xff\xfe{}"), 1007, id="invalid UTF-8"),
        pytest.param(frame(TEXT, b"{"), 1003, id="half a JSON text"),
        pytest.param(frame(TEXT, b'{"type":"resize","size":{"cols":1e999,"rows":1}}'), 1003, id="infinity"),
        pytest.param(frame(TEXT, b"[" * 100_000), 1003, id="deep JSON"),
        pytest.param(frame(TEXT, bytes(9)), 1003, id="NUL"),
        pytest.param(frame(BINARY, b"x", masked=False), 1002, id="not masked"),
        pytest.param(frame(0x3, b"x"), 1002, id="unknown opcode"),
        pytest.param(frame(0x0, b"x"), 1002, id="continuation of nothing"),
        pytest.param(b"\xf2" + frame(BINARY, b"x")[1:], 1002, id="reserved bits"),
        pytest.param(frame(PING, b"x" * 126), 1002, id="long control frame"),
        pytest.param(b"\x82\xff" + struct.pack(">Q", 1 << 62), 1009, id="huge frame"),
        pytest.param(
            frame(BINARY, b"x" * (1 << 19), last=False) + frame(0x0, b"x" * ((1 << 19) + 1), last=False),
            1009,
            id="endless fragments",
        ),
    ],
)
def test_frames_that_are_no_message_close_the_page_alone(served: Served, sent: bytes, code: int) -> None:
    session = logged_in(served)
    with page_of(served, session) as link:
        page = Page(link, "b")
        page.shows(b"ready")
        with closing(handshaken(served, session)) as hostile:
            hostile.sendall(frame(TEXT, SHOW))
            hostile.sendall(sent)
            closing_frame = read_until(hostile, CLOSE)
            assert int.from_bytes(closing_frame[:2]) == code
        page.type(b"not disturbed\r")
        page.shows(b"not disturbed")


def test_a_thousand_connections_do_not_lock_out_other_clients(served: Served) -> None:
    session = logged_in(served)
    with page_of(served, session) as link:
        page = Page(link)
        page.shows(b"ready")
        links = list[socket.socket]()
        try:
            for _ in range(1_000):
                links.append(raw(served))
                if len(links) > 300:  # The limit of descriptors is that of this process, which has both ends.
                    links.pop(0).close()
            assert answered(served)
            page.type(b"not disturbed\r")
            page.shows(b"not disturbed")
        finally:
            for each in links:
                each.close()
