"""Programs that print without measure, and hosts that do: the workspace stays small, and its keys act."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.e2e.conftest import Launch, Running

from fugue_tui.geometry import Size

pytestmark = [pytest.mark.slow, pytest.mark.forked]


MIB = 1 << 20


def memory(running: Running) -> int:
    """The bytes of memory that the program holds."""
    return int(Path(f"/proc/{running.host.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def python(code: str) -> tuple[str, ...]:
    """A program that runs Python code and then echoes."""
    script = f"import os, sys\nw = sys.stdout.buffer.write\n{code}\nsys.stdout.flush()\nos.execvp('cat', ['cat'])"
    return ("--", sys.executable, "-c", script)


@pytest.mark.parametrize(
    ("code", "grows"),
    [
        ("for _ in range(160): w(os.urandom(65536))\nw(b'\\x18\\x1bc')", 60),
        ("w(b'x\\x1b[999999999b' * 50 + b'\\x1bc')", 20),
        ("w(b'\\x1b]2;')\nfor _ in range(800): w(b'A' * 65536)\nw(b'\\x07')", 30),
        ("w(b'\\x1b]52;c;')\nfor _ in range(800): w(b'QUFB' * 16384)\nw(b'\\x07')", 30),
        ("w(b'\\x1bP')\nfor _ in range(800): w(b'A' * 65536)\nw(b'\\x1b\\\\')", 30),
        ("w(b'a' + '\\u0301'.encode() * 1000000)", 40),
    ],
    ids=["random", "repeat", "title", "copy", "device", "marks"],
)
def test_hostile_output_causes_no_error(launch: Launch, code: str, grows: int) -> None:
    running = launch(*python(f"sys.stdin.readline()\n{code}\nw(b'\\r\\nis over\\r\\n')"))
    running.ready()
    running.ask("list-panes")  # Answered once everything is loaded.
    before = memory(running)
    running.host.send("\r")
    running.host.wait_until(lambda: "is over" in running.host.text, 60)
    running.host.send("alive\ralive\r")  # Late replies to what was printed may be typed into the first.
    running.host.wait_text("alive")
    assert memory(running) - before < grows * MIB
    assert running.log == ""


def test_endless_output_uses_bounded_memory_and_stops_at_ctrl_c(launch: Launch) -> None:
    running = launch("-e", "trap : INT; cat /dev/urandom | base64; echo; echo stopped; cat")
    running.ready()
    running.ask("list-panes")  # Answered once everything is loaded.
    shown = len(running.host.received)
    running.host.wait_until(lambda: len(running.host.received) > shown + 100_000)
    before = memory(running)
    running.host.wait_until(lambda: len(running.host.received) > shown + 300_000)
    assert memory(running) - before < 12 * MIB
    running.host.send(b"\x03")
    running.host.wait_text("stopped")


def test_a_host_that_does_not_read_blocks_no_pane(launch: Launch) -> None:
    running = launch("-e", "trap : INT; cat /dev/urandom | base64; echo; echo stopped; cat")
    running.ready()
    running.ask("list-panes")  # Answered once everything is loaded.
    before = memory(running)
    command = [sys.executable, "-m", "fugue_tui", "list-panes", "--workspace", running.name]
    for _ in range(5):
        subprocess.run(command, env={**os.environ, **running.env}, check=True, capture_output=True, timeout=100)
    assert memory(running) - before < 30 * MIB
    running.host.send(b"\x03")
    running.host.wait_text("stopped")


def test_a_flood_of_resizes_ends_at_the_last_one(launch: Launch) -> None:
    running = launch("-e", "trap 'stty size' WINCH; echo ready; while :; do sleep 0.05; done")
    running.ready()
    running.host.wait_text("ready")
    running.ask("split-pane", "--command", "cat")
    for turn in range(150):
        running.host.resize(Size(1 + turn * 37 % 200, 1 + turn * 13 % 60))
        running.host.step(0.002)
    running.host.resize(Size(1, 1))
    running.host.wait_until(lambda: running.ask("list-clients")["clients"][0]["size"] == {"cols": 1, "rows": 1})
    running.host.resize(Size(101, 31))
    running.host.wait_text("29 50", running.name)
    panes = running.ask("list-panes")["panes"]
    assert [(pane["rect"]["cols"], pane["rect"]["rows"]) for pane in panes] == [(50, 29), (50, 29)]
    assert running.log == ""


def test_sixty_four_panes_open_at_once(launch: Launch) -> None:
    running = launch("--", "cat", size=Size(200, 60))
    running.ready()
    rows = [[{"pane": {"command": f"echo p{row}.{n}; cat"}} for n in range(8)] for row in range(8)]
    splits = [{"layout": {"direction": "horizontal", "splits": row}} for row in rows]
    layout = {"direction": "vertical", "splits": splits}
    opened = running.ask("create-layout", "--layout", json.dumps(layout), "--focus")
    assert len(opened["panes"]) == 64
    running.host.wait_text("p0.0", "p3.4", "p7.7")
    sessions = running.sessions()
    running.ask("close-window", "--window", "@2")
    running.wait_gone(sessions[1:])
    running.host.send("alive\r")
    running.host.wait_text("alive")
