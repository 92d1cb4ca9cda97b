"""`fugue-tui web`: a link, a session, and a page that shows the workspace, in real processes."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path

import pytest
from tests.e2e.conftest import Launch, Running
from tests.web.conftest import LINK, Page, Web
from websockets.exceptions import ConnectionClosed, InvalidStatus

from fugue_tui import tcp_listener
from fugue_tui.cli.web_command import refuse_pane
from fugue_tui.errors import SocketError
from fugue_tui.web.page_link import TAKEN, WINDOW

pytestmark = [pytest.mark.slow, pytest.mark.forked]


def test_a_page_shows_the_workspace_and_types_into_it(web: Web) -> None:
    session, cookie = web.log_in()
    with web.page(session, cookie) as page:
        assert page.hears("welcome") == {
            "type": "welcome", "workspace": "e2e", "title": "fugue-tui e2e", "resumed": False, "read_only": False,
        }  # fmt: skip
        page.shows(b"ready")
        page.type(b"typed in a browser\r")
        page.shows(b"typed in a browser")
        web.running.host.wait_text("typed in a browser")
        (mine,) = browsers(web)
        assert (mine["size"], mine["cell_pixels"]) == ({"cols": 100, "rows": 30}, [8, 16])
    web.host.wait_text("The link was used.")


def test_a_link_works_once_and_enter_prints_another(web: Web) -> None:
    web.log_in()
    sent = {"content": web.token, "headers": {"Origin": web.origin}}
    assert web.request("POST", "login", **sent).status_code == 403
    old = web.token
    web.host.send("\r")
    web.host.wait_until(lambda: web.token != old)
    web.log_in()


def test_a_wrong_token_or_a_long_one_starts_no_session(web: Web) -> None:
    for token, status in (("", 403), ("A" * 43, 403), ("A" * 10_000, 413)):
        answer = web.request("POST", "login", content=token, headers={"Origin": web.origin})
        assert (answer.status_code, "set-cookie" in answer.headers) == (status, False)
    web.log_in()


def test_the_cookie_is_kept_from_scripts_other_sites_and_other_ports(web: Web) -> None:
    answer = web.request("POST", "login", content=web.token, headers={"Origin": web.origin})
    _, *attributes = answer.headers["set-cookie"].split("; ")
    path = f"Path=/s/{answer.json()['session']}/"
    assert sorted(attributes) == ["HttpOnly", path, "SameSite=strict"]


def test_every_answer_has_the_headers_that_protect_the_page(web: Web) -> None:
    for path in ("", "page/page.js", "missing", "page/", "page/xterm/"):
        answer = web.request("GET", path)
        assert answer.status_code == (200 if path in ("", "page/page.js") else 404), path
        policy = answer.headers["content-security-policy"]
        assert "script-src 'self';" in policy
        assert "frame-ancestors 'none'" in policy
        assert answer.headers["x-frame-options"] == "DENY"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["cross-origin-opener-policy"] == "same-origin"
        assert "server" not in answer.headers
    assert web.request("GET", "page/%2e%2e/server.py").status_code == 404


def test_foreign_hosts_and_origins_are_refused(web: Web) -> None:
    assert web.request("GET", "", headers={"Host": "evil.example"}).status_code == 403
    for origin in ("http://evil.example", "null", "http://localhost:1"):
        answer = web.request("POST", "login", content=web.token, headers={"Origin": origin})
        assert answer.status_code == 403
    assert web.request("POST", "login", content=web.token).status_code == 403
    session, cookie = web.log_in()
    for origin in ("http://evil.example", None):
        with pytest.raises(InvalidStatus, match="403"):
            web.connect(session, cookie, origin)


def test_a_socket_needs_the_cookie_of_its_session(web: Web) -> None:
    session, cookie = web.log_in()
    for wrong in ((session, "A" * 43), ("A" * 43, cookie), (session, "")):
        with pytest.raises(InvalidStatus, match="403"):
            web.connect(*wrong)
        assert web.request("GET", f"s/{wrong[0]}/", headers={"Cookie": f"fugue={wrong[1]}"}).status_code == 403
    assert web.request("GET", f"s/{session}/", headers={"Cookie": f"fugue={cookie}"}).status_code == 204


def test_a_lost_page_finds_its_view_again(web: Web) -> None:
    key = web.log_in()
    with web.page(*key) as page:
        page.shows(b"ready")
        page.type(b"\x02c")  # a new window, which this view shows
        page.shows(b"2 ")
        before = web.running.ask("list-clients")["clients"]
    with web.page(*key) as page:
        assert page.hears("welcome")["resumed"]
        page.shows(b"\x1bc")
        page.shows(b"\x1b[?1049h")
        after = web.running.ask("list-clients")["clients"]
        assert [each["id"] for each in after] == [each["id"] for each in before]
        page.type(b"\x021")
        page.shows(b"ready")


def test_another_page_takes_a_view_over(web: Web) -> None:
    key = web.log_in()
    with web.page(*key) as first:
        first.shows(b"ready")
        with web.page(*key) as second:
            second.shows(b"ready")
            with pytest.raises(ConnectionClosed) as closed:
                first.shows(b"never shown")
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.code == TAKEN
            second.type(b"still here\r")
            second.shows(b"still here")


def test_two_tabs_have_a_view_each(web: Web) -> None:
    key = web.log_in()
    with web.page(*key, "a") as first, web.page(*key, "b", cols=60) as second:
        first.shows(b"ready")
        second.shows(b"ready")
        clients = web.running.ask("list-clients")["clients"]
        assert sorted(each["size"]["cols"] for each in clients) == [60, 80, 100]
        assert len({each["view"] for each in clients}) == 3


def test_a_page_that_only_looks_on_types_nothing(running: Running) -> None:
    web = Web(running, "--read-only")
    with web.page(*web.log_in()) as page:
        assert page.hears("welcome")["read_only"]
        page.shows(b"ready")
        page.type(b"not typed\r")
        running.host.send("typed\r")
        page.shows(b"typed")
        assert b"not typed" not in page.output
        assert "not typed" not in running.host.text


def test_a_resize_is_drawn_and_silly_sizes_are_no_harm(web: Web) -> None:
    with web.page(*web.log_in()) as page:
        page.shows(b"ready")
        for cols, rows in ((1, 1), (-5, 0), (10**9, 10**9), (120, 40)):
            page.say(type="resize", size={"cols": cols, "rows": rows})
        page.type(b"after\r")
        page.shows(b"after")
        sizes = [each["size"] for each in web.running.ask("list-clients")["clients"]]
        assert {"cols": 120, "rows": 40} in sizes


@pytest.mark.parametrize("message", ["", "{}", "[]", '{"type": "show"}', '{"type": "resize"}', "\0", '{"type":"x"}'])
def test_what_is_no_message_closes_the_page(web: Web, message: str) -> None:
    key = web.log_in()
    with web.page(*key) as page:
        page.hears("welcome")
        page.socket.send(message)
        with pytest.raises(ConnectionClosed):
            page.shows(b"never shown")
    with web.page(*key) as page:
        page.shows(b"ready")


def test_a_message_that_is_too_long_closes_the_page(web: Web) -> None:
    with web.page(*web.log_in()) as page:
        page.hears("welcome")
        page.type(b"x" * ((1 << 20) + 1))
        with pytest.raises(ConnectionClosed):
            page.shows(b"never shown")


def test_a_page_that_shows_nothing_is_sent_no_more_and_then_the_newest(launch: Launch) -> None:
    running = launch(
        "--", "sh", "-c", "trap : INT; echo ready; read line; seq 1000000000; echo the last line; cat", server=True
    )
    running.ready()
    web = Web(running)
    with web.page(*web.log_in(), cols=200, rows=60) as page:
        page.shows(b"ready")
        page.type(b"\r")
        unread = read_unconfirmed(page)
        page.type(b"\x03")
        page.say(type="read", count=unread)
        page.shows(b"the last line")


def read_unconfirmed(page: Page) -> int:
    """Read what a page is sent until nothing comes, and do not say that it was shown: the number of bytes."""
    size = 0
    while size < 4 * WINDOW:
        try:
            message = page.socket.recv(2.0)
        except TimeoutError:
            assert size > WINDOW // 2, "the flood has not begun"
            return size
        size += len(message)
    raise AssertionError("a page that shows nothing is sent everything")


def test_the_end_of_the_workspace_is_reported_and_the_server_goes_on(web: Web) -> None:
    key = web.log_in()
    with web.page(*key) as page:
        page.shows(b"ready")
        web.running.shell("kill-server", "e2e")
        assert "e2e ended" in page.hears("end")["message"]
    with web.page(*key) as page:
        assert "no workspace listens" in page.hears("end")["message"]


def test_ctrl_c_ends_the_server_and_leaves_the_workspace(web: Web) -> None:
    with web.page(*web.log_in()) as page:
        page.shows(b"ready")
        web.host.send("\x03")
        with pytest.raises(ConnectionClosed):
            page.shows(b"never shown")
    assert web.host.wait_exit().code == 0
    assert browsers(web) == []


def test_a_port_in_use_and_one_of_the_system_are_reported(running: Running) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = running.shell("web", "--port", port)
        assert done.returncode == 1
        assert f"cannot listen at 127.0.0.1 port {port}: Address already in use" in done.stderr
        assert "--port" in done.stderr
        assert not done.stdout


@pytest.mark.parametrize(
    ("bind", "host", "warning"),
    [("::1", "[::1]", False), ("localhost", "localhost", False), ("127.0.0.2", "127.0.0.2", False),
     ("0.0.0.0", socket.gethostname(), True), ("::", socket.gethostname(), True)],
)  # fmt: skip
def test_other_addresses_are_served_and_other_machines_warned_of(
    running: Running, bind: str, host: str, warning: bool
) -> None:
    try:
        tcp_listener.listen(bind, 0).close()
    except OSError as error:
        pytest.skip(f"this machine has no {bind}: {error}")
    web = Web(running, "--bind", bind)
    assert web.url.startswith(f"http://{host}:")
    assert ("WARNING: other machines" in web.host.received.decode()) == warning
    assert ("WITHOUT ENCRYPTION" in web.host.received.decode()) == warning
    if warning:  # Whether the machine's name resolves is not ours.
        web.url = f"http://127.0.0.1:{web.url.rstrip('/').rpartition(':')[2]}/"
    with web.page(*web.log_in()) as page:
        page.shows(b"ready")
    assert web.request("GET", "", headers={"Host": "evil.example"}).status_code == 403


def test_a_signal_ends_the_server(web: Web) -> None:
    os.kill(web.host.pid, signal.SIGTERM)
    assert web.host.wait_exit().signal == signal.SIGTERM


def test_a_pane_serves_no_pages() -> None:
    with pytest.raises(SocketError, match="this is a pane"):
        refuse_pane({"FUGUE_SOCKET": "/run/x.sock"})
    refuse_pane({})


@pytest.mark.parametrize(
    ("shown", "reason"),
    [("e2e", "this terminal is a pane of that very workspace"), ("other", "was started by a program in a pane")],
)
def test_a_server_that_a_pane_started_anyway_cannot_attach(
    running: Running, other: str, shown: str, reason: str
) -> None:
    line = f"env -u FUGUE_SOCKET {sys.executable} -m fugue_tui web {shown} > {running.room}/said"
    running.ask("create-window", "--focus", "--", "sh", "-c", line)
    said = Path(running.room, "said")
    running.host.wait_until(lambda: said.exists() and "#" in said.read_text())
    web = PrintedWeb(running, said.read_text())
    with web.page(*web.log_in()) as page:
        assert reason in page.hears("end")["message"]
    clients = json.loads(running.shell("list-clients", "--json", "--workspace", shown).stdout)["clients"]
    assert [each["tty"] for each in clients if each["tty"] == "browser"] == []


@pytest.fixture
def other(running: Running) -> Generator[str]:
    """Another workspace."""
    started = running.shell("new", "other", "--detached", "--", "sh", "-c", "echo other-pane; cat")
    assert started.returncode == 0, started.stderr
    yield "other"
    running.shell("kill-server", "other")


def test_a_page_switches_to_another_workspace_and_back(web: Web, other: str) -> None:
    with web.page(*web.log_in()) as page:
        page.shows(b"ready")
        page.type(b"\x02:")
        page.shows(b"command")
        page.type(b"switch-workspace other\r")
        page.shows(b"other-pane")
        assert page.hears("welcome", 2)["workspace"] == other
        assert browsers(web) == []
        switched = web.running.shell("switch-workspace", "--workspace", other, "e2e")
        assert switched.returncode == 0, switched.stderr
        assert page.hears("welcome", 3)["workspace"] == "e2e"
        page.type(b"back again\r")
        page.shows(b"back again")
        assert len(browsers(web)) == 1


def test_a_page_starts_a_saved_workspace_that_it_switches_to(web: Web, other: str) -> None:
    web.running.shell("kill-server", other)
    with web.page(*web.log_in()) as page:
        page.shows(b"ready")
        page.type(b"\x02:")
        page.shows(b"command")
        page.type(b"switch-workspace other\r")
        assert page.hears("welcome", 2)["workspace"] == other


def browsers(web: Web) -> list[dict[str, object]]:
    return [each for each in web.running.ask("list-clients")["clients"] if each["tty"] == "browser"]


class PrintedWeb(Web):
    """A server that printed its link elsewhere."""

    def __init__(self, running: Running, text: str) -> None:
        self.running, self._text = running, text
        self.url = LINK.findall(text)[-1][0]

    @property
    def _said(self) -> str:
        return self._text


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--port", "x"), "is no port"),
        (("--port", "70000"), "is no port"),
        (("--link-minutes", "0"), "is no number"),
        (("--key", "k"), "requires --certificate"),
        (("--bind", "203.0.113.7"), "cannot listen"),
        (("--certificate", "/nonexistent/c.pem"), "c.pem: No such file"),
        (("--workspace", "missing"), "no workspace missing runs"),
    ],
)
def test_errors_say_what_is_wrong(running: Running, words: tuple[str, str], reason: str) -> None:
    done: subprocess.CompletedProcess[str] = running.shell("web", *words)
    assert done.returncode in (1, 2)
    assert reason in done.stderr
