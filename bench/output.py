"""Time for `cat` of 50 MB until its end is on the screen, in one pane and in four."""

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

from bench import payloads
from bench.plan import Plan, middle
from bench.subjects import Subject
from bench.table import Row

FULL, QUICK = 50_000_000, 4_000_000


def measure(plan: Plan) -> Iterator[Row]:
    """A row for each kind of output, in one pane and in four, and one for all kinds together."""
    size = plan.often(FULL, QUICK)
    for panes in (1, 4):
        rows: list[Row] = []
        for kind in payloads.KINDS:
            rows.append(_row(plan, kind, panes, size))
            yield rows[-1]
        yield _overall(rows, panes)


def _row(plan: Plan, kind: str, panes: int, size: int) -> Row:
    file = payloads.write(plan.folder, kind, size // panes)
    found = plan.sample(plan.often(3, 1), lambda subject: [seconds(plan, subject, file, panes)])
    ours, theirs = middle(found["fugue"]), middle(found["tmux"])
    what = f"{kind}, {panes} pane{'s' * (panes > 1)}"
    note = f"{size / ours / 1e6:.0f} MB/s" if ours else ""
    return Row("output", what, "s", ours, theirs, most_ratio=1, note=note, samples=found)


def _overall(rows: Sequence[Row], panes: int) -> Row:
    ours, theirs = sum(row.ours or 0 for row in rows), sum(row.tmux or 0 for row in rows)
    return Row("output", f"all six kinds, {panes} pane{'s' * (panes > 1)}", "s", ours, theirs, most_ratio=0.5)


def seconds(plan: Plan, subject: Subject, file: Path, panes: int) -> float:
    """From starting `cat` in every pane until all their ends are on the screen."""
    gates = [plan.folder / f"gate-{pane}" for pane in range(panes)]
    scripts = [_script(gate, file, pane) for pane, gate in enumerate(gates)]
    with ExitStack() as stack:
        for gate in gates:
            os.mkfifo(gate)
            stack.callback(gate.unlink)
        stage = stack.enter_context(subject.open(plan.folder, scripts))
        stage.host.until_text(*(f"WAITING-{pane}" for pane in range(panes)))
        stage.host.run(0.5)
        began = _open_gates(gates)
        return stage.host.until_text(*(f"FINISHED-{pane}" for pane in range(panes))) - began


def _script(gate: Path, file: Path, pane: int) -> str:
    """The end is printed repeatedly: if tmux and the host disagree on a width, the first one may be overwritten."""
    clear = r"\033[?1049l\033[r\033[m\033[H\033[2J"
    end = f"while :; do printf '{clear}FINISHED-{pane}'; sleep 0.1; done"
    return f"printf WAITING-{pane}; read go <'{gate}'; cat '{file}'; {end}"


def _open_gates(gates: Sequence[Path]) -> float:
    ends = [os.open(gate, os.O_WRONLY | os.O_NONBLOCK) for gate in gates]
    began = time.perf_counter()
    for end in ends:
        os.write(end, b"go\n")
        os.close(end)
    return began
