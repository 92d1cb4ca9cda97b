"""The page in a real browser, headless Chromium: run with FUGUE_BROWSER_TESTS=1."""

import os
import shutil
import threading
from collections.abc import Generator
from contextlib import closing
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest
from tests.e2e.conftest import Launch, Running
from tests.web.chromium import CHROMIUM, Browser, Tab
from tests.web.conftest import Web
from tests.web.tcp_relay import TcpRelay

pytestmark = [
    pytest.mark.slow,
    pytest.mark.forked,
    pytest.mark.skipif(
        not CHROMIUM or not os.environ.get("FUGUE_BROWSER_TESTS"),
        reason="no Chromium, or FUGUE_BROWSER_TESTS is not set",
    ),
]


@pytest.fixture(scope="module")
def browser() -> Generator[Browser]:
    browser = Browser()
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


def test_shift_enter_is_told_from_enter(browser: Browser, launch: Launch) -> None:
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


def test_a_lost_connection_is_said_and_the_view_found_again(browser: Browser, web: Web) -> None:
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


def test_a_wrong_link_and_none_are_told(browser: Browser, web: Web) -> None:
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
