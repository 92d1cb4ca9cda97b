"""The browser view in headless Chromium, without a GPU, beside a terminal of the same workspace. Needs Chromium."""

import os
import re
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Final, cast

from tests.web.chromium import CHROMIUM, Browser, NotStarted, Tab

from bench import payloads
from bench.host import Host
from bench.keys import ECHO, echoes, resting_cursor
from bench.plan import Plan, late, middle
from bench.processes import memory
from bench.subjects import FUGUE
from bench.table import Row

WINDOW: Final = (1100, 620)
"""Pixels: about the size of the terminal in cells."""
BATCH: Final = 20
"""Keys in one line, and in one call of the page."""
STOPPED: Final = "STOPPED"
LONGEST: Final = 100_000
"""Bytes of an argument; Linux accepts 128 KiB."""
_PRELUDE: Final = """
  const row = (y) => terminal.buffer.active.getLine(y).translateToString();
  const shows = (text) => Array.from({length: terminal.rows}, (_, y) => row(y)).some((each) => each.includes(text));
  const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
  const drawn = (condition) => new Promise((done) => {
    const listener = terminal.onRender(() => condition() && (listener.dispose(), done()));
  });
"""
_ECHOES: Final = """
  const found = [];
  for (let n = 1; n <= COUNT; n++) {
    await pause(20 + (n * 37) % 40);
    const pressed = performance.now();
    terminal.input("Z");
    await drawn(() => shows("Z".repeat(n)));
    found.push(performance.now() - pressed);
  }
  terminal.input("\\x15");
  await drawn(() => !shows("Z"));
  return found;
"""
"""Milliseconds from each key until its letter was drawn."""
_STOP: Final = """
  const pressed = performance.now();
  terminal.input("\\x03");
  await drawn(() => shows("STOPPED"));
  return performance.now() - pressed;
"""
_FRAMES: Final = """
  let frames = 0;
  const listener = terminal.onRender(() => frames++);
  const began = performance.now();
  await pause(SECONDS * 1000);
  listener.dispose();
  return frames * 1000 / (performance.now() - began);
"""
_PAUSE: Final = "await pause(300);"


@dataclass(frozen=True)
class Shown:
    """One workspace on a terminal and in a tab."""

    host: Host
    tab: Tab
    server: int
    """The process that serves the page."""

    def in_page(self, script: str) -> object:
        """The value of a script of the page; the terminal goes on meanwhile."""
        ended = threading.Event()
        reader = threading.Thread(target=self._read, args=(ended,))
        reader.start()
        try:
            return self.tab.run(f"(async () => {{ {_PRELUDE} {script} }})()")
        finally:
            ended.set()
            reader.join()

    def _read(self, ended: threading.Event) -> None:
        while not ended.is_set():
            self.host.step(0.02)


def measure(plan: Plan) -> Iterator[Row]:
    """Every row of this topic; none without Chromium."""
    if not CHROMIUM:
        return
    try:
        browser = Browser()
    except NotStarted:
        return
    with closing(browser):
        yield from _echo(plan, browser, "echo, idle", [ECHO], 100)
        for kind, most in (("plain", 100), ("dense colour", 500)):
            flood = f"while :; do cat '{payloads.write(plan.folder, kind, 4_000_000)}'; done"
            yield from _echo(plan, browser, f"echo beside a flood, {kind}", [flood, ECHO], most)
            yield from _flooded(plan, browser, kind)


def _echo(plan: Plan, browser: Browser, what: str, scripts: list[str], most: float) -> Iterator[Row]:
    pages, terminals = list[float](), list[float]()
    with _shown(plan, browser, scripts) as shown:
        home = resting_cursor(shown.host)
        for _ in range(plan.often(6, 1)):
            pages += cast("list[float]", shown.in_page(_ECHOES.replace("COUNT", str(BATCH))))
            shown.host.until(lambda: shown.host.cursor == home)
            terminals += echoes(shown.host, home, BATCH)
            shown.host.send(b"\x15")
            shown.host.until(lambda: shown.host.cursor == home)
    samples = {"browser": pages, "terminal": terminals}
    yield Row("web", f"{what}, p50", "ms", middle(pages), note=_beside(middle(terminals)), samples=samples)
    yield Row("web", f"{what}, p95", "ms", late(pages), most=most, note=_beside(late(terminals)))


def _flooded(plan: Plan, browser: Browser, kind: str) -> Iterator[Row]:
    """Frames a second, Ctrl+C and memory while the one pane floods."""
    stop = plan.folder / "stop"
    stop.write_text(f"\x18\x1b\\\x1b[m\n\x1b[2J\x1b[H{STOPPED}\n")  # No continuation of a line that was wrapped.
    file = payloads.write(plan.folder, kind, 4_000_000)
    flood = f"yes \"$(head -c {LONGEST} '{file}')\""  # One program: a shell goes on with a loop of several.
    script = f"trap 'cat {stop}' INT; printf 'READY\\n'; while read line; do {flood}; done"
    pages, terminals, stops = list[float](), list[float](), dict[str, list[float]]()
    sizes, seconds = list[float](), plan.often(4, 1)
    with _shown(plan, browser, [script]) as shown:
        for _ in range(plan.often(4, 1)):
            for name, stopped in (("browser", _stop_in_page), ("terminal", _stop_in_terminal)):
                shown.host.send(b"\r")
                shown.host.until(lambda: STOPPED not in shown.host.text and "READY" not in shown.host.text)
                pages.append(cast("float", shown.in_page(_FRAMES.replace("SECONDS", str(seconds)))))
                terminals.append(_frames(shown.host, seconds))
                sizes.append(memory([shown.server], "Rss"))
                stops.setdefault(name, []).append(stopped(shown))
                shown.in_page(_PAUSE)
    yield Row(
        "web", f"frames a second in a flood, {kind}", "1/s", middle(pages), note=_beside(middle(terminals), ""),
        samples={"browser": pages, "terminal": terminals},
    )  # fmt: skip
    yield Row(
        "web", f"Ctrl+C in a flood, {kind}", "ms", max(stops["browser"]), most=1000,
        note=_beside(max(stops["terminal"])), samples=stops,
    )  # fmt: skip
    yield Row(
        "web", f"growth of fugue-tui web in a flood, {kind}", "MiB", sizes[-1] - sizes[0], most=8,
        samples={"browser": sizes},
    )  # fmt: skip


def _stop_in_page(shown: Shown) -> float:
    return cast("float", shown.in_page(_STOP))


def _stop_in_terminal(shown: Shown) -> float:
    pressed = time.perf_counter()
    shown.host.send(b"\x03")
    return 1000 * (shown.host.until(lambda: STOPPED in shown.host.text) - pressed)


def _frames(host: Host, seconds: float) -> float:
    """Frames a second that the terminal is sent."""
    before, began = host.frames, time.perf_counter()
    host.run(seconds)
    return (host.frames - before) / (time.perf_counter() - began)


def _beside(figure: float | None, unit: str = " ms") -> str:
    return "" if figure is None else f"{figure:.1f}{unit} in a terminal"


@contextmanager
def _shown(plan: Plan, browser: Browser, scripts: list[str]) -> Generator[Shown]:
    """A workspace on a terminal and in a tab; the last pane has the focus."""
    with plan.fugue.open(plan.folder, scripts, focus=len(scripts) - 1) as stage:
        stage.host.until_text("READY")
        env = {**os.environ, **stage.env, "PYTHONUNBUFFERED": "1"}
        server = subprocess.Popen([*FUGUE, "web"], env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        assert server.stdout is not None
        try:
            link = next(found[0] for line in server.stdout if (found := re.search(r"http\S+", line)))
            with closing(browser.open(link, *WINDOW)) as tab:
                tab.until(_drawing(stage.host, lambda: "main" in tab.screen))
                stage.host.run(1)
                yield Shown(stage.host, tab, server.pid)
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(10)
            server.stdout.close()


def _drawing(host: Host, condition: Callable[[], bool]) -> Callable[[], bool]:
    """A condition that has the terminal go on whenever it is asked."""

    def checked() -> bool:
        host.step(0.01)
        return condition()

    return checked
