"""The lists that a client gets while no workspace runs: those of a workspace without panes.

A bridge runs this as a program once for each client, and keeps the output. The responses are those of a session with
the SDK, so that there is no second definition of any tool. Importing this imports the SDK.
"""

import asyncio
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from socket import socketpair
from typing import Any, cast

from fugue_tui.config import model
from fugue_tui.control import command_table as command_table
from fugue_tui.control.core.command import Interface
from fugue_tui.control.dispatch.dispatcher import Dispatcher
from fugue_tui.control.dispatch.thread_gateway import Caller, ThreadGateway
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.spawner import Launcher
from fugue_tui.terminal.pty.io_loop import IOLoop
from fugue_tui_mcp import jsonrpc
from fugue_tui_mcp.bridge import offline_responses
from fugue_tui_mcp.connection import Connection, Limits
from fugue_tui_mcp.protocol.handlers import Handlers
from fugue_tui_mcp.protocol.session import Session

Message = dict[str, Any]


async def responses(client: Message, settings: model.McpSettings) -> dict[str, Message]:
    """The responses by method, without their ids; `client` has the parameters of `initialize`, or the `_meta` of a
    request of a later protocol as `_meta`."""
    ours, theirs = socketpair()
    limits = Limits()
    connection = Connection(*await asyncio.open_connection(sock=theirs, limit=limits.line), limits)
    serving = asyncio.create_task(_serve(connection, settings))
    reader, writer = await asyncio.open_connection(sock=ours, limit=limits.line)
    found = dict[str, Message]()
    try:
        for message in _messages(client):
            writer.write(jsonrpc.line(message))
            while "id" in message:
                line = await reader.readline()
                if not line:
                    return found
                response: Message = json.loads(line)
                if response.pop("id", None) == message["id"]:
                    found[message["method"]] = response
                    break
    finally:
        writer.close()
        await serving
    return found


def _messages(client: Message) -> Iterator[Message]:
    """The messages of a session in the protocol of the client."""
    meta: Message = {"_meta": client["_meta"]} if "_meta" in client else {}
    first = ("server/discover", meta) if meta else ("initialize", client)
    for number, (method, params) in enumerate((first, *((name, meta) for name in offline_responses.LISTS))):
        yield {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        if method == "initialize":
            yield {"jsonrpc": "2.0", "method": "notifications/initialized"}


async def _serve(connection: Connection, settings: model.McpSettings) -> None:
    loop = asyncio.get_running_loop()

    def post(call: Callable[[], object]) -> None:
        loop.call_soon_threadsafe(call)

    io_loop = IOLoop()
    io_loop.start()
    mux = Multiplexer("offline", spawner=Launcher(io_loop), post=post)
    mux.permissions = settings
    handlers = Handlers(ThreadGateway(Dispatcher(mux), post), Caller(Interface.MCP), lambda: settings)
    try:
        first = await connection.first()
        if first is not None:
            await Session(handlers, connection).serve(first)
    except ConnectionError:
        return
    finally:
        connection.abort()
        mux.close()
        io_loop.stop()


def main() -> int:
    """Read a client's parameters and the key of its file as JSON from stdin, write the file and print its content."""
    asked = cast("dict[str, Any]", json.load(sys.stdin))
    settings = model.read(model.path()).config.mcp
    content: Message = {"responses": asyncio.run(responses(asked["client"], settings))}
    offline_responses.save(asked["key"], content)
    with suppress(BrokenPipeError):  # The bridge has ended.
        sys.stdout.write(json.dumps(content))
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
