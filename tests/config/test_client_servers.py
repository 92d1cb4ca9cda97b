"""What other clients have configured, as settings of Fugue."""

import json
from pathlib import Path

from fugue_tui.config.client_servers import distinct, found
from fugue_tui.config.servers import ServerSettings

CLAUDE = {
    "mcpServers": {
        "files": {"type": "stdio", "command": "npx", "args": ["-y", "files", "/home/ann"], "env": {"A": "1"}},
        "fugue": {"command": "fugue-tui", "args": ["mcp"]},
        "old": {"type": "sse", "url": "https://old.example.com/sse"},
        "far away": {"type": "http", "url": "https://far.example.com/mcp", "headers": {"X-Key": "${KEY}"}},
    },
    "projects": {"/work/shop": {"mcpServers": {"shop": {"command": "shop-server"}}}},
}
CODEX = """
[mcp_servers.files]
command = "other-files"
[mcp_servers.tickets]
url = "https://tickets.example.com/mcp"
bearer_token_env_var = "TICKETS"
enabled = false
"""
VSCODE = """{
  // a comment
  "servers": {
    "paid": { "command": "paid", "env": { "KEY": "${input:key}" } },
    "free": { "command": "free", "env": { "KEY": "${env:KEY}" }, }
  }
}"""
GEMINI = {
    "mcpServers": {"files": {"command": "npx", "args": ["-y", "files", "/home/ann"], "env": {"A": "1"}}, "bad": 7}
}


def test_the_files_of_all_clients_are_read(tmp_path: Path) -> None:
    home = tmp_path
    files = {
        ".claude.json": json.dumps(CLAUDE),
        ".codex/config.toml": CODEX,
        ".config/Code/User/mcp.json": VSCODE,
        ".gemini/settings.json": json.dumps(GEMINI),
        ".cursor/mcp.json": "{ broken",
    }
    for name, text in files.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(text)
    servers = {each.name: each for each in distinct(found("/work/shop", {"HOME": str(home)}))}
    settings = {name: each.settings for name, each in servers.items()}
    assert settings["files"] == ServerSettings(command="npx", args=("-y", "files", "/home/ann"), env={"A": "1"})
    assert settings["files-codex"] == ServerSettings(command="other-files")
    assert settings["shop"] == ServerSettings(command="shop-server")
    assert settings["far-away"] == ServerSettings(url="https://far.example.com/mcp", headers={"X-Key": "${KEY}"})
    headers = {"Authorization": "Bearer ${TICKETS}"}
    assert settings["tickets"] == ServerSettings(url="https://tickets.example.com/mcp", headers=headers, enabled=False)
    assert settings["free"] == ServerSettings(command="free", env={"KEY": "${KEY}"})
    faults = {name: each.fault for name, each in servers.items() if each.settings is None}
    assert faults["old"].startswith("it uses the old transport over SSE")
    assert faults["paid"] == "${input:key} is known to that client alone"
    assert faults["bad"] == "needs a command or a url, and not both"
    assert "fugue" not in servers
    assert len(servers) == 9


def test_entries_are_understood_as_their_clients_write_them(tmp_path: Path) -> None:
    gemini = {
        "far": {"url": "https://far.example.com/mcp", "type": "http", "headers": {"X-Key": "$KEY", "Y": "${A}"}},
        "old": {"url": "https://old.example.com/sse", "type": "sse"},
    }
    cursor = {"file": {"command": "file", "envFile": "${workspaceFolder}/.env"}}
    (tmp_path / ".gemini").mkdir()
    (tmp_path / ".cursor").mkdir()
    (tmp_path / ".codex").mkdir()
    (tmp_path / ".gemini" / "settings.json").write_text(json.dumps({"mcpServers": gemini}))
    (tmp_path / ".cursor" / "mcp.json").write_text(json.dumps({"mcpServers": cursor}))
    (tmp_path / ".codex" / "config.toml").write_text('[mcp_servers.own]\ncommand = "own"\nenv_vars = ["TOKEN"]\n')
    servers = {each.name: each for each in distinct(found("", {"HOME": str(tmp_path)}))}
    headers = {"X-Key": "${KEY}", "Y": "${A}"}
    assert servers["far"].settings == ServerSettings(url="https://far.example.com/mcp", headers=headers)
    assert servers["own"].settings == ServerSettings(command="own", env={"TOKEN": "${TOKEN:-}"})
    assert "SSE" in servers["old"].fault
    assert "envFile" in servers["file"].fault


def test_the_files_of_a_project_count(tmp_path: Path) -> None:
    (tmp_path / "project" / ".vscode").mkdir(parents=True)
    (tmp_path / "project" / ".mcp.json").write_text('{"mcpServers": {"a": {"command": "one"}}}')
    (tmp_path / "project" / ".vscode" / "mcp.json").write_text('{"servers": {"b": {"command": ["two", "x"]}}}')
    servers = distinct(found(str(tmp_path / "project"), {"HOME": str(tmp_path)}))
    assert [(each.name, each.client, each.settings) for each in servers] == [
        ("a", "claude-code", ServerSettings(command="one")),
        ("b", "vscode", ServerSettings(command="two", args=("x",))),
    ]
