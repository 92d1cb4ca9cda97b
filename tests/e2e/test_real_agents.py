"""Claude Code itself as a lead that starts two workers, while the user answers one of them."""

import json
import math
import re
import shlex
import shutil
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.e2e.conftest import Launch
from tests.mcp.scripted_models import Call, Model, listening

from fugue_tui.geometry import Size

CLAUDE = shutil.which("claude")
KEY = "sk-ant-test-0123456789abcdef"
pytestmark = [pytest.mark.slow, pytest.mark.skipif(CLAUDE is None, reason="Claude Code is not installed")]


def home_of_claude(home: Path) -> dict[str, str]:
    """The variables of a Claude Code that has been set up, without its first dialogs."""
    known = {
        "hasCompletedOnboarding": True,
        "theme": "dark",
        "hasSeenAutoDefaultNotice": True,
        "fullscreenUpsellSeenCount": 3,
        "customApiKeyResponses": {"approved": [KEY[-20:]], "rejected": []},
        "projects": {str(home): {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}},
    }
    (home / ".claude.json").write_text(json.dumps(known))
    return {
        "HOME": str(home),
        "ANTHROPIC_API_KEY": KEY,
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_TELEMETRY": "1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "ENABLE_TOOL_SEARCH": "false",
        "LC_ALL": "C.UTF-8",
        "TERM": "xterm-256color",
    }


def worker(name: str, briefing: str) -> Mapping[str, Any]:
    """What the lead starts a worker with."""
    arguments = ["--permission-mode", "default"]
    return {"program": "claude", "name": name, "role": "worker", "arguments": arguments, "briefing": briefing}


def workers(results: Sequence[str]) -> Sequence[str]:
    """The panes of the workers, by the results of their starts."""
    return [json.loads(result)["pane"] for result in results[:2]]


LEAD: Sequence[Call] = (
    ("fugue_start_agent", worker("coder", "You are the coder.\nRun the tests,\nand tell how they end.")),
    ("fugue_start_agent", worker("writer", "You are the writer. Tell what the project is.")),
    (
        "fugue_wait_for_agents",
        lambda results: {"panes": workers(results), "every": True, "until": ["idle", "done"], "timeout": 100},
    ),
    ("fugue_read_pane", lambda results: {"pane": workers(results)[0]}),
    ("fugue_read_pane", lambda results: {"pane": workers(results)[1]}),
)
RUN: Sequence[Call] = (("Bash", {"command": "echo 38 passed | tee result", "description": "Run the tests"}),)


def test_a_lead_starts_two_workers_while_the_user_answers_one(launch: Launch, tmp_path: Path) -> None:
    server = {"command": sys.executable, "args": ["-m", "fugue_tui", "mcp"]}
    lead = Model([(f"mcp__fugue__{tool}", given) for tool, given in LEAD], "Both are done.", prompt="Lead two")
    coder = Model(RUN, "The tests pass: 38.", prompt="You are the coder")
    writer = Model((), "It computes tides.", prompt="You are the writer")
    config = json.dumps({"mcpServers": {"fugue": server}})
    command = [str(CLAUDE), "--mcp-config", config, "--strict-mcp-config", "--allowedTools", "mcp__fugue__*"]
    with listening(lead, coder, writer) as url:
        env = home_of_claude(tmp_path) | {"ANTHROPIC_BASE_URL": url}
        line = f"cd {shlex.quote(str(tmp_path))} && exec {shlex.join([*command, '--', 'Lead two workers'])}"
        running = launch("--", "sh", "-c", line, size=Size(170, 50), env=env, config="[mcp]\n")
        running.ready()
        running.host.wait_text("Do you want to proceed?")
        running.host.wait_until(lambda: _states(running)["coder"] == "blocked")
        assert not (tmp_path / "result").exists()
        running.host.send("\x02j")
        running.host.wait_until(lambda: _focused(running) == "coder")
        running.host.wait_until(_pressing(running, "\r", until=(tmp_path / "result").exists))
        running.host.wait_text("Both are done.", "It computes tides.")
        assert _focused(running) == "coder"
        running.end()
    assert (tmp_path / "result").read_text() == "38 passed\n"
    first, second, waited, *read = lead.results
    assert [json.loads(each)["briefing"] for each in (first, second)] == ["delivered", "delivered"]
    assert json.loads(waited)["outcome"] == "reached"
    assert "The tests pass: 38." in read[0]
    assert "untrusted output of pane" in read[1]
    assert any("Run the tests,\nand tell how they end." in said for said in coder.said)
    assert not re.search(r"Refused|refused", "".join(lead.results))


def _pressing(running: Any, key: str, *, until: Callable[[], bool]) -> Callable[[], bool]:
    """Whether a condition holds; while it does not, the key is pressed every second: Claude Code drops some keys that
    come as soon as its dialog (seen in tmux, too)."""
    last = -math.inf

    def holds() -> bool:
        nonlocal last
        if until():
            return True
        if time.monotonic() - last > 1.0:
            last = time.monotonic()
            running.host.send(key)
        return False

    return holds


def _states(running: Any) -> dict[str, str]:
    return {each["name"]: each["state"] for each in running.ask("list-agents")["agents"]}


def _focused(running: Any) -> str:
    return next(pane["name"] for pane in running.ask("list-panes")["panes"] if pane["focused"])
