"""What the bridge remembers."""

import json
from typing import Any

import pytest

from fugue_tui_mcp.bridge.session_replay import SessionReplay, failure, parsed


def line(**message: Any) -> bytes:
    """A message as the SDK writes it."""
    return json.dumps({"jsonrpc": "2.0", **message}, separators=(",", ":")).encode() + b"\n"


def send(session: SessionReplay, message: bytes) -> None:
    """Record a message of the client."""
    session.sent(message, parsed(message))


INITIALIZE = line(id=0, method="initialize", params={})
INITIALIZED = line(method="notifications/initialized")
LISTEN = line(id="ears", method="subscriptions/listen", params={"notifications": {"toolsListChanged": True}})


def test_answers_pass_and_only_open_calls_fail() -> None:
    conversation = SessionReplay()
    for number in (1, "1", 2):
        send(conversation, line(id=number, method="tools/call"))
    assert conversation.received(line(id=1, result={}))
    send(conversation, line(method="notifications/cancelled", params={"requestId": 2}))
    assert conversation.lost("gone") == [failure("1", "gone")]
    assert conversation.lost("gone") == []


@pytest.mark.parametrize("id", ["1.5", "true", "null", "[]", "{}"])
def test_a_request_whose_id_is_none_is_answered_once(id: str) -> None:
    session = SessionReplay()
    send(session, b'{"jsonrpc": "2.0", "id": %s, "method": "ping"}\n' % id.encode())
    assert session.received(b'{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"id must be a string"}}\n')
    assert session.lost("the end") == []


def test_the_handshake_is_replayed_and_its_second_answer_discarded() -> None:
    conversation = SessionReplay()
    send(conversation, INITIALIZE)
    assert conversation.received(line(id=0, result={}))
    send(conversation, INITIALIZED)
    assert conversation.lost("gone") == []
    assert conversation.replay() == [INITIALIZE, INITIALIZED]
    assert not conversation.received(line(id=0, result={}))
    send(conversation, line(id=0, method="ping"))
    assert conversation.received(line(id=0, result={}))
    assert conversation.changed() == [
        line(method="notifications/tools/list_changed"),
        line(method="notifications/resources/list_changed"),
    ]


def test_a_handshake_that_was_never_answered_is_not_replayed() -> None:
    conversation = SessionReplay()
    send(conversation, INITIALIZE)
    send(conversation, INITIALIZED)
    assert conversation.lost("gone") == [failure(0, "gone")]
    assert conversation.replay() == []


def test_a_subscription_is_opened_again_and_its_second_acknowledgement_discarded() -> None:
    meta = {"_meta": {"io.modelcontextprotocol/subscriptionId": "ears"}}
    acknowledged = line(method="notifications/subscriptions/acknowledged", params=meta)
    conversation = SessionReplay()
    send(conversation, LISTEN)
    assert conversation.received(acknowledged)
    assert not conversation.received(line(id="ears", error={"code": -32000, "message": "Connection closed"}))
    assert conversation.lost("gone") == []
    assert conversation.replay() == [LISTEN]
    assert not conversation.received(acknowledged)
    assert conversation.changed() == [line(method="notifications/tools/list_changed", params=meta)]


def test_a_subscription_that_is_refused_or_cancelled_is_not_opened_again() -> None:
    refused, cancelled = SessionReplay(), SessionReplay()
    send(refused, LISTEN)
    assert refused.received(line(id="ears", error={"code": -32602, "message": "no"}))
    assert refused.replay() == []
    send(cancelled, LISTEN)
    send(cancelled, line(method="notifications/cancelled", params={"requestId": "ears"}))
    assert cancelled.replay() == []


def test_resources_that_a_legacy_client_subscribed_to_are_subscribed_to_again() -> None:
    conversation = SessionReplay()
    send(conversation, INITIALIZE)
    conversation.received(line(id=0, result={}))
    first, second = (line(id=n, method="resources/subscribe", params={"uri": f"fugue://{n}"}) for n in (1, 2))
    for number, each in enumerate((first, second), 1):
        send(conversation, each)
        assert conversation.received(line(id=number, result={}))
    send(conversation, line(id=3, method="resources/unsubscribe", params={"uri": "fugue://1"}))
    assert conversation.received(line(id=3, result={}))
    assert conversation.lost("gone") == []
    assert conversation.replay() == [INITIALIZE, second]
    assert not conversation.received(line(id=2, result={}))


def test_clients_are_notified_of_changed_resources_after_a_restart() -> None:
    conversation = SessionReplay()
    send(
        conversation,
        line(id=7, method="subscriptions/listen", params={"notifications": {"resourcesListChanged": True}}),
    )
    meta = {"_meta": {"io.modelcontextprotocol/subscriptionId": 7}}
    assert conversation.changed() == [line(method="notifications/resources/list_changed", params=meta)]


def test_what_is_no_response_passes() -> None:
    conversation = SessionReplay()
    send(conversation, LISTEN)
    for each in (b"not json\n", b"[]\n", line(method="notifications/progress"), line(id="ears", method="roots/list")):
        assert conversation.received(each)


def test_an_id_is_found_however_the_response_is_written() -> None:
    for spaced in (True, False):
        conversation = SessionReplay()
        send(conversation, line(id='a"b', method="ping"))
        answer = {"jsonrpc": "2.0", "id": 'a"b', "result": {"x": "y" * 1000}}
        assert conversation.received(json.dumps(answer, separators=None if spaced else (",", ":")).encode() + b"\n")
        assert conversation.lost("gone") == []
