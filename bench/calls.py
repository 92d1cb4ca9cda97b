"""What a call from outside costs: an MCP read through the stdio bridge, and a command from a fresh process."""

import json
import subprocess
import time
from collections.abc import Iterator, Mapping
from typing import IO, Any, cast

from bench.plan import Plan, late, middle
from bench.subjects import FUGUE, Stage, TmuxStage
from bench.table import Row

QUIET = "seq 1 200; printf 'READY'; exec sleep 1000"
CLIENT = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}


def measure(plan: Plan) -> list[Row]:
    """MCP reads and commands; tmux has no MCP, so those stand alone."""
    with plan.fugue.open(plan.folder, [QUIET]) as stage:
        stage.host.until_text("READY")
        reads = list(_reads(stage, plan.often(300, 50)))
        commands = [_command(stage, *FUGUE, "list-panes") for _ in range(plan.often(20, 5))]
    theirs = _tmux_commands(plan)
    samples = {"fugue": commands, "tmux": theirs}
    return [
        Row("MCP", "read-pane through the bridge, p50", "ms", middle(reads), most=2, samples={"fugue": reads}),
        Row("MCP", "read-pane through the bridge, p95", "ms", late(reads), most=5),
        Row(
            "command",
            "list-panes from a fresh process",
            "ms",
            middle(commands),
            middle(theirs),
            most=50,
            samples=samples,
        ),
    ]


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
    with subprocess.Popen(
        [*FUGUE, "mcp"], env=dict(stage.env), stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as bridge:
        _ask(bridge, 0, "initialize", CLIENT)
        _send(bridge.stdin, {"jsonrpc": "2.0", "method": "notifications/initialized"})
        call = {"name": "fugue_read_pane", "arguments": {"pane": "active"}}
        for number in range(1, count + 1):
            began = time.perf_counter()
            answer = _ask(bridge, number, "tools/call", call)
            yield 1000 * (time.perf_counter() - began)
            if "200" not in json.dumps(answer):
                raise RuntimeError(f"not what the pane shows: {answer}")
            stage.host.run(0.005)
        bridge.terminate()


def _ask(bridge: "subprocess.Popen[bytes]", number: int, method: str, parameters: Mapping[str, Any]) -> Any:
    _send(bridge.stdin, {"jsonrpc": "2.0", "id": number, "method": method, "params": parameters})
    while line := cast("IO[bytes]", bridge.stdout).readline():
        message = json.loads(line)
        if message.get("id") == number:
            return message
    raise RuntimeError("the bridge ended")


def _send(pipe: IO[bytes] | None, message: Mapping[str, Any]) -> None:
    assert pipe is not None
    pipe.write(json.dumps(message).encode() + b"\n")
    pipe.flush()
