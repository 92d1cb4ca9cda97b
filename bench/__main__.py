"""`python -m bench`: measure and print a table with the targets. Needs Linux and tmux."""

import argparse
import json
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from bench import (
    agents,
    calls,
    fleet,
    floods,
    hostile,
    images,
    keys,
    mcp_servers,
    messages,
    output,
    peers,
    permissions,
    recording,
    saving,
    sessions,
    sideband,
    soak,
    start,
    tasks,
    upkeep,
    web,
)
from bench.host import Overdue
from bench.plan import Plan
from bench.table import Row, render

TOPICS: dict[str, Callable[[Plan], Iterable[Row]]] = {
    "start": start.measure,
    "keys": keys.measure,
    "output": output.measure,
    "upkeep": upkeep.measure,
    "sessions": sessions.measure,
    "saving": saving.measure,
    "calls": calls.measure,
    "floods": floods.measure,
    "hostile": hostile.measure,
    "images": images.measure,
    "agents": agents.measure,
    "tasks": tasks.measure,
    "peers": peers.measure,
    "permissions": permissions.measure,
    "sideband": sideband.measure,
    "fleet": fleet.measure,
    "mcp-servers": mcp_servers.measure,
    "messages": messages.measure,
    "recording": recording.measure,
    "web": web.measure,
    "soak": soak.measure,
}


def main() -> int:
    """Run the chosen topics; 0 if every target was met."""
    options = _options()
    rows: list[Row] = []
    for topic in options.only or TOPICS:
        with tempfile.TemporaryDirectory(prefix="fb-", ignore_cleanup_errors=True) as folder:
            rows += _measured(topic, Plan(Path(folder), options.quick, options.seconds, options.against))
    print(f"{_machine()}\n\n{render(rows)}")
    if options.json:
        options.json.write_text(json.dumps({"machine": _machine(), "rows": [row.as_json() for row in rows]}, indent=1))
    return 0 if all(row.met is not False for row in rows) else 1


def _measured(topic: str, plan: Plan) -> list[Row]:
    """The topic's rows, with a note if it failed."""
    began, rows = time.monotonic(), list[Row]()
    try:
        for row in TOPICS[topic](plan):
            rows.append(row)
    except (Overdue, OSError, RuntimeError) as error:
        last = (str(error) or type(error).__name__).strip().splitlines()[-1][:100]
        print(f"{topic}: {error}", file=sys.stderr)
        rows.append(Row(topic, "failed", "", None, note=last))
    print(f"{topic}: {time.monotonic() - began:.0f} s", file=sys.stderr)
    return rows


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description="Compare Fugue with tmux.")
    parser.add_argument("--only", action="append", choices=TOPICS, help="only this topic; may be repeated")
    parser.add_argument("--quick", action="store_true", help="few samples: a smoke test, not a measurement")
    parser.add_argument("--seconds", type=float, help="how long each flood and the soak last")
    parser.add_argument("--against", type=Path, metavar="DIRECTORY", help="another checkout, for `permissions`")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every sample to FILE")
    return parser.parse_args()


def _machine() -> str:
    tmux = subprocess.check_output(["tmux", "-V"], text=True).strip() if shutil.which("tmux") else "no tmux"
    return f"{time.strftime('%Y-%m-%d')}, {platform.platform()}, Python {platform.python_version()}, {tmux}"


if __name__ == "__main__":
    sys.exit(main())
