"""MCP over HTTP: who gets in, whose process it is, and the same workspace behind it in both eras."""

import asyncio
import json
import os
import socket
import stat
import subprocess
import sys
import textwrap
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp.client.streamable_http import streamable_http_client
from msgspec.structs import replace
from tests.mcp.conftest import HELD, LET_GO, Served, until

from fugue_tui.config.model import McpSettings
from fugue_tui.control.commands.panes import CreatePane
from fugue_tui.control.core.command import USER
from fugue_tui.errors import NotRunning
from fugue_tui.terminal.pty import process
from fugue_tui_mcp import http_address, tcp_peer
from fugue_tui_mcp.connection import Limits
from fugue_tui_mcp.http_address import HttpAddress
from fugue_tui_mcp.listener import listen
from mcp import Client

pytestmark = pytest.mark.slow
ON = McpSettings(tcp=True)
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}},
}
PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


def call_of(tool: str) -> dict[str, Any]:
    """A call of a tool without arguments."""
    return {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": tool, "arguments": {}}}


def address_of(served: Served) -> HttpAddress:
    """The address once the port is open."""
    file = http_address.file_of(served.path)
    until(lambda: os.path.exists(file))
    return http_address.find(served.path)[1]


class Http:
    """A client that sends single requests, right but for what a test changes."""

    def __init__(self, served: Served) -> None:
        self.address = address_of(served)
        self.headers = {
            "Authorization": f"Bearer {self.address.token}",
            "Accept": "application/json, text/event-stream",
            "Content-Type": "application/json",
        }
        self.client = httpx2.Client(timeout=40.0, trust_env=False)

    @property
    def port(self) -> int:
        """The port."""
        return httpx2.URL(self.address.url).port or 0

    def post(self, message: Any, /, **headers: str | None) -> httpx2.Response:
        """Post a message with other headers; None leaves one out."""
        changed = {**self.headers, **{name.replace("_", "-"): value for name, value in headers.items()}}
        sent = {name: value for name, value in changed.items() if value is not None}
        body = message if isinstance(message, bytes) else json.dumps(message).encode()
        return self.client.post(self.address.url, content=body, headers=sent)

    def initialize(self) -> str:
        """Open a session; its id."""
        answer = self.post(INITIALIZE)
        assert answer.status_code == 200, answer.text
        return answer.headers["mcp-session-id"]


@pytest.fixture
def http(serve: Callable[..., Served]) -> Iterator[Http]:
    """A client of a workspace that serves HTTP."""
    found = Http(serve(settings=ON))
    yield found
    found.client.close()


@asynccontextmanager
async def mcp_client(http: Http, era: str) -> AsyncGenerator[Client]:
    """The SDK's client."""
    headers = {"Authorization": f"Bearer {http.address.token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=40.0, trust_env=False) as client,
        Client(streamable_http_client(http.address.url, http_client=client), mode=era) as agent,
    ):
        yield agent


@pytest.mark.parametrize("era", ["auto", "legacy"])
async def test_a_client_of_either_era_uses_the_workspace(http: Http, era: str) -> None:
    async with mcp_client(http, era) as agent:
        listed = await agent.list_tools()
        assert "fugue_list_panes" in [tool.name for tool in listed.tools]
        found = await agent.call_tool("fugue_list_panes", {})
        assert [pane["name"] for pane in found.structured_content["panes"]] == ["first"]  # pyright: ignore
        echo = await agent.call_tool("fugue_test_echo", {"text": "x", "times": 30_000})
        assert echo.content[0].text.count("x") == 30_000  # pyright: ignore
        assert (await agent.read_resource("fugue://panes")).contents
        failed = await agent.call_tool("fugue_close_pane", {"pane": "%99"})
        assert failed.is_error


@pytest.mark.parametrize("era", ["auto", "legacy"])
async def test_what_a_client_has_enabled_stays_enabled_for_its_later_requests(http: Http, era: str) -> None:
    async with mcp_client(http, era) as agent:
        before = len((await agent.list_tools()).tools)
        await agent.call_tool("fugue_toolsets", {"enable": ["all"]})
    async with mcp_client(http, era) as agent:
        # From 2026-07-28 on, the process is the client; before, each session is.
        after = len((await agent.list_tools(cache_mode="refresh")).tools)
        assert after > before if era == "auto" else after == before


def _outcomes(served: Served, verb: str) -> list[str]:
    return [outcome for line, outcome in served.outcomes() if line.startswith(verb)]


@pytest.mark.parametrize("era", ["auto", "legacy"])
async def test_a_cancelled_call_ends_in_the_workspace(serve: Callable[..., Served], era: str) -> None:
    served = serve(settings=ON)
    http = Http(served)
    async with mcp_client(http, era) as agent:
        arguments = {"panes": ["first"], "any_of": ["never"], "timeout": 100}
        waiting = asyncio.ensure_future(agent.call_tool("fugue_wait_for_output", arguments))
        await asyncio.to_thread(until, lambda: _outcomes(served, "wait-for-output") == ["started"])
        waiting.cancel()
        await asyncio.wait((waiting,))
        await asyncio.to_thread(until, lambda: len(_outcomes(served, "wait-for-output")) > 1)
    http.client.close()


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Host": "LOCALHOST:PORT"}, 200),
        ({"Origin": "http://127.0.0.1:PORT"}, 200),
        ({"Origin": "http://localhost:PORT"}, 200),
        ({"Content_Type": "application/json; charset=utf-8"}, 200),
        ({"Authorization": None}, 401),
        ({"Authorization": "Bearer wrong"}, 401),
        ({"Authorization": "Bearer"}, 401),
        ({"Authorization": "Basic TOKEN"}, 401),
        ({"Authorization": "Bearer TOKENx"}, 401),
        ({"Host": "evil.example"}, 403),
        ({"Host": "evil.example:PORT"}, 403),
        ({"Host": "127.0.0.1"}, 403),
        ({"Host": "localhost:PORT.evil.example"}, 403),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "https://127.0.0.1:PORT"}, 403),
        ({"Origin": "http://127.0.0.1:1"}, 403),
        ({"Content_Type": "text/plain"}, 415),
        ({"Content_Type": "application/json-patch+json"}, 415),
        ({"Content_Type": None}, 415),
        ({"Content_Encoding": "gzip"}, 415),
        ({"Mcp_Session_Id": "0" * 32}, 404),
    ],
)
def test_a_request_gets_in_only_with_the_token_and_this_machines_names(
    http: Http, headers: dict[str, str | None], status: int
) -> None:
    filled = {
        name: value and value.replace("PORT", str(http.port)).replace("TOKEN", http.address.token)
        for name, value in headers.items()
    }
    answer = http.post(INITIALIZE, **filled)
    assert answer.status_code == status, answer.text
    assert not {name for name in answer.headers if name.startswith("access-control")}
    if status == 401:
        assert answer.headers["www-authenticate"] == "Bearer"
    if status >= 400:
        assert answer.json()["error"]["message"]


def test_a_repeated_token_or_host_is_refused(http: Http) -> None:
    for name in ("Authorization", "Origin", "Content-Type"):
        value = {**http.headers, "Origin": f"http://127.0.0.1:{http.port}"}[name]
        headers = [(key, text) for key, text in http.headers.items() if key != name]
        request = httpx2.Request(
            "POST", http.address.url, headers=[*headers, (name, value), (name, value)], content=json.dumps(INITIALIZE)
        )
        assert http.client.send(request).status_code in (401, 403, 415), name
    with socket.create_connection(("127.0.0.1", http.port), timeout=40) as link:
        link.sendall(b"GET /mcp HTTP/1.1\r\n" + 2 * f"Host: localhost:{http.port}\r\n".encode() + b"\r\n")
        assert link.recv(1 << 16).startswith(b"HTTP/1.1 400 ")


@pytest.mark.parametrize(
    ("method", "path", "status"), [("PUT", "/mcp", 405), ("POST", "/", 404), ("OPTIONS", "/mcp", 405)]
)
def test_there_is_one_path_with_three_methods(http: Http, method: str, path: str, status: int) -> None:
    url = httpx2.URL(http.address.url).copy_with(path=path)
    assert http.client.request(method, url, headers=http.headers, content=b"{}").status_code == status


def test_nothing_is_said_to_who_has_no_token(http: Http) -> None:
    for method, path in (("GET", "/"), ("OPTIONS", "/mcp"), ("GET", "/.well-known/oauth-protected-resource")):
        answer = http.client.request(method, httpx2.URL(http.address.url).copy_with(path=path))
        assert answer.status_code == 401
        assert "fugue" not in answer.text.lower() + str(answer.headers).lower()


def test_a_body_has_at_most_four_mebibytes(http: Http) -> None:
    session = http.initialize()
    text = json.dumps({**PING, "params": {"_meta": {"x": "x" * (4 << 20)}}}).encode()
    assert http.post(text, Mcp_Session_Id=session).status_code == 413

    def chunks() -> Iterator[bytes]:
        for at in range(0, len(text), 1 << 16):
            yield text[at : at + (1 << 16)]

    try:
        answer = http.client.post(http.address.url, content=chunks(), headers=http.headers)
        assert answer.status_code == 413
    except httpx2.TransportError:
        pass  # The server has closed the connection before the client has sent all.
    assert http.post(text[: 1 << 20] + b" ", Mcp_Session_Id=session).status_code == 400
    assert http.post(PING, Mcp_Session_Id=session).status_code == 200


def test_headers_have_a_limit(http: Http) -> None:
    with socket.create_connection(("127.0.0.1", http.port), timeout=40) as link:
        link.sendall(b"POST /mcp HTTP/1.1\r\n")
        data = b""
        try:
            for _ in range(1_000):
                link.sendall(b"X-Long: " + b"x" * 1_000 + b"\r\n")
            data = link.recv(1 << 16)
        except OSError:
            return
        assert data == b"" or b" 400 " in data.split(b"\r\n")[0] or b" 431 " in data.split(b"\r\n")[0]


def test_a_client_that_sends_its_headers_too_slowly_is_dropped(serve: Callable[..., Served]) -> None:
    http = Http(serve(Limits(first=0.3), settings=ON))
    for begin in (b"", b"POST /mcp HT", b"GET /mcp HTTP/1.1\r\nHost: x\r\n"):
        with socket.create_connection(("127.0.0.1", http.port), timeout=40) as link:
            link.sendall(begin)
            assert link.recv(1) == b""
    head = f"GET / HTTP/1.1\r\nHost: localhost:{http.port}\r\n\r\nGET".encode()
    with socket.create_connection(("127.0.0.1", http.port), timeout=40) as link:
        link.sendall(head)
        while link.recv(1 << 16):
            pass
    http.client.close()


def test_clients_without_the_token_cannot_keep_others_out(http: Http) -> None:
    http.initialize()
    idle = [socket.create_connection(("127.0.0.1", http.port), timeout=40) for _ in range(100)]
    assert http.post(INITIALIZE).status_code == 200
    other = httpx2.Client(timeout=40.0, trust_env=False)
    assert other.post(http.address.url, json=INITIALIZE, headers=http.headers).status_code == 200
    other.close()
    for each in idle:
        each.close()


def test_nothing_listens_unless_the_configuration_says_so(serve: Callable[..., Served]) -> None:
    served = serve()
    served.link().initialize()
    assert not os.path.exists(http_address.file_of(served.path))
    with pytest.raises(NotRunning):
        http_address.find(served.path)
    assert listening_ports() == set()


def listening_ports() -> set[int]:
    """The TCP ports on which this process listens."""
    inodes = set[str]()
    for each in os.listdir("/proc/self/fd"):
        try:
            inodes.add(os.readlink(f"/proc/self/fd/{each}"))
        except OSError:
            continue
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return {int(row[1].split(":")[1], 16) for row in rows if row[3] == "0A" and f"socket:[{row[9]}]" in inodes}


def test_the_port_follows_the_configuration_and_every_opening_has_its_own_token(serve: Callable[..., Served]) -> None:
    served = serve()
    file = http_address.file_of(served.path)
    served.settings = ON
    served.server.apply_settings()
    first = Http(served)
    first.initialize()
    assert listening_ports() == {first.port}
    served.settings = McpSettings()
    served.server.apply_settings()
    until(lambda: not os.path.exists(file) and not listening_ports())
    with pytest.raises(httpx2.TransportError):
        first.post(PING)
    served.settings = replace(ON, tcp_port=first.port)
    served.server.apply_settings()
    second = Http(served)
    assert second.port == first.port
    assert second.address.token != first.address.token
    assert first.post(PING).status_code == 401
    second.initialize()
    first.client.close()
    second.client.close()


def test_the_file_is_private_and_gone_at_the_end(serve: Callable[..., Served]) -> None:
    served = serve(settings=ON)
    address = address_of(served)
    file = http_address.file_of(served.path)
    status = os.stat(file)
    assert stat.S_IMODE(status.st_mode) == 0o600
    assert len(address.token) >= 43  # 256 bits
    assert address.url.startswith("http://127.0.0.1:")
    served.close()
    assert os.listdir(os.path.dirname(file)) == [os.path.basename(served.path) + ".lock"]


def test_the_token_of_a_killed_workspace_is_gone_once_its_name_starts_again(private_dir: Path) -> None:
    path = str(private_dir / "killed.sock")
    with socket.socket(socket.AF_UNIX) as killed:
        killed.bind(path)
    http_address.write(http_address.file_of(path), HttpAddress("http://127.0.0.1:1/mcp", "old"))
    listener = listen(path)
    with pytest.raises(NotRunning):
        http_address.find(path)
    listener.close()


def test_the_command_line_prints_the_address_and_the_token_apart(served: Served) -> None:
    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "fugue_tui", "mcp", "--socket", served.path, *words],
            capture_output=True, text=True, check=False,
        )  # fmt: skip

    assert "tcp = true" in run("--url").stderr
    served.settings = ON
    served.server.apply_settings()
    address = address_of(served)
    shown = run("--url").stdout
    assert shown.splitlines()[0] == address.url
    assert f"claude mcp add --transport http fugue {address.url}" in shown
    assert address.token not in shown
    assert run("--token").stdout == f"{address.token}\n"


def test_a_session_belongs_to_the_process_that_opened_it(http: Http) -> None:
    session = http.initialize()
    assert http.post(PING, Mcp_Session_Id=session).status_code == 200
    code = textwrap.dedent("""
        import sys, json, httpx2
        url, token, session = sys.argv[1:]
        headers = {"Authorization": f"Bearer {token}", "Accept": "application/json, text/event-stream",
                   "Mcp-Session-Id": session}
        ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        print(httpx2.Client(trust_env=False).post(url, json=ping, headers=headers).status_code)
    """)
    words = [sys.executable, "-c", code, http.address.url, http.address.token, session]
    assert subprocess.run(words, capture_output=True, text=True, check=True).stdout == "404\n"
    assert http.client.delete(http.address.url, headers={**http.headers, "Mcp-Session-Id": session}).status_code == 200
    assert http.post(PING, Mcp_Session_Id=session).status_code == 404


def test_a_request_that_opens_no_session_leaves_none(serve: Callable[..., Served]) -> None:
    served = serve(settings=ON)
    http = Http(served)
    for body in (PING, b"nonsense", {**INITIALIZE, "params": 3}):
        assert http.post(body).status_code == 400
    until(lambda: served.server.clients() == [])
    http.post(PING, Mcp_Session_Id=http.initialize())
    assert served.server.clients() == ["raw"]
    served.server.disconnect()
    until(lambda: served.server.clients() == [])
    http.client.close()


CALLER = """
import json, os, sys, httpx2
url, token, out, opening = sys.argv[1:]
accept = "application/json, text/event-stream"
client = httpx2.Client(trust_env=False, headers={"Authorization": "Bearer " + token, "Accept": accept})
opened = client.post(url, json=json.loads(opening))
client.headers["Mcp-Session-Id"] = opened.headers["mcp-session-id"]
call = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "fugue_test_origin", "arguments": {}}}
text = client.post(url, json=call).text
data = json.loads(text[text.index("{"):text.rindex("}") + 1])
with open(out + ".new", "w") as file:
    file.write(json.dumps(data["result"]["structuredContent"]))
os.rename(out + ".new", out)
"""


def test_a_program_of_a_pane_is_the_pane_and_one_outside_is_a_client(
    serve: Callable[..., Served], tmp_path: Path
) -> None:
    served = serve(settings=ON)
    address, out = address_of(served), tmp_path / "origin"
    script = tmp_path / "caller.py"
    script.write_text(CALLER)
    words = [sys.executable, str(script), address.url, address.token, str(out), json.dumps(INITIALIZE)]
    http = Http(served)
    text = http.post(call_of("fugue_test_origin"), Mcp_Session_Id=http.initialize()).text
    http.client.close()
    outside = json.loads(text[text.index("{") : text.rindex("}") + 1])["result"]["structuredContent"]
    # The server's own process is in no pane.
    assert (outside["kind"], outside.get("pane")) == ("client", None)
    assert outside.get("executable", "") == process.executable(os.getpid())
    served.on_main(lambda: CreatePane(name="agent", command=tuple(words)).run(served.mux, USER))
    until(out.exists)
    inside = json.loads(out.read_text())
    assert (inside["kind"], inside["pane"]) == ("agent", "%2")
    assert str(script) in inside.get("executable", "")


def test_a_peer_that_the_kernel_does_not_show_counts_as_inside(
    serve: Callable[..., Served], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(tcp_peer, "_TABLES", ())
    served = serve(settings=ON)
    address, out = address_of(served), tmp_path / "origin"
    subprocess.run(
        [sys.executable, "-c", CALLER, address.url, address.token, str(out), json.dumps(INITIALIZE)], check=True
    )
    assert json.loads(out.read_text())["kind"] == "agent"


def test_another_users_process_is_refused(http: Http, monkeypatch: pytest.MonkeyPatch) -> None:
    own = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: own + 1)
    assert http.post(INITIALIZE).status_code == 403


def test_the_kernel_names_the_peer_of_a_connection_over_both_families() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        for family, host in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::ffff:127.0.0.1")):
            with socket.socket(family) as client:
                client.connect((host, port))
                accepted, remote = server.accept()
                with accepted:
                    peer = tcp_peer.peer_of(accepted.getsockname()[:2], remote[:2])
                    assert peer.uid == os.getuid()
                    assert os.getpid() in peer.pids
    assert tcp_peer.peer_of(("127.0.0.1", 1), ("127.0.0.1", 2)) == tcp_peer.TcpPeer()


def test_a_busy_main_thread_does_not_keep_others_from_getting_in(serve: Callable[..., Served]) -> None:
    http = Http(serve(settings=ON))
    session = http.initialize()
    call = call_of("fugue_test_hold")
    held = httpx2.Client(timeout=40.0, trust_env=False)
    with held.stream(
        "POST", http.address.url, json=call, headers={**http.headers, "Mcp-Session-Id": session}
    ) as answer:
        assert HELD.wait(40)
        assert http.post(PING, Mcp_Session_Id=session).status_code == 200
        LET_GO.set()
        assert "done" in answer.read().decode()
    held.close()
    http.client.close()
