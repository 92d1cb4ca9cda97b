"""The state of an MCP session that a bridge replays to the next workspace. No I/O.

The handshake and open subscriptions are replayed, responses that the client has already received are dropped, and
pending calls fail. Clients before protocol version 2026-07-28 send `initialize` and `resources/subscribe`, later ones
`subscriptions/listen`.
"""

import json

NOT_RUNNING = -32000
_RESPONSE = b'{"jsonrpc":"2.0","id":'
_ID_BYTES = 256
SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"

Message = dict[str, object]


class SessionReplay:
    """One client's session with successive workspaces."""

    def __init__(self) -> None:
        self._handshake: list[bytes] = []
        self._subscribed: dict[str, bytes] = {}
        self._listening: dict[str, bytes] = {}
        self._pending: dict[str, object] = {}
        self._tool_lists: set[str] = set()
        self._dropped_responses: set[str] = set()
        self._acknowledged: set[str] = set()
        self.refusal = ""
        """Why the last workspace refused the replayed handshake; empty if it did not."""

    def sent(self, line: bytes, message: Message) -> None:
        """Record a line sent by the client, which is this message."""
        method = message.get("method")
        if method == "initialize":
            self._handshake = [line]
        elif method == "notifications/initialized" and self._handshake:
            self._handshake = [self._handshake[0], line]
        if method == "resources/subscribe":
            self._subscribed[_key(params_of(message).get("uri"))] = line
        elif method == "resources/unsubscribe":
            self._subscribed.pop(_key(params_of(message).get("uri")), None)
        if method == "subscriptions/listen":
            self._listening[_key(message.get("id"))] = line
        elif method == "notifications/cancelled":
            self._forget(_key(params_of(message).get("requestId")))
        elif method and _is_id(message.get("id")):
            self._pending[_key(message["id"])] = message["id"]
            if method == "tools/list":
                self._tool_lists.add(_key(message["id"]))

    def lists_tools(self, line: bytes) -> bool:
        """Whether a line sent by the workspace, and not recorded yet, is the response to a request of its tools."""
        return bool(self._tool_lists) and _response_key(line) in self._tool_lists

    def received(self, line: bytes) -> bool:
        """Record a line sent by the workspace; whether to forward it to the client."""
        if not line.startswith(_RESPONSE) and b"notifications/subscriptions/acknowledged" in line:
            return self._is_first_acknowledgement(line)
        key = _response_key(line)
        if key is None:
            return True
        self._pending.pop(key, None)
        self._tool_lists.discard(key)
        if key in self._dropped_responses:
            self._dropped_responses.discard(key)
            if self._handshake and key == _key(parsed(self._handshake[0]).get("id")):
                self.refusal = str(mapping(parsed(line).get("error")).get("message", ""))
            return False
        return key not in self._listening or self._refused(key, line)

    def answered(self, message: Message, result: Message, *, forwarded: bool) -> bytes:
        """Record that the bridge itself responds to a request, and the workspace too if it is `forwarded`; the line to
        send."""
        key = _key(message.get("id"))
        self._pending.pop(key, None)
        if forwarded:
            self._dropped_responses.add(key)
        return written({"jsonrpc": "2.0", "id": message.get("id"), "result": result})

    def lost(self, reason: str) -> list[bytes]:
        """Handle the end of the workspace; returns error responses to the pending calls."""
        if self._handshake and _key(parsed(self._handshake[0]).get("id")) in self._pending:
            self._handshake.clear()
        failed = [failure(id, reason) for id in self._pending.values()]
        self._pending.clear()
        self._tool_lists.clear()
        self._dropped_responses.clear()
        return failed

    def replay(self) -> list[bytes]:
        """The lines to send to the next workspace."""
        requests = map(parsed, [*self._handshake, *self._subscribed.values()])
        self._dropped_responses |= {_key(message["id"]) for message in requests if "id" in message}
        return [*self._handshake, *self._subscribed.values(), *self._listening.values()]

    def changed(self) -> list[bytes]:
        """The notifications to the client that tools and resources may have changed. From 2026-07-28 on, only to
        subscriptions."""
        notices = [_notice(kind, {}) for kind in ("tools", "resources")] if self._handshake else []
        for message in map(parsed, self._listening.values()):
            requested, meta = mapping(params_of(message).get("notifications")), {SUBSCRIPTION: message.get("id")}
            notices += [
                _notice(kind, {"params": {"_meta": meta}})
                for kind in ("tools", "resources")
                if requested.get(f"{kind}ListChanged")
            ]
        return notices

    def _is_first_acknowledgement(self, line: bytes) -> bool:
        key = _key(mapping(params_of(parsed(line)).get("_meta")).get(SUBSCRIPTION))
        first = key not in self._acknowledged
        self._acknowledged.add(key)
        return first

    def _refused(self, key: str, line: bytes) -> bool:
        """Whether a subscription was refused; one that ends with its workspace is reopened in the next."""
        code = mapping(parsed(line).get("error")).get("code", NOT_RUNNING)
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
    """The message in a line; empty if there is none."""
    try:
        return mapping(json.loads(line))
    except (ValueError, RecursionError):
        return {}


def written(message: Message) -> bytes:
    """A message as a line."""
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


def failure(id: object, reason: str) -> bytes:
    """The error response to a call that cannot be served."""
    return written({"jsonrpc": "2.0", "id": id, "error": {"code": NOT_RUNNING, "message": reason}})


def _response_key(line: bytes) -> str | None:
    """The id of a response, without parsing its result; None if the line is no response."""
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


def params_of(message: Message) -> Message:
    """The parameters of a message."""
    return mapping(message.get("params"))


def mapping(value: object) -> Message:
    """A value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}  # pyright: ignore[reportUnknownVariableType]


def _is_id(value: object) -> bool:
    """Whether a workspace answers a request with this id; any other is answered without its id."""
    return isinstance(value, (str, int)) and not isinstance(value, bool)


def _key(id: object) -> str:
    return json.dumps(id)
