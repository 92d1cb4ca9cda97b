"""An agent in a pane asks for the end of the user's pane, and tries every way to approve that itself."""

import json
import shlex
import sys
from pathlib import Path

import pytest
from tests.adversary import pane_program
from tests.fork_server import ForkServer
from tests.tui.served_workspace import Serve, Serving
from tests.tui.socket_clients import hello

from fugue_tui import attach_protocol
from fugue_tui.terminal.pty import process

ASKING = '[ui]\nwhich_key_delay_ms = 10000\n[mcp]\ntrust = "ask"\n'
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="elsewhere an orphan belongs to the first process"),
]
TRUSTED = '[mcp]\ntrust = "full"\n'


def hostile(serving: Serving, *given: str) -> str:
    """The command line of the hostile program."""
    request = attach_protocol.request(hello()).decode()
    words = (sys.executable, "-S", "-E", pane_program.__file__, serving.path, str(serving.config), request, *given)
    return shlex.join(words)


def test_a_program_in_a_pane_cannot_approve_its_own_request(serve: Serve, tmp_path: Path) -> None:
    serving = serve(first=hello(), config=ASKING)
    serving.shows(serving.first, "1 cat")
    result = tmp_path / "result"
    serving.call("create-window", "--name", "agent", "--no-focus", "--command", hostile(serving, str(result), "%1"))
    serving.until(result.exists)
    answers = json.loads(result.read_text())
    for attempt in ("approve", "approve for ever", "approve as an orphan"):
        assert "only the user may do this" in answers[attempt], attempt
    for attempt in ("attach", "attach as an orphan"):
        assert "a pane of" in answers[attempt], attempt
    assert serving.config.read_text() == TRUSTED
    serving.until(lambda: len(serving.call("list-approvals")["requests"]) == 2)
    asked = [each["command"] for each in serving.call("list-approvals")["requests"]]
    assert asked[0] == "close-pane --pane %1"
    assert "[mcp] trust = 'full'" in asked[1]
    assert serving.call("show-policy")["trust"] == "ask"
    assert [pane["id"] for pane in serving.call("list-panes")["panes"]] == ["%1", "%2"]
    assert serving.call("list-grants")["grants"] == []
    assert len(serving.call("list-clients")["clients"]) == 1


def test_a_program_in_a_pane_of_another_workspace_cannot_either(
    serve: Serve, fork_server: ForkServer, private_dir: Path, tmp_path: Path
) -> None:
    """The other workspace is known by its lock: its process was not started as fugue-tui."""
    for folder in (private_dir / "other", tmp_path / "other"):
        folder.mkdir(mode=0o700)
    serving, result = serve(first=hello(), config=ASKING), tmp_path / "result"
    serving.shows(serving.first, "1 cat")
    other = Serving(fork_server, private_dir / "other", tmp_path / "other", "cat", first=hello())
    try:
        other.shows(other.first, "1 cat")
        assert not process.is_fugue(other.process.pid)
        other.call("create-window", "--command", hostile(serving, str(result), "%1"))
        serving.until(result.exists)
    finally:
        other.close()
    answers = json.loads(result.read_text())
    assert all("only the user may" in answers[each] for each in answers if each.startswith("approve"))
    assert all("a pane of a workspace" in answers[each] for each in answers if each.startswith("attach"))
    assert [pane["id"] for pane in serving.call("list-panes")["panes"]] == ["%1"]
