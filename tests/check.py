"""Runs the whole check: format, lint, import contracts, tests and, beside them, types; stops at the first fault.

Run it with the Python of the environment that holds the development tools: `.venv/bin/python tests/check.py`.
Arguments go to pytest; three are for this program: `--quick` leaves out the slow tests, `--every-shell` adds the shells
that are not run otherwise, and `--thorough` has Hypothesis try more examples. Nothing that failed is run again.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import IO

ROOT = Path(__file__).parents[1]
STEPS = {
    "format": ["-m", "ruff", "format", "--check", "."],
    "lint": ["-m", "ruff", "check", "."],
    "imports": ["-c", "from importlinter.cli import lint_imports_command; lint_imports_command()", "--no-logo"],
    "tests": ["-m", "pytest", "-q"],
}
CORES = os.cpu_count() or 2
TYPES = ["-m", "pyright", "--pythonpath", sys.executable]
OPTIONS = {
    "--quick": ["-m", "not slow and not every_shell"],
    "--every-shell": ["-m", "every_shell or not every_shell"],
    "--thorough": ["--hypothesis-profile", "thorough"],
}


def main(arguments: list[str]) -> int:
    """The exit status of the first step that fails, or 0."""
    # The slow tests wait for programs half of the time, so with them more run at once than there are cores.
    STEPS["tests"] += ["--workers", str(CORES if "--quick" in arguments else CORES * 3)]
    for word in arguments:
        STEPS["tests"] += OPTIONS.get(word, [word])
    with tempfile.TemporaryFile("w+") as said:
        types = subprocess.Popen([sys.executable, *TYPES], cwd=ROOT, env=_environment(), stdout=said, stderr=said)
        try:
            return next((status for name in STEPS if (status := _step(name))), 0) or _end(types, said)
        finally:
            types.terminate()
            types.wait()


def _step(name: str) -> int:
    print(f"── {name}", flush=True)
    began = time.monotonic()
    status = subprocess.run([sys.executable, *STEPS[name]], cwd=ROOT, env=_environment(), check=False).returncode
    print(f"── {name} {'failed' if status else 'passed'} in {time.monotonic() - began:.1f} s", flush=True)
    return status


def _end(types: "subprocess.Popen[bytes]", said: IO[str]) -> int:
    """Wait for the type checker and show what it said."""
    status = types.wait()
    said.seek(0)
    print(f"── types\n{said.read()}── types {'failed' if status else 'passed'}", flush=True)
    return status


def _environment() -> dict[str, str]:
    """Ours; and Python keeps its bytecode, as it does for users: without, every program compiles the product anew."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1", "PYTHONUTF8": "1"}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
