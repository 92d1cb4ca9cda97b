"""Latency of keys: echo, idle and beside continuous output; pane switch; Ctrl+C in continuous output."""

import time
from collections import Counter
from collections.abc import Callable, Iterator

from bench import payloads
from bench.host import Host
from bench.plan import Plan, late, middle, pauses
from bench.subjects import PROMPT, Subject
from bench.table import Row

LETTERS = "abcdefghijklmnopqrstuvwxz"
ERASE_LINE = b"\x15"
TO_THE_RIGHT, TO_THE_LEFT = b"\x02\x1b[C", b"\x02\x1b[D"
ECHO = "printf 'READY\\n'; exec cat >/dev/null"
"""Only the kernel's echo is printed."""


def measure(plan: Plan) -> Iterator[Row]:
    """Every row of this topic."""
    yield from _both("echo, idle", plan.sample(2, lambda subject: _echo(plan, subject, flood=False)), 2, 5)
    yield from _both(
        "echo beside continuous output", plan.sample(2, lambda subject: _echo(plan, subject, flood=True)), 4, 10
    )
    yield from _both(
        "pane switch under continuous output", plan.sample(2, lambda subject: _switch(plan, subject)), 5, 5
    )
    yield from _both(
        "Ctrl+C in continuous output until the prompt", plan.sample(2, lambda subject: _stop(plan, subject)), 100, 500
    )


def _both(what: str, found: dict[str, list[float]], half: float, most: float) -> list[Row]:
    middles = [middle(found[name]) for name in ("fugue", "tmux")]
    lates = [late(found[name]) for name in ("fugue", "tmux")]
    return [
        Row("keys", f"{what}, p50", "ms", *middles, most=half, samples=found),
        Row("keys", f"{what}, p95", "ms", *lates, most=most),
    ]


def _echo(plan: Plan, subject: Subject, *, flood: bool) -> list[float]:
    scripts = [_flood(plan), ECHO] if flood else [ECHO]
    with subject.open(plan.folder, scripts, focus=len(scripts) - 1) as stage:
        stage.host.until_text("READY")
        stage.host.run(1)
        home = resting_cursor(stage.host)
        return list(echoes(stage.host, home, plan.often(150, 30)))


def echoes(host: Host, home: tuple[int, int], count: int) -> Iterator[float]:
    """Milliseconds from each key until its letter and the cursor behind it are on the screen."""
    for number, pause in zip(range(count), pauses("echo"), strict=False):
        column = number % len(LETTERS)
        typed, after = LETTERS[: column + 1], (home[0] + column + 1, home[1])
        host.run(pause)
        yield _milliseconds(host, typed[-1].encode(), lambda typed=typed, after=after: _shows(host, typed, after))
        if column == len(LETTERS) - 1:
            host.send(ERASE_LINE)
            host.until(lambda: host.cursor == home)


def _shows(host: Host, typed: str, cursor: tuple[int, int]) -> bool:
    return host.cursor == cursor and typed in host.text


def _milliseconds(host: Host, keys: bytes, seen: Callable[[], bool]) -> float:
    pressed = time.perf_counter()
    host.send(keys)
    return 1000 * (host.until(seen) - pressed)


def _switch(plan: Plan, subject: Subject) -> list[float]:
    """From the pane with output on the left to the idle one on the right; the way back is not timed."""
    with subject.open(plan.folder, [_flood(plan), ECHO], focus=1) as stage:
        host = stage.host
        host.until_text("READY")
        host.run(1)
        right, found = resting_cursor(host), list[float]()
        for _ in range(plan.often(20, 5)):
            host.send(TO_THE_LEFT)
            host.until(lambda: host.cursor != right)
            host.run(0.7)
            found.append(_milliseconds(host, TO_THE_RIGHT, lambda: host.cursor == right))
            host.run(0.7)
    return found


def _stop(plan: Plan, subject: Subject) -> list[float]:
    """From Ctrl+C in continuous output to the shell's prompt. One program, not a loop: a shell continues a loop if the
    program in it succeeds just then."""
    found: list[float] = []
    with subject.bare(plan.folder) as stage:
        host = stage.host
        host.until_text(PROMPT)
        for _ in range(plan.often(10, 3)):
            host.run(0.3)
            host.send(b"clear; yes the quick brown fox jumps over lazy dogs while logs roll by\r")
            host.until(lambda: PROMPT not in host.text)
            host.run(0.7)
            found.append(_milliseconds(host, b"\x03", lambda: PROMPT in host.text))
    return found


def _flood(plan: Plan) -> str:
    file = payloads.write(plan.folder, "plain", 4_000_000)
    return f"while :; do cat '{file}'; done"


def resting_cursor(host: Host) -> tuple[int, int]:
    """The most frequent cursor position."""
    seen: Counter[tuple[int, int]] = Counter()
    for _ in range(50):
        host.step(0.01)
        seen[host.cursor] += 1
    return seen.most_common(1)[0][0]
