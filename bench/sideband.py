"""CPU time of the read path with the sideband's tags parsed, against the same output without."""

import time
from collections.abc import Iterator
from pathlib import Path

from bench.plan import Plan, middle
from bench.table import Row
from fugue_tui.geometry import Size
from fugue_tui.terminal.emulator.events import Event
from fugue_tui.terminal.engines import make_emulator
from fugue_tui.terminal.pty.io_loop import IOLoop
from fugue_tui.terminal.pty.spawn import Exit
from fugue_tui.terminal.terminal import Terminal

READ = 65_536
"""Bytes of one read of a flood."""
SOURCE = Path(__file__).parents[1] / "app" / "fugue_tui" / "terminal" / "terminal.py"
KINDS = {
    "plain text": lambda: b"".join(b"%06d the quick brown fox jumps over the lazy dog\r\n" % n for n in range(80_000)),
    "colours": lambda: b"".join(
        b"\x1b[3%dm%06d\x1b[0m the \x1b[1mquick\x1b[22m fox\r\n" % (n % 8, n) for n in range(80_000)
    ),
    "a drawn screen": lambda: b"".join(b"\x1b[%d;%dHx\x1b[K" % (n % 24, n % 80) for n in range(300_000)),
    "source text": lambda: SOURCE.read_bytes().replace(b"\n", b"\r\n") * 200,
    "a diff": lambda: b"@@ -1,9 +1,9 @@\r\n" + b"".join(b"+%06d the quick brown fox\r\n" % n for n in range(120_000)),
}


class Nobody:
    """A watcher that does nothing."""

    def changed(self, terminal: Terminal) -> None: ...

    def on_event(self, terminal: Terminal, event: Event) -> None: ...

    def ended(self, terminal: Terminal, exit: Exit) -> None: ...


def measure(plan: Plan) -> Iterator[Row]:
    """Every row of this topic."""
    loop = IOLoop()
    loop.start()
    try:
        for kind, make in KINDS.items():
            data = make()[: plan.often(len(make()), 1 << 20)]
            ratios = [
                _seconds(loop, data, tags=True) / _seconds(loop, data, tags=False) for _ in range(plan.often(9, 3))
            ]
            yield Row(
                "sideband", f"{kind}, parsed : not parsed", "x", middle(ratios), most=1.05, samples={"fugue": ratios}
            )
        yield _tags(plan, loop)
    finally:
        loop.stop()


def _seconds(loop: IOLoop, data: bytes, *, tags: bool) -> float:
    """CPU time to receive some output."""
    size = Size(80, 24)
    terminal = Terminal.waiting(size, pump=loop, emulator=make_emulator("ghostty", size), watcher=Nobody())
    if tags:
        terminal.parse_tags("key")
    began = time.thread_time()
    for at in range(0, len(data), READ):
        terminal.receive(memoryview(data)[at : at + READ])
    spent = time.thread_time() - began
    terminal.close()
    return spent


def _tags(plan: Plan, loop: IOLoop) -> Row:
    count = plan.often(100_000, 10_000)
    data = b"".join(b"<fugue:notify text='%d' />\r\n" % number for number in range(count))
    spent = [_seconds(loop, data, tags=True) / count * 1e6 for _ in range(3)]
    return Row("sideband", f"a tag of {count:,}", "us", middle(spent), most=50, samples={"fugue": spent})
