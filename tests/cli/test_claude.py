"""`fugue-tui claude`: Claude Code with a tmux, in a pane."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from fugue_tui.cli import main
from fugue_tui.cli.start_args import StartRequest


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[tuple[list[str], Mapping[str, str]]]:
    """The programs that take the place of this one, in a pane of a workspace."""
    program = tmp_path / "claude"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("FUGUE_SOCKET", "/run/main.sock")
    monkeypatch.setenv("FUGUE_PANE", "%3")
    found = list[tuple[list[str], Mapping[str, str]]]()
    monkeypatch.setattr(os, "execve", lambda path, words, env: found.append((words, env)) or 0)  # pyright: ignore[reportUnknownLambdaType,reportUnknownArgumentType]
    return found


def test_it_finds_the_tmux_of_the_workspace(started: list[tuple[list[str], Mapping[str, str]]], tmp_path: Path) -> None:
    main.run(["claude", "--model", "opus", "fix it"])
    ((words, env),) = started
    assert words == ["claude", "--settings", '{"teammateMode": "auto"}', "--model", "opus", "fix it"]
    assert env["TMUX"].startswith("/run/main.sock,")
    assert env["TMUX_PANE"] == "%3"
    assert env["CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS"] == "1"
    first, rest = env["PATH"].split(os.pathsep, 1)
    assert os.access(os.path.join(first, "tmux"), os.X_OK)
    assert rest == str(tmp_path)


@pytest.mark.parametrize("words", [["mcp", "list"], ["--teammate-mode", "in-process"], ["--settings=x.json"]])
def test_what_the_user_sets_and_subcommands_stay_as_they_are(
    started: list[tuple[list[str], Mapping[str, str]]], words: list[str]
) -> None:
    main.run(["claude", *words])
    assert started[0][0] == ["claude", *words]


def test_outside_of_panes_it_opens_one(
    started: list[tuple[list[str], Mapping[str, str]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("FUGUE_PANE")
    asked = list[list[str]]()

    def start(request: StartRequest) -> int:
        asked.append(request.program)
        return 0

    monkeypatch.setattr("fugue_tui.cli.start_args.start", start)
    monkeypatch.setattr(sys, "argv", ["fugue-tui"])
    assert main.run(["claude", "--continue"]) == 0
    assert asked[0][-2:] == ["claude", "--continue"]
    assert started == []


def test_without_claude_code_it_says_how_to_get_it(
    started: list[tuple[list[str], Mapping[str, str]]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert main.run(["claude"]) == 1
    assert "npm install -g @anthropic-ai/claude-code" in capsys.readouterr().err
