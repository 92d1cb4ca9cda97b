"""What a bridge must remember of an MCP conversation to carry it over to the next workspace. No I/O.

The handshake and open subscriptions are replayed; answers that the client has already had are swallowed; calls that
were in hand fail. Both eras: before 2026-07-28 there are `initialize` and `resources/subscribe`, after it there may be
`subscriptions/listen`.
"""

import json

NOT_RUNNING = -32000
_RESPONSE = b'{"jsonrpc":"2.0","id":'
_ID_BYTES = 256
_SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"

Message = dict[str, object]


class SessionReplay:
    """One client's conversation with one workspace after another."""

    def __init__(self) -> None:
        self._opening: list[bytes] = []
        self._subscribed: dict[str, bytes] = {}
        self._listening: dict[str, bytes] = {}
        self._pending: dict[str, object] = {}
        self._swallow: set[str] = set()
        self._acknowledged: set[str] = set()

    def sent(self, line: bytes) -> None:
        """Note a line that the client sends."""
        message = parsed(line)
        method = message.get("method")
        if method == "initialize":
            self._opening = [line]
        elif method == "notifications/initialized" and self._opening:
            self._opening = [self._opening[0], line]
        if method == "resources/subscribe":
            self._subscribed[_key(_params(message).get("uri"))] = line
        elif method == "resources/unsubscribe":
            self._subscribed.pop(_key(_params(message).get("uri")), None)
        if method == "subscriptions/listen":
            self._listening[_key(message.get("id"))] = line
        elif method == "notifications/cancelled":
            self._forget(_key(_params(message).get("requestId")))
        elif method and "id" in message:
            self._pending[_key(message["id"])] = message["id"]

    def received(self, line: bytes) -> bool:
        """Note a line that the workspace sends; whether the client should see it."""
        if not line.startswith(_RESPONSE) and b"notifications/subscriptions/acknowledged" in line:
            return self._acknowledgement(line)
        key = _response_key(line)
        if key is None:
            return True
        self._pending.pop(key, None)
        if key in self._swallow:
            self._swallow.discard(key)
            return False
        return key not in self._listening or self._refused(key, line)

    def lost(self, reason: str) -> list[bytes]:
        """The workspace is gone: the answers to the calls in hand."""
        if self._opening and _key(parsed(self._opening[0]).get("id")) in self._pending:
            self._opening.clear()
        failed = [failure(id, reason) for id in self._pending.values()]
        self._pending.clear()
        self._swallow.clear()
        return failed

    def replay(self) -> list[bytes]:
        """The next workspace is there: what it must hear."""
        answered = map(parsed, [*self._opening, *self._subscribed.values()])
        self._swallow |= {_key(message["id"]) for message in answered if "id" in message}
        return [*self._opening, *self._subscribed.values(), *self._listening.values()]

    def changed(self) -> list[bytes]:
        """What the client must hear then: tools and resources may be others. After 2026-07-28 only subscriptions may
        say so."""
        news = [_notice(kind, {}) for kind in ("tools", "resources")] if self._opening else []
        for message in map(parsed, self._listening.values()):
            wanted, meta = _mapping(_params(message).get("notifications")), {_SUBSCRIPTION: message.get("id")}
            news += [
                _notice(kind, {"params": {"_meta": meta}})
                for kind in ("tools", "resources")
                if wanted.get(f"{kind}ListChanged")
            ]
        return news

    def _acknowledgement(self, line: bytes) -> bool:
        key = _key(_mapping(_params(parsed(line)).get("_meta")).get(_SUBSCRIPTION))
        first = key not in self._acknowledged
        self._acknowledged.add(key)
        return first

    def _refused(self, key: str, line: bytes) -> bool:
        """Whether a subscription is over for good; one that ends with its workspace is opened again at the next."""
        code = _mapping(parsed(line).get("error")).get("code", NOT_RUNNING)
        if code == NOT_RUNNING:
            return False
        self._forget(key)
        return True

    def _forget(self, key: str) -> None:
        self._pending.pop(key, None)
        self._listening.pop(key, None)
        self._acknowledged.discard(key)


def _notice(kind: str, more: Message) -> bytes:
    return written({"jsonrpc": "2.0", "method": f"notifications/{kind}/list_changed", **more})


def parsed(line: bytes) -> Message:
    """A line's message; empty if it is none."""
    try:
        return _mapping(json.loads(line))
    except (ValueError, RecursionError):
        return {}


def written(message: Message) -> bytes:
    """A message as a line."""
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


def failure(id: object, reason: str) -> bytes:
    """The answer to a call that cannot be served."""
    return written({"jsonrpc": "2.0", "id": id, "error": {"code": NOT_RUNNING, "message": reason}})


def _response_key(line: bytes) -> str | None:
    """The id of a response, read without parsing its result; None if the line is no response."""
    if line.startswith(_RESPONSE):
        head = line[len(_RESPONSE) : len(_RESPONSE) + _ID_BYTES].decode(errors="replace")
        try:
            id, end = json.JSONDecoder().raw_decode(head)
        except ValueError:
            return None
        if head[end:].startswith((',"result"', ',"error"')):
            return _key(id)
    message = parsed(line)
    return _key(message["id"]) if "id" in message and "method" not in message else None


def _params(message: Message) -> Message:
    return _mapping(message.get("params"))


def _mapping(value: object) -> Message:
    return value if isinstance(value, dict) else {}  # pyright: ignore[reportUnknownVariableType]


def _key(id: object) -> str:
    return json.dumps(id)
