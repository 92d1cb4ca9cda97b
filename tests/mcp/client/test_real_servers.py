"""Servers that others wrote, where they are installed: on PATH, or in the directories that FUGUE_MCP_SERVERS lists.

The directories are separated by colons, and the first that has a server counts. mcp-server-sqlite runs with an old SDK
only, and goes into an environment of its own: `pip install 'mcp<2' mcp-server-sqlite`.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.mcp.client.conftest import Servers
from tests.mcp.client.test_http import free_port, listens
from tests.mcp.conftest import until

from fugue_tui.config.servers import ServerSettings
from fugue_tui.control.commands.call_server import CallServer, CompleteArgument
from fugue_tui.control.commands.mcp_servers import ConnectServer
from fugue_tui.control.core.command import USER
from fugue_tui.control.core.deferred import is_deferred

pytestmark = pytest.mark.slow
PATH = os.pathsep.join((os.environ.get("FUGUE_MCP_SERVERS", ""), os.environ.get("PATH", "")))


def program(name: str) -> str:
    """The path of a server's program; skips the test if it is not installed."""
    found = shutil.which(name, path=PATH)
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


def text(servers: Servers, tool: str, arguments: Mapping[str, Any]) -> str:
    """The text of a tool's result."""
    result = servers.call(tool, "real", **arguments)
    assert not result.is_error, result.text
    return str(result.text)


def test_everything(servers: Servers) -> None:
    servers.use(real=ServerSettings(command=program("mcp-server-everything")))
    info = servers.room.run(ConnectServer(server="real"))
    assert (info.protocol, info.tool_count > 10, info.prompt_count > 2) == ("2025-11-25", True, True)
    assert text(servers, "echo", {"message": "hi"}) == "Echo: hi"
    assert text(servers, "trigger-long-running-operation", {"duration": 0.2, "steps": 2}).startswith("Long running")
    assert servers.call("get-tiny-image", "real").media_type == "image/png"
    structured = servers.call("get-structured-content", "real", location="New York").structured
    assert set(structured) == {"temperature", "conditions", "humidity"}


def test_everything_over_http(servers: Servers) -> None:
    port = free_port()
    served = subprocess.Popen(
        [program("mcp-server-everything"), "streamableHttp"],
        env={**os.environ, "PORT": str(port)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        servers.use(real=ServerSettings(url=f"http://127.0.0.1:{port}/mcp"))
        until(lambda: listens(port))
        info = servers.room.run(ConnectServer(server="real"))
        assert info.protocol == "2025-11-25"
        assert text(servers, "echo", {"message": "hi"}) == "Echo: hi"
    finally:
        served.kill()
        served.wait()


def test_filesystem(servers: Servers, tmp_path: Path) -> None:
    servers.use(real=ServerSettings(command=program("mcp-server-filesystem"), args=(str(tmp_path),)))
    assert "Successfully" in text(servers, "write_file", {"path": str(tmp_path / "a.md"), "content": "# hi"})
    assert text(servers, "read_text_file", {"path": str(tmp_path / "a.md")}) == "# hi"
    assert servers.room.mux.mcp_servers.effect("real", "write_file").value == "destroy"
    refused = servers.call("read_text_file", "real", path="/etc/passwd")
    assert (refused.is_error, "Access denied" in refused.text) == (True, True)


def test_memory(servers: Servers, tmp_path: Path) -> None:
    env = {"MEMORY_FILE_PATH": str(tmp_path / "memory.json")}
    servers.use(real=ServerSettings(command=program("mcp-server-memory"), env=env))
    entity = {"name": "Ann", "entityType": "person", "observations": ["likes tea"]}
    servers.call("create_entities", "real", entities=[entity])
    assert "likes tea" in text(servers, "read_graph", {})


def test_git(servers: Servers, tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", "-b", "trunk", str(tmp_path)], check=True)
    servers.use(real=ServerSettings(command=program("mcp-server-git")))
    assert servers.room.run(ConnectServer(server="real")).protocol >= "2025"
    assert "trunk" in text(servers, "git_status", {"repo_path": str(tmp_path)})


def test_fetch_from_loopback(servers: Servers, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("<html><body><h1>Loopback</h1><p>A paragraph of words.</p></body></html>")
    port = free_port()
    line = [sys.executable, "-m", "http.server", str(port), "--bind", "127.0.0.1", "--directory", str(tmp_path)]
    served = subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        until(lambda: listens(port))
        servers.use(
            real=ServerSettings(
                command=program("mcp-server-fetch"), args=("--ignore-robots-txt", "--allow-private-ips")
            )
        )
        url = f"http://127.0.0.1:{port}/page.html"
        assert "Loopback" in text(servers, "fetch", {"url": url})
        refused = servers.room.awaited(CallServer(server="real", tool="fetch").run(servers.room.mux, USER))
        assert refused.is_error
    finally:
        served.kill()
        served.wait()


def test_everything_completes_arguments(servers: Servers) -> None:
    servers.use(real=ServerSettings(command=program("mcp-server-everything")))
    servers.room.run(ConnectServer(server="real"))
    query = CompleteArgument(server="real", prompt="completable-prompt", argument="department", value="")
    assert "Engineering" in servers.room.run(query).values


def test_sqlite(servers: Servers, tmp_path: Path) -> None:
    command = program("mcp-server-sqlite")
    servers.use(real=ServerSettings(command=command, args=("--db-path", str(tmp_path / "a.db"))))
    later = ConnectServer(server="real").run(servers.room.mux, USER)
    assert is_deferred(later)
    servers.room.until(lambda: later.done)
    if "AttributeError: 'Server' object" in str(later.error):
        pytest.skip(f"mcp-server-sqlite needs 'mcp<2' in its environment: {later.error}")
    assert later.result().tool_count > 3
    text(servers, "create_table", {"query": "CREATE TABLE t (a INTEGER)"})
    assert "'t'" in text(servers, "list_tables", {})
    assert "1" in text(servers, "write_query", {"query": "INSERT INTO t VALUES (41)"})
    assert "42" in text(servers, "read_query", {"query": "SELECT a + 1 FROM t"})
