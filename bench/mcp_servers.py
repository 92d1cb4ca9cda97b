"""What other MCP servers cost a workspace: unused, idle, hanging, and those that flood it; a key's echo beside each."""

import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final, cast

from bench.keys import ECHO, LETTERS, echoes, resting_cursor
from bench.plan import Plan, late, middle
from bench.processes import cpu, memory
from bench.subjects import Fugue, FugueStage
from bench.table import Row

SERVER: Final = """
import json, sys, threading, time

kind = sys.argv[1]
out = sys.stdout
log = json.dumps({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "x" * 200}})
pieces = {"notifications": (log + "\\n") * 100, "lines that are no messages": ("x" * 200 + "\\n") * 100,
          "one endless line": "x" * 65536,
          "messages of many values": log.replace('"' + "x" * 200 + '"', "[" + "0," * 140_000 + "0]") + "\\n"}

def flood():
    time.sleep(1)
    if kind == "lines on stderr":
        while True:
            sys.stderr.write(("x" * 200 + "\\n") * 100)
    while kind in pieces:
        out.write(pieces[kind])

for line in sys.stdin:
    request = json.loads(line)
    if kind == "that hangs":
        time.sleep(1000)
    if request.get("method") == "initialize":
        result = {"protocolVersion": "2025-11-25", "capabilities": {"logging": {}},
                  "serverInfo": {"name": "bench", "version": "1"}}
    elif request.get("method") == "logging/setLevel":
        result = {}
        threading.Thread(target=flood, daemon=True).start()
    elif "id" in request:
        error = {"code": -32601, "message": "no"}
        out.write(json.dumps({"jsonrpc": "2.0", "id": request["id"], "error": error}) + "\\n")
        out.flush()
        continue
    else:
        continue
    out.write(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}) + "\\n")
    out.flush()
"""
UNUSED: Final = "that is not used"
KINDS: Final = (
    "that idles", "that hangs", "notifications", "lines that are no messages", "one endless line", "lines on stderr",
    "messages of many values",
)  # fmt: skip
"""What a server does; those that do not begin with `that` flood."""


def measure(plan: Plan) -> Iterator[Row]:
    """A key's echo, memory and CPU with each kind of server, and without one."""
    bare = _figures(plan, "")
    yield Row("mcp-servers", "no server: echo, p50", "ms", bare.p50, samples={"fugue": bare.echo})
    yield Row("mcp-servers", "no server: echo, p95", "ms", late(bare.echo))
    yield Row("mcp-servers", "no server: memory", "MiB", bare.memory)
    for kind in (UNUSED, *KINDS):
        found = _figures(plan, kind)
        what = f"a server {kind}" if kind.startswith("that") else f"a flood of {kind}"
        yield Row("mcp-servers", f"{what}: echo, p50", "ms", found.p50, samples={"fugue": found.echo})
        yield Row("mcp-servers", f"{what}: echo, p95", "ms", late(found.echo), most=50)
        more = 2 if kind == UNUSED else 90
        yield Row("mcp-servers", f"{what}: more memory than without", "MiB", found.memory - bare.memory, most=more)
        yield Row("mcp-servers", f"{what}: CPU per second", "ms", found.cpu)


class _Figures:
    """What was measured."""

    def __init__(self, echo: list[float], memory: float, cpu: float) -> None:
        self.echo, self.memory, self.cpu = echo, memory, cpu
        self.p50 = middle(echo)


def _figures(plan: Plan, kind: str) -> _Figures:
    program = plan.folder / "server.py"
    program.write_text(SERVER)
    settings = _settings(program, kind) if kind else ""
    stage = cast("FugueStage", replace(cast("Fugue", plan.fugue), settings=settings).open(plan.folder, [ECHO]))
    with stage:
        stage.host.until_text("READY")
        if kind and kind != UNUSED:
            _connect(stage, kind)
        stage.host.run(3)
        home, echo = resting_cursor(stage.host), list[float]()
        began, spent = time.monotonic(), cpu([stage.server()])
        while time.monotonic() < began + (plan.seconds or plan.often(20, 2)):
            echo += echoes(stage.host, home, len(LETTERS))
        used = (cpu([stage.server()]) - spent) / (time.monotonic() - began)
        return _Figures(echo, memory([stage.server()], "Rss"), 1000 * used)


def _connect(stage: FugueStage, kind: str) -> None:
    """Connect to the server, without waiting for one that hangs."""
    if kind == "that hangs":
        stage.fugue("run-shell", f"{sys.executable} -m fugue_tui connect-server --server bench & exit 0")
    else:
        stage.fugue("connect-server", "--server", "bench")


def _settings(program: Path, kind: str) -> str:
    words = ", ".join(f"'{word}'" for word in (str(program), kind))
    return f"[mcp]\ntrust = 'full'\n[mcp.servers.bench]\ncommand = '{sys.executable}'\nargs = [{words}]\n"
