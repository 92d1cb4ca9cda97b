"""Running costs: memory with 1 and 16 panes, CPU when idle, CPU and bytes for a steady log."""

from collections.abc import Iterator
from dataclasses import replace
from typing import cast

from bench.agent import Agent
from bench.plan import Plan, Samples, middle
from bench.processes import cpu, memory
from bench.subjects import SIZE, FugueStage, Stage, Subject
from bench.table import Row
from fugue_tui.geometry import Size

WALL = Size(240, 72)
"""Wide enough that a quarter of it holds a line of the scrollback."""
LINE = "{n} a line that is about as long as lines are"
QUIET = "printf 'READY'; exec sleep 1000"
LOG = "printf 'READY'; i=0; while :; do i=$((i+1)); echo \"$i GET /index.html 200 in 12 ms\"; sleep 0.01; done"


def measure(plan: Plan) -> Iterator[Row]:
    """Every row of this topic."""
    for part in (_memory, _parts, _idle, _log):
        yield from part(plan)


def _memory(plan: Plan) -> list[Row]:
    found: dict[tuple[str, int], Samples] = {}
    for what, script in (("empty", QUIET), ("full", _full())):
        for panes in (1, 16):
            found[what, panes] = plan.sample(1, lambda subject, s=script, n=panes: [_mebibytes(plan, subject, s, n)])
    return [
        replace(_row("memory", "1 empty pane", "MiB", found["empty", 1], most=45), note=_resident(plan)),
        _row("memory", "each further empty pane", "MiB", _each(found["empty", 1], found["empty", 16]), most=2),
        _row("memory", "1 pane of 10,000 lines", "MiB", found["full", 1]),
        _row("memory", "16 panes of 10,000 lines", "MiB", found["full", 16]),
    ]


def _parts(plan: Plan) -> Iterator[Row]:
    """Memory of Fugue's processes separately: a terminal that started the server, one that joined it, and an agent."""
    found: dict[str, list[float]] = {}
    for _ in range(plan.often(3, 1)):
        for what, figure in _memory_of_each(plan):
            found.setdefault(what, []).append(figure)
    targets = {
        "server": 40,
        "client that started it": 9,
        "client that joined": 9,
        "added to the server by an agent": 25,
    }
    for what, most in targets.items():
        yield Row("memory", what, "MiB", middle(found[what]), most=most, samples={"fugue": found[what]})


def _memory_of_each(plan: Plan) -> Iterator[tuple[str, float]]:
    with plan.fugue.open(plan.folder, [QUIET], size=WALL) as stage:
        stage.host.until_text("READY")
        stage.host.run(plan.often(2, 1))
        with stage.attach() as host:
            host.until_text("READY")
            yield "client that joined", memory([host.pid])
        server = cast("FugueStage", stage).server()
        yield "client that started it", memory([stage.host.pid])
        yield "server", (before := memory([server]))
        with Agent(stage.env) as agent:
            agent.list_tools()
            agent.call("fugue_read_pane", pane="active")
            yield "added to the server by an agent", memory([server]) - before


def _idle(plan: Plan) -> list[Row]:
    found = plan.sample(1, lambda subject: [_upkeep(plan, subject, [QUIET] * 4)[0]])
    return [_row("idle", "four panes, CPU per second", "ms", found, most=2)]


def _log(plan: Plan) -> list[Row]:
    spent: Samples = {subject.name: [] for subject in plan.pair}
    sent: Samples = {subject.name: [] for subject in plan.pair}
    for subject in plan.turns(plan.often(2, 1)):
        used, received = _upkeep(plan, subject, [LOG, QUIET])
        spent[subject.name].append(used)
        sent[subject.name].append(received)
    return [
        _row("log, 100 lines/s", "CPU per second", "ms", spent, most_ratio=5),
        _row("log, 100 lines/s", "bytes to the host per second", "kB", sent, most_ratio=0.25),
    ]


def _row(
    topic: str, what: str, unit: str, found: Samples, *, most: float | None = None, most_ratio: float | None = None
) -> Row:
    ours, theirs = middle(found["fugue"]), middle(found["tmux"])
    return Row(topic, what, unit, ours, theirs, most=most, most_ratio=most_ratio, samples=found)


def _full() -> str:
    return f'i=0; while [ $i -lt 10200 ]; do i=$((i+1)); echo "{LINE.format(n="$i")}"; done; {QUIET}'


def _each(one: Samples, sixteen: Samples) -> Samples:
    return {name: [(many - single) / 15 for single, many in zip(one[name], sixteen[name], strict=True)] for name in one}


def _mebibytes(plan: Plan, subject: Subject, script: str, panes: int) -> float:
    with subject.open(plan.folder, [script] * panes, size=WALL) as stage:
        stage.host.until(lambda: stage.host.text.count("READY") == panes, every=0.05)
        stage.host.run(plan.often(2, 1))
        return memory(stage.pids())


def _resident(plan: Plan) -> str:
    """Fugue's resident set with one empty pane, including shared pages."""
    with plan.fugue.open(plan.folder, [QUIET], size=WALL) as stage:
        stage.host.until_text("READY")
        stage.host.run(plan.often(2, 1))
        return f"RSS {memory(stage.pids(), 'Rss'):.1f} MiB"


def _upkeep(plan: Plan, subject: Subject, scripts: list[str]) -> tuple[float, float]:
    """Milliseconds of CPU and kilobytes to the host, per second."""
    with subject.open(plan.folder, scripts, size=SIZE) as stage:
        stage.host.until_text("READY")
        stage.host.run(plan.often(3, 2))
        return _rates(stage, plan.often(10, 3))


def _rates(stage: Stage, seconds: float) -> tuple[float, float]:
    pids = stage.pids()
    spent, received = cpu(pids), stage.host.received
    stage.host.run(seconds)
    return 1000 * (cpu(pids) - spent) / seconds, (stage.host.received - received) / 1000 / seconds
