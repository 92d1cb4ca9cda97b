"""`fugue-tui setup` installs hooks of agents beside the user's own, in a home directory of its own."""

import json
import stat
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fugue_tui.cli import main
from fugue_tui.cli.doctor import hooks as hook_checks
from fugue_tui.cli.setup.hooks import BACKUP, HOOKS, HookFile, Hooks, shell_command
from fugue_tui.cli.setup.program import program
from fugue_tui.config import json_edit
from fugue_tui.errors import ConfigError

Run = Callable[..., tuple[int, str, str]]
CLAUDE, CODEX, GEMINI = HOOKS
JSON = b"""{
  // mine
  "model": "sonnet",
  "hooks": {
    "Stop": [
      {"hooks": [{"type": "command", "command": "echo mine"}]}, // first
    ],
    "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "fugue-tui hook claude"}]}],
    "BeforeTool": [{"hooks": []}]
  },
  "theme": "dark"
}
"""
TOML = b'# mine\nmodel = "x"\n\n[tui]\nnotify = true\n'


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    """Runs the command line in an empty home; its exit status, stdout and stderr."""
    for name in ("XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "FUGUE_PANE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path / "no-programs"))

    def run(*arguments: str) -> tuple[int, str, str]:
        capfd.readouterr()
        status = main.run(arguments)
        out, err = capfd.readouterr()
        return status, out, err

    return run


def written(hooks: Hooks, content: bytes | None = None) -> Path:
    """The file of an agent's hooks, with content if it is to exist."""
    file = HookFile(hooks).file.path
    file.parent.mkdir(parents=True, exist_ok=True)
    if content is not None:
        file.write_bytes(content)
    return file


def sample(hooks: Hooks) -> bytes:
    return TOML if hooks is CODEX else JSON


@pytest.mark.parametrize("hooks", HOOKS, ids=lambda hooks: hooks.client)
@pytest.mark.parametrize("exists", [True, False])
def test_hooks_are_installed_once_and_taken_out_to_the_byte(run: Run, hooks: Hooks, exists: bool) -> None:
    file = written(hooks, sample(hooks) if exists else None)
    assert run("setup", hooks.client)[0] == 0
    first, command = file.read_bytes(), shell_command(program(), hooks.program)
    assert HookFile(hooks).commands == dict.fromkeys(hooks.events or ("notify",), command)
    status, out, _ = run("setup", hooks.client)
    assert (status, " hooks: already set up (" in out, file.read_bytes()) == (0, True, first)
    assert run("setup", hooks.client, "--remove")[0] == 0
    assert (file.read_bytes() if file.exists() else None) == (sample(hooks) if exists else None)
    assert not [each for each in file.parent.iterdir() if "backup" in each.name]
    assert "not set up" in run("setup", hooks.client, "--remove")[1]


@pytest.mark.parametrize("hooks", [CLAUDE, GEMINI], ids=lambda hooks: hooks.client)
def test_the_users_hooks_keep_their_place_and_what_was_added_since_stays(run: Run, hooks: Hooks) -> None:
    file = written(hooks, JSON)
    run("setup", hooks.client)
    content = json_edit.parse(file.read_text())
    before = json_edit.parse(JSON.decode())
    for event, groups in before["hooks"].items():
        assert content["hooks"][event][: len(groups)] == groups
    assert [key for key in content if key != "mcpServers"] == [*before]
    own = {"hooks": [{"type": "command", "command": "later"}]}
    content["hooks"][hooks.events[0]].append(own)
    file.write_text(json.dumps(content))
    assert " hooks: already set up" in run("setup", hooks.client)[1]
    run("setup", hooks.client, "--remove")
    after = json_edit.parse(file.read_text())
    before["hooks"][hooks.events[0]] = [own]
    assert after["hooks"] == before["hooks"]


@pytest.mark.parametrize("hooks", HOOKS, ids=lambda hooks: hooks.client)
def test_a_dry_run_shows_the_change_and_makes_none(run: Run, hooks: Hooks) -> None:
    file = written(hooks, sample(hooks))
    status, out, _ = run("setup", hooks.client, "--dry-run")
    assert (status, " hooks: would be added (" in out, "$FUGUE_PANE" in out) == (0, True, True)
    assert file.read_bytes() == sample(hooks)
    assert [each.name for each in file.parent.iterdir()] == [file.name]


@pytest.mark.parametrize(
    ("hooks", "content", "reason"),
    [
        (CLAUDE, b'{\n  "hooks": {\n    "Stop": [}\n}', ".json:3:"),
        (CODEX, b'model = "x"\nnotify = [\n', ".toml:3:"),
        (GEMINI, b"[]", "not an object"),
        (CLAUDE, b'{"hooks": []}', "hooks is not an object"),
        (CLAUDE, b'{"hooks": {"Stop": {}}}', "hooks.Stop is not an array"),
    ],
)
def test_a_file_that_cannot_be_used_is_named_and_left_alone(
    run: Run, hooks: Hooks, content: bytes, reason: str
) -> None:
    path = written(hooks)
    path.write_bytes(content)
    status, _, err = run("setup", hooks.client)
    assert (status, str(path) in err, reason in err) == (1, True, True), err
    assert path.read_bytes() == content
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_a_notify_program_of_the_users_stays(run: Run) -> None:
    content = b'notify = ["notify-send", "Codex"]\n'
    file = written(CODEX, content)
    status, out, _ = run("setup", "codex", "--json")
    found = json.loads(out)["clients"][1]
    assert (status, found["part"], found["state"], found["note"]) == (
        0,
        "hooks",
        "left_alone",
        "notify is your own program; it stays",
    )
    assert tomllib.loads(file.read_text())["notify"] == ["notify-send", "Codex"]
    run("setup", "codex", "--remove")
    assert file.read_bytes() == content
    written(CODEX, b'notify = ["fugue-tui", "hook", "codex"]\n')
    assert "Codex hooks: already set up" in run("setup", "codex")[1]


def test_hooks_of_a_program_elsewhere_are_replaced(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    written(CLAUDE, JSON)
    with monkeypatch.context() as patch:
        patch.setattr("fugue_tui.cli.setup.setup.program", lambda: ["/old place/fugue-tui"])
        run("setup", "claude-code")
    assert "Claude Code hooks: updated" in run("setup", "claude-code")[1]
    assert b"/old place" not in written(CLAUDE).read_bytes()
    run("setup", "claude-code", "--remove")
    assert written(CLAUDE).read_bytes() == JSON


def test_links_are_followed_and_modes_are_kept(run: Run, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.json"
    real.write_bytes(JSON)
    real.chmod(0o640)
    (tmp_path / ".claude").mkdir()
    link = tmp_path / ".claude" / "settings.json"
    link.symlink_to(real)
    run("setup", "claude-code")
    assert (link.is_symlink(), stat.S_IMODE(real.stat().st_mode)) == (True, 0o640)
    assert real.with_name(real.name + BACKUP).read_bytes() == JSON
    run("setup", "claude-code", "--remove")
    assert (link.is_symlink(), real.read_bytes()) == (True, JSON)


@pytest.mark.slow
def test_setups_at_the_same_time_wait_for_each_other(run: Run) -> None:
    files = {written(hooks, sample(hooks)): sample(hooks) for hooks in HOOKS}
    argv = [sys.executable, "-m", "fugue_tui", "setup", *(hooks.client for hooks in HOOKS)]
    running = [subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) for _ in range(6)]
    printed = [each.communicate()[0] for each in running]
    assert [each.returncode for each in running] == [0] * 6, printed
    assert run(*argv[3:], "--remove")[0] == 0
    assert {file: file.read_bytes() for file in files} == files


def test_a_change_by_another_program_meanwhile_is_not_overwritten(run: Run) -> None:
    path = written(CLAUDE, JSON)
    found = HookFile(CLAUDE)
    text = found.with_hooks(program())
    path.write_bytes(b'{"model": "opus"}')
    for write in (found.file.write, found.file.restore):
        with pytest.raises(ConfigError, match="changed meanwhile"):
            write(text)
    assert path.read_bytes() == b'{"model": "opus"}'


def test_without_hooks_the_client_alone_is_set_up(run: Run) -> None:
    file = written(CLAUDE)
    assert run("setup", "claude-code", "--no-hooks")[0] == 0
    assert not file.exists()


@pytest.mark.parametrize("argument", [(), ("{}",)])
def test_a_hook_is_silent_outside_of_a_pane_and_without_its_program(tmp_path: Path, argument: tuple[str, ...]) -> None:
    marker = tmp_path / "ran"
    there = tmp_path / "it is here"
    there.write_text(f"#!/bin/sh\necho noise\necho noise >&2\ntouch {marker}\nexit 3\n")
    there.chmod(0o755)

    def run_hook(words: list[str], **env: str) -> tuple[int, bytes]:
        command = ["/bin/sh", "-c", shell_command(words, "codex"), "fugue-tui", *argument]
        done = subprocess.run(command, env=env, capture_output=True, check=False)
        return done.returncode, done.stderr

    assert run_hook([str(there)]) == (0, b"")
    assert run_hook([str(tmp_path / "gone")], FUGUE_PANE="%1") == (0, b"")
    assert not marker.exists()
    assert run_hook([str(there)], FUGUE_PANE="%1") == (0, b"")
    assert marker.exists()


def test_doctor_runs_the_hooks(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def found(hooks: Hooks, name: str) -> list[tuple[str, str]]:
        client = next(each for each in hook_checks_clients if each.name == name)
        return [(each.level.value, each.text) for each in hook_checks.of(client, hooks)()]

    from fugue_tui.config.mcp_clients import CLIENTS as hook_checks_clients

    assert found(CLAUDE, "claude-code") == [("ok", "the agent is not installed")]
    written(CLAUDE)
    assert found(CLAUDE, "claude-code") == [("warning", "not installed")]
    monkeypatch.setattr("fugue_tui.cli.setup.setup.program", lambda: [sys.executable, "-m", "fugue_tui"])
    for hooks in HOOKS:
        run("setup", hooks.client)
        assert found(hooks, hooks.client) == [("ok", "installed, and report")]
    file = written(CLAUDE)
    file.write_text(json.dumps({**json.loads(file.read_text()), "disableAllHooks": True}))
    assert found(CLAUDE, "claude-code")[0] == ("warning", "installed, but the agent's settings turn all hooks off")
    monkeypatch.setattr("fugue_tui.cli.setup.setup.program", lambda: ["/nowhere/fugue-tui"])
    run("setup", "codex")
    assert found(CODEX, "codex") == [("fault", "installed, but the program that they run is gone, or does not report")]


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3),
    max_leaves=6,
)


@given(st.lists(VALUES, min_size=1, max_size=4), VALUES, st.sampled_from([None, 1, "\t"]))
def test_an_element_that_is_added_to_json_and_dropped_leaves_every_byte(
    elements: list[Any], other: Any, indent: int | str | None
) -> None:
    text = json.dumps({"a": other, "hooks": {"x": elements}}, indent=indent)
    added = json_edit.append(text, ("hooks", "x"), {"k": [1]})
    assert json_edit.parse(added) == {"a": other, "hooks": {"x": [*elements, {"k": [1]}]}}
    assert json_edit.drop_elements(added, ("hooks", "x"), [len(elements)]) == text
