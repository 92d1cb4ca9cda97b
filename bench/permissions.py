"""The cost of permissions and of the audit log: read-pane by an agent in a pane, of a pane that it did not open.

`--against` names a checkout of an earlier version, for example one without permissions, to compare with.
"""

import json
import os
import shlex
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median
from typing import Final, cast

from bench.agent import Agent
from bench.plan import Plan, middle
from bench.processes import cpu
from bench.subjects import Fugue, FugueStage
from bench.table import Row

ASKING: Final = '[mcp]\ntrust = "ask"\n'
TEXT: Final = "seq 1 40; echo READY; exec sleep 1000"
_ROOTS: Final = ("app", "widgets", "mcp_server")


@dataclass
class Reads:
    """What a version took: milliseconds of each call, and of its server's CPU for each call of a round."""

    calls: list[float] = field(default_factory=list[float])
    cpu: list[float] = field(default_factory=list[float])


def measure(plan: Plan) -> Iterator[Row]:
    """The medians of this version, and the CPU's ratio to that of the other checkout; the two take turns.

    On a busy machine the time of a call says little about the version, the server's CPU more."""
    here = Path(__file__).parents[1]
    trees = [here, *([plan.against] if plan.against else [])]
    found = {tree: Reads() for tree in trees}
    for turn in range(plan.often(6, 2)):
        for tree in trees if turn % 2 else trees[::-1]:
            _read(plan, tree, found[tree])
    ours = found[here]
    yield Row("permissions", "read-pane by an agent in a pane", "ms", middle(ours.calls), samples={"fugue": ours.calls})
    yield Row("permissions", "the same, CPU of the server", "ms", middle(ours.cpu), samples={"fugue": ours.cpu})
    if plan.against:
        other = found[plan.against]
        for what, mine, theirs in (("time", ours.calls, other.calls), ("CPU", ours.cpu, other.cpu)):
            note = f"{median(mine):.2f} ms, {median(theirs):.2f} ms there"
            most = 1.05 if what == "CPU" else None
            samples = {"fugue": mine, "against": theirs}
            ratio = median(mine) / median(theirs)
            yield Row("permissions", f"{what} relative to --against", "", ratio, most=most, note=note, samples=samples)


def _read(plan: Plan, tree: Path, found: Reads) -> None:
    """One round of a version."""
    result, count = plan.folder / "reads", plan.often(300, 30)
    begun = result.with_suffix(".begun")
    for file in (result, begun):
        file.unlink(missing_ok=True)
    words = (sys.executable, "-m", "bench.permissions", str(result), str(count))
    path = f"PYTHONPATH={shlex.quote(str(Path(__file__).parents[1]))}:$PYTHONPATH"
    roots = os.pathsep.join(str(tree / root) for root in _ROOTS)
    fugue = replace(cast("Fugue", plan.fugue), settings=ASKING, path=roots)
    with fugue.open(plan.folder, [TEXT, f"{path} exec {shlex.join(words)}"]) as stage:
        server = cast("FugueStage", stage).server()
        stage.host.until(begun.exists, every=0.002)
        spent = cpu([server])
        stage.host.until(result.exists, every=0.05)
        found.cpu.append(1000 * (cpu([server]) - spent) / count)
    found.calls += json.loads(result.read_text())


def main() -> None:
    """Read the first pane from within another, and write how long each call took."""
    file, count = Path(sys.argv[1]), int(sys.argv[2])
    with Agent(os.environ) as agent:
        for _ in range(20):
            agent.call("fugue_read_pane", pane="%1")
        file.with_suffix(".begun").touch()
        found = [_timed(agent) for _ in range(count)]
    draft = file.with_suffix(".new")
    draft.write_text(json.dumps(found))
    draft.rename(file)


def _timed(agent: Agent) -> float:
    began = time.perf_counter()
    agent.call("fugue_read_pane", pane="%1")
    return 1000 * (time.perf_counter() - began)


if __name__ == "__main__":
    main()
