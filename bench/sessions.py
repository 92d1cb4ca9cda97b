"""Cost of the server: attaching, latency added to each key, autosave, and restoring after a crash."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Final, cast

from bench.keys import ECHO, echoes, resting_cursor
from bench.plan import Plan, Samples, late, middle
from bench.subjects import Fugue, FugueStage, Subject
from bench.table import Row
from fugue_tui.geometry import Size

WALL: Final = Size(240, 72)
"""Large enough to show the last lines of 16 panes."""
MARKS: Final = [f"MARK-{number:02}-END" for number in range(16)]
SAVING: Final = "[session]\nsave_seconds = 1\nrestore = 'always'\nrerun = 'never'\n"
NOT_SAVING: Final = "[session]\nsave = false\n"


def measure(plan: Plan) -> Iterator[Row]:
    """Every row of this topic."""
    yield _attach(plan)
    yield _latency(plan)
    yield _save(plan)
    yield _restore(plan)


def _attach(plan: Plan) -> Row:
    """From starting the client to every pane's text on its screen."""
    found = plan.sample(plan.often(4, 2), lambda subject: _attachments(plan, subject))
    ours, theirs = middle(found["fugue"]), middle(found["tmux"])
    most = None if theirs is None else 1.5 * theirs + 50
    note = "target: 1.5 × tmux + 50 ms"
    return Row("attach", "first full frame, 4 panes", "ms", ours, theirs, most=most, note=note, samples=found)


def _attachments(plan: Plan, subject: Subject) -> Iterator[float]:
    marks = MARKS[:4]
    with subject.open(plan.folder, [f"printf '{mark}'; exec sleep 1000" for mark in marks]) as stage:
        stage.host.until_text(*marks)
        stage.host.run(1)
        stage.detach()
        for _ in range(plan.often(5, 2)):
            with stage.attach() as host:
                yield 1000 * (host.until_text(*marks, every=0.0005) - host.started)
                host.run(0.3)


def _latency(plan: Plan) -> Row:
    """Echo through a server and its client, and in the foreground."""
    found: Samples = {"server": [], "foreground": []}
    kinds = [("server", Fugue()), ("foreground", Fugue(foreground=True))]
    for turn in range(plan.often(6, 2)):
        for name, subject in kinds if turn % 2 else kinds[::-1]:
            with subject.open(plan.folder, [ECHO]) as stage:
                stage.host.until_text("READY")
                stage.host.run(1)
                found[name] += echoes(stage.host, resting_cursor(stage.host), plan.often(100, 30))
    through, direct = (middle(found[name]) or 0.0 for name in ("server", "foreground"))
    note = f"{through:.2f} ms through the server, {direct:.2f} in the foreground"
    return Row(
        "attach", "added to an echo by the server, p50", "ms", through - direct, most=1, note=note, samples=found
    )


def _save(plan: Plan) -> Row:
    """The longest echo while fifteen full panes, with output every second, are saved continuously."""
    found = {name: _typing(plan, settings) for name, settings in (("saving", SAVING), ("not saving", NOT_SAVING))}
    longest = {name: max(figures) for name, figures in found.items()}
    note = f"p95 {late(found['saving']) or 0:.1f} ms; without saving {longest['not saving']:.1f} at most"
    return Row("save", "16 full panes: longest echo", "ms", longest["saving"], most=50, note=note, samples=found)


def _typing(plan: Plan, settings: str) -> list[float]:
    output = "while :; do sleep 1; echo news; done"
    scripts = [*[f"{_full(mark)}; {output}" for mark in MARKS[:15]], ECHO]
    with Fugue(settings=settings).open(plan.folder, scripts, focus=15, size=WALL) as stage:
        stage.host.until_text("READY")
        stage.host.until(lambda: stage.host.text.count("news") >= 15 * 3, every=0.05)
        stage.host.run(plan.often(4, 2))
        return list(echoes(stage.host, resting_cursor(stage.host), plan.often(400, 60)))


def _restore(plan: Plan) -> Row:
    """From starting the program after its server was killed to the last lines of sixteen full panes."""
    figures = [_milliseconds(plan) for _ in range(plan.often(3, 1))]
    return Row("restore", "16 full panes after a crash", "ms", middle(figures), most=2000, samples={"fugue": figures})


def _milliseconds(plan: Plan) -> float:
    fugue = Fugue(settings=SAVING)
    scripts = [f"{_full(mark)}; exec sleep 1000" for mark in MARKS]
    with fugue.open(plan.folder, scripts, size=WALL) as stage:
        stage.host.until_text(*MARKS)
        _until_saved(cast("FugueStage", stage))
        os.kill(cast("FugueStage", stage).server(), signal.SIGKILL)
        stage.host.until(lambda: stage.host.ended, every=0.01)
        with fugue.again(stage) as restored:
            return 1000 * (restored.host.until_text(*MARKS) - restored.host.started)


def _until_saved(stage: FugueStage) -> None:
    """Wait until no file has changed for some seconds."""
    state = Path(stage.env["FUGUE_STATE"])
    before: set[tuple[str, int]] = set()
    for _ in range(30):
        stage.host.run(3)
        now = {(str(file), file.stat().st_mtime_ns) for file in state.rglob("*") if file.is_file()}
        if now and now == before:
            return
        before = now


def _full(mark: str) -> str:
    line = "$i a line that is about as long as lines are, in a pane of its own"
    return f'i=0; while [ $i -lt 10200 ]; do i=$((i+1)); echo "{line}"; done; echo {mark}'
