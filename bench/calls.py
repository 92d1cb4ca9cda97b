"""Latency of calls: an MCP read through the stdio bridge, and a command from a new process."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import cast

from bench.agent import Agent
from bench.plan import Plan, late, middle
from bench.subjects import FUGUE, Fugue, FugueStage, Stage, TmuxStage
from bench.table import Row

QUIET = "seq 1 200; printf 'READY'; exec sleep 1000"


def measure(plan: Plan) -> list[Row]:
    """MCP reads, which tmux does not have, and commands."""
    with plan.fugue.open(plan.folder, [QUIET]) as stage:
        stage.host.until_text("READY")
        reads = list(_reads(stage, plan.often(300, 50)))
        commands = [_command(stage, *FUGUE, "list-panes") for _ in range(plan.often(20, 5))]
    first = [_first_call(cast("Fugue", plan.fugue).again(stage)) for _ in range(plan.often(5, 1))]
    theirs = _tmux_commands(plan)
    samples = {"fugue": commands, "tmux": theirs}
    return [
        Row("MCP", "read-pane through the bridge, p50", "ms", middle(reads), most=2, samples={"fugue": reads}),
        Row("MCP", "read-pane through the bridge, p95", "ms", late(reads), most=5),
        Row("MCP", "first call, with the start of the bridge", "ms", middle(first), most=300, samples={"fugue": first}),
        Row(
            "command",
            "list-panes from a new process",
            "ms",
            middle(commands),
            middle(theirs),
            most=50,
            samples=samples,
        ),
    ]


def _first_call(workspace: Stage) -> float:
    """The first call to a new workspace of a user who has agents, once it has loaded the SDK for them."""
    with workspace as stage:
        stage.host.until((Path(stage.env["XDG_RUNTIME_DIR"]) / "fugue-tui" / "main.sock").exists)
        maps = Path(f"/proc/{cast('FugueStage', stage).server()}/maps")
        stage.host.until(lambda: "pydantic_core" in maps.read_text())
        stage.host.run(2)
        began = time.perf_counter()
        with Agent(stage.env) as agent:
            agent.call("fugue_list_panes")
            return 1000 * (time.perf_counter() - began)


def _tmux_commands(plan: Plan) -> list[float]:
    with plan.tmux.open(plan.folder, [QUIET]) as stage:
        stage.host.until_text("READY")
        name = cast("TmuxStage", stage).name
        return [_command(stage, "tmux", "-L", name, "list-panes") for _ in range(plan.often(20, 5))]


def _command(stage: Stage, *argv: str) -> float:
    began = time.perf_counter()
    stage.call(*argv)
    return 1000 * (time.perf_counter() - began)


def _reads(stage: Stage, count: int) -> Iterator[float]:
    with Agent(stage.env) as agent:
        for _ in range(count):
            began = time.perf_counter()
            answer = agent.call("fugue_read_pane", pane="active")
            yield 1000 * (time.perf_counter() - began)
            if "200" not in json.dumps(answer):
                raise RuntimeError(f"not the text of the pane: {answer}")
            stage.host.run(0.005)
