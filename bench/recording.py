"""CPU time of the read path of a pane that is recorded, all threads together, against one that is not."""

import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path

from bench.plan import Plan, middle
from bench.sideband import READ, Nobody
from bench.table import Row
from fugue_tui.geometry import Size
from fugue_tui.multiplexer.recording.pane_recorder import PaneRecorder
from fugue_tui.multiplexer.recording.recorder import CastWriter
from fugue_tui.multiplexer.recording.recordings import INTERVAL
from fugue_tui.recording.asciicast import CastHeader
from fugue_tui.terminal.engines import make_emulator
from fugue_tui.terminal.pty.io_loop import IOLoop
from fugue_tui.terminal.terminal import Terminal

SIZE = Size(80, 24)
KINDS = {
    "yes": b"y\r\n" * (READ // 3),
    "lines": b"".join(b"%06d the quick brown fox jumps over the lazy dog\r\n" % n for n in range(READ // 52)),
}


def measure(plan: Plan) -> Iterator[Row]:
    """Every row of this topic."""
    loop, numbers = IOLoop(), count()
    loop.start()
    try:
        for kind, data in KINDS.items():
            ratios = list[float]()
            for _ in range(plan.often(9, 3)):
                path = plan.folder / f"{next(numbers)}.cast"
                ratios.append(_seconds(loop, data, plan, path) / _seconds(loop, data, plan, None))
            yield Row("recording", f"{kind}, recorded : not", "x", middle(ratios), most=1.03, samples={"fugue": ratios})
    finally:
        loop.stop()


def _seconds(loop: IOLoop, data: bytes, plan: Plan, path: Path | None) -> float:
    """CPU time to receive a flood, which is written out as often as a workspace does."""
    terminal = Terminal.waiting(SIZE, pump=loop, emulator=make_emulator("ghostty", SIZE, 10_000), watcher=Nobody())
    recorder = _recorder(terminal, path) if path is not None else None
    began, flushed = time.process_time(), time.monotonic()
    for _ in range(plan.often(2_000, 400)):
        terminal.receive(memoryview(data))
        if recorder is not None and time.monotonic() - flushed > INTERVAL:
            recorder.flush()
            flushed = time.monotonic()
    if recorder is not None:
        recorder.close()
    spent = time.process_time() - began
    terminal.close()
    return spent


def _recorder(terminal: Terminal, path: Path) -> PaneRecorder:
    writer = CastWriter(str(path), lambda: CastHeader(SIZE), version=3, largest=1 << 26, older=1)
    return PaneRecorder("%1", terminal, writer, input=False, without_secrets=str)
