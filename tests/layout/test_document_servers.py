"""The MCP servers of a project's layout file."""

import pytest

from fugue_tui.config.servers import ServerSettings
from fugue_tui.control.layout_files import trust
from fugue_tui.errors import InvalidArgument
from fugue_tui.layout.document import read

WINDOWS = [{"name": "code"}]


def test_a_document_names_servers_which_are_shown_before_it_is_trusted() -> None:
    servers = {"shop": {"command": "shop-server", "args": ["--dev"]}}
    document = read({"windows": WINDOWS, "mcp": {"servers": servers}})
    assert dict(document.servers) == {"shop": ServerSettings(command="shop-server", args=("--dev",))}
    line = '  MCP server shop, started once it is used: { command = "shop-server", args = ["--dev"] }'
    assert line in trust.programs(document).splitlines()


def test_a_fault_of_a_server_names_its_place() -> None:
    with pytest.raises(InvalidArgument, match=r"mcp\.servers\.shop: needs a command or a url"):
        read({"windows": WINDOWS, "mcp": {"servers": {"shop": {}}}})
