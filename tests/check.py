"""Runs the whole check: format, lint, types, import contracts, tests; stops at the first fault.

Run it with the Python of the environment that holds the development tools: `.venv/bin/python tests/check.py`.
Arguments go to pytest.
"""

import json
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


FAILED_TESTS = 1
"""What pytest ends with if tests failed."""
FEW = 5
"""Failures that are tried again."""


def main(arguments: list[str]) -> int:
    """The exit status of the first step that fails, or 0."""
    STEPS["tests"].extend(arguments)
    for name, step in STEPS.items():
        print(f"── {name}", flush=True)
        began = time.monotonic()
        status = _run(step)
        if status == FAILED_TESTS and name == "tests":
            status = _alone(arguments)
        if status:
            print(f"── {name} failed", flush=True)
            return status
        print(f"── {name} passed in {time.monotonic() - began:.1f} s", flush=True)
    return 0


def _run(step: list[str]) -> int:
    return subprocess.run([sys.executable, *step], cwd=ROOT, env=_environment(), check=False).returncode


def _alone(arguments: list[str]) -> int:
    """Run what failed once more, by itself: on a busy machine a program in a test may come too late. What fails again,
    or is more than a few, is a fault; what passes was named above, and is to be looked into all the same."""
    cache = ROOT / ".pytest_cache/v/cache/lastfailed"
    count = len(json.loads(cache.read_text())) if cache.exists() and not arguments else 0
    if not 0 < count <= FEW:
        return FAILED_TESTS
    print(f"── {count} failed beside the others; once more, alone", flush=True)
    return _run(["-m", "pytest", "-q", "--last-failed", "--last-failed-no-failures=none"])


def _environment() -> dict[str, str]:
    return {**os.environ, "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1", "PYTHONUTF8": "1"}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
