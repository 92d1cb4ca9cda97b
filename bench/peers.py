"""Comparable terminal widgets: textual-terminal, and Fugue's with pyte."""

import subprocess
import sys

from bench import payloads
from bench.output import seconds
from bench.plan import Plan
from bench.subjects import Fugue
from bench.table import Row


def measure(plan: Plan) -> list[Row]:
    """Throughput of plain output, in small files."""
    return [_pyte(plan), _textual_terminal()]


def _pyte(plan: Plan) -> Row:
    file = payloads.write(plan.folder, "plain", plan.often(2_000_000, 300_000))
    size = file.stat().st_size
    spent = {name: seconds(plan, Fugue(name, name), file, 1) for name in ("ghostty", "pyte")}
    note = "; ".join(f"{name} {size / took / 1e6:.1f} MB/s" for name, took in spent.items())
    return Row("peers", f"Fugue's widget, plain, {size / 1e6:.1f} MB", "", None, note=note)


def _textual_terminal() -> Row:
    probe = subprocess.run(
        [sys.executable, "-c", "import textual_terminal"], capture_output=True, text=True, check=False
    )
    note = (
        "imports"
        if probe.returncode == 0
        else (probe.stderr.strip().splitlines() or ["does not import"])[-1].split(" (/")[0]
    )
    return Row("peers", "textual-terminal", "", None, note=note)
