"""`[mcp.servers]`: what is valid, variables, and that a changed file adds none without approval."""

import pytest
from msgspec.structs import replace

from fugue_tui.config.model import Config, McpSettings, parse, show
from fugue_tui.config.servers import ServerSettings, expanded
from fugue_tui.errors import InvalidArgument
from fugue_tui.tui.config_reload import without_risks

TEXT = """
[mcp.servers.files]
command = "npx"
args = ["-y", "server", "${HOME}/notes"]
env = { A = "b" }
effects = { look = "read" }

[mcp.servers.far]
url = "https://example.com/mcp"
headers = { Authorization = "Bearer ${TOKEN}" }
agents = "allow"
"""


def test_servers_are_read_and_written_back() -> None:
    found = parse(TEXT)
    assert found.faults == ()
    assert dict(found.config.mcp.servers["files"].effects) == {"look": "read"}
    assert parse(show(found.config)).config == found.config


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ('a = { args = ["x"] }', "mcp.servers.a: needs a command or a url, and not both"),
        ('a = { command = "x", url = "http://y" }', "mcp.servers.a: needs a command or a url, and not both"),
        ('a = { url = "ftp://y" }', "mcp.servers.a.url: must be an http or https URL"),
        ('a = { url = "http://me:secret@y/" }', "mcp.servers.a.url: holds a password; put it into headers, as ${NAME}"),
        ('a = { url = "http://y", cwd = "/" }', "mcp.servers.a: args, env and cwd belong to a command, not to a url"),
        ('"a b" = { command = "x" }', "mcp.servers.a b: must be up to 64 letters, digits and . _ -"),
        ('a = { command = "x", agents = "yes" }', 'mcp.servers.a.agents: "yes" is not one of allow, ask, refuse'),
        ('a = { command = "x", comand = "y" }', "mcp.servers.a.comand: no such key; did you mean command?"),
    ],
)
def test_a_fault_names_the_server_and_the_reason(line: str, fault: str) -> None:
    faults = parse(f"[mcp.servers]\n{line}").faults
    assert faults
    assert fault in faults[0]


def test_variables_are_replaced_and_a_missing_one_is_named() -> None:
    server = ServerSettings(command="~/bin/${PROGRAM:-serve}", args=("${A}",), env={"B": "x${A}"})
    found = expanded(server, {"A": "1"})
    assert (found.command.endswith("/bin/serve"), found.args, found.env) == (True, ("1",), {"B": "x1"})
    with pytest.raises(InvalidArgument, match=r"\$\{A\} is not set in the environment of the workspace"):
        expanded(server, {})


def test_a_changed_file_adds_and_changes_no_server_without_approval() -> None:
    old = Config(mcp=McpSettings(servers={"kept": ServerSettings(command="a"), "changed": ServerSettings(command="b")}))
    servers = {"changed": ServerSettings(command="c"), "new": ServerSettings(command="d", args=("--now",))}
    safe, lines = without_risks(old, replace(old, mcp=McpSettings(servers=servers)))
    assert dict(safe.mcp.servers) == {"changed": ServerSettings(command="b")}
    assert lines == [
        '[mcp.servers.changed] { command = "c" }',
        '[mcp.servers.new] { command = "d", args = ["--now"] }',
    ]
