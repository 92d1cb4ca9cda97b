"""The browser view in headless Chromium, without a GPU: echo. Needs Chromium."""

import os
import re
import signal
import subprocess
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from typing import Final, cast

from tests.web.chromium import CHROMIUM, Browser, Tab

from bench.keys import ECHO
from bench.plan import Plan, late, middle
from bench.subjects import FUGUE
from bench.table import Row

_ECHOES: Final = """
(async () => {
  const found = [];
  const row = (y) => terminal.buffer.active.getLine(y).translateToString();
  const rows = () => Array.from({length: terminal.rows}, (_, y) => row(y));
  const shows = (text) => rows().some((row) => row.includes(text));
  for (let n = 0; n < COUNT; n++) {
    await new Promise((done) => setTimeout(done, 30 + (n * 37) % 60));
    const pressed = performance.now();
    terminal.input("x");
    await new Promise((done) => {
      const drawn = terminal.onRender(() => shows("x".repeat(n % 20 + 1)) && (drawn.dispose(), done()));
    });
    found.push(performance.now() - pressed);
    if (n % 20 === 19) terminal.input("\\x15");
  }
  return found;
})()
"""
"""Milliseconds from each key until its letter was drawn."""


def measure(plan: Plan) -> Iterator[Row]:
    """Every row of this topic; none without Chromium."""
    if not CHROMIUM:
        return
    with closing(Browser()) as browser:
        yield from _echo(plan, browser, "echo, idle", [ECHO])


def _echo(plan: Plan, browser: Browser, what: str, scripts: list[str]) -> Iterator[Row]:
    count = plan.often(150, 30)
    with _shown(plan, browser, scripts) as tab:
        found = cast("list[float]", tab.run(_ECHOES.replace("COUNT", str(count))))
    yield Row("web", f"{what}, p50", "ms", middle(found), samples={"browser": found})
    yield Row("web", f"{what}, p95", "ms", late(found), most=100)


@contextmanager
def _shown(plan: Plan, browser: Browser, scripts: list[str]) -> Generator[Tab]:
    """A workspace on a terminal and in a tab; the last pane has the focus."""
    with plan.fugue.open(plan.folder, scripts, focus=len(scripts) - 1) as stage:
        stage.host.until_text("READY")
        env = {**os.environ, **stage.env, "PYTHONUNBUFFERED": "1"}
        server = subprocess.Popen([*FUGUE, "web"], env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        assert server.stdout is not None
        try:
            link = next(found[0] for line in server.stdout if (found := re.search(r"http\S+", line)))
            with closing(browser.open(link, 800, 480)) as tab:
                tab.until(lambda: "main" in tab.screen)
                yield tab
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(10)
            server.stdout.close()
