"""Too long, too many, too silent: what exceeds a limit ends its own conversation and no other."""

import logging
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from subprocess import PIPE, Popen

import pytest
from tests.mcp.conftest import Served, request, until

from fugue_tui_mcp.connection import Limits


def test_a_message_that_is_too_long_ends_the_conversation_and_no_other(
    serve: Callable[..., Served], caplog: pytest.LogCaptureFixture
) -> None:
    served = serve(Limits(line=1 << 16))
    other, link = served.link(), served.link()
    other.initialize()
    link.initialize()
    with caplog.at_level(logging.WARNING):
        with suppress(OSError):
            link.send(b"x" * (1 << 18))
        until(lambda: "a message of more than 65536 bytes" in caplog.text)
    assert other.ask("ping")["result"] == {}
    other.close()
    link.close()


def test_five_megabytes_are_too_much_and_almost_four_are_not(served: Served) -> None:
    link = served.link()
    link.initialize()
    text = "x" * 3_900_000
    assert link.call("fugue_test_echo", {"text": text})["content"][0]["text"].count("x") == 40_000
    with suppress(OSError):
        link.send(b'{"jsonrpc": "2.0", "id": 2, "method": "' + b"x" * 5_000_000 + b'"}\n')
        assert link.read() is None
    link.close()


def test_a_hundred_parallel_calls_each_get_their_own_answer(served: Served) -> None:
    link = served.link()
    link.initialize()
    for number in range(100):
        arguments = {"name": "fugue_test_echo", "arguments": {"text": f"<{number}>"}}
        link.send(request("tools/call", arguments, f"call-{number}"))
    answers = [link.read() for _ in range(100)]
    assert {each["id"] for each in answers} == {f"call-{number}" for number in range(100)}
    for each in answers:
        assert f"<{each['id'][5:]}>" in each["result"]["content"][0]["text"]
    link.close()


@pytest.mark.slow
def test_a_thousand_requests_at_once_are_all_answered(served: Served) -> None:
    link = served.link()
    link.initialize()
    writer = threading.Thread(target=lambda: link.send(*(request("ping", id=number) for number in range(1000))))
    writer.start()
    assert sorted(link.read()["id"] for _ in range(1000)) == list(range(1000))
    writer.join()
    link.close()


def test_fifty_clients_are_served_together(served: Served) -> None:
    links = [served.link() for _ in range(50)]
    for link in links:
        link.send(request("fugue/cli", {"words": ["list-panes"], "json": True}))
    assert [link.read()["result"]["exit"] for link in links] == [0] * 50
    for link in links:
        link.close()


@pytest.mark.slow
def test_a_client_that_does_not_read_is_dropped(serve: Callable[..., Served], caplog: pytest.LogCaptureFixture) -> None:
    served = serve(Limits(stall=0.3))
    link, other = served.link(), served.link()
    link.initialize()
    other.initialize()
    arguments = {"name": "fugue_test_echo", "arguments": {"text": "x", "times": 50_000}}
    with suppress(OSError):
        link.send(*(request("tools/call", arguments, number) for number in range(300)))
    until(lambda: "it did not read" in caplog.text)
    assert other.ask("ping")["result"] == {}
    until(lambda: len(served.server.clients()) == 1)
    link.close()
    other.close()


def test_above_the_limit_the_least_active_client_is_dropped(serve: Callable[..., Served]) -> None:
    served = serve(Limits(connections=3))
    links = [served.link() for _ in range(3)]
    for link in (links[0], links[2]):
        link.send(request("fugue/cli", {"words": ["get-status"]}))
        assert link.read()
    fourth = served.link()
    fourth.send(request("fugue/cli", {"words": ["get-status"]}))
    assert fourth.read()["result"]["exit"] == 0
    assert links[1].read() is None
    for link in (*links, fourth):
        link.close()


def test_the_limit_holds_for_clients_that_come_at_once(
    serve: Callable[..., Served], caplog: pytest.LogCaptureFixture
) -> None:
    served = serve(Limits(connections=3))
    with caplog.at_level(logging.WARNING):
        links = [served.link() for _ in range(40)]
        for link in links[:-3]:
            assert link.read() is None
    assert {record.getMessage() for record in caplog.records} == {
        "3 clients are connected: the one idle for longest was dropped"
    }
    for link in links[-3:]:
        link.send(request("fugue/cli", {"words": ["get-status"]}))
        assert link.read()["result"]["exit"] == 0
    for link in links:
        link.close()


FLOOD = """
import json, socket, sys
request = {"jsonrpc": "2.0", "id": 1, "method": "fugue/cli", "params": {"words": ["get-status"]}}
line = json.dumps(request).encode() + b"\\n"
connections = []
for _ in range(12):
    connections.append(socket.socket(socket.AF_UNIX))
    connections[-1].connect(sys.argv[1])
    connections[-1].sendall(line)
    connections[-1].makefile("rb").readline()
print(flush=True)
sys.stdin.read()
"""


def test_a_client_with_many_connections_drops_its_own(serve: Callable[..., Served]) -> None:
    served = serve(Limits(connections=4))
    idle = served.link()
    idle.initialize()
    with Popen([sys.executable, "-S", "-c", FLOOD, served.path], stdin=PIPE, stdout=PIPE) as flood:
        assert flood.stdout is not None
        flood.stdout.readline()
        other = served.link()
        other.initialize()
        for link in (idle, other):
            link.send(request("ping"))
            assert link.read() == {"jsonrpc": "2.0", "id": 1, "result": {}}
        flood.communicate()


def test_a_client_that_says_nothing_is_dropped(serve: Callable[..., Served]) -> None:
    link = serve(Limits(first=0.2)).link()
    assert link.read() is None
    link.close()
