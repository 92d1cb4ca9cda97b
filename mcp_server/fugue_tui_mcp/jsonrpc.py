"""Parses JSON-RPC messages, one per line, and builds error responses to invalid ones. No I/O.

The SDK does not respond to invalid lines, so that a client would wait for ever.
"""

import json
from typing import Any, Final, TypeAlias, cast

from msgspec import Struct

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
INVALID_PARAMS: Final = -32602
UNAVAILABLE: Final = -32000

Id: TypeAlias = str | int | None


class Frame(Struct, frozen=True):
    """A valid JSON-RPC 2.0 message."""

    value: dict[str, Any]
    id: Id
    """None for a notification."""
    method: str
    """Empty for a response."""

    @property
    def is_request(self) -> bool:
        """Whether it expects a response."""
        return bool(self.method) and self.id is not None


class Fault(Struct, frozen=True):
    """An invalid line, and the error response to it."""

    reason: str
    answer: bytes


def read(line: bytes) -> Frame | Fault:
    """Parse a line."""
    try:
        value = json.loads(line)
    except RecursionError:
        return _fault(PARSE_ERROR, "nested too deeply")
    except ValueError as error:
        return _fault(PARSE_ERROR, f"not JSON: {error}")
    if isinstance(value, list):
        return _fault(INVALID_REQUEST, "batches are not supported; send one message a line")
    if not isinstance(value, dict):
        return _fault(INVALID_REQUEST, "not an object")
    return _message(cast("dict[str, Any]", value))


def error(id: Id, code: int, message: str) -> bytes:
    """An error response as a line."""
    return line({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})


def result(id: Id, value: object) -> bytes:
    """A response as a line."""
    return line({"jsonrpc": "2.0", "id": id, "result": value})


def line(message: dict[str, Any]) -> bytes:
    """A message as one line."""
    return json.dumps(message, separators=(",", ":"), allow_nan=False).encode() + b"\n"


def _message(value: dict[str, Any]) -> Frame | Fault:
    id, method = value.get("id"), value.get("method", "")
    is_valid_id = isinstance(id, str) or (isinstance(id, int) and not isinstance(id, bool))
    valid_id = id if is_valid_id else None
    if value.get("jsonrpc") != "2.0":
        return _fault(INVALID_REQUEST, 'jsonrpc must be "2.0"', valid_id)
    if "id" in value and not is_valid_id and "error" not in value:
        return _fault(INVALID_REQUEST, "id must be a string or a whole number")
    if not isinstance(method, str) or not (method or "result" in value or "error" in value):
        return _fault(INVALID_REQUEST, "method must be a string", valid_id)
    return Frame(value, valid_id, method)


def _fault(code: int, reason: str, id: Id = None) -> Fault:
    return Fault(reason, error(id, code, reason))
