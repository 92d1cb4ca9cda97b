"""What nobody meant to happen: it is told in a word, its details are in the log, and nothing of it is painted."""

import stat

import pytest
from tests.e2e.conftest import Launch, Running

pytestmark = [pytest.mark.slow, pytest.mark.forked]


BUGGY = """
import asyncio, sys, threading, time, warnings
from fugue_tui.control.core.command import Command, Effect

def fail():
    raise RuntimeError("planted \\x1b[31m\\u202ehere")

class TestCall(Command[None], name="test-call", effect=Effect.READ):
    "Fail at once."
    def run(self, mux, origin):
        fail()

class TestCallback(Command[None], name="test-callback", effect=Effect.READ):
    "Fail in a callback of the loop."
    def run(self, mux, origin):
        asyncio.get_running_loop().call_soon(fail)

class TestPost(Command[None], name="test-post", effect=Effect.READ):
    "Fail in what a thread handed over, with more behind it."
    def run(self, mux, origin):
        mux.post(fail)
        mux.post(lambda: setattr(mux.workspace, "name", 1))
        mux.post(lambda: mux.terminals[mux.focused].write(b"delivered"))

class TestThread(Command[None], name="test-thread", effect=Effect.READ):
    "Fail in a thread."
    def run(self, mux, origin):
        threading.Thread(target=fail).start()

class TestWarning(Command[None], name="test-warning", effect=Effect.READ):
    "Warn."
    def run(self, mux, origin):
        warnings.warn("planted \\x1b[31m\\u202ehere")

class TestPump(Command[None], name="test-pump", effect=Effect.READ):
    "Fail on the thread of the terminals."
    def run(self, mux, origin):
        mux.terminals[mux.focused]._io_loop.post(fail)

class TestFinalizer(Command[None], name="test-finalizer", effect=Effect.READ):
    "Fail where nobody can be told."
    def run(self, mux, origin):
        type("Doomed", (), {"__del__": lambda self: fail()})()

from fugue_tui.cli.main import run
sys.exit(run(sys.argv[1:]))
"""
"""The program with commands that fail in all the places that there are."""
ONCE_LOGGED = """
def fail_later():
    while threading.excepthook is threading.__excepthook__:
        time.sleep(0.05)
    fail()

threading.Thread(target=fail_later, daemon=True).start()
"""
"""Fails once there is a log of what fails."""
DELIVERED = "delivered"


def provoke(running: Running, command: str) -> None:
    """Have something fail, and wait until the log tells of it."""
    done = running.shell(command, "--workspace", running.name)
    if command == "test-call":
        assert (done.returncode, done.stderr) == (1, "fugue-tui: a bug in fugue-tui; its log has the details\n")
    running.host.wait_until(lambda: "planted" in running.log)


@pytest.mark.parametrize(
    "command",
    ["test-call", "test-callback", "test-post", "test-thread", "test-warning", "test-pump", "test-finalizer"],
)
def test_a_bug_is_in_the_log_and_not_on_the_screen(launch: Launch, command: str) -> None:
    running = launch("--", "cat", program=("-c", BUGGY))
    running.ready()
    provoke(running, command)
    assert "planted here" in running.log
    if command not in ("test-warning",):
        assert "Traceback" in running.log
        assert "in fail" in running.log
    file = running.socket.with_suffix(".log")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    if command == "test-post":
        running.host.wait_text(DELIVERED)
    running.host.send("alive\r")
    running.host.wait_text("alive")
    for trace in (b"planted", b"Traceback", b"Warning"):
        assert trace not in running.host.received


def test_a_workspace_without_a_socket_has_a_log_too(launch: Launch) -> None:
    program = BUGGY.replace("from fugue_tui.cli.main", f"{ONCE_LOGGED}\nfrom fugue_tui.cli.main")
    running = launch("--", "cat", config="[mcp]\nenabled = false\n", program=("-c", program))
    running.host.wait_text(running.name)
    running.host.wait_until(lambda: "planted here" in running.log)
    assert not running.socket.exists()


def test_a_log_that_cannot_be_written_stops_nothing(launch: Launch) -> None:
    running = launch("--", "cat", program=("-c", BUGGY))
    running.ready()
    running.socket.with_suffix(".log").mkdir()
    done = running.shell("test-call", "--workspace", running.name)
    assert done.stderr == "fugue-tui: a bug in fugue-tui; its log has the details\n"
    running.host.send("alive\r")
    running.host.wait_text("alive")
