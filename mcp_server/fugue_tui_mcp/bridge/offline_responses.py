"""What a client gets while its workspace does not run: the lists, from a file in the state directory.

The file is the output of `fugue_tui_mcp.protocol.offline_lists`, which runs in a process of its own if there is no file
for this client, protocol version, program version and configuration. Standard library only.
"""

import json
import os
import sys
from contextlib import suppress

from fugue_tui import __version__
from fugue_tui.errors import SaveError
from fugue_tui.store.paths import home_state_path
from fugue_tui.user_dirs import config_file
from fugue_tui_mcp.bridge.handshake import PREFIX
from fugue_tui_mcp.bridge.session_replay import SUBSCRIPTION, Message, mapping, params_of, written

TYPE_CHECKING = False
if TYPE_CHECKING:
    from subprocess import Popen

GENERATOR = "fugue_tui_mcp.protocol.offline_lists"
AREA = "mcp-lists"
MOST_FILES = 24
LONGEST = 8 << 20
_META = ("protocolVersion", "clientInfo", "clientCapabilities")
_VERSION = f"{PREFIX}protocolVersion"
LISTS = ("tools/list", "prompts/list", "resources/list", "resources/templates/list")
_GENERATED = ("initialize", "server/discover", *LISTS)
_ACCEPTED = ("ping", "resources/subscribe", "resources/unsubscribe")
"""Requests with an empty result: a workspace that starts gets the subscriptions."""


class OfflineResponses:
    """The responses to one client."""

    def __init__(self) -> None:
        self._client: Message = {}
        self._key: list[object] = []
        self._content: Message | None = None
        self._generator: Popen[bytes] | None = None
        self._output: list[bytes] = []

    @property
    def generating(self) -> int | None:
        """The descriptor to read from while the responses are generated: `read` it when it is readable."""
        return self._generator.stdout.fileno() if self._generator is not None and self._generator.stdout else None

    def introduce(self, message: Message) -> None:
        """Record how the client introduces itself, if it does in this message."""
        self._client = _client_of(message) or self._client

    def is_ready(self, method: object) -> bool:
        """Whether the response to a request is known, or can only be a workspace's; if not, it is generated from now
        on."""
        if method not in _GENERATED or not self._client:
            return True
        if (key := _key_of(self._client)) != self._key:
            self.close()
            self._key, self._content = key, _load(key)
        if self._content is None and self._generator is None:
            self._generate()
        return self._content is not None

    def read(self) -> bool:
        """Read what the generator prints; whether it has ended."""
        generator = self._generator
        if generator is None or generator.stdout is None:
            return True
        if data := os.read(generator.stdout.fileno(), 1 << 16):
            self._output.append(data)
            return False
        self.close()
        self._content = _parsed(b"".join(self._output))
        return True

    def close(self) -> None:
        """Read no more of the generator, which still writes the file."""
        if self._generator is not None and self._generator.stdout is not None:
            self._generator.stdout.close()
        self._generator = None

    def respond(self, message: Message) -> bytes | None:
        """The response to a request; None if only a workspace has it."""
        id, method = message.get("id"), message.get("method")
        if method == "subscriptions/listen":
            requested = {"notifications": mapping(params_of(message).get("notifications"))}
            params = {"_meta": {SUBSCRIPTION: id}, **requested}
            acknowledged = "notifications/subscriptions/acknowledged"
            return written({"jsonrpc": "2.0", "method": acknowledged, "params": params})
        if method in _ACCEPTED and _VERSION not in mapping(params_of(message).get("_meta")):
            return written({"jsonrpc": "2.0", "id": id, "result": {}})
        known = mapping(mapping((self._content or {}).get("responses")).get(str(method)))
        return written({"jsonrpc": "2.0", "id": id, **known}) if known else None

    def _generate(self) -> None:
        from subprocess import DEVNULL, PIPE, Popen

        self._output = []
        command = [sys.executable, "-P", "-m", GENERATOR]
        try:
            self._generator = Popen(command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, start_new_session=True)
            assert self._generator.stdin is not None
            self._generator.stdin.write(json.dumps({"client": self._client, "key": self._key}).encode())
            self._generator.stdin.close()
        except OSError:
            self._content = {}


def _client_of(message: Message) -> Message | None:
    """The parameters by which a client introduces itself; None if it does not."""
    params = params_of(message)
    if message.get("method") == "initialize":
        return {name: params[name] for name in ("protocolVersion", "capabilities", "clientInfo") if name in params}
    meta = mapping(params.get("_meta"))
    found = {f"{PREFIX}{name}": meta[f"{PREFIX}{name}"] for name in _META if f"{PREFIX}{name}" in meta}
    return {"_meta": found} if _VERSION in found else None


def _key_of(client: Message) -> list[object]:
    """What the responses depend on: the client and its protocol, this program and its configuration."""
    meta, file = mapping(client.get("_meta")), config_file()
    info = mapping(meta.get(f"{PREFIX}clientInfo", client.get("clientInfo")))
    words = [str(info.get("name"))[:40], str(meta.get(_VERSION, client.get("protocolVersion")))[:16]]
    try:
        found = os.stat(file)
    except OSError:
        return [*words, __version__, file]
    return [*words, __version__, file, found.st_mtime_ns, found.st_size]


def _name_of(key: list[object]) -> str:
    """The name of a client's file."""
    words = f"{key[0]}-{key[1]}"
    return "".join(char if char.isascii() and (char.isalnum() or char in "-.") else "_" for char in words) + ".json"


def _load(key: list[object]) -> Message | None:
    from fugue_tui.store.private_dir import opened

    with suppress(OSError, SaveError, ValueError), opened(home_state_path(), AREA) as area:
        content = _parsed((area.read(_name_of(key), LONGEST) if area is not None else None) or b"")
        return content if content.get("key") == key else None
    return None


def save(key: list[object], content: Message) -> None:
    """Keep the responses for all clients with the same key, if the state directory can be used."""
    from fugue_tui.store.private_dir import made

    with suppress(OSError, SaveError), made(home_state_path(), AREA) as area:
        for name in sorted(area.names(), key=lambda name: os.lstat(os.path.join(area.path, name)).st_mtime)[
            :-MOST_FILES
        ]:
            area.discard(name)
        area.replace(_name_of(key), json.dumps({"key": key, **content}).encode())


def _parsed(data: bytes) -> Message:
    try:
        return mapping(json.loads(data))
    except (ValueError, RecursionError):
        return {}
