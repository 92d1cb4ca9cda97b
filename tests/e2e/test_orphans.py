"""What came out of a pane stays what it is, however it detached itself: it is policed, and shows no workspace."""

import sys
from pathlib import Path

import pytest
from tests.e2e.conftest import Launch, Running

from fugue_tui.terminal.pty import process

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="elsewhere an orphan belongs to the first process"),
]

DETACHED = """
import os, pty, sys
if child := os.fork():
    os.waitpid(child, 0)
    os._exit(0)
os.setsid()
if os.fork():
    os._exit(0)
for name in [name for name in os.environ if name.startswith("FUGUE")]:
    del os.environ[name]
os.environ |= {settings!r}
with open({told!r} + "+", "w") as told:
    if {on_terminal!r}:
        pid, fd = pty.fork()
    else:
        pid, fd = os.fork(), None
    if not pid:
        if fd is None:
            os.dup2(told.fileno(), 1)
            os.dup2(told.fileno(), 2)
        os.execv(sys.executable, [sys.executable, "-m", "fugue_tui", *{words!r}])
    while fd is not None:
        try:
            told.write(os.read(fd, 1000).decode(errors="replace"))
        except OSError:
            break
    os.waitpid(pid, 0)
os.rename({told!r} + "+", {told!r})
"""


def said(running: Running, *words: str, on_terminal: bool = False) -> str:
    """What `fugue-tui` answers to a process that a pane's program started and that detached itself."""
    script, told = running.room / "detached.py", running.room / "told"
    told.unlink(missing_ok=True)
    settings = {name: running.env[name] for name in ("PYTHONPATH", "XDG_RUNTIME_DIR", "FUGUE_CONFIG")}
    script.write_text(DETACHED.format(settings=settings, told=str(told), words=words, on_terminal=on_terminal))
    running.ask("run-command", "--command", f"{sys.executable} {script}")
    running.host.wait_until(told.exists)
    return told.read_text()


@pytest.fixture
def strict(launch: Launch) -> Running:
    running = launch(config='[mcp]\ninput = "refuse"\ndestroy = "refuse"\n', server=True)
    running.ready()
    return running


def test_orphan_is_judged_like_the_pane_that_it_left(strict: Running) -> None:
    assert "agents may not do this here" in said(strict, "close-pane", "--workspace", "e2e", "--pane", "%1")
    assert "agents may not do this" in said(strict, "send-input", "--workspace", "e2e", "--pane", "%1", "--text", "x")
    assert '"panes"' in said(strict, "list-panes", "--json", "--workspace", "e2e")
    assert strict.shell("send-input", "--workspace", "e2e", "--pane", "%1", "--text", "x").returncode == 0


def test_orphan_attaches_no_terminal(strict: Running) -> None:
    refused = said(strict, "attach", "e2e", on_terminal=True)
    assert "started by a program in a pane of a workspace" in " ".join(refused.split())
    assert len(strict.ask("list-clients")["clients"]) == 1


def test_orphans_that_end_are_reaped(strict: Running, tmp_path: Path) -> None:
    said(strict, "list-panes", "--workspace", "e2e")
    server = strict.server
    strict.host.wait_until(lambda: not process.zombies(server))
