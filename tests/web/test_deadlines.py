"""What a server of pages does when peers say nothing, by a clock that the test sets forward."""

from contextlib import closing
from typing import Any

import httpx2
import pytest
from tests.e2e.conftest import Running
from tests.web.conftest import Page
from tests.web.page_server import Served, serving
from tests.web.page_server import served as served
from tests.web.raw_peers import (
    CLOSE,
    PING,
    SHOW,
    TEXT,
    answered,
    ended,
    frame,
    handshaken,
    is_open,
    logged_in,
    page_of,
    raw,
    read_until,
)
from tests.web.test_certificate import OPENSSL, Files
from tests.web.test_certificate import files as files

from fugue_tui.web.application import BODY_SECONDS
from fugue_tui.web.server import HANDSHAKE_SECONDS, PING_SECONDS
from fugue_tui.web.views import KEEP_SECONDS
from fugue_tui_mcp.protocol.http_connection import CONNECTIONS, HEADERS_SECONDS

pytestmark = [pytest.mark.slow, pytest.mark.forked]


@pytest.mark.parametrize("sent", [b"", b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: "])
def test_a_peer_that_does_not_complete_a_request_is_dropped(served: Served, sent: bytes) -> None:
    with raw(served) as link:
        link.sendall(sent)
        served.loop.advance(HEADERS_SECONDS - 1)
        assert answered(served)
        assert is_open(link)
        served.loop.advance(1)
        assert ended(link)


def test_a_token_that_does_not_arrive_is_not_waited_for(served: Served) -> None:
    with raw(served) as link:
        head = f"POST /login HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\nOrigin: {served.origin}\r\n"
        link.sendall(f"{head}Content-Length: 43\r\n\r\nA".encode())
        assert answered(served)
        assert is_open(link)
        served.loop.advance(BODY_SECONDS)
        assert link.recv(1 << 16).startswith(b"HTTP/1.1 408 ")


@pytest.mark.skipif(not OPENSSL, reason="there is no openssl")
def test_a_tls_handshake_that_is_not_completed_is_dropped(running: Running, files: Files) -> None:
    with serving(str(running.socket), *files) as served, raw(served) as link:
        link.sendall(b"\x16\x03\x01")
        with httpx2.Client(trust_env=False, verify=False) as client:
            assert client.get(f"{served.origin}/").status_code == 200
        assert is_open(link)
        served.loop.advance(HANDSHAKE_SECONDS)
        assert ended(link)


def test_of_too_many_connections_the_oldest_gives_way(served: Served) -> None:
    links = [raw(served) for _ in range(CONNECTIONS)]
    assert answered(served)
    assert ended(links[0])
    assert is_open(links[-1])
    for link in links:
        link.close()


def test_a_page_that_does_not_answer_is_dropped_and_its_view_kept_for_a_minute(
    served: Served, running: Running
) -> None:
    session = logged_in(served)
    with closing(handshaken(served, session)) as link:
        link.sendall(frame(TEXT, SHOW))
        running.host.wait_until(lambda: len(browsers(running)) == 1)
        served.loop.advance(PING_SECONDS)
        read_until(link, PING)
        served.loop.advance(PING_SECONDS)
        read_until(link, CLOSE)
    assert answered(served)
    served.loop.advance(KEEP_SECONDS - 1)
    assert answered(served)
    assert len(browsers(running)) == 1
    served.loop.advance(1)
    running.host.wait_until(lambda: not browsers(running))


def test_a_page_that_answers_stays(served: Served) -> None:
    with page_of(served, logged_in(served)) as link:
        page = Page(link)
        page.shows(b"ready")
        for number in range(4):
            served.loop.advance(PING_SECONDS)
            for count in (1, 2):  # The first answer follows the server's question, the second our answer to that.
                page.say(type="ping")
                page.hears("pong", 2 * number + count)
        page.type(b"still here\r")
        page.shows(b"still here")


def test_a_page_that_comes_back_in_time_keeps_its_view(served: Served, running: Running) -> None:
    session = logged_in(served)
    with page_of(served, session) as link:
        Page(link).shows(b"ready")
    (before,) = browsers(running)
    served.loop.advance(KEEP_SECONDS - 1)
    with page_of(served, session) as link:
        page = Page(link)
        assert page.hears("welcome")["resumed"]
        served.loop.advance(2)
        page.type(b"after the minute\r")
        page.shows(b"after the minute")
        (after,) = browsers(running)
        assert after["id"] == before["id"]


def browsers(running: Running) -> list[dict[str, Any]]:
    return [each for each in running.ask("list-clients")["clients"] if each["tty"] == "browser"]
