"""What all tests share: a settled Hypothesis, and an environment without the person's own workspaces and settings."""

import gc
import os
import random
import shutil
import signal
import tempfile
from collections.abc import Generator, Iterator
from itertools import count
from pathlib import Path

import pytest
from tests import hypothesis_profiles
from tests.fork_server import ForkServer
from tests.workers import Workers

hypothesis_profiles.register()

for name in ("FUGUE_PANE", "FUGUE_SOCKET", "FUGUE_WORKSPACE", "TMUX", "TMUX_PANE", "STY"):
    os.environ.pop(name, None)

signal.signal(signal.SIGINT, signal.default_int_handler)  # Whoever runs this in the background may have it ignored.

os.environ["PATH"] = os.pathsep.join(each for each in os.get_exec_path() if os.access(each, os.X_OK))
"""Without what another user cannot enter: there a program that is missing is one that may not be run."""

RUNTIME = tempfile.mkdtemp(prefix="fugue-tests-", dir="/tmp")
"""Holds sockets, whose paths must be short, however long that of the temporary folder is."""


def use_own_runtime() -> None:
    """Have this process use a directory of its own for sockets, saves and the configuration, and as its home."""
    directory = tempfile.mkdtemp(dir=RUNTIME)
    os.environ["XDG_RUNTIME_DIR"] = os.environ["HOME"] = directory
    os.environ["FUGUE_CONFIG"] = os.path.join(directory, "config.toml")
    Path(os.environ["FUGUE_CONFIG"]).write_text('[mcp]\ntrust = "full"\n')


use_own_runtime()

ORDER_SEED = os.environ.get("ORDER_SEED") or str(random.randrange(1_000_000))
"""Of `--random-order`."""

_numbers = count(1)


@pytest.fixture(autouse=True)
def own_state(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test saves, no other finds."""
    monkeypatch.setenv("FUGUE_STATE", os.path.join(RUNTIME, f"state-{os.getpid()}-{next(_numbers)}"))


_shared_fork_server: ForkServer | None = None


@pytest.fixture(scope="session")
def fork_server() -> Iterator[ForkServer]:
    """A process that has loaded the program, for workspaces whose start is not what is tested."""
    server = _shared_fork_server or ForkServer()
    yield server
    if server is not _shared_fork_server:
        server.close()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> Generator[None, object, object]:
    """Have the workers share one fork server, if tests need any."""
    global _shared_fork_server
    needed = any(
        item.get_closest_marker("forked") or "fork_server" in getattr(item, "fixturenames", ())
        for item in session.items
    )
    if not (needed and session.config.option.workers):
        return (yield)
    _shared_fork_server = ForkServer()
    try:
        return (yield)
    finally:
        _shared_fork_server.close()


@pytest.fixture
def private_dir() -> Iterator[Path]:
    """A directory of our own with a short path, for sockets."""
    directory = Path(tempfile.mkdtemp(prefix="fugue-", dir="/tmp"))
    yield directory
    shutil.rmtree(directory, ignore_errors=True)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect no garbage while modules and tests are loaded, and none among these later: they stay."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add options that shuffle the tests and run several at once."""
    parser.addoption("--random-order", action="store_true", help="shuffle the tests")
    parser.addoption("--workers", type=int, default=0, help="in how many processes the tests run")


def pytest_configure(config: pytest.Config) -> None:
    """Run the tests in several processes if asked to."""
    if config.option.workers:
        config.pluginmanager.register(Workers(config.option.workers, use_own_runtime))


def pytest_report_header(config: pytest.Config) -> list[str]:
    """Say how this order can be had again."""
    return (
        [f"again in this order: ORDER_SEED={ORDER_SEED} … --random-order"] if config.getoption("random_order") else []
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Let the tests fail that are named as unreliable; shuffle them all if asked to, else begin with the slow ones.

    What the last worker still runs when the others have finished is then short."""
    if config.getoption("random_order"):
        random.Random(ORDER_SEED).shuffle(items)
    elif config.option.workers:
        items.sort(key=lambda item: item.get_closest_marker("slow") is None)
    for item in items:
        for mark in item.iter_markers("unreliable"):
            item.add_marker(pytest.mark.xfail(reason=f"unreliable: {mark.kwargs['reason']}", strict=False))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Count those that are named as unreliable."""
    told = [each for outcome in ("xfailed", "xpassed") for each in terminalreporter.getreports(outcome)]
    unreliable = [report for report in told if getattr(report, "wasxfail", "").startswith("unreliable: ")]
    failed = sum(report.outcome == "skipped" for report in unreliable)
    terminalreporter.write_line(f"{len(unreliable)} unreliable tests, of which {failed} failed")


def pytest_unconfigure() -> None:
    """Leave nothing behind."""
    shutil.rmtree(RUNTIME, ignore_errors=True)
