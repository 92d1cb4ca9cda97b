"""Servers of other clients are shown, and taken over by name."""

import json
from pathlib import Path

import pytest
from tests.multiplexer.conftest import Room, agent

from fugue_tui.config import model
from fugue_tui.config.model import McpSettings
from fugue_tui.config.servers import ServerSettings
from fugue_tui.control.commands.import_servers import ImportedServers, ImportServers
from fugue_tui.control.core.command import USER, Origin
from fugue_tui.errors import NotFound, Refused

SERVERS = '{"mcpServers": {"a.b": {"command": "one", "args": ["--x"]}, "c": {"command": "two"}, "bad": {}}}'


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A configuration, and a client's servers in the home directory."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("FUGUE_CONFIG", str(tmp_path / "config.toml"))
    (tmp_path / ".claude.json").write_text(SERVERS)
    (tmp_path / "config.toml").write_text("# mine\n[ui]\nmouse = false")
    return tmp_path / "config.toml"


def imported(room: Room, origin: Origin = USER, **fields: object) -> ImportedServers:
    """The result of the command."""
    return room.run(ImportServers(**fields), origin)  # pyright: ignore[reportArgumentType]


def test_servers_are_shown_and_nothing_changes(room: Room, config: Path) -> None:
    room.cat()
    found = imported(room)
    assert [(each.server, each.state, each.settings) for each in found.servers] == [
        ("a.b", "new", '{ command = "one", args = ["--x"] }'),
        ("c", "new", '{ command = "two" }'),
        ("bad", "needs a command or a url, and not both", ""),
    ]
    assert (found.written, config.read_text()) == ("", "# mine\n[ui]\nmouse = false")


def test_a_named_server_is_added_to_the_configuration_and_can_be_used(room: Room, config: Path) -> None:
    room.cat()
    assert [each.state for each in imported(room, servers=("a.b",)).servers] == ["taken"]
    assert config.read_text().startswith("# mine\n[ui]\nmouse = false\n")
    found = model.load(config)
    assert (found.ui.mouse, dict(found.mcp.servers)) == (False, {"a.b": ServerSettings(command="one", args=("--x",))})
    assert list(room.mux.mcp_servers.all()) == ["a.b"]
    assert [each.state for each in imported(room).servers][:2] == ["known", "new"]
    imported(room, all=True)
    assert set(model.load(config).mcp.servers) == {"a.b", "c"}


def test_what_an_agent_takes_over_waits_for_the_approval_of_the_changed_configuration(room: Room, config: Path) -> None:
    room.cat()
    assert "once you have approved" in imported(room, agent(), servers=("c",)).note
    assert room.mux.permissions.servers == {}


def test_what_cannot_be_taken_over_is_refused(room: Room, config: Path) -> None:
    room.cat()
    with pytest.raises(NotFound, match=r"has an MCP server .d.; there are a\.b, c, bad"):
        imported(room, servers=("d",))
    with pytest.raises(Refused, match=r"bad cannot be taken over: needs a command"):
        imported(room, servers=("bad",))
    room.mux.permissions = McpSettings(servers={"c": ServerSettings(command="other")})
    with pytest.raises(Refused, match="is there already"):
        imported(room, servers=("c",))


def test_the_servers_of_cursor_and_of_its_file_in_a_project_are_taken_over(room: Room, config: Path) -> None:
    home, project = config.parent, config.parent / "shop"
    (home / ".claude.json").unlink()
    mine = {"files": {"command": "npx", "args": ["-y", "files", "${env:DOCS}"], "env": {"KEY": "${env:KEY}"}}}
    shared = {"far": {"url": "https://far.example.com/mcp", "headers": {"Authorization": "Bearer ${env:TOKEN}"}}}
    for folder, servers in ((home, mine), (project, shared)):
        (folder / ".cursor").mkdir(parents=True)
        (folder / ".cursor" / "mcp.json").write_text(json.dumps({"mcpServers": servers}))
    room.cat()
    found = imported(room, directory=str(project)).servers
    assert [(each.server, each.state, each.client, each.file) for each in found] == [
        ("files", "new", "cursor", str(home / ".cursor/mcp.json")),
        ("far", "new", "cursor", str(project / ".cursor/mcp.json")),
    ]
    taken = imported(room, servers=("files", "far"), directory=str(project))
    assert [each.state for each in taken.servers] == ["taken", "taken"]
    assert dict(model.load(config).mcp.servers) == {
        "files": ServerSettings(command="npx", args=("-y", "files", "${DOCS}"), env={"KEY": "${KEY}"}),
        "far": ServerSettings(url="https://far.example.com/mcp", headers={"Authorization": "Bearer ${TOKEN}"}),
    }
    assert set(room.mux.mcp_servers.all()) == {"files", "far"}
