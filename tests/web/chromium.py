"""Drives a headless Chromium by the Chrome DevTools Protocol."""

import json
import os
import re
import shutil
import subprocess
import tempfile
import time
from base64 import b64decode
from contextlib import ExitStack, suppress
from itertools import count
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome") or ""
DEADLINE = 60.0
SCREEN = (
    "Array.from({length: terminal.rows}, (_, y) => "
    "terminal.buffer.active.getLine(terminal.buffer.active.baseY + y)?.translateToString(true) ?? '').join('\\n')"
)
NOTICE = "document.getElementById('notice')?.hidden === false ? document.getElementById('notice-text').textContent : ''"
MODIFIERS = {"alt": 1, "ctrl": 2, "meta": 4, "shift": 8}


FLAGS = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--remote-debugging-port=0"),
    *("--disable-dev-shm-usage", "--disable-extensions", "--disable-background-networking"),
    *("--disable-background-timer-throttling", "--disable-backgrounding-occluded-windows"),
    "--disable-renderer-backgrounding",
)


class NotStarted(Exception):
    """Chromium is installed and does not start; contains what it says."""


class Browser:
    """One browser with a profile of its own."""

    def __init__(self) -> None:
        """Raises NotStarted."""
        self._profile = tempfile.mkdtemp(prefix="fugue-chromium-", dir="/tmp")
        self._stack = ExitStack()
        self._stack.callback(shutil.rmtree, self._profile, ignore_errors=True)
        env = {**os.environ, "HOME": self._profile, "XDG_RUNTIME_DIR": self._profile}
        self._log = Path(self._profile, "log")
        with self._log.open("wb") as log:
            argv = (CHROMIUM, *FLAGS, f"--user-data-dir={self._profile}", "about:blank")
            self._child = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=env)
        self._stack.callback(self._end)
        try:
            url = self._listening()
        except NotStarted:
            self._stack.close()
            raise
        self._link: ClientConnection = self._stack.enter_context(
            connect(url, max_size=None, proxy=None, ping_interval=None)  # A loaded machine may take its time.
        )
        self._numbers = count(1)
        self.console: list[str] = []
        """What pages said on their consoles, and their exceptions."""

    def _listening(self) -> str:
        """Wait for the URL at which it listens."""
        end = time.monotonic() + DEADLINE
        while not (found := re.search(rb"listening on (ws://\S+)", said := self._log.read_bytes())):
            if self._child.poll() is not None or time.monotonic() > end:
                raise NotStarted(f"{CHROMIUM} does not start: {said[-300:].decode(errors='replace')}")
            time.sleep(0.02)
        return found[1].decode()

    def _end(self) -> None:
        try:
            self._child.wait(10)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait()

    def call(self, method: str, session: str = "", **parameters: object) -> dict[str, Any]:
        """The result of a method of the protocol."""
        number = next(self._numbers)
        request = {"id": number, "method": method, "params": parameters}
        self._link.send(json.dumps(request | ({"sessionId": session} if session else {})))
        while True:
            answer = json.loads(self._link.recv(DEADLINE))
            if answer.get("method") in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"):
                self.console.append(json.dumps(answer["params"])[:600])
            if answer.get("id") == number:
                assert "error" not in answer, f"{method}: {answer['error']}"
                return answer["result"]

    def open(self, url: str, width: int = 1000, height: int = 600) -> "Tab":
        """A new tab with this URL."""
        return Tab(self, url, width, height)

    def allow(self, origin: str, *permissions: str) -> None:
        """Grant permissions to the pages of an origin."""
        self.call("Browser.grantPermissions", permissions=permissions, origin=origin)

    def close(self) -> None:
        """End it."""
        with suppress(Exception):
            self.call("Browser.close")
        self._stack.close()


class Tab:
    """A page."""

    def __init__(self, browser: Browser, url: str, width: int, height: int) -> None:
        self._browser = browser
        self.id = browser.call("Target.createTarget", url="about:blank", newWindow=True)["targetId"]
        self._session = browser.call("Target.attachToTarget", targetId=self.id, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")
        self.resize(width, height)
        self.call("Emulation.setFocusEmulationEnabled", enabled=True)
        self.go(url)

    def call(self, method: str, **parameters: object) -> dict[str, Any]:
        """The result of a method of the protocol."""
        return self._browser.call(method, self._session, **parameters)

    def go(self, url: str) -> None:
        """Load another page."""
        self.call("Page.navigate", url=url)

    def resize(self, width: int, height: int) -> None:
        """Give the window another size, in pixels."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def run(self, script: str) -> Any:
        """The value of an expression in the page."""
        answer = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def draw(self, data: str) -> None:
        """Have the terminal parse output that the workspace knows nothing of."""
        self.run(f"new Promise((done) => terminal.write({json.dumps(data)}, () => done(0)))")

    @property
    def screen(self) -> str:
        """What the terminal shows; empty before there is one."""
        return self.run(f"globalThis.terminal ? {SCREEN} : ''")

    @property
    def notice(self) -> str:
        """The notice that the page shows; empty for none."""
        return self.run(NOTICE)

    def wait(self, script: str, wanted: object = True) -> None:
        """Wait until an expression has a value."""
        self.until(lambda: self.run(script) == wanted, script)

    def until(self, condition: Any, about: str = "") -> None:
        """Wait until a condition holds."""
        end = time.monotonic() + DEADLINE
        while not condition():
            assert time.monotonic() < end, f"{about}\n{self.notice}\n{self.screen}\n{self._browser.console}"
            time.sleep(0.02)

    def shows(self, text: str) -> None:
        """Wait for text in the terminal."""
        self.until(lambda: text in self.screen, text)

    def notifies(self, text: str) -> None:
        """Wait for a notice."""
        self.until(lambda: text in self.notice, text)

    def type(self, text: str) -> None:
        """Type text; newlines are Enter."""
        for character in text:
            self.press("Enter" if character == "\n" else character)

    def press(self, key: str, *modifiers: str, code: str = "", number: int = 0) -> None:
        """Press a key and release it."""
        text = "\r" if key == "Enter" else key if len(key) == 1 and not {"ctrl", "alt"} & set(modifiers) else ""
        alphanumeric = len(key) == 1 and key.isascii() and key.isalnum()
        number = number or {"Enter": 13, "Escape": 27}.get(key, ord(key.upper()) if alphanumeric else 0)
        held = sum(MODIFIERS[each] for each in modifiers)
        event = {"key": key, "code": code or key, "windowsVirtualKeyCode": number, "modifiers": held}
        self.call("Input.dispatchKeyEvent", type="keyDown", text=text, **event)
        self.call("Input.dispatchKeyEvent", type="keyUp", **event)

    def click(self, col: int, row: int, *modifiers: str) -> None:
        """Click on a cell, counted from 0."""
        self.move(col, row)
        for kind in ("mousePressed", "mouseReleased"):
            self._mouse(kind, col, row, *modifiers, button="left", clickCount=1)

    def move(self, col: int, row: int) -> None:
        """Move the mouse to a cell."""
        self._mouse("mouseMoved", col, row)

    def _mouse(self, kind: str, col: int, row: int, *modifiers: str, **event: object) -> None:
        rectangle = "document.querySelector('.xterm-screen').getBoundingClientRect()"
        box = self.run(f"(({{x, y, width, height}}) => [x, y, width, height])({rectangle})")
        cols, rows = self.run("[terminal.cols, terminal.rows]")
        x, y = box[0] + (col + 0.5) * box[2] / cols, box[1] + (row + 0.5) * box[3] / rows
        held = sum(MODIFIERS[each] for each in modifiers)
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, modifiers=held, **event)

    def close(self) -> None:
        """Close the tab."""
        self._browser.call("Target.closeTarget", targetId=self.id)

    def press_button(self) -> None:
        """Click on the notice's button."""
        self.run("document.getElementById('notice-button').click()")

    def picture(self, file: Path) -> None:
        """Write a PNG of the page."""
        file.write_bytes(b64decode(self.call("Page.captureScreenshot", format="png")["data"]))
