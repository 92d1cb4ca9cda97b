"""Calls of agents: run a command, wait for a text, read, call concurrently, take a screenshot.

libtmux, the usual way from Python into tmux, does the same work: it runs `tmux` for each call, detects a
command's end by `tmux wait-for`, and a text by polling every 50 ms, as its own `retry_until` does.
"""

import importlib
import json
import os
import random
import time
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any, Final, cast

from bench.agent import Agent
from bench.keys import ECHO, echoes, resting_cursor
from bench.plan import Plan, Samples, middle
from bench.subjects import PROMPT, Fugue, FugueStage, Stage, TmuxStage
from bench.table import Row

SHELL: Final = "exec bash --noprofile --norc -i"
LONG: Final = (
    'i=0; while [ $i -lt 10500 ]; do i=$((i+1)); echo "$i a line of the log that an agent reads"; done; {then}'
)
SETTINGS: Final = '[mcp]\ntrust = "full"\nlongest_answer = 1_000_000\n'
"""Without questions to the user; for programs that read much at once: the default is a twenty-fifth."""
POLL_SECONDS: Final = 0.05
WAITS: Final = 50
CALLS: Final = 100
STAMP: Final = "while read -r pause; do sleep $pause; date +NOW-%s%N-; done"
"""Prints the time after each line of input."""


def measure(plan: Plan) -> Iterator[Row]:
    """Every row of this topic."""
    yield _row("execute_command true", _both(plan, _execute, _execute_tmux), most=50)
    yield _row("cancel, until the next command ran", {"fugue": _cancel(plan)}, most=200)
    yield _row("wait: reaction after the text", _both(plan, _react, _react_tmux))
    for lines, most in ((40, 5), (1_000, None), (10_000, None)):
        yield _row(f"read_pane, {lines:,} lines", _reads(plan, lines), most)
    yield _row(f"{CALLS} parallel reads, all", _both(plan, _parallel, _parallel_tmux))
    yield _row("screenshot, PNG", {"fugue": _screenshot(plan)}, compared=False)
    yield _typing(plan)


def _row(what: str, found: Samples, most: float | None = None, *, compared: bool = True) -> Row:
    ratio = 1.0 if compared and most is None else None
    return Row("agents", what, "ms", middle(found["fugue"]), middle(found.get("tmux", [])), most, ratio, samples=found)


def _both(plan: Plan, ours: Callable[[Plan], list[float]], theirs: Callable[[Plan], list[float]]) -> Samples:
    found: Samples = {"fugue": [], "tmux": []}
    for turn in range(plan.often(2, 1)):
        for name, measured in [("fugue", ours), ("tmux", theirs)][:: -1 if turn % 2 else 1]:
            found[name] += measured(plan)
    return found


def _timed(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - began)


@contextmanager
def _fugue(plan: Plan, script: str) -> Generator[tuple[FugueStage, Agent]]:
    fugue = replace(cast("Fugue", plan.fugue), settings=SETTINGS)
    with fugue.open(plan.folder, [script]) as stage, Agent(stage.env) as agent:
        agent.call("fugue_list_panes")  # The first call of a workspace waits for the SDK.
        yield cast("FugueStage", stage), agent


@contextmanager
def _tmux(plan: Plan, script: str) -> Generator[tuple[TmuxStage, Any]]:
    """A pane controlled by libtmux."""
    server = importlib.import_module("libtmux").Server
    with plan.tmux.open(plan.folder, [script]) as stage:
        os.environ["TMUX_TMPDIR"] = stage.env["TMUX_TMPDIR"]
        yield cast("TmuxStage", stage), server(socket_name=cast("TmuxStage", stage).name).sessions[0].active_pane


# Running


def _execute(plan: Plan) -> list[float]:
    """In an interactive shell."""
    with replace(cast("Fugue", plan.fugue), settings=SETTINGS).bare(plan.folder) as stage, Agent(stage.env) as agent:
        stage.host.until_text(PROMPT)
        stage.host.run(0.5)
        run = partial(agent.call, "fugue_execute_command", pane="%1", command="true")
        run()
        return [_timed(run) for _ in range(plan.often(40, 5))]


def _cancel(plan: Plan) -> list[float]:
    """From cancelling a sleeping command to the result of the next one, queued behind it."""
    with replace(cast("Fugue", plan.fugue), settings=SETTINGS).bare(plan.folder) as stage, Agent(stage.env) as agent:
        stage.host.until_text(PROMPT)
        stage.host.run(0.5)
        agent.call("fugue_execute_command", pane="%1", command="true")
        return [_cancelled(stage, agent) for _ in range(plan.often(20, 3))]


def _cancelled(stage: Stage, agent: Agent) -> float:
    arguments = {"pane": "%1", "timeout": 60}
    begun = agent.begin(("fugue_execute_command", {**arguments, "command": each}) for each in ("sleep 60", "true"))
    stage.host.run(0.5)

    def end() -> None:
        agent.cancel(begun[0])
        agent.collect(begun[1:])

    return _timed(end)


def _execute_tmux(plan: Plan) -> list[float]:
    with _tmux(plan, SHELL) as (stage, pane):
        stage.host.run(0.5)

        def run() -> None:
            pane.send_keys(f"true; tmux -L {stage.name} wait-for -S done")
            pane.server.cmd("wait-for", "done")
            pane.capture_pane()

        run()
        return [_timed(run) for _ in range(plan.often(40, 5))]


# Waiting


def _react(plan: Plan) -> list[float]:
    with _fugue(plan, STAMP) as (stage, agent):
        return [_reaction(lambda: _awaited(stage, agent)) for _ in range(plan.often(40, 5))]


def _awaited(stage: FugueStage, agent: Agent) -> str:
    begun = agent.begin(
        [("fugue_wait_for_output", {"panes": ["%1"], "any_of": [{"pattern": r"NOW-\d+-", "regex": True}]})]
    )
    stage.host.run(0.1)
    stage.host.send(_later())
    return str(agent.collect(begun)[0]["structuredContent"]["matched"])


def _react_tmux(plan: Plan) -> list[float]:
    with _tmux(plan, STAMP) as (stage, pane):
        stage.host.run(0.5)
        return [_reaction(lambda: _polled(stage, pane)) for _ in range(plan.often(40, 5))]


def _polled(stage: TmuxStage, pane: Any) -> str:
    before = _stamp(pane)
    stage.host.run(0.1)
    stage.host.send(_later())
    while (seen := _stamp(pane)) == before:
        time.sleep(POLL_SECONDS)
        stage.host.step(0)
    return seen


def _stamp(pane: Any) -> str:
    """The last one on the screen."""
    return next((line for line in reversed(pane.capture_pane()) if "NOW-" in line), "")


def _later() -> bytes:
    """Input that has a text printed after a random delay."""
    return f"0.{random.randrange(100, 200)}\r".encode()


def _reaction(work: Callable[[], str]) -> float:
    """Milliseconds from the time that a program printed until it was detected."""
    printed = work()
    return (time.time_ns() - int(printed.split("-")[1])) / 1e6


# Reading


def _reads(plan: Plan, lines: int) -> Samples:
    """Alternates between the two, as memory bandwidth varies over time."""
    script, found = LONG.format(then="echo READY; exec sleep 1000"), Samples(fugue=[], tmux=[])
    with _fugue(plan, script) as (stage, agent), _tmux(plan, script) as (other, pane):
        reads = {
            "fugue": partial(_read_on, agent, lines),
            "tmux": partial(pane.capture_pane, start=-lines, join_wrapped=True),
        }
        for each, read in ((stage, reads["fugue"]), (other, reads["tmux"])):
            each.host.until_text("READY")
            read()
        for _ in range(plan.often(60, 5)):
            for name, read in reads.items():
                found[name].append(_timed(read))
    return found


def _read_on(agent: Agent, lines: int) -> None:
    """Read all pages."""
    offset = 0
    while offset is not None and offset < lines:
        arguments = {"pane": "%1", "lines": lines - offset, "offset": offset, "source": "scrollback"}
        offset = json.loads(agent.call("fugue_read_pane", **arguments)["content"][-1]["text"]).get("next_offset")


def _parallel(plan: Plan) -> list[float]:
    with _fugue(plan, "echo READY; exec sleep 1000") as (stage, agent):
        stage.host.until_text("READY")
        every = [("fugue_read_pane", {"pane": "%1"})] * CALLS
        agent.calls(every)
        return [_timed(lambda: agent.calls(every)) for _ in range(plan.often(10, 2))]


def _parallel_tmux(plan: Plan) -> list[float]:
    with _tmux(plan, "echo READY; exec sleep 1000") as (stage, pane), ThreadPoolExecutor(16) as pool:
        stage.host.until_text("READY")

        def one(_: int) -> object:
            return pane.capture_pane()

        def every() -> None:
            list(pool.map(one, range(CALLS)))

        return [_timed(every) for _ in range(plan.often(10, 2))]


def _screenshot(plan: Plan) -> list[float]:
    with _fugue(plan, "ls -la --color /usr/lib | tail -100; echo READY; exec sleep 1000") as (stage, agent):
        stage.host.until_text("READY")
        draw = partial(agent.call, "fugue_screenshot_pane", pane="%1", format="png")
        draw()
        return [_timed(draw) for _ in range(plan.often(20, 3))]


# Typing beside waits


def _typing(plan: Plan) -> Row:
    """Echo with and without fifty pending waits on the pane."""
    found: Samples = {"with": [], "without": []}
    for turn in range(plan.often(4, 2)):
        for name in ("with", "without") if turn % 2 else ("without", "with"):
            found[name] += _echoes(plan, WAITS if name == "with" else 0)
    ours, alone = middle(found["with"]) or 0.0, middle(found["without"]) or 1.0
    note = f"{ours:.2f} ms with {WAITS} waits on the pane, {alone:.2f} without"
    return Row(
        "agents", f"echo with {WAITS} waits on the pane, relative to none", "", ours / alone, most=1.2, note=note
    )


def _echoes(plan: Plan, waits: int) -> list[float]:
    with Fugue().open(plan.folder, [ECHO]) as stage, Agent(stage.env) as agent:
        stage.host.until_text("READY")
        arguments = {"panes": ["%1"], "any_of": [{"pattern": "never [a-z]+ seen", "regex": True}], "timeout": 100}
        agent.begin([("fugue_wait_for_output", arguments)] * waits)
        stage.host.run(1)
        return list(echoes(stage.host, resting_cursor(stage.host), plan.often(100, 30)))
