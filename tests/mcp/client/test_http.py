"""Servers over streamable HTTP, of both eras: calls, headers, an end and a return."""

import socket
import stat
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from tests.mcp.client.conftest import PROGRAM, Servers
from tests.mcp.conftest import until

from fugue_tui.config.servers import ServerSettings
from fugue_tui.control.commands.mcp_servers import ConnectServer, DisconnectServer, ListServers
from fugue_tui.control.commands.read_pane import ReadPane
from fugue_tui.control.commands.show_servers import ShowResource
from fugue_tui.control.core.command import USER
from fugue_tui.errors import ServerFailed
from fugue_tui.multiplexer.mcp_servers import servers as module
from fugue_tui.multiplexer.mcp_servers.model import ServerState
from fugue_tui.store.paths import state_path
from fugue_tui_mcp.client import token_store

pytestmark = pytest.mark.slow
ERAS = pytest.mark.parametrize(("flags", "protocol"), [((), "2026-07-28"), (("--legacy",), "2025-11-25")])
Serve = Callable[..., "subprocess.Popen[bytes]"]
LogInServer = Callable[..., tuple[int, list[str]]]


def free_port() -> int:
    """A port that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def listens(port: int) -> bool:
    """Whether something listens on a port."""
    with suppress(OSError), socket.create_connection(("127.0.0.1", port)):
        return True
    return False


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Serve over HTTP, until the test ends."""
    started = list[subprocess.Popen[bytes]]()

    def serve(port: int, *flags: str) -> "subprocess.Popen[bytes]":
        started.append(subprocess.Popen([sys.executable, PROGRAM, "--http", str(port), *flags]))
        until(lambda: listens(port))
        return started[-1]

    yield serve
    for each in started:
        each.kill()
        each.wait()


@ERAS
def test_a_server_over_http_is_used(servers: Servers, serve: Serve, flags: tuple[str, ...], protocol: str) -> None:
    port = free_port()
    serve(port, *flags)
    servers.use(small=ServerSettings(url=f"http://127.0.0.1:{port}/mcp"))
    info = servers.room.run(ConnectServer(server="small"))
    assert (info.title, info.protocol) == ("small 7", protocol)
    assert servers.call("echo", text="hi", times=2).text == "hihi"
    assert servers.call("steps", count=3).text == "done"
    assert servers.call("weather", city="Rome").structured == {"city": "Rome", "degrees": 21.5}


def test_a_resource_over_http_is_kept_up_to_date(servers: Servers, serve: Serve) -> None:
    port = free_port()
    serve(port)
    servers.use(small=ServerSettings(url=f"http://127.0.0.1:{port}/mcp"))
    room = servers.room
    room.cat()
    pane = room.run(ShowResource(server="small", uri="small://count"))
    servers.call("count")
    room.until(lambda: room.run(ReadPane(pane=pane.id)).text == "count 1")


def test_a_resource_is_read_again_after_the_stream_of_changes_was_lost(servers: Servers, serve: Serve) -> None:
    port = free_port()
    program = serve(port)
    servers.use(small=ServerSettings(url=f"http://127.0.0.1:{port}/mcp"))
    room = servers.room
    room.cat()
    pane = room.run(ShowResource(server="small", uri="small://count"))
    servers.call("count")
    room.until(lambda: room.run(ReadPane(pane=pane.id)).text == "count 1")
    program.kill()
    program.wait()
    serve(port)
    room.until(lambda: room.run(ReadPane(pane=pane.id)).text == "count 0")
    servers.call("count")
    room.until(lambda: room.run(ReadPane(pane=pane.id)).text == "count 1")


def test_headers_are_sent(servers: Servers, serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    port = free_port()
    serve(port, "--token", "s3cret")
    monkeypatch.setenv("SMALL_TOKEN", "s3cret")
    url = f"http://127.0.0.1:{port}/mcp"
    headers = {"Authorization": "Bearer ${SMALL_TOKEN}"}
    servers.use(small=ServerSettings(url=url, headers=headers), other=ServerSettings(url=url, oauth=False))
    assert servers.call("echo", text="hi").text == "hi"
    with pytest.raises(ServerFailed, match="other: "):
        servers.call("echo", "other", text="hi")


def test_a_server_that_is_not_there_says_so_and_one_that_comes_back_is_used_again(
    servers: Servers, serve: Serve
) -> None:
    port = free_port()
    servers.use(small=ServerSettings(url=f"http://127.0.0.1:{port}/mcp"))
    with pytest.raises(ServerFailed, match=r"small: .*connect"):
        servers.call("echo", text="hi")
    program = serve(port)
    assert servers.call("echo", text="hi").text == "hi"
    program.kill()
    program.wait()
    with pytest.raises(ServerFailed):
        servers.call("echo", text="hi")
    servers.reaches(ServerState.WAITING)
    serve(port)
    assert servers.call("echo", text="back").text == "back"


@pytest.fixture
def log_in_server(servers: Servers, serve: Serve, monkeypatch: pytest.MonkeyPatch) -> LogInServer:
    """Configures a server that wants a log-in: its port, and the pages that the user has to open, which a browser
    `visits` at once."""

    def start(*options: str, visits: bool = False, start_seconds: float = 60.0) -> tuple[int, list[str]]:
        monkeypatch.setattr(token_store, "_keyring", lambda: None)
        port, pages = free_port(), list[str]()
        serve(port, "--oauth", *options)
        servers.use(small=ServerSettings(url=f"http://127.0.0.1:{port}/mcp", start_seconds=start_seconds))

        def open_page(server: str, page: str) -> None:
            pages.append(page)
            if visits:
                threading.Thread(target=lambda: urllib.request.urlopen(page).close()).start()

        servers.room.mux.mcp_servers.on_authorize.connect(open_page)
        return port, pages

    return start


def test_the_user_logs_in_on_a_page_once(servers: Servers, log_in_server: LogInServer) -> None:
    port, pages = log_in_server(visits=True)
    assert servers.call("echo", text="hi").text == "hi"
    assert pages[0].startswith(f"http://127.0.0.1:{port}/authorize?")
    kept = Path(state_path()) / token_store.FOLDER
    assert [stat.S_IMODE(file.stat().st_mode) for file in kept.iterdir()] == [0o600]
    servers.room.run(DisconnectServer(server="small"))
    assert servers.call("echo", text="again").text == "again"
    assert len(pages) == 1, "the tokens are kept"


def test_everything_answers_while_a_server_waits_for_a_log_in(
    servers: Servers, log_in_server: LogInServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LOGIN_SECONDS", 0.1)
    room, (_, pages) = servers.room, log_in_server()
    waits = "small: it waits for you to log in: http://127.0.0.1:"
    with pytest.raises(ServerFailed, match=waits):
        servers.call("echo", text="the first")
    info = room.run(ListServers()).servers[0]
    assert (info.state, info.error) == ("login", f"it waits for you to log in: {pages[0]}")
    monkeypatch.setattr(module, "LOGIN_SECONDS", 600.0)
    with pytest.raises(ServerFailed, match=waits):
        servers.call("echo", text="another")
    assert room.run(DisconnectServer(server="small")).state == "off"
    later = ConnectServer(server="small").run(room.mux, USER)
    room.until(lambda: len(pages) == 2)
    urllib.request.urlopen(pages[1]).close()
    assert room.awaited(later).state == "connected"
    assert servers.call("echo", text="hi").text == "hi"


def test_a_log_in_that_no_call_waits_for_any_more_connects_the_server(
    servers: Servers, log_in_server: LogInServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LOGIN_SECONDS", 1.5)
    _, pages = log_in_server(start_seconds=1)
    with pytest.raises(ServerFailed, match="it waits for you to log in"):
        servers.call("echo", text="hi")
    assert servers.room.mux.mcp_servers.status("small").shown is ServerState.LOGIN, "it takes longer than to start"
    urllib.request.urlopen(pages[0]).close()
    servers.reaches(ServerState.CONNECTED)
    assert servers.room.run(ListServers()).servers[0].error == ""


def test_tokens_that_have_expired_are_refreshed_without_a_page_after_a_new_start(
    servers: Servers, log_in_server: LogInServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, pages = log_in_server("--expire", visits=True)
    assert servers.call("echo", text="hi").text == "hi"
    servers.call("expire")
    servers.room.run(DisconnectServer(server="small"))
    now = time.time
    monkeypatch.setattr(time, "time", lambda: now() + 7_200)
    assert servers.call("echo", text="again").text == "again"
    assert len(pages) == 1, "the refresh token is used"


def test_the_keyring_keeps_tokens_if_it_works(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = dict[tuple[str, str], str]()

    class Ring:
        """A keyring that works, or fails."""

        works = True

        def get_password(self, service: str, name: str) -> str | None:
            return kept.get((service, name))

        def set_password(self, service: str, name: str, text: str) -> None:
            if not self.works:
                raise RuntimeError("locked")
            kept[service, name] = text

    ring = Ring()
    monkeypatch.setattr(token_store, "_keyring", lambda: ring)
    token_store.save("https://a/mcp", "one")
    assert (token_store.load("https://a/mcp"), list(kept.values())) == ("one", ["one"])
    ring.works = False
    token_store.save("https://b/mcp", "two")
    assert (token_store.load("https://b/mcp"), list(kept.values())) == ("two", ["one"])


@ERAS
@pytest.mark.parametrize(
    ("tool", "argument", "reason"),
    [("large", "size", "16 MiB|16777216"), ("many", "count", "more than 150,000 values")],
)
def test_a_message_over_http_is_bounded(
    servers: Servers, serve: Serve, flags: tuple[str, ...], protocol: str, tool: str, argument: str, reason: str
) -> None:
    port = free_port()
    serve(port, *flags)
    servers.use(small=ServerSettings(url=f"http://127.0.0.1:{port}/mcp"))
    assert servers.call("large", size=2_000_000).left_out == "1000000 characters were left out: it is too long"
    with pytest.raises(ServerFailed, match=reason):
        servers.call(tool, "small", **{argument: 20_000_000 if tool == "large" else 300_000})
    assert servers.call("echo", text="still here").text == "still here"
