"""From starting the program to the first output on the screen, and to the shell's first prompt."""

from collections.abc import Iterator

from bench.plan import Plan, Samples, middle
from bench.subjects import PROMPT, Subject
from bench.table import Row


def measure(plan: Plan) -> list[Row]:
    """First paint and first prompt; the first start of each, which fills caches, is discarded."""
    paint: Samples = {subject.name: [] for subject in plan.pair}
    prompt: Samples = {subject.name: [] for subject in plan.pair}
    for subject in plan.pair:
        list(_milliseconds(plan, subject))
    for subject in plan.turns(plan.often(10, 3)):
        first, second = _milliseconds(plan, subject)
        paint[subject.name].append(first)
        prompt[subject.name].append(second)
    return [_row("first paint", paint, None), _row("first prompt", prompt, 250)]


def _row(what: str, found: Samples, most: float | None) -> Row:
    return Row("start", what, "ms", middle(found["fugue"]), middle(found["tmux"]), most=most, samples=found)


def _milliseconds(plan: Plan, subject: Subject) -> Iterator[float]:
    with subject.bare(plan.folder) as stage:
        host = stage.host
        yield 1000 * (host.until(lambda: bool(host.text.strip()), every=0.001) - host.started)
        yield 1000 * (host.until_text(PROMPT, every=0.001) - host.started)
