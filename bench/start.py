"""From starting the program to the first output on the screen, and to the shell's first prompt; and what its imports
cost in CPU time and memory, which other programs on the machine hardly affect."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from tempfile import mkdtemp
from typing import Final

from bench.plan import Plan, Samples, middle
from bench.subjects import PROMPT, Fugue, Subject
from bench.table import Row

MODULES: Final = {"client": "fugue_tui.cli.attach_client", "server": "fugue_tui.tui.server_main"}


def measure(plan: Plan) -> list[Row]:
    """First paint and first prompt; the first start of each, which fills caches, is discarded."""
    paint: Samples = {subject.name: [] for subject in plan.pair}
    prompt: Samples = {subject.name: [] for subject in plan.pair}
    for subject in plan.pair:
        list(_milliseconds(plan.folder, subject))
    for subject in plan.turns(plan.often(10, 3)):
        first, second = _milliseconds(plan.folder, subject)
        paint[subject.name].append(first)
        prompt[subject.name].append(second)
    rows = _row("first paint", paint, None), _row("first prompt", prompt, 250), _empty_home(plan)
    return [*rows, *_imports(plan)]


def _empty_home(plan: Plan) -> Row:
    """First prompt of a user who never started it: no state, no configuration, no other files."""
    prompt: Samples = {subject.name: [] for subject in plan.pair}
    for subject in plan.turns(plan.often(10, 3)):
        started = subject if subject is plan.tmux else Fugue(own_files=False)
        prompt[subject.name] += list(_milliseconds(Path(mkdtemp(dir=plan.folder)), started))[1:]
    return _row("first prompt, empty home", prompt, None, 10)


def _imports(plan: Plan) -> Iterator[Row]:
    for what, module in MODULES.items():
        _import_cost(module)
        found = [_import_cost(module) for _ in range(plan.often(30, 3))]
        cpu, memory = [each[0] for each in found], [each[1] for each in found]
        yield Row("start", f"imports of the {what}", "ms CPU", min(cpu), samples={"fugue": cpu})
        yield Row("start", f"memory after imports of the {what}", "MiB", middle(memory), samples={"fugue": memory})


def _import_cost(module: str) -> tuple[float, float]:
    """Milliseconds of CPU time and MiB of memory of a process that imports a module, from cached bytecode."""
    script = f"import {module}\nprint(open('/proc/self/status').read().partition('VmRSS:')[2].split()[0])"
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    before = getrusage(RUSAGE_CHILDREN)
    kibibytes = subprocess.run([sys.executable, "-c", script], env=env, check=True, capture_output=True).stdout
    after = getrusage(RUSAGE_CHILDREN)
    cpu = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return 1000 * cpu, int(kibibytes) / 1024


def _row(what: str, found: Samples, most: float | None, most_ratio: float | None = None) -> Row:
    ours, theirs = middle(found["fugue"]), middle(found["tmux"])
    return Row("start", what, "ms", ours, theirs, most=most, most_ratio=most_ratio, samples=found)


def _milliseconds(folder: Path, subject: Subject) -> Iterator[float]:
    with subject.bare(folder) as stage:
        host = stage.host
        yield 1000 * (host.until(lambda: bool(host.text.strip()), every=0.001) - host.started)
        yield 1000 * (host.until_text(PROMPT, every=0.001) - host.started)
