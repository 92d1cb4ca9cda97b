"""Agents in panes: what their reports cost the user's keys, and how soon a state is seen."""

import sys
import time
from collections.abc import Iterator
from typing import Final

from bench.keys import ECHO, echoes, resting_cursor
from bench.plan import Plan, Samples, late, middle
from bench.subjects import Fugue
from bench.table import Row
from fugue_tui.geometry import Size

AGENTS: Final = 16
SIZE: Final = Size(160, 48)
"""Every pane is wide enough for the line that is typed."""
_AGENT: Final = r"""
import sys, time
for n in range(10**9):
    state = ("working", "blocked:kind=permission:msg=bWFrZQ==", "idle")[n // 20 % 3]
    sys.stdout.write("\33[H" + "".join(f"\33[2K{n} {row}\r\n" for row in range(3)) + f"\33]7501;state={state}:app=a\7")
    sys.stdout.flush()
    time.sleep(0.1)
"""
_CHANGES: Final = r"""
import os, sys, termios, tty
tty.setraw(0)
os.write(1, b"READY")
while key := os.read(0, 1):
    os.write(1, b"\33]7501;state=blocked:app=a:kind=permission\7" if key == b"b" else b"\33]7501;state=working:app=a\7")
"""


def measure(plan: Plan) -> Iterator[Row]:
    """Every row of this topic."""
    yield from _keys(plan)
    yield _glyph(plan)


def _keys(plan: Plan) -> Iterator[Row]:
    """Echo beside agents that repaint and report ten times a second, and beside as many that rest."""
    (plan.folder / "agent.py").write_text(_AGENT)
    found: Samples = {"with": [], "without": []}
    for turn in range(plan.often(4, 2)):
        for name in ("with", "without") if turn % 2 else ("without", "with"):
            found[name] += _echoes(plan, f"exec {sys.executable} agent.py" if name == "with" else "exec sleep 1000")
    for what, of, most in (("p50", middle, None), ("p95", late, 1.3)):
        ours, alone = of(found["with"]) or 0.0, of(found["without"]) or 1.0
        note = f"{ours:.2f} ms beside {AGENTS} agents, {alone:.2f} beside as many that rest"
        yield Row(
            "fleet", f"echo beside {AGENTS} agents, {what}, relative to none", "x", ours / alone, most=most, note=note
        )


def _echoes(plan: Plan, script: str) -> list[float]:
    scripts = [ECHO] + [f"cd '{plan.folder}'; {script}"] * AGENTS
    with Fugue().open(plan.folder, scripts, size=SIZE) as stage:
        stage.host.until_text("READY")
        stage.host.run(3)
        return list(echoes(stage.host, resting_cursor(stage.host), plan.often(100, 30)))


def _glyph(plan: Plan) -> Row:
    """From the report of a state to its glyph in the pane's title."""
    (plan.folder / "changes.py").write_text(_CHANGES)
    found = list[float]()
    scripts = [f"cd '{plan.folder}'; exec {sys.executable} changes.py", "exec sleep 1000"]
    with Fugue().open(plan.folder, scripts) as stage:
        host = stage.host
        host.until_text("READY")
        host.run(2)
        for _ in range(plan.often(50, 10)):
            for key, words in ((b"b", "◆ permission"), (b"w", "● working")):
                host.run(0.1)
                pressed = time.perf_counter()
                host.send(key)
                found.append(1000 * (host.until(lambda words=words: words in host.text) - pressed))
    return Row("fleet", "state change until its glyph is seen", "ms", middle(found), most=100, samples={"fugue": found})
