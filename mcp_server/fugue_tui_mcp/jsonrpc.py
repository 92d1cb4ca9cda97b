"""One JSON-RPC message a line: bytes to frames, and answers to what is no message.

The SDK says nothing at all to such lines, so that a client waits for ever; these answers name the fault. No I/O here.
"""

import json
from dataclasses import dataclass
from typing import Any, Final, TypeAlias, cast

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
INVALID_PARAMS: Final = -32602
UNAVAILABLE: Final = -32000

Id: TypeAlias = str | int | None


@dataclass(frozen=True, slots=True)
class Frame:
    """One message, known to be a JSON-RPC 2.0 object."""

    value: dict[str, Any]
    id: Id
    """None for a notification."""
    method: str
    """Empty for a response."""

    @property
    def is_request(self) -> bool:
        """Whether it wants an answer."""
        return bool(self.method) and self.id is not None


@dataclass(frozen=True, slots=True)
class Fault:
    """A line that is no message, and the answer to it."""

    reason: str
    answer: bytes


def read(line: bytes) -> Frame | Fault:
    """The message in a line."""
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


def error(id: Id, code: int, message: str, data: object = None) -> bytes:
    """A line with an error response."""
    fault = {"code": code, "message": message} | ({} if data is None else {"data": data})
    return line({"jsonrpc": "2.0", "id": id, "error": fault})


def result(id: Id, value: object) -> bytes:
    """A line with a response."""
    return line({"jsonrpc": "2.0", "id": id, "result": value})


def line(message: dict[str, Any]) -> bytes:
    """A message as one line."""
    return json.dumps(message, separators=(",", ":"), allow_nan=False).encode() + b"\n"


def _message(value: dict[str, Any]) -> Frame | Fault:
    id, method = value.get("id"), value.get("method", "")
    right_id = isinstance(id, str) or (isinstance(id, int) and not isinstance(id, bool))
    known = id if right_id else None
    if value.get("jsonrpc") != "2.0":
        return _fault(INVALID_REQUEST, 'jsonrpc must be "2.0"', known)
    if "id" in value and not right_id and "error" not in value:
        return _fault(INVALID_REQUEST, "id must be a string or a whole number")
    if not isinstance(method, str) or not (method or "result" in value or "error" in value):
        return _fault(INVALID_REQUEST, "method must be a string", known)
    return Frame(value, known, method)


def _fault(code: int, reason: str, id: Id = None) -> Fault:
    return Fault(reason, error(id, code, reason))
