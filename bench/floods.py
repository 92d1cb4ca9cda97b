"""Effects of a program that floods a hidden pane with events: titles, bells, notifications, prompt marks."""

import base64
import os
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Final, cast

from bench.keys import ECHO, LETTERS, echoes, resting_cursor
from bench.plan import Plan, late, middle
from bench.processes import cpu, memory
from bench.subjects import Fugue, FugueStage
from bench.table import Row

PIECES: Final[dict[str, Callable[[int], bytes]]] = {
    "plain text": lambda number: b"%d the quick brown fox jumps finished lazy dogs\r\n" % number,
    "OSC 0": lambda number: b"\x1b]0;title %d\x07" % number,
    "OSC 7": lambda number: b"\x1b]7;file:///tmp/%d\x07" % number,
    "OSC 9": lambda number: b"\x1b]9;note %d\x07" % number,
    "OSC 52": lambda number: b"\x1b]52;c;%s\x07" % base64.b64encode(b"copy %d" % number),
    "OSC 133": lambda number: b"\x1b]133;%s\x07" % (b"A", b"B", b"C", b"D;0")[number % 4],
    "BEL": lambda number: b"\x07",
    "images": lambda number: (
        b"\x1b[H\x1b_Ga=T,q=2,f=24,s=32,v=32;%s\x1b\\" % base64.b64encode(bytes([number % 256]) * 3072)
    ),
}
"""Output that is repeated without a pause."""
MIXED: Final = "mixed"
COPIES: Final = 'clipboard = "on"\n'
"""A setting by which no question about the clipboard gets the keys."""
STEADY: Final = 0.25
"""The share of the time after which memory should be constant."""


def measure(plan: Plan) -> Iterator[Row]:
    """A key's echo, memory and CPU beside each flood; then the end of the server, and Ctrl+C."""
    for kind in [*PIECES, MIXED]:
        yield from _effects(plan, kind)
        yield _interrupted(plan, kind)


def _effects(plan: Plan, kind: str) -> Iterator[Row]:
    with _flooded(plan, kind) as stage:
        home, echo, sizes = resting_cursor(stage.host), list[float](), list[float]()
        began, spent, end = (
            time.monotonic(),
            cpu([stage.server()]),
            time.monotonic() + (plan.seconds or plan.often(60, 4)),
        )
        while time.monotonic() < end:
            echo += echoes(stage.host, home, len(LETTERS))
            sizes.append(memory([stage.server()], "Rss"))
        used = (cpu([stage.server()]) - spent) / (time.monotonic() - began)
        yield Row("floods", f"{kind}: echo, p50", "ms", middle(echo), samples={"fugue": echo})
        yield Row("floods", f"{kind}: echo, p95", "ms", late(echo), most=50)
        growth = sizes[-1] - median(sizes[: max(1, int(len(sizes) * STEADY))])
        yield Row("floods", f"{kind}: memory growth", "MiB", growth, most=20, samples={"fugue": sizes})
        yield Row("floods", f"{kind}: CPU per second", "ms", 1000 * used)
        yield Row("floods", f"{kind}: SIGTERM until the end", "ms", _terminated(stage), most=5000)


def _flooded(plan: Plan, kind: str) -> FugueStage:
    """A pane with echo, and a flood in a hidden window."""
    stage = cast("FugueStage", plan.fugue.open(plan.folder, [ECHO]))
    stage.host.until_text("READY")
    stage.fugue("create-window", "--no-focus", "--", "/bin/sh", "-c", _flood(plan.folder, kind))
    stage.host.run(1.5)
    return stage


def _flood(folder: Path, kind: str) -> str:
    file = folder / f"flood {kind}"
    pieces = list(PIECES.values()) if kind == MIXED else [PIECES[kind]]
    file.write_bytes(b"".join(piece(number) for number in range(140 // len(pieces)) for piece in pieces))
    return f"exec yes \"$(cat '{file}')\""


def _terminated(stage: FugueStage) -> float:
    server, began = stage.server(), time.monotonic()
    os.kill(server, signal.SIGTERM)
    while _runs(server) and time.monotonic() < began + 30:
        stage.host.step(0.01)
    return 1000 * (time.monotonic() - began)


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _interrupted(plan: Plan, kind: str) -> Row:
    """From Ctrl+C until the flooding program exits. A prompt could be parsed as the end of a truncated sequence."""
    found: list[float] = []
    finished, flood = plan.folder / "finished", _flood(plan.folder, kind).removeprefix("exec ")
    fugue = replace(cast("Fugue", plan.fugue), settings=COPIES)
    for _ in range(plan.often(3, 1)):
        with fugue.open(plan.folder, [f"trap : INT; printf 'READY\\n'; {flood}; touch '{finished}'"]) as stage:
            stage.host.run(2)
            pressed = time.perf_counter()
            stage.host.send(b"\x03")
            found.append(1000 * (stage.host.until(finished.exists) - pressed))
        finished.unlink()
    return Row("floods", f"{kind}: Ctrl+C until its exit", "ms", max(found), most=500, samples={"fugue": found})
