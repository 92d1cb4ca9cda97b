"""Claude Code's agent teams on a scripted model: its teammates get panes by the calls of tmux that are recorded."""

import json
import os
import re
import shlex
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from tests.e2e.conftest import Launch, Running
from tests.e2e.test_real_agents import CLAUDE, home_of_claude
from tests.mcp.scripted_models import Call, Model, listening

from fugue_tui.control.tmux.run_tmux_command import RunTmuxCommand
from fugue_tui.geometry import Size

RECORDINGS = Path(__file__).parents[1] / "recordings" / "tmux"
BLUE, GREEN = 4, 2
PATIENCE = 120.0
"""Seconds for three clients that start at once."""
pytestmark = [pytest.mark.slow, pytest.mark.skipif(CLAUDE is None, reason="Claude Code is not installed")]


def teammate(name: str) -> Call:
    """The call by which the lead starts a teammate."""
    return "Agent", {"name": name, "description": f"Be {name}", "prompt": f"You are {name}.", "run_in_background": True}


def test_teammates_get_panes_with_their_names_and_colours_and_end(launch: Launch, tmp_path: Path) -> None:
    both_seen = Event()
    stop: Call = ("TaskStop", lambda results: {"task_id": "alice" if both_seen.wait(PATIENCE) else "nobody"})
    lead = Model([teammate("alice"), teammate("bob"), stop], "One is left.", prompt="Lead two teammates")
    alice, bob = (Model((), f"{name} is done.", prompt=f"You are {name}") for name in ("alice", "bob"))
    with listening(lead, alice, bob) as url:
        env = home_of_claude(tmp_path) | {"ANTHROPIC_BASE_URL": url}
        env["PATH"] = f"{os.path.dirname(str(CLAUDE))}:{os.environ['PATH']}"
        words = [sys.executable, "-m", "fugue_tui", "claude", "--permission-mode", "default", "--", lead.prompt]
        line = f"cd {shlex.quote(str(tmp_path))} && {shlex.join(words)}; exec sh"
        running = launch("--", "sh", "-c", line, size=Size(170, 50), env=env, config="[mcp]\n")
        running.ready()
        said = ("alice is done.", "bob is done.", "✓ done")
        running.host.wait_until(lambda: all(words in running.host.text for words in said), PATIENCE)
        assert names(running) == {"%1": "", "%2": "alice", "%3": "bob"}
        assert (colour_of(running, "alice"), colour_of(running, "bob")) == (BLUE, GREEN)
        both_seen.set()
        running.host.wait_until(lambda: names(running) == {"%1": "", "%3": "bob"}, PATIENCE)
        running.host.wait_text("One is left.")
        running.ask("stop-agent", "%1")
        running.host.wait_until(lambda: names(running) == {"%1": ""}, PATIENCE)
        made = list(calls(running, {"%1": "lead", "%2": "alice", "%3": "bob", "@1": "window"}))
        running.end()
    known = {form(call) for file in RECORDINGS.glob("claude-*.json") for call in json.loads(file.read_text())}
    assert {form(call) for call in made} <= known
    assert any(call[0] == "kill-pane" for call in made)


def colour_of(running: Running, name: str) -> int:
    """The colour of a teammate's name in the title of its pane."""
    rows = [row for row in running.host.picture if re.search(rf"%\d {name} ", "".join(text for text, _, _ in row))]
    return next(style.fg for text, style, _ in rows[0] if text == name)


def names(running: Running) -> dict[str, str]:
    """The names of the panes."""
    return {pane["id"]: pane["name"] for pane in running.ask("list-panes")["panes"]}


def calls(running: Running, known: Mapping[str, str]) -> Iterator[list[str]]:
    """The calls of tmux in the audit, all of which were allowed, with names for what is different each time."""
    for line in running.shell("audit", running.name, "--json").stdout.splitlines():
        entry: dict[str, Any] = json.loads(line)
        if not entry.get("command", "").startswith(RunTmuxCommand.verb):
            continue
        assert (entry["origin"], entry["decision"], entry["outcome"]) == ("agent", "allow", "done"), line
        words = re.findall(r'"((?:[^"\\]|\\.)*)"', entry["command"].partition("=")[2].partition(' "cd ')[0])
        yield [f"{{{known[word]}}}" if word in known else json.loads(f'"{word}"') for word in words]


def form(call: list[str]) -> tuple[str, ...]:
    """A call as it is in every run: without the socket, whom it is about, and the command line of a teammate, which the
    audit has cut."""
    words = call[2:] if call[0] == "-S" else call
    words = words[: words.index("--") + 1] if words[0] == "respawn-pane" else words
    return tuple("{}" if re.fullmatch(r"\{\w+\}|alice|bob", word) else word for word in words)
