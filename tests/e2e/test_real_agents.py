"""Real agents on a scripted model: what each state looks like here, and a lead of two workers."""

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

CLAUDE, CODEX, GEMINI = (shutil.which(name) for name in ("claude", "codex", "gemini"))
KEY = "sk-ant-test-0123456789abcdef"
pytestmark = pytest.mark.slow


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


@pytest.mark.skipif(CLAUDE is None, reason="Claude Code is not installed")
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
        running.host.wait_until(_pressing(lambda: running.host.send("\r"), until=(tmp_path / "result").exists))
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


WRITE = "echo 38 passed | tee "
SEEN = {
    "claude": ("report", f"approve Bash: {WRITE}", "Do you want to proceed?", "done", "API Error: 400 no such model"),
    "codex": ("report", *["Would you like to run the following command?"] * 2, "done", "no such model"),
    "gemini": ("screen", *["Allow execution of [Shell]?"] * 2, "idle", "no such model"),
}
"""The signal of a dialog, what it asks, as the agent's words and on the screen, the state after it, and why a request
failed."""


def shell(program: str, file: str) -> Call:
    """The call by which a model has a client write a file, which needs the user's permission."""
    line, why = f"{WRITE}{file}", "Run the tests"
    if program == "codex":
        return "exec_command", {"cmd": line, "sandbox_permissions": "require_escalated", "justification": f"{why}?"}
    return "Bash" if program == "claude" else "run_shell_command", {"command": line, "description": why}


def home_of(program: str, home: Path, url: str) -> tuple[list[str], dict[str, str]]:
    """The command line of a client that has been set up and asks before it runs commands, and its variables."""
    env = home_of_claude(home) | {"ANTHROPIC_BASE_URL": url, "MODEL_KEY": KEY, "CODEX_HOME": str(home / ".codex")}
    env |= {"GEMINI_API_KEY": KEY, "GOOGLE_GEMINI_BASE_URL": url, "GEMINI_CLI_TRUST_WORKSPACE": "true"}
    if program == "claude":
        return [str(CLAUDE), "--permission-mode", "default", "--", "Run it"], env
    if program == "codex":
        (home / ".codex").mkdir()
        (home / ".codex/config.toml").write_text(f'[projects."{home}"]\ntrust_level = "trusted"\n')
        provider = f'{{name="scripted",base_url="{url}/v1",wire_api="responses",env_key="MODEL_KEY"}}'
        settings = (f"model_providers.scripted={provider}", 'model_provider="scripted"', 'model="gpt-5.1"')
        flags = [word for each in (*settings, "check_for_update_on_startup=false") for word in ("-c", each)]
        return [str(CODEX), *flags, "-a", "on-request", "-s", "read-only", "Run it"], env
    (home / ".gemini").mkdir()
    general = {"disableAutoUpdate": True, "disableUpdateNag": True}
    auth = {"auth": {"selectedType": "gemini-api-key"}}
    (home / ".gemini/settings.json").write_text(json.dumps({"security": auth, "general": general}))
    return [str(GEMINI), "-m", "gemini-2.5-flash", "-i", "Run it"], env


@pytest.mark.parametrize(
    "program",
    [
        pytest.param(name, marks=pytest.mark.skipif(found is None, reason=f"{name} is not installed"))
        for name, found in (("claude", CLAUDE), ("codex", CODEX), ("gemini", GEMINI))
    ],
)
def test_each_state_of_a_real_agent_is_seen(launch: Launch, tmp_path: Path, program: str) -> None:
    signal, asked, question, rests, failed = SEEN[program]
    model = Model([shell(program, "one"), shell(program, "two")], "The tests pass: 38.", prompt="Run it")
    model.may_answer.clear()
    with listening(model) as url:
        argv, env = home_of(program, tmp_path, url)
        line = f"cd {shlex.quote(str(tmp_path))} && {shlex.join(argv)}; exec sh"
        running = launch("--", "sh", "-c", line, size=Size(110, 34), env=env, config='[mcp]\ntrust = "full"\n')
        running.ready()
        running.host.wait_until(lambda: _agent(running).get("state") == "working")
        answers: list[tuple[str, Callable[[], object]]] = [
            ("one", lambda: running.host.send("\r")),
            ("two", lambda: running.ask("send-input", "%1", "--keys", "enter")),
        ]
        for file, press in answers:
            model.may_answer.set()
            running.host.wait_until(
                lambda file=file: asked in _agent(running).get("words", "") and file in running.host.text
            )
            model.may_answer.clear()
            found = _agent(running)
            assert (found["state"], found["kind"]) == ("blocked", "permission")
            counting = [each for each in running.ask("explain-agent", "--pane", "%1")["signals"] if each["counts"]]
            assert [(each["signal"], each["state"]) for each in counting] == [(signal, "blocked")]
            running.host.wait_text("1 agent waits", question)
            running.host.wait_until(_pressing(press, until=(tmp_path / file).exists))
            running.host.wait_until(lambda: _agent(running).get("state") == "working")
            assert question not in running.host.text
            assert "agent waits" not in running.host.text
        model.may_answer.set()
        running.host.wait_until(lambda: _agent(running).get("state") == rests)
        running.host.wait_text("The tests pass: 38.")
        assert "agent waits" not in running.host.text
        model.fails = True
        running.ask("brief-agent", "%1", "--briefing", "Run it again")
        running.host.wait_until(lambda: _agent(running).get("state") == "error")
        running.host.wait_until(lambda: failed in _agent(running)["words"])
        running.ask("stop-agent", "%1")
        running.host.wait_until(lambda: not _agent(running))
        running.end()


ANSWERS: Sequence[Call] = (
    ("fugue_send_input", lambda results: {"pane": "worker", "keys": ["Enter"]}),
    (
        "fugue_wait_for_agents",
        lambda results: {"panes": ["worker"], "until": ["working", "idle", "done"], "timeout": 3},
    ),
)
"""Clients drop some keys that come as soon as their dialogs; Enter at their empty input does nothing."""


@pytest.mark.parametrize(
    "program",
    [
        pytest.param(name, marks=pytest.mark.skipif(None in (found, CLAUDE), reason=f"{name} is not installed"))
        for name, found in (("claude", CLAUDE), ("codex", CODEX), ("gemini", GEMINI))
    ],
)
def test_an_agent_answers_the_question_of_another(launch: Launch, tmp_path: Path, program: str) -> None:
    model = Model([shell(program, "one")], "The tests pass: 38.", prompt="Run it")
    arguments = list[str]()
    start: dict[str, Any] = {
        "program": program,
        "name": "worker",
        "arguments": arguments,
        "briefing": "Run it",
        "wait": 60,
    }
    wait: dict[str, Any] = {"panes": ["worker"], "timeout": 100}
    calls: list[Call] = [
        ("fugue_start_agent", start),
        ("fugue_wait_for_agents", wait | {"until": ["blocked"]}),
    ]
    calls += [*ANSWERS] * 3
    calls += [("fugue_wait_for_agents", wait | {"until": ["idle", "done"]})]
    lead = Model([(f"mcp__fugue__{tool}", given) for tool, given in calls], "It was answered.", prompt="Lead one")
    server = {"command": sys.executable, "args": ["-m", "fugue_tui", "mcp"]}
    config = json.dumps({"mcpServers": {"fugue": server}})
    command = [str(CLAUDE), "--mcp-config", config, "--strict-mcp-config", "--allowedTools", "mcp__fugue__*"]
    with listening(lead, model) as url:
        argv, env = home_of(program, tmp_path, url)
        arguments += [word for word in argv[1:] if word not in ("-i", "--", "Run it")]
        line = f"cd {shlex.quote(str(tmp_path))} && exec {shlex.join([*command, '--', 'Lead one worker'])}"
        running = launch("--", "sh", "-c", line, size=Size(170, 50), env=env, config="[mcp]\n")
        running.ready()
        running.host.wait_until((tmp_path / "one").exists, 120)
        running.host.wait_text("It was answered.", "The tests pass: 38.")
        audit = [json.loads(each) for each in running.shell("audit", running.name, "--json").stdout.splitlines()]
        running.end()
    assert (tmp_path / "one").read_text() == "38 passed\n"
    found = json.loads(lead.results[1])["agents"][0]
    assert (found["state"], found["kind"]) == ("blocked", "permission")
    assert SEEN[program][1] in found["words"]
    assert json.loads(lead.results[-1])["outcome"] == "reached"
    typed = [each for each in audit if each.get("command", "").startswith("send-input")]
    assert {(each["origin"], each["door"], each["pane"], each["outcome"]) for each in typed} == {
        ("agent", "mcp", "%1", "done")
    }


def _agent(running: Any) -> dict[str, Any]:
    """What is known of the only agent; nothing if there is none."""
    agents: list[dict[str, Any]] = running.ask("list-agents")["agents"]
    return agents[0] if agents else {}


def _pressing(press: Callable[[], object], *, until: Callable[[], bool]) -> Callable[[], bool]:
    """Whether a condition holds; while it does not, a key is pressed every second: Claude Code drops some keys that
    come as soon as its dialog (seen in tmux, too)."""
    last = -math.inf

    def holds() -> bool:
        nonlocal last
        if until():
            return True
        if time.monotonic() - last > 1.0:
            last = time.monotonic()
            press()
        return False

    return holds


def _states(running: Any) -> dict[str, str]:
    return {each["name"]: each["state"] for each in running.ask("list-agents")["agents"]}


def _focused(running: Any) -> str:
    return next(pane["name"] for pane in running.ask("list-panes")["panes"] if pane["focused"])
