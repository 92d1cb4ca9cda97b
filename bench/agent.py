"""An MCP client on stdio, such as on Fugue's bridge, without the SDK's overhead."""

import json
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from typing import IO, Any, Self, cast

from bench.subjects import FUGUE

_CHUNK = 1 << 16
"""Bytes read at once, as common clients do."""
_CLIENT = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}


class Agent:
    """A connected client; `calls` sends all requests before it waits."""

    def __init__(self, env: Mapping[str, str], server: Sequence[str] = (*FUGUE, "mcp")) -> None:
        """`env` is that of the workspace's stage, or of a pane."""
        self._number = 0
        self._bridge = subprocess.Popen(server, _CHUNK, env=dict(env), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._wait([self._request("initialize", _CLIENT)])
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._bridge.terminate()
        self._bridge.communicate()

    def list_tools(self) -> Any:
        """The tools, which most clients request first."""
        return self._wait([self._request("tools/list", {})])

    def call(self, tool: str, **arguments: Any) -> Any:
        """The result of a tool. Raises RuntimeError on an error."""
        return self.calls([(tool, arguments)])[0]

    def calls(self, calls: Iterable[tuple[str, Mapping[str, Any]]]) -> list[Any]:
        """The results of concurrent calls, in order. Raises RuntimeError on an error."""
        return self.collect(self.begin(calls))

    def answers(self, calls: Iterable[tuple[str, Mapping[str, Any]]]) -> list[Any]:
        """The results of concurrent calls, in order, of which some may be a tool's error."""
        return [answer["result"] for answer in self._wait(self.begin(calls))]

    def begin(self, calls: Iterable[tuple[str, Mapping[str, Any]]]) -> list[int]:
        """Send requests without waiting; their ids."""
        return [self._request("tools/call", {"name": name, "arguments": dict(arguments)}) for name, arguments in calls]

    def cancel(self, number: int) -> None:
        """Cancel a pending request."""
        self._send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}})

    def collect(self, numbers: list[int]) -> list[Any]:
        """The results of pending requests, in order. Raises RuntimeError on an error."""
        answers = self._wait(numbers)
        for answer in answers:
            if "error" in answer or answer["result"].get("isError"):
                raise RuntimeError(json.dumps(answer)[:400])
        return [answer["result"] for answer in answers]

    def _request(self, method: str, parameters: Mapping[str, Any]) -> int:
        self._number += 1
        self._send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": parameters})
        return self._number

    def _send(self, message: Mapping[str, Any]) -> None:
        pipe = cast("IO[bytes]", self._bridge.stdin)
        pipe.write(json.dumps(message).encode() + b"\n")
        pipe.flush()

    def _wait(self, numbers: list[int]) -> list[Any]:
        found: dict[int, Any] = {}
        while len(found) < len(numbers):
            line = cast("IO[bytes]", self._bridge.stdout).readline()
            if not line:
                raise RuntimeError("the bridge ended")
            message = json.loads(line)
            if message.get("id") in numbers:
                found[message["id"]] = message
        return [found[number] for number in numbers]
