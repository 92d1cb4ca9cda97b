"""Tests that run in several processes are reported as in one, and none is lost."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
TESTS = """
import os, signal, sys
import pytest

KEPT = sys.stderr

@pytest.mark.parametrize("number", range(20))
def test_passes(number, tmp_path):
    assert os.environ["XDG_RUNTIME_DIR"]

def test_fails():
    print("what it printed")
    assert 1 == 2

def test_writes_to_a_stream_that_was_kept_at_import():
    print("still open", file=KEPT, flush=True)
    assert KEPT.fileno() > 2

def test_is_skipped():
    pytest.skip("elsewhere")

@pytest.fixture
def broken():
    raise OSError("no fixture")

def test_errs(broken): ...
"""
KILLED = """
def test_is_killed():
    os.kill(os.getpid(), signal.SIGKILL)
"""


def run(directory: Path, tests: str, *options: str) -> subprocess.CompletedProcess[str]:
    file = directory / "test_sample.py"
    file.write_text(tests)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    command = [sys.executable, "-m", "pytest", "-c", os.devnull, "-p", "tests.conftest", "-p", "no:cacheprovider"]
    return subprocess.run(
        [*command, "-W", "ignore::pytest.PytestAssertRewriteWarning", *options, str(file)],
        cwd=directory,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_every_outcome_is_reported(tmp_path: Path) -> None:
    done = run(tmp_path, TESTS, "--workers", "2")
    assert re.search(r"1 failed, 21 passed, 1 skipped, 1 error in", done.stdout), done.stdout + done.stderr
    assert "Captured stdout call" in done.stdout
    assert "what it printed" in done.stdout
    assert "OSError: no fixture" in done.stdout
    assert done.returncode == 1


def test_a_killed_worker_fails_its_test_and_those_it_had_taken(tmp_path: Path) -> None:
    done = run(tmp_path, f"import os, signal\n{KILLED}\ndef test_follows(): ...\n", "--workers", "1")
    assert "its worker ended with status -9" in done.stdout
    assert "not run, as its worker had ended" in done.stdout
    assert "2 failed in" in done.stdout
    assert done.returncode == 1


def test_no_test_begins_after_one_failure_too_many(tmp_path: Path) -> None:
    done = run(tmp_path, f"{TESTS}\nimport time\ndef test_waits(): time.sleep(600)\n", "--workers", "3", "-x")
    assert "stopping after 1 failures" in done.stdout
    assert done.returncode == 1
