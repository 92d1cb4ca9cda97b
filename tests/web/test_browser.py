"""The page in a real browser, headless Chromium, if there is one."""

import json
import os
import shutil
import threading
from base64 import b64encode
from collections.abc import Generator
from contextlib import closing
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from tests.e2e.conftest import Launch, Running
from tests.web.chromium import CHROMIUM, Browser, NotStarted, Tab
from tests.web.conftest import Web
from tests.web.tcp_relay import TcpRelay
from tests.web.test_certificate import OPENSSL, Files
from tests.web.test_certificate import files as files

pytestmark = [
    pytest.mark.slow,
    pytest.mark.forked,
    pytest.mark.skipif(not CHROMIUM, reason="there is no Chromium"),
]


@pytest.fixture(scope="module")
def browser() -> Generator[Browser]:
    try:
        browser = Browser()
    except NotStarted as error:
        pytest.skip(str(error))
    yield browser
    browser.close()


def link(web: Web) -> str:
    return f"{web.url}#{web.token}"


@pytest.fixture
def tab(browser: Browser, web: Web) -> Generator[Tab]:
    """A tab that shows the workspace."""
    tab = browser.open(link(web))
    tab.shows("ready")
    yield tab
    tab.close()


def test_what_is_typed_and_pasted_arrives(tab: Tab, web: Web) -> None:
    tab.type("echo 'Größe' \"$x\"; (~{[|]})\n")
    tab.until(lambda: tab.screen.count("Größe") == 2)
    tab.run("terminal.paste(('x'.repeat(70) + '\\r').repeat(2000) + 'the end 😀\\r')")
    web.running.host.wait_text("the end 😀")
    assert tab.run("document.title") == "fugue-tui e2e"
    assert "#" not in tab.run("location.href")


def test_shift_enter_is_distinguished_from_enter(browser: Browser, launch: Launch) -> None:
    running = launch("--", "sh", "-c", "stty raw; printf '\\033[>1uready'; cat -v", server=True)
    running.ready()
    web = Web(running)
    with closing(browser.open(link(web))) as tab:
        tab.shows("ready")
        tab.press("Enter", "shift")
        tab.shows("^[[13;2u")


@pytest.mark.skipif(not shutil.which("vim"), reason="there is no vim")
def test_vim_edits_and_takes_the_mouse(browser: Browser, launch: Launch) -> None:
    running = launch("--", "vim", "-u", "NONE", "-n", "-N", "-c", "set mouse=a ttymouse=sgr", server=True)
    running.ready()
    web = Web(running)
    with closing(browser.open(link(web))) as tab:
        tab.shows("~")
        tab.type("ifirst line\nsecond line")
        tab.press("Escape")
        tab.shows("second line")
        tab.click(6, 0)
        tab.type("x")
        tab.shows("first ine")
        tab.type(":q!\n")


def test_the_size_follows_the_window(tab: Tab, web: Web) -> None:
    before = tab.run("terminal.cols")
    tab.resize(500, 300)
    tab.until(lambda: tab.run("terminal.cols") < before)
    cols, rows = tab.run("[terminal.cols, terminal.rows]")

    def sizes() -> list[dict[str, int]]:
        return [each["size"] for each in web.running.ask("list-clients")["clients"]]

    tab.until(lambda: {"cols": cols, "rows": rows} in sizes())
    tab.until(lambda: "e2e" in tab.screen.splitlines()[-1], "the status bar is on the last row")
    tab.resize(20, 20)
    tab.resize(800, 500)
    tab.type("after\n")
    tab.until(lambda: tab.screen.count("after") == 2)


def test_a_lost_connection_is_reported_and_the_view_found_again(browser: Browser, web: Web) -> None:
    with closing(TcpRelay(int(web.origin.rpartition(":")[2]))) as relay:
        tab = browser.open(f"http://127.0.0.1:{relay.port}/#{web.token}")
        tab.shows("ready")
        tab.press("b", "ctrl", code="KeyB", number=66)
        tab.type("c")
        tab.shows("[2 ")
        (before,) = browser_clients(web)
        relay.drop()
        tab.notifies("connection was lost")
        relay.restore()
        tab.press_button()
        tab.until(lambda: not tab.notice)
        tab.type("again\n")
        tab.shows("again")
        (after,) = browser_clients(web)
        assert after["id"] == before["id"]
        tab.close()


def browser_clients(web: Web) -> list[dict[str, object]]:
    return [each for each in web.running.ask("list-clients")["clients"] if each["tty"] == "browser"]


def test_a_page_that_is_loaded_again_keeps_its_view(tab: Tab, web: Web) -> None:
    (before,) = browser_clients(web)
    tab.run("terminal.reset()")
    tab.call("Page.reload")
    tab.shows("ready")
    (after,) = browser_clients(web)
    assert after["id"] == before["id"]


def test_a_second_tab_needs_no_link_and_has_its_own_view(browser: Browser, tab: Tab, web: Web) -> None:
    with closing(browser.open(web.url, 600, 400)) as second:
        second.shows("ready")
        assert len(browser_clients(web)) == 2
        assert len({each["view"] for each in browser_clients(web)}) == 2
        second.type("for both\n")
        second.shows("for both")
        tab.shows("for both")


def test_a_wrong_link_and_none_are_reported(browser: Browser, web: Web) -> None:
    with closing(browser.open(f"{web.url}#wrong")) as tab:
        tab.notifies("used already")
    with closing(browser.open(web.url)) as tab:
        tab.notifies("needs the link")
        assert browser_clients(web) == []


def test_a_page_of_another_origin_gets_nothing(browser: Browser, tab: Tab, web: Web) -> None:
    session = tab.run("localStorage.getItem('session')")
    socket = f"{web.url.replace('http', 'ws', 1)}s/{session}/socket"
    attempt = (
        "new Promise((done) => {{ const socket = new WebSocket({!r});"
        "socket.onopen = () => done('open'); socket.onerror = () => done('refused'); }})"
    )
    assert tab.run(attempt.format(socket)) == "open"
    with ThreadingHTTPServer(("127.0.0.1", 0), SimpleHTTPRequestHandler) as other:
        threading.Thread(target=other.serve_forever, daemon=True).start()
        with closing(browser.open(f"http://127.0.0.1:{other.server_port}/missing")) as foreign:
            foreign.wait("location.port", str(other.server_port))
            assert foreign.run(attempt.format(socket)) == "refused"
            assert foreign.run(f"fetch({web.url!r}).then(() => 'read', () => 'refused')") == "refused"
        other.shutdown()


def test_a_page_that_only_looks_on(browser: Browser, running: Running) -> None:
    web = Web(running, "--read-only")
    with closing(browser.open(link(web))) as tab:
        tab.shows("ready")
        tab.type("not typed\n")
        running.host.send("typed here\r")
        tab.shows("typed here")
        assert "not typed" not in tab.screen


def test_what_is_copied_goes_to_the_browsers_clipboard(browser: Browser, launch: Launch) -> None:
    running = launch(
        "--", "sh", "-c", "echo ready; read line; printf '\\033]52;c;aMO2aGxlIPCfmIA=\\007'; cat", server=True,
        config='[mcp]\ntrust = "full"\n[terminal]\nclipboard = "on"\n',
    )  # fmt: skip
    running.ready()
    web = Web(running)
    browser.allow(web.origin, "clipboardReadWrite", "clipboardSanitizedWrite")
    with closing(browser.open(link(web))) as tab:
        tab.shows("ready")
        tab.type("\n")
        tab.until(lambda: tab.run("navigator.clipboard.readText()") == "höhle 😀")


CLUSTERS = ("é", "漢", "👩‍👩‍👧", "🇩🇪", "✔️", "❤", "🫨", "👍🏽", "각", "ﷺ", "ก็", "①", "🩷", "🪏", "𝌆", "䷀", "🫪")


def test_widths_are_those_of_the_engine(browser: Browser, launch: Launch) -> None:
    lines = "".join(f"{each}|\\n" for each in CLUSTERS)
    running = launch("--", "sh", "-c", f"printf '{lines}'; echo ready; cat", server=True)
    running.ready()
    web = Web(running)
    with closing(browser.open(link(web))) as tab:
        tab.shows("ready")
        columns = tab.run(
            f"Array.from({{length: {len(CLUSTERS)}}}, (_, y) => Array.from({{length: 10}}, (_, x) =>"
            " terminal.buffer.active.getLine(y).getCell(x).getChars()).indexOf('|'))"
        )
        assert dict(zip(CLUSTERS, columns, strict=True)) == dict(zip(CLUSTERS, WIDTHS, strict=True))


WIDTHS = (1, 2, 2, 2, 2, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2)


def test_the_page_breaks_no_rule_of_its_policy(browser: Browser, tab: Tab) -> None:
    assert tab.run("document.querySelectorAll('script:not([src])').length") == 0
    assert [each for each in browser.console if "Content Security Policy" in each or "Exception" in each] == []


# Floods


def flooding(launch: Launch, directory: Path, kind: str, *, beside: bool = False) -> Running:
    """A workspace whose pane floods from Enter to Ctrl+C; with a pane beside it that echoes and has the focus."""
    stopped = directory / "stopped"
    stopped.write_text("\x18\x1b\\\x1b[m\x1b[2J\x1b[Hstopped\n")  # Ends a sequence that was cut.
    flood = FLOODS[kind].format(file=written(directory, kind))
    running = launch(
        "--", "sh", "-c", f"trap 'cat {stopped}; exec cat' INT; echo ready; read line; {flood}", server=True
    )
    running.ready()
    running.host.wait_text("ready")
    if beside:
        running.host.send("\r")
        running.ask("split-pane", "--focus", "--", "sh", "-c", "echo beside; cat")
    return running


FLOODS = {
    "yes": "yes the quick brown fox",
    "colours": "while :; do cat {file} || break; done",
    "images": "while :; do cat {file} || break; done",
}


def written(directory: Path, kind: str) -> Path:
    """The file of a flood."""
    file = directory / kind
    if kind == "colours":
        cells = (f"\x1b[38;2;{n % 256};{n * 7 % 256};{n * 13 % 256}m{n % 10}" for n in range(100_000))
        file.write_text("".join(cells))
    elif kind == "images":
        pixels = (bytes((n, 255 - n, n ^ 85)) * 1024 for n in range(64))
        images = (b"\x1b[H\x1b_Ga=T,q=2,f=24,s=32,v=32;%s\x1b\\" % b64encode(each) for each in pixels)
        file.write_bytes(b"".join(images))
    return file


@pytest.mark.parametrize("kind", FLOODS)
def test_a_flood_is_drawn_and_ctrl_c_stops_it(browser: Browser, launch: Launch, tmp_path: Path, kind: str) -> None:
    running = flooding(launch, tmp_path, kind)
    web = Web(running)
    with closing(browser.open(link(web))) as tab:
        tab.shows("ready")
        tab.run("globalThis.drawn = 0, terminal.onRender(() => drawn++)")
        tab.press("Enter")
        tab.until(lambda: tab.run("drawn") > 20, "20 frames")
        tab.press("c", "ctrl", code="KeyC", number=67)
        tab.shows("stopped")
        tab.type("typed\n")
        tab.until(lambda: tab.screen.count("typed") == 2)


@pytest.mark.parametrize("kind", FLOODS)
def test_a_key_is_echoed_beside_a_flood(browser: Browser, launch: Launch, tmp_path: Path, kind: str) -> None:
    running = flooding(launch, tmp_path, kind, beside=True)
    web = Web(running)
    with closing(browser.open(link(web))) as tab:
        tab.shows("beside")
        tab.type("typed\n")
        tab.until(lambda: tab.screen.count("typed") == 2)


def test_a_frozen_tab_stalls_no_client_and_shows_the_newest_frame_when_it_resumes(
    browser: Browser, launch: Launch, tmp_path: Path
) -> None:
    running = flooding(launch, tmp_path, "colours", beside=True)
    web = Web(running)
    with closing(browser.open(link(web), 500, 300)) as frozen:
        frozen.shows("beside")
        tab = browser.open(web.url, 500, 300)
        tab.shows("beside")
        before = resident(web.host.pid)
        frozen.call("Page.setWebLifecycleState", state="frozen")
        tab.run("globalThis.drawn = 0, terminal.onRender(() => drawn++)")
        tab.until(lambda: tab.run("drawn") > 50, "50 frames beside a frozen tab")
        running.host.send("typed here\r")
        tab.shows("typed here")
        assert resident(web.host.pid) - before < 8 << 20
        frozen.call("Page.setWebLifecycleState", state="active")
        frozen.shows("typed here")
        assert len(browser_clients(web)) == 2
        tab.close()


def resident(pid: int) -> int:
    """The bytes of memory that a process has."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


# What the page makes of hostile output


def test_a_browser_that_asks_before_it_copies_stops_no_output(tab: Tab, web: Web) -> None:
    tab.run("navigator.clipboard.writeText = (text) => { globalThis.copied = text; return new Promise(() => {}); }, 0")
    tab.run("terminal.write('\\x1b]52;c;aGVsbG8=\\x07'), 0")  # Nothing waits: with a fault it never ends.
    tab.wait("globalThis.copied", "hello")
    tab.type("goes on\n")
    tab.until(lambda: tab.screen.count("goes on") == 2)


def test_the_clipboard_is_neither_read_nor_emptied(tab: Tab, web: Web) -> None:
    tab.run(
        "globalThis.asked = [], navigator.clipboard.readText = async () => { asked.push('read'); return 'secret'; },"
        "navigator.clipboard.writeText = async (text) => { asked.push(text); },"
        "terminal.onData((data) => asked.push(data)), 0"
    )
    for payload in ("?", "", "!", "/w==", "aGVsbG8="):
        tab.draw(f"\x1b]52;c;{payload}\x1b\\")
    assert tab.run("asked") == ["hello"]


def test_links_to_scripts_are_not_opened_and_others_shown_before(tab: Tab, web: Web) -> None:
    tab.run("globalThis.opened = [], window.open = (url) => { opened.push(url); return null; }, 0")
    web.host.send("\x03")  # From here on nothing else draws.
    tab.notifies("connection was lost")
    for row, url in enumerate(("javascript:opened.push(1)", "https://e.example/a"), 1):
        tab.draw(f"\x1b[?1003l\x1b[?1000l\x1b[{row}H\x1b]8;;{url}\x1b\\here\x1b]8;;\x1b\\")
    tab.click(1, 0, "ctrl")
    tab.move(1, 1)
    tab.wait("document.getElementById('terminal').title", "https://e.example/a")
    tab.click(1, 1, "ctrl")
    tab.wait("JSON.stringify(opened)", '["https://e.example/a"]')


def test_a_flood_of_bells_and_titles_changes_nothing_of_the_page(tab: Tab, web: Web) -> None:
    tab.draw("\x07\x1b]0;evil\x07\x1b]2;evil\x07" * 100_000)
    assert tab.run("document.title") == "fugue-tui e2e"
    tab.type("goes on\n")
    tab.until(lambda: tab.screen.count("goes on") == 2)


def test_the_token_is_left_nowhere(browser: Browser, tab: Tab, web: Web) -> None:
    token = web.token
    entries = tab.call("Page.getNavigationHistory")["entries"]
    assert not any(token in each["url"] for each in entries)
    kept = tab.run(
        "document.referrer + JSON.stringify(localStorage) + JSON.stringify(sessionStorage) + document.cookie"
    )
    assert token not in kept
    assert tab.run("performance.getEntries().map((each) => each.name).filter((name) => /socket|login/.test(name))") == [
        f"{web.url}login"
    ]


def test_switching_workspaces_leaves_nothing_unconfirmed(browser: Browser, web: Web) -> None:
    started = web.running.shell("new", "other", "--detached", "--", "sh", "-c", "echo other-pane; cat")
    assert started.returncode == 0, started.stderr
    try:
        with closing(browser.open("about:blank")) as tab:
            tab.call("Page.addScriptToEvaluateOnNewDocument", source=COUNTING)
            tab.go(link(web))
            tab.shows("ready")
            for _ in range(6):
                for here, there, text in (("e2e", "other", "other-pane"), ("other", "e2e", "ready")):
                    clients = web.running.shell("list-clients", "--json", "--workspace", here)
                    (mine,) = [c["id"] for c in json.loads(clients.stdout)["clients"] if c["tty"] == "browser"]
                    done = web.running.shell("switch-workspace", "--workspace", here, "--client", str(mine), there)
                    assert done.returncode == 0, done.stderr
                    tab.shows(text)
                    tab.shows(f" {there} ")
            tab.until(lambda: tab.run("received - confirmed") < 1 << 14, "what was shown is confirmed but for a rest")
    finally:
        web.running.shell("kill-server", "other")


COUNTING = """
globalThis.received = globalThis.confirmed = 0;
const NewSocket = WebSocket;
globalThis.WebSocket = class extends NewSocket {
  constructor(...given) {
    super(...given);
    this.addEventListener("message", ({ data }) => (received += data.byteLength ?? 0));
  }
  send(data) {
    if (typeof data === "string" && data.includes('"read"')) confirmed += JSON.parse(data).count;
    super.send(data);
  }
};
"""
"""Counts the bytes that a page receives, and says that it has shown."""


@pytest.mark.skipif(not OPENSSL, reason="there is no openssl")
def test_a_page_over_tls(browser: Browser, running: Running, files: Files) -> None:
    web = Web(running, "--certificate", files.certificate, "--key", files.key)
    with closing(browser.open("about:blank")) as tab:
        tab.call("Security.setIgnoreCertificateErrors", ignore=True)
        tab.go(link(web))
        tab.shows("ready")
        assert tab.run("location.protocol") == "https:"
        tab.type("over TLS\n")
        tab.until(lambda: tab.screen.count("over TLS") == 2)
