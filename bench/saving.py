"""Time to save and restore 16 panes of 10,000 lines, and how long a pane is locked for it."""

import time
import zlib
from collections.abc import Callable, Iterator

from bench.plan import Plan, middle
from bench.table import Row
from fugue_tui.geometry import Size
from fugue_tui.terminal.emulator.protocol import Emulator
from fugue_tui.terminal.engines import make_emulator

PANES = 16
LINES = 10_000
SIZE = Size(200, 50)
KINDS: dict[str, Callable[[int], bytes]] = {
    "a log": lambda line: b"\r\n%d GET /index.html 200 in 12 ms" % line,
    "coloured words": lambda line: b"\r\n" + b"".join(b"\x1b[3%dmword%02d \x1b[0m" % (n % 8, n) for n in range(28)),
    "every cell coloured": lambda line: b"\r\n" + b"".join(b"\x1b[38;5;%dmx" % ((line + n) % 256) for n in range(199)),
}


def measure(plan: Plan) -> Iterator[Row]:
    """Every row of this topic."""
    for kind, line in KINDS.items():
        yield from _kind(kind, line, plan.often(3, 1))


def _kind(kind: str, line: Callable[[int], bytes], rounds: int) -> Iterator[Row]:
    old = make_emulator("ghostty", SIZE, LINES)
    for number in range(LINES + SIZE.rows):
        old.feed(line(number))
    locked: list[float] = []
    saved = b""

    def save() -> None:
        nonlocal saved
        old.prepare()
        began = time.perf_counter()
        make = old.freeze()
        locked.append((time.perf_counter() - began) * 1_000)
        saved = make()

    saved_all = [_milliseconds(lambda: [save() for _ in range(PANES)]) for _ in range(rounds)]
    compressed = [_milliseconds(lambda: zlib.compress(saved, 1)) for _ in range(rounds)]
    size = Size(SIZE.cols - 20, SIZE.rows - 5)
    restored = [_milliseconds(lambda: _recall(saved, size)) for _ in range(rounds)]
    yield Row("saving", f"{kind}: a pane is locked", "ms", middle(locked), most=15, samples={"fugue": locked})
    yield Row("saving", f"{kind}: {PANES} panes saved", "ms", middle(saved_all), samples={"fugue": saved_all})
    yield Row("saving", f"{kind}: a pane compressed", "ms", middle(compressed), samples={"fugue": compressed})
    yield Row(
        "saving", f"{kind}: {PANES} panes restored, narrower", "ms", middle(restored), samples={"fugue": restored}
    )
    yield Row("saving", f"{kind}: a pane's file", "kB", len(zlib.compress(saved, 1)) / 1_000)
    old.close()


def _recall(saved: bytes, size: Size) -> None:
    made: list[Emulator] = []
    for _ in range(PANES):
        made.append(make_emulator("ghostty", size, LINES))
        made[-1].recall(saved)
    for emulator in made:
        emulator.close()


def _milliseconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1_000
