"""A workspace whose MCP servers are real programs."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.multiplexer.conftest import Room
from tests.multiplexer.conftest import main_loop as main_loop
from tests.multiplexer.conftest import room as room

from fugue_tui.config.model import McpSettings
from fugue_tui.config.servers import ServerSettings
from fugue_tui.multiplexer.mcp_servers.model import ServerState
from fugue_tui_mcp.client.pool import ConnectionPool

PROGRAM = str(Path(__file__).with_name("server_program.py"))


def small(*args: str, **settings: Any) -> ServerSettings:
    """The settings of a server of the SDK."""
    return ServerSettings(command=sys.executable, args=(PROGRAM, *args), **settings)


def script(line: str, **settings: Any) -> ServerSettings:
    """The settings of a server that is a shell script."""
    return ServerSettings(command="/bin/sh", args=("-c", line), **settings)


class Servers:
    """A workspace that uses MCP servers."""

    def __init__(self, room: Room) -> None:
        self.room = room
        room.mux.connect_mcp = ConnectionPool

    def use(self, **servers: ServerSettings) -> None:
        """Configure servers."""
        self.room.mux.permissions = McpSettings(servers=servers)
        self.room.mux.on_permissions()

    def call(self, tool: str, server: str = "small", **arguments: Any) -> Any:
        """Call a tool; the result of the command."""
        from fugue_tui.control.commands.call_server import CallServer

        return self.room.run(CallServer(server=server, tool=tool, arguments=arguments))

    def reaches(self, state: ServerState, server: str = "small") -> None:
        """Wait until a server has a state."""
        status = self.room.mux.mcp_servers.status(server)
        self.room.until(lambda: status.state is state, lambda: f"{status.state}: {status.error}")


@pytest.fixture
def servers(room: Room) -> Iterator[Servers]:
    """A workspace without servers yet."""
    yield Servers(room)
    if room.mux.uses_mcp_servers:
        room.mux.mcp_servers.close()
