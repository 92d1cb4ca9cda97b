"""Agents in panes: what they cost the user's keys and the server, how soon a state is seen, and the table of agents."""

import os
import re
import signal
import sys
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, cast

from bench.keys import ECHO, ERASE_LINE, echoes, resting_cursor
from bench.plan import Plan, Samples, late, middle
from bench.processes import cpu, thread_cpu
from bench.subjects import Fugue, FugueStage
from bench.table import Row
from fugue_tui.geometry import Size

AGENTS: Final = 16
SIZE: Final = Size(160, 48)
"""Every pane is wide enough for the line that is typed."""
OVERLAY: Final = b"\x02A"
PANE: Final = (b"p", b"\x02z")
"""Keys of the table over the panes that keep it as a pane, which is zoomed then."""
_AGENT: Final = r"""
import base64, os, sys, time
open(f"{os.getpid()}.pid", "w").close()
for n in range(10**9):
    words = f"progress={n % 100}:msg={base64.b64encode(b'step %d' % n).decode()}"
    state = (f"working:{words}", f"blocked:kind=permission:{words}", "idle")[n // 20 % int(sys.argv[1])]
    rows = "".join(f"\33[2K{n} {row}\r\n" for row in range(3))
    os.write(1, f"\33[H{rows}\33]7501;state={state}:app=a\7".encode())
    time.sleep(0.1)
"""
"""Repaints, and reports something else each time: of so many states, one for two seconds each."""
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
    yield _table(plan, "over the panes", OVERLAY)
    yield _table(plan, "in a pane", OVERLAY, *PANE)
    yield _glyph(plan)


@contextmanager
def _fleet(plan: Plan, states: int) -> Generator[tuple[FugueStage, list[int]]]:
    """A pane for the user and sixteen with agents, and the processes of those."""
    (plan.folder / "agent.py").write_text(_AGENT)
    for old in plan.folder.glob("*.pid"):
        old.unlink()
    command = f"cd '{plan.folder}'; exec {sys.executable} -SE agent.py {states}"
    with Fugue().open(plan.folder, [ECHO] + [command] * AGENTS, size=SIZE) as stage:
        stage.host.until_text("READY")
        stage.host.run(3)
        pids = [int(Path(each).stem) for each in plan.folder.glob("*.pid")]
        try:
            yield cast("FugueStage", stage), pids
        finally:
            _send(pids, signal.SIGCONT)


def _send(pids: Sequence[int], number: signal.Signals) -> None:
    for pid in pids:
        os.kill(pid, number)


def _keys(plan: Plan) -> Iterator[Row]:
    """Echo beside agents that repaint and report ten times a second, and beside the same while they are stopped, in
    turns of one workspace; and what the server's main thread and the agents themselves take."""
    found: Samples = {"with": [], "without": []}
    with _fleet(plan, 3) as (stage, pids):
        home, server = resting_cursor(stage.host), stage.server()
        spent, own, began = thread_cpu(server), cpu(pids), time.perf_counter()
        stage.host.run(plan.often(10, 3))
        seconds = time.perf_counter() - began
        spent, own = 1000 * (thread_cpu(server) - spent) / seconds, 100 * (cpu(pids) - own) / seconds
        for turn in range(plan.often(24, 2)):
            for name in ("with", "without") if turn % 2 else ("without", "with"):
                _send(pids, signal.SIGCONT if name == "with" else signal.SIGSTOP)
                stage.host.send(ERASE_LINE)
                stage.host.run(0.7)
                found[name] += echoes(stage.host, home, 25)
    for what, of, most in (("p50", middle, None), ("p95", late, 1.3)):
        ours, alone = of(found["with"]) or 0.0, of(found["without"]) or 1.0
        note = f"{ours:.2f} ms beside {AGENTS} agents, {alone:.2f} beside the same while they are stopped"
        yield Row(
            "fleet",
            f"echo beside {AGENTS} agents, {what}, relative to none",
            "x",
            ours / alone,
            most=most,
            note=note,
            samples=found,
        )
    note = f"the agents' own processes take {own:.1f} % of a core"
    yield Row("fleet", f"main thread beside {AGENTS} agents, CPU per second", "ms", spent, note=note)


def _table(plan: Plan, place: str, *keys: bytes) -> Row:
    """What a frame of the table of agents costs the server's main thread, all of whose rows change each time: its CPU
    time less that of the same reports while no client is attached."""
    seconds = plan.often(20, 4)
    with _fleet(plan, 1) as (stage, _):
        server, host = stage.server(), stage.host
        for key in keys:
            host.send(key)
            host.run(2)
        host.until_text(f"{AGENTS} agents")
        spent, end, seen = -thread_cpu(server), time.perf_counter() + seconds, set[str]()
        while time.perf_counter() < end:
            host.step(0.01)
            seen |= set(re.findall(r"%2 .*step (\d+)", host.text))
        spent += thread_cpu(server)
        stage.detach()
        time.sleep(1)
        rest = -thread_cpu(server)
        time.sleep(seconds)
        rest += thread_cpu(server)
    frame = 1000 * (spent - rest) / max(1, len(seen))
    note = f"{len(seen) / seconds:.1f} frames/s; the reports alone take {1000 * rest / seconds:.0f} ms/s"
    return Row("fleet", f"a frame of the table of {AGENTS} agents {place}, CPU", "ms", frame, most=4, note=note)


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
    note = f"at most {max(found):.0f} ms"
    return Row(
        "fleet",
        "state change until its glyph is seen",
        "ms",
        middle(found),
        most=100,
        note=note,
        samples={"fugue": found},
    )
