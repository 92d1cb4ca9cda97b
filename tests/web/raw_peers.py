"""Peers of a server of pages that send what no browser does, and say nothing by themselves."""

import socket
import struct
from base64 import b64encode

import httpx2
from tests.web.page_server import Served
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from fugue_tui.web.access import Session

SHOW = b'{"type":"show","tab":"raw","size":{"cols":80,"rows":24}}'
TEXT, BINARY, CLOSE, PING = 0x1, 0x2, 0x8, 0x9


def logged_in(served: Served) -> Session:
    session = served.access.redeem(served.access.new_token())
    assert session is not None
    return session


def raw(served: Served) -> socket.socket:
    """A connection that sends what the test wants."""
    return socket.create_connection(("127.0.0.1", served.port), 40)


def page_of(served: Served, session: Session) -> ClientConnection:
    return connect(
        f"{served.origin.replace('http', 'ws', 1)}/s/{session.id}/socket",
        origin=Origin(served.origin), additional_headers={"Cookie": f"fugue={session.cookie}"}, compression=None,
        proxy=None, max_size=None, ping_interval=None,
    )  # fmt: skip


def answered(served: Served) -> bool:
    """Whether another client is served; what arrived before was handled then."""
    with httpx2.Client(trust_env=False) as client:
        return client.get(f"{served.origin}/").status_code == 200


def is_open(link: socket.socket) -> bool:
    """Whether the server has not closed a connection on which it says nothing."""
    link.setblocking(False)
    try:
        return bool(link.recv(1))
    except BlockingIOError:
        return True
    finally:
        link.settimeout(40)


def ended(link: socket.socket) -> bool:
    """Wait until the server closes a connection."""
    try:
        while link.recv(1 << 16):
            pass
    except ConnectionResetError:
        pass
    return True


def handshaken(served: Served, session: Session) -> socket.socket:
    """A WebSocket whose frames are ours."""
    link = raw(served)
    link.sendall(
        f"GET /s/{session.id}/socket HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\nOrigin: {served.origin}\r\n"
        f"Cookie: fugue={session.cookie}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        f"Sec-WebSocket-Key: {b64encode(bytes(16)).decode()}\r\n\r\n".encode()
    )
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        head += link.recv(1)
    assert head.startswith(b"HTTP/1.1 101 "), head
    return link


def frame(opcode: int, payload: bytes, *, last: bool = True, masked: bool = True) -> bytes:
    """A frame of a client (RFC 6455, 5.2)."""
    size = len(payload)
    length, more = (size, b"") if size < 126 else (126, struct.pack(">H", size)) if size < 1 << 16 else (
        127, struct.pack(">Q", size)
    )  # fmt: skip
    head = bytes([opcode | 0x80 * last, length | 0x80 * masked])
    return head + more + bytes(4 * masked) + payload


def read_until(link: socket.socket, wanted: int) -> bytes:
    """Read frames until one has this opcode; its payload."""
    while True:
        opcode, size = taken(link, 2)
        if size in (126, 127):
            size = int.from_bytes(taken(link, 2 if size == 126 else 8), "big")
        payload = taken(link, size)
        if wanted == opcode & 0xF:
            return payload


def taken(link: socket.socket, size: int) -> bytes:
    """So many bytes."""
    data = b""
    while len(data) < size:
        more = link.recv(size - len(data))
        assert more, "the connection was closed"
        data += more
    return data
