"""Which conversation an agent goes on with, told from what it was started as and what it left on disk."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some

from fugue_tui.control.restore.agent_resume import AGENTS, agent_of, resume_argv
from fugue_tui.terminal.pty import process

pytestmark = pytest.mark.slow


ONE = "55aaf438-dbb1-4436-b382-2636d65746bd"
TWO = "01a1ff14-9051-7851-a94d-764c38d55a21"
Run = Callable[..., "subprocess.Popen[bytes]"]


@pytest.fixture
def run() -> Iterator[Run]:
    """Starts programs that wait, under any name; they are ended when the test is over."""
    started: list[subprocess.Popen[bytes]] = []

    def run(*argv: str, sh: str = "exec sleep 1000") -> "subprocess.Popen[bytes]":
        started.append(subprocess.Popen(["sh", "-c", sh, *argv]))
        return started[-1]

    yield run
    for each in started:
        each.kill()
        each.wait()


def claude_home(home: Path, *ids: str, cwd: str = "/w/my.app") -> Path:
    """A home in which Claude Code had conversations in a directory."""
    folder = home / ".claude" / "projects" / re.sub(r"\W", "-", cwd)
    folder.mkdir(parents=True)
    for name in ids:
        (folder / f"{name}.jsonl").write_text("{}\n")
    return folder


def noted(home: Path, pid: int, session: str, start: str = "") -> None:
    """What Claude Code notes of a running process."""
    ticks = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    (home / ".claude" / "sessions").mkdir(parents=True, exist_ok=True)
    text = json.dumps({"pid": pid, "sessionId": session, "procStart": start or ticks})
    (home / ".claude" / "sessions" / f"{pid}.json").write_text(text)


def codex_home(home: Path, *ids: str, cwd: str = "/w") -> Path:
    """A home in which Codex had conversations in a directory."""
    folder = home / ".codex" / "sessions" / "2026" / "11" / "21"
    folder.mkdir(parents=True, exist_ok=True)
    for name in ids:
        line = {"type": "session_meta", "payload": {"id": name, "cwd": cwd, "base_instructions": "x" * 100_000}}
        (folder / f"rollout-2026-11-21T17-08-20-{name}.jsonl").write_text(json.dumps(line) + "\n")
    return folder


def old(file: Path) -> None:
    """Make a file older than any process."""
    os.utime(file, (1, 1))


def test_claude_resumes_what_it_noted_of_its_own_process(tmp_path: Path, run: Run) -> None:
    claude_home(tmp_path, ONE, TWO)
    pid = run().pid
    noted(tmp_path, pid, ONE)
    found = resume_argv(("/opt/claude", "--model", "opus", "fix the bug"), pid, "/w/my.app", str(tmp_path))
    assert found == ("/opt/claude", "--resume", ONE, "--model", "opus")


def test_a_note_of_another_process_with_the_same_number_counts_for_nothing(tmp_path: Path, run: Run) -> None:
    old(claude_home(tmp_path, ONE) / f"{ONE}.jsonl")
    pid = run().pid
    noted(tmp_path, pid, ONE, start="7")
    assert resume_argv(("claude",), pid, "/w/my.app", str(tmp_path)) == ()


def test_a_conversation_in_which_nothing_was_said_cannot_be_resumed(tmp_path: Path, run: Run) -> None:
    claude_home(tmp_path, TWO)
    pid = run().pid
    noted(tmp_path, pid, ONE)
    assert resume_argv(("claude",), pid, "/w/my.app", str(tmp_path)) == ()


def test_claude_without_notes_resumes_what_it_was_given(tmp_path: Path, run: Run) -> None:
    claude_home(tmp_path, ONE, TWO)
    for said in (("--resume", ONE), (f"--session-id={ONE}",), ("-r", ONE)):
        assert resume_argv(("claude", *said), run().pid, "/w/my.app", str(tmp_path)) == ("claude", "--resume", ONE)


def test_claude_with_teams_in_panes_resumes_with_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    claude_home(tmp_path, ONE)
    argv = ("claude", "--settings", "{}", "--resume", ONE)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert resume_argv(argv, run().pid, "/w/my.app") == ("claude", "--resume", ONE, "--settings", "{}")
    monkeypatch.setenv("FUGUE_TMUX", "/run/tmux-1")
    pid = run().pid
    while "sleep" not in process.argv(pid) or "FUGUE_TMUX" not in (process.environ(pid) or {}):
        continue  # While a process becomes another program, it has none.
    *program, claude = resume_argv(argv, pid, "/w/my.app")[:-4]
    assert claude == "claude"
    assert program in (
        [os.path.join(os.path.dirname(sys.executable), "fugue-tui")],
        [sys.executable, "-m", "fugue_tui"],
    )


def test_of_several_conversations_the_user_chooses(tmp_path: Path, run: Run) -> None:
    claude_home(tmp_path, ONE, TWO)
    assert resume_argv(("claude",), run().pid, "/w/my.app", str(tmp_path)) == ("claude", "--resume")
    codex_home(tmp_path, ONE, TWO)
    assert resume_argv(("codex", "-m", "o3"), run().pid, "/w", str(tmp_path)) == ("codex", "resume", "-m", "o3")


def test_a_conversation_from_before_the_process_is_not_its_own(tmp_path: Path, run: Run) -> None:
    folder = claude_home(tmp_path, ONE, TWO)
    old(folder / f"{TWO}.jsonl")
    assert resume_argv(("claude",), run().pid, "/w/my.app", str(tmp_path)) == ("claude", "--resume", ONE)


def test_codex_resumes_the_conversation_of_its_directory(tmp_path: Path, run: Run) -> None:
    codex_home(tmp_path, ONE, cwd="/else")
    codex_home(tmp_path, TWO)
    argv = ("node", "--no-warnings", "/x/bin/codex", "-s", "read-only", "say hello")
    found = resume_argv(argv, run().pid, "/w", str(tmp_path))
    assert found == ("node", "--no-warnings", "/x/bin/codex", "resume", TWO, "-s", "read-only")


def test_codex_that_was_given_a_conversation_resumes_it_though_another_runs_beside(tmp_path: Path, run: Run) -> None:
    codex_home(tmp_path, ONE, TWO)
    assert resume_argv(("codex", "resume", ONE), run().pid, "/w", str(tmp_path)) == ("codex", "resume", ONE)


def test_gemini_resumes_the_conversation_of_its_directory(tmp_path: Path, run: Run) -> None:
    for name, cwd, session in (("w", "/w", ONE), ("other", "/other", TWO)):
        chats = tmp_path / ".gemini" / "tmp" / name / "chats"
        chats.mkdir(parents=True)
        (chats.parent / ".project_root").write_text(cwd)
        (chats / f"session-2026-11-21T17-09-{session[:8]}.jsonl").write_text(json.dumps({"sessionId": session}) + "\n")
    found = resume_argv(("gemini", "-m", "flash", "-y"), run().pid, "/w", str(tmp_path))
    assert found == ("gemini", "--resume", ONE, "-m", "flash", "-y")
    (chats.parent.parent / "w" / "chats" / f"session-2-{TWO[:8]}.jsonl").write_text(json.dumps({"sessionId": TWO}))
    assert resume_argv(("gemini",), run().pid, "/w", str(tmp_path)) == ()


def test_an_agent_that_a_shell_line_runs_is_found(tmp_path: Path, run: Run) -> None:
    claude_home(tmp_path, ONE)
    child = subprocess.Popen(["sh", "-c", "exec -a claude sleep 1000"], executable="/bin/bash")
    try:
        while agent_of(Path(f"/proc/{child.pid}/cmdline").read_text().split("\0")) != "claude":
            assert child.poll() is None
        noted(tmp_path, child.pid, ONE)
        found = resume_argv(("bash", "-c", "claude"), os.getpid(), "/w/my.app", str(tmp_path))
        assert found == ("claude", "--resume", ONE)
    finally:
        child.kill()
        child.wait()


@pytest.mark.parametrize(
    "argv",
    [
        *[
            (),
            ("",),
            ("vim", "claude"),
            ("python3", "claude"),
            ("claude-code",),
            ("claude", "-p", "hi"),
            ("claude", "mcp"),
        ],
        *[("codex", "exec", "hi"), ("codex", "--help"), ("gemini", "-p", "hi"), ("gemini", "mcp", "list")],
    ],
)
def test_what_is_no_conversation_is_not_resumed(tmp_path: Path, run: Run, argv: tuple[str, ...]) -> None:
    claude_home(tmp_path, ONE, cwd="/w")
    codex_home(tmp_path, TWO)
    assert resume_argv(argv, run().pid, "/w", str(tmp_path)) == ()


def test_names_that_are_no_ids_are_never_used(tmp_path: Path, run: Run) -> None:
    folder = claude_home(tmp_path, "--dangerously-skip-permissions", "$(reboot)", ONE.upper(), f"{ONE}x")
    pid = run().pid
    assert resume_argv(("claude",), pid, "/w/my.app", str(tmp_path)) == ()
    noted(tmp_path, pid, "../../../../etc/passwd")
    assert resume_argv(("claude",), pid, "/w/my.app", str(tmp_path)) == ()
    (folder / f"{TWO}.jsonl").symlink_to("/etc/passwd")
    os.mkfifo(folder / f"{ONE}.jsonl")
    (tmp_path / ".claude" / "sessions" / f"{pid}.json").unlink()
    os.mkfifo(tmp_path / ".claude" / "sessions" / f"{pid}.json")
    assert resume_argv(("claude",), pid, "/w/my.app", str(tmp_path)) == ()


@pytest.mark.parametrize("text", ["", "[]", "7", "{", "[" * 50_000, '{"sessionId": 7}', '"' + "\\ud800" * 9])
def test_broken_notes_count_for_nothing(tmp_path: Path, run: Run, text: str) -> None:
    old(claude_home(tmp_path, ONE) / f"{ONE}.jsonl")
    pid = run().pid
    noted(tmp_path, pid, ONE)
    (tmp_path / ".claude" / "sessions" / f"{pid}.json").write_text(text)
    assert resume_argv(("claude",), pid, "/w/my.app", str(tmp_path)) == ()


def test_a_process_that_is_gone_is_no_fault() -> None:
    child = subprocess.Popen(["true"])
    child.wait()
    assert resume_argv(("claude",), child.pid, "/nowhere") == ()
    assert resume_argv(("sh", "-c", "claude"), child.pid, "/nowhere") == ()


@given(
    some.lists(
        some.one_of(some.text(max_size=9), some.sampled_from([*AGENTS, "node", "sh", "-m", "--", ONE])), max_size=6
    )
)
def test_no_words_are_a_fault(argv: list[str]) -> None:
    found = resume_argv(argv, 0, "/nowhere", "/nowhere")
    assert found == () or agent_of(found)


@pytest.mark.parametrize(
    ("argv", "name"),
    [
        (("/opt/venv/bin/python3.12", "/opt/venv/bin/aider", "--model", "x"), "aider"),
        (("python", "-m", "aider"), "aider"),
        (("opencode",), "opencode"),
        (("node", "/usr/bin/qwen"), "qwen"),
        (("node", "/usr/bin/copilot", "--resume"), "copilot"),
        (("copilot", "svc", "deploy"), ""),
        (("goose", "session"), "goose"),
        (("goose", "up"), ""),
        (("/home/u/.local/bin/cursor-agent", "--use-system-ca", "index.js"), "cursor-agent"),
        (("python3", "aider.py"), ""),
        (("vim", "aider"), ""),
        (("python3", "-c", "pass", "aider"), ""),
    ],
)
def test_further_agents_are_known_by_their_names_and_not_resumed(argv: tuple[str, ...], name: str) -> None:
    assert agent_of(argv) == name
    assert resume_argv(argv, os.getpid(), "/w") == ()
