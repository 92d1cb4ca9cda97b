"""Runs the whole check: format, lint, types, import contracts, tests; stops at the first fault.

Run it with the Python of the environment that holds the development tools: `.venv/bin/python tests/check.py`.
Arguments go to pytest.
"""

import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
STEPS = {
    "format": ["-m", "ruff", "format", "--check", "."],
    "lint": ["-m", "ruff", "check", "."],
    "types": ["-m", "pyright", "--pythonpath", sys.executable],
    "imports": ["-c", "from importlinter.cli import lint_imports_command; lint_imports_command()", "--no-logo"],
    "tests": ["-m", "pytest", "-q", "-n", str(max(2, (os.cpu_count() or 2) * 3 // 2))],
}
"""The tests wait for programs most of the time, so more of them run at once than there are cores."""


def main(arguments: list[str]) -> int:
    """The exit status of the first step that fails, or 0."""
    STEPS["tests"].extend(arguments)
    for name, step in STEPS.items():
        print(f"── {name}", flush=True)
        began = time.monotonic()
        status = subprocess.run([sys.executable, *step], cwd=ROOT, env=_environment(), check=False).returncode
        if status:
            print(f"── {name} failed", flush=True)
            return status
        print(f"── {name} passed in {time.monotonic() - began:.1f} s", flush=True)
    return 0


def _environment() -> dict[str, str]:
    return {**os.environ, "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1", "PYTHONUTF8": "1"}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
