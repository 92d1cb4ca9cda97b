"""Lines and messages."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fugue_tui_mcp import jsonrpc
from fugue_tui_mcp.jsonrpc import Fault, Frame


def test_requests_notifications_and_responses_are_distinguished() -> None:
    request = jsonrpc.read(b'{"jsonrpc":"2.0","id":"a","method":"ping"}\n')
    assert isinstance(request, Frame)
    assert (request.id, request.method, request.is_request) == ("a", "ping", True)
    notification = jsonrpc.read(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
    assert isinstance(notification, Frame)
    assert not notification.is_request
    response = jsonrpc.read(b'{"jsonrpc":"2.0","id":0,"result":{}}\n')
    assert isinstance(response, Frame)
    assert (response.id, response.method, response.is_request) == (0, "", False)


@given(st.binary(max_size=200))
def test_any_bytes_are_a_frame_or_a_fault_with_an_answer(line: bytes) -> None:
    found = jsonrpc.read(line)
    if isinstance(found, Fault):
        assert json.loads(found.answer)["error"]["code"] in (jsonrpc.PARSE_ERROR, jsonrpc.INVALID_REQUEST)
        assert found.answer.endswith(b"\n")


_JSON = st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=5), st.lists, max_leaves=5)


@pytest.mark.slow
@given(st.dictionaries(st.sampled_from(["jsonrpc", "id", "method", "result"]), _JSON | st.just("2.0")))
def test_any_object_is_a_frame_or_a_fault_that_names_its_id(message: dict[str, object]) -> None:
    found = jsonrpc.read(json.dumps(message).encode())
    if isinstance(found, Frame):
        assert message["jsonrpc"] == "2.0"
    elif (answered := json.loads(found.answer)["id"]) is not None:
        assert answered == message["id"]


@pytest.mark.parametrize("line", [b"[" * 100_000, b"9" * 10_000, b'{"a":' * 50_000, b"\x00", b'"\xed\xa0\x80"'])
def test_hostile_json_is_a_fault(line: bytes) -> None:
    assert isinstance(jsonrpc.read(line), Fault)
