"""The tools of the bridge itself: they list the workspaces that run, and join another. Standard library only."""

import json
import socket
import time
from collections.abc import Callable

from fugue_tui.client import command_request
from fugue_tui.errors import SocketError
from fugue_tui.store.server_records import Server
from fugue_tui_mcp.bridge.session_replay import Message, mapping, params_of, parsed, written
from fugue_tui_mcp.bridge.workspace_choice import JOIN_TOOL, LIST_TOOL, WorkspaceChoice, labels

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

CALL_TOOL = "fugue_call"
"""The workspace's tool that calls another."""
METHOD = "fugue/workspace"
"""The request for a workspace's summary."""
SUMMARY_SECONDS = 2.0
"""How long all workspaces together may take to answer; of those that do not, only name and id are listed."""
JOIN_SECONDS = 5.0
_MODERN = "io.modelcontextprotocol/protocolVersion"
_ENTRY: Message = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "id": {"type": "string", "description": "The workspace's own; another workspace of the name has another."},
        "joined": {"type": "boolean", "description": "Whether your calls go there."},
        "panes": {"type": "integer", "description": "Missing if it did not answer, or admits no agents."},
        "cwd": {"type": "string", "description": "The directory of its focused pane."},
    },
    "required": ["name", "id", "joined"],
}
_RESULT: Message = {
    "type": "object",
    "properties": {"untrusted": {"type": "string"}, "workspaces": {"type": "array", "items": _ENTRY}},
    "required": ["workspaces"],
}
TOOLS: list[Message] = [
    {
        "name": LIST_TOOL,
        "title": "List workspaces",
        "description": "List the workspaces that run, and which of them you have joined: your calls go there.",
        "inputSchema": {"type": "object", "properties": {}, "additionalProperties": False},
        "outputSchema": _RESULT,
        "annotations": {"title": "List workspaces", "readOnlyHint": True, "openWorldHint": False},
        "_meta": {"anthropic/alwaysLoad": True},
    },
    {
        "name": JOIN_TOOL,
        "title": "Join workspace",
        "description": "Join another workspace: all further calls go there. Ids of panes mean other panes then; list "
        "them anew. Join one only if the user asks for it, or if you have joined none.",
        "inputSchema": {
            "type": "object",
            "properties": {"name": {"type": "string", "description": f"The name, as {LIST_TOOL} lists it."}},
            "required": ["name"],
            "additionalProperties": False,
        },
        "outputSchema": _RESULT,
        "annotations": {"title": "Join workspace", "readOnlyHint": False, "destructiveHint": False},
        "_meta": {"anthropic/alwaysLoad": True},
    },
]


class WorkspaceTools:
    """The calls of one client."""

    def __init__(self, choice: WorkspaceChoice, switch: Callable[[socket.socket], None]) -> None:
        """`switch` moves the client's session to the connection of the workspace that it has joined."""
        self._choice, self._switch = choice, switch
        self.are_listed = False
        """Whether the client's list has them: some clients call no other tools."""

    def called(self, message: Message) -> bool:
        """Whether a message calls one of the tools, itself or by `fugue_call`."""
        return message.get("method") == "tools/call" and _called(params_of(message))[0] in (LIST_TOOL, JOIN_TOOL)

    def respond(self, message: Message) -> bytes:
        """Run a call; its response."""
        params = params_of(message)
        name, arguments = _called(params)
        result: Message
        try:
            if name == JOIN_TOOL:
                self._join(arguments)
            elif arguments:
                raise SocketError(f"invalid_argument: {LIST_TOOL} accepts no arguments")
            result = self._listed()
        except SocketError as error:
            result = {"content": [{"type": "text", "text": str(error)}], "isError": True}
        if _MODERN in mapping(params.get("_meta")):
            result["resultType"] = "complete"
        return written({"jsonrpc": "2.0", "id": message.get("id"), "result": result})

    def offered(self, line: bytes) -> bytes:
        """A response that lists tools, with these tools if there is a workspace to join."""
        message = parsed(line)
        result = mapping(message.get("result"))
        self.are_listed = "tools" in result and bool(self._choice.elsewhere())
        if not self.are_listed:
            return line
        listed: Any = result["tools"]
        return written({**message, "result": {**result, "tools": [*listed, *TOOLS]}})

    def _join(self, arguments: Message) -> None:
        name = arguments.get("name")
        if not isinstance(name, str) or len(arguments) != 1:
            raise SocketError(
                f"invalid_argument: {JOIN_TOOL} requires the name of a running workspace, and nothing else"
            )
        try:
            self._switch(self._choice.join(name, JOIN_SECONDS))
        except SocketError as error:
            running = labels(self._choice.running()) or "none"
            raise SocketError(f"{error.code}: {error}; there run: {running}") from None

    def _listed(self) -> Message:
        deadline = time.monotonic() + SUMMARY_SECONDS
        warning: Message = {}
        found: list[Message] = []
        for server in self._choice.running():
            summary = _summary(server, deadline)
            warning |= {name: summary.pop(name) for name in ("untrusted",) if name in summary}
            found.append({"name": server.name, "id": server.id, "joined": self._choice.has_joined(server), **summary})
        structure: Message = {**warning, "workspaces": found}
        text = json.dumps(structure, ensure_ascii=False)
        return {"content": [{"type": "text", "text": text}], "isError": False, "structuredContent": structure}


def _called(params: Message) -> "tuple[Any, Message]":
    """The tool that a call is for, and its arguments: those of `fugue_call` for clients that call listed tools only."""
    name, arguments = params.get("name"), mapping(params.get("arguments"))
    if name != CALL_TOOL:
        return name, arguments
    return arguments.get("tool"), mapping(arguments.get("arguments"))


def _summary(server: Server, deadline: float) -> Message:
    """What a workspace says of itself to an agent; empty if it does not in time."""
    try:
        seconds = max(deadline - time.monotonic(), 0.01)
        found = command_request.call(server.socket, METHOD, {}, seconds)
    except SocketError:
        return {}
    return {name: found[name] for name in ("untrusted", "panes", "cwd") if name in found}
