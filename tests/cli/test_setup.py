"""`fugue-tui setup`, in a home directory of its own: with files of clients, and with the real clients found on PATH."""

import errno
import json
import os
import shutil
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
from fugue_tui.cli.setup.config_file import BACKUP, ConfigFile
from fugue_tui.cli.setup.program import program, transience
from fugue_tui.config import json_edit, toml_edit
from fugue_tui.config.mcp_clients import CLIENTS, Client, file_of, words_of

Run = Callable[..., tuple[int, str, str]]
JSONC = b'{\n\t// my own\n\t"a": [1, 2,], /* b */\n\t"z": {"x": "}//,"}, // last\n}'
TOML = (
    b'# mine\nmodel = "x" # which\n\n[mcp_servers.other]\ncommand = "y" # c\n\n# of the next\n[tui]\nx = [\n  1,\n]\n'
)
VARIABLES = ("XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME")
REAL = [client for client in CLIENTS if client.add and shutil.which(client.add[0])]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home directory with no clients, none of which is on PATH either."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path / "no-programs"))
    return tmp_path


@pytest.fixture
def run(home: Path, capfd: pytest.CaptureFixture[str]) -> Run:
    """Runs the command line there, without hooks; its exit status, stdout and stderr."""

    def run(*arguments: str) -> tuple[int, str, str]:
        capfd.readouterr()
        status = main.run([*arguments, "--no-hooks"] if arguments[:1] == ("setup",) else arguments)
        out, err = capfd.readouterr()
        return status, out, err

    return run


def written(client: Client, content: bytes | None = None) -> Path:
    """The file of a client, with content if it is to exist."""
    file = Path(file_of(client))
    file.parent.mkdir(parents=True, exist_ok=True)
    if content is not None:
        file.write_bytes(content)
    return file


def sample(client: Client) -> bytes:
    return TOML if file_of(client).endswith(".toml") else JSONC


def named(name: str) -> Client:
    return next(client for client in CLIENTS if client.name == name)


def entry(client: Client) -> dict[str, Any] | None:
    return ConfigFile(file_of(client), client.keys).entry


@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.name)
@pytest.mark.parametrize("exists", [True, False])
def test_a_client_is_set_up_once_and_undone_to_the_byte(run: Run, client: Client, exists: bool) -> None:
    file = written(client, sample(client) if exists else None)
    before = file.read_bytes() if exists else None
    assert run("setup", client.name)[:2] == (
        0,
        f"{client.title}: added ({file})\n"
        "A client that runs has it after a restart; fugue-tui doctor checks the connection.\n",
    )
    assert words_of(entry(client)) == [*program(), "mcp"]
    first = file.read_bytes()
    assert run("setup", client.name) == (0, f"{client.title}: already set up ({file})\n", "")
    assert file.read_bytes() == first
    assert run("setup", "--uninstall") == (0, f"{client.title}: removed ({file})\n", "")
    assert (file.read_bytes() if exists else file.exists()) == (before or False)
    assert os.listdir(file.parent) == ([file.name] if exists else [])
    assert run("setup", "--uninstall") == (0, "no client is set up\n", "")


@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.name)
def test_what_else_has_changed_stays_when_a_client_is_undone(run: Run, client: Client) -> None:
    file = written(client, sample(client))
    run("setup", client.name)
    added = {".toml": b"\n[later]\nx = 1 # why\n"}.get(file.suffix)
    text = file.read_bytes()
    file.write_bytes(text + added if added else text.replace(b'"a": [', b'"later": 1, /* why */ "a": ['))
    assert run("setup", client.name, "--uninstall")[0] == 0
    assert entry(client) is None
    expected = sample(client)
    assert file.read_bytes() == (
        expected + added if added else expected.replace(b'"a": [', b'"later": 1, /* why */ "a": [')
    )
    assert Path(f"{file}{BACKUP}").read_bytes() == expected


@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.name)
def test_a_dry_run_shows_the_change_and_makes_none(run: Run, home: Path, client: Client) -> None:
    file = written(client, sample(client))
    status, out, _ = run("setup", client.name, "--dry-run")
    assert (status, out.splitlines()[0]) == (0, f"{client.title}: would be added ({file})")
    assert [line for line in out.splitlines() if line.startswith("    +") and program()[0] in line]
    assert (file.read_bytes(), os.listdir(file.parent)) == (sample(client), [file.name])
    run("setup", client.name)
    kept = file.read_bytes()
    assert "would be removed" in run("setup", "--uninstall", "--dry-run")[1]
    assert file.read_bytes() == kept


def test_a_file_that_a_client_has_reformatted_is_put_back_unless_it_has_something_new(run: Run) -> None:
    for more, restored in (("", True), ("# new\n", False), ("[new]\n", False)):
        file = written(named("codex"), TOML)
        run("setup", "codex")
        file.write_text(more + file.read_text().replace(" # c", ""))
        assert run("setup", "--uninstall")[0] == 0
        assert (file.read_bytes() == TOML) is restored
        assert file.read_text().startswith(more)
        Path(f"{file}{BACKUP}").unlink(missing_ok=True)


@pytest.mark.parametrize("content", [b'{"a": 1', b"[1]", b'{"mcpServers": 3}', b"\xff", b'{"a": 1 "b": 2}'])
def test_a_file_that_cannot_be_parsed_is_left_alone(run: Run, content: bytes) -> None:
    file = written(named("cursor"), content)
    status, out, err = run("setup", "cursor")
    assert (status, out, file.read_bytes(), os.listdir(file.parent)) == (1, "", content, [file.name])
    assert err.startswith(f"fugue-tui: Cursor: {file}")


def test_a_toml_file_that_cannot_be_extended_is_left_alone(run: Run) -> None:
    for content in (b"[mcp_servers\n", b"mcp_servers = { other = { command = 'x' } }\n", b"mcp_servers = 1\n"):
        file = written(named("codex"), content)
        status, out, err = run("setup", "codex")
        assert (status, out, file.read_bytes(), os.listdir(file.parent)) == (1, "", content, [file.name])
        assert f"Codex: {file}" in err


def test_a_read_only_file_is_left_alone(run: Run) -> None:
    file = written(named("cursor"), JSONC)
    file.chmod(0o400)
    status, out, err = run("setup", "cursor")
    assert (status, out, file.read_bytes(), os.listdir(file.parent)) == (1, "", JSONC, [file.name])
    assert "it is read-only, and was left as it is; make it writable, or make the change that --dry-run shows" in err


def test_a_directory_that_became_read_only_is_an_error_that_names_the_file(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = written(named("cursor"), JSONC)
    assert run("setup", "cursor")[0] == 0

    def fail(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "replace", fail)
    status, _, err = run("setup", "--remove", "cursor")
    assert status == 1
    assert f"{file}: Permission denied; it was left as it is; make it writable, or" in err


def test_links_are_followed_and_modes_are_kept(run: Run, home: Path) -> None:
    real = home / "dotfiles" / "mcp"
    real.parent.mkdir()
    real.write_bytes(JSONC)
    real.chmod(0o640)
    link = written(named("cursor"))
    link.symlink_to(real)
    assert run("setup", "cursor")[0] == 0
    assert (link.is_symlink(), stat.S_IMODE(real.stat().st_mode)) == (True, 0o640)
    backup = Path(f"{real}{BACKUP}")
    assert (backup.read_bytes(), stat.S_IMODE(backup.stat().st_mode)) == (JSONC, 0o640)
    assert run("setup", "--uninstall")[0] == 0
    assert (link.is_symlink(), real.read_bytes(), stat.S_IMODE(real.stat().st_mode)) == (True, JSONC, 0o640)


def test_an_older_backup_is_not_overwritten(run: Run) -> None:
    file = written(named("cursor"), JSONC)
    backup = Path(f"{file}{BACKUP}")
    backup.write_bytes(b"older")
    assert run("setup", "cursor")[0] == 0
    assert backup.read_bytes() == b"older"


def test_another_program_under_the_name_is_replaced_and_its_options_stay(run: Run) -> None:
    old = {"command": "/old/fugue-tui", "args": ["mcp", "--workspace", "shop"], "env": {"A": "b"}}
    file = written(named("cursor"), json.dumps({"mcpServers": {"fugue": old}}).encode())
    before = file.read_bytes()
    assert "Cursor: updated" in run("setup", "cursor")[1]
    assert entry(named("cursor")) == {
        "command": program()[0],
        "args": [*program()[1:], "mcp", "--workspace", "shop"],
        "env": {"A": "b"},
    }
    assert "already set up" in run("setup", "cursor")[1]
    assert run("setup", "--uninstall")[0] == 0
    assert file.read_bytes() == before


def test_an_older_table_in_toml_is_replaced_with_the_tables_in_it(run: Run) -> None:
    content = (
        TOML + b'\n[mcp_servers."fugue"]\ncommand = "/old"\nargs = [\n  "mcp",\n]\n\n[mcp_servers.fugue.env]\nA = "b"\n'
    )
    file = written(named("codex"), content)
    assert run("setup", "codex")[0] == 0
    found = tomllib.loads(file.read_text())
    assert found["mcp_servers"]["fugue"] == {
        "command": program()[0],
        "args": [*program()[1:], "mcp"],
        "env": {"A": "b"},
    }
    assert file.read_bytes().startswith(TOML)


def test_without_names_the_installed_clients_are_set_up(run: Run, home: Path) -> None:
    assert run("setup")[0] == 1
    assert json.loads(run("setup", "--json")[1])["clients"] == []
    (home / ".cursor").mkdir()
    (home / ".codex").mkdir()
    found = json.loads(run("setup", "--json")[1])
    assert [(each["client"], each["state"]) for each in found["clients"]] == [("codex", "added"), ("cursor", "added")]
    assert found["command"] == [*program(), "mcp"]
    enveloped = json.loads(run("setup", "--json=envelope")[1])
    assert (enveloped["success"], enveloped["data"]["command"]) == (True, found["command"])


def test_one_client_that_fails_does_not_keep_the_others_from_being_set_up(run: Run) -> None:
    written(named("cursor"), b"{")
    written(named("zed"))
    status, out, _ = run("setup", "--json")
    assert status == 1
    assert [each["state"] for each in json.loads(out)["clients"]] == ["failed", "added"]


@pytest.mark.parametrize("line", [["setup", "nothing"], ["setup", "--what"], ["setup", "codex", "--", "x"]])
def test_words_that_setup_does_not_know_are_a_usage_error(run: Run, line: list[str]) -> None:
    status, out, err = run(*line)
    assert (status, out, len(err.splitlines())) == (2, "", 1)


def test_the_environment_of_clients_says_where_their_files_are(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.setenv(name, str(home / name))
    assert {client.name: os.path.relpath(file_of(client), home) for client in CLIENTS if client.add} == {
        "claude-code": "CLAUDE_CONFIG_DIR/.claude.json",
        "codex": "CODEX_HOME/config.toml",
        "gemini": "GEMINI_CLI_HOME/.gemini/settings.json",
    }


def test_the_invoked_program_is_registered_by_its_absolute_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script, link = tmp_path / "bin" / "fugue-tui", tmp_path / "link" / "fugue-tui"
    for folder in (script.parent, link.parent):
        folder.mkdir()
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    link.symlink_to(script)
    monkeypatch.chdir(tmp_path)
    assert program("bin/fugue-tui") == [str(script)]
    assert program(str(link)) == [str(link)]
    monkeypatch.setenv("PATH", str(link.parent))
    assert program("fugue-tui") == [str(link)]
    script.chmod(0o644)
    assert program("bin/fugue-tui") != [str(script)]


def test_a_program_in_a_cache_is_warned_about() -> None:
    assert transience("/home/me/.cache/uv/archive-v0/abc/bin/fugue-tui")
    assert transience("/var/uv/environments-v2/x/bin/fugue-tui")
    assert not transience("/home/me/.local/bin/fugue-tui")


@pytest.mark.slow
@pytest.mark.parametrize("client", REAL, ids=lambda client: client.name)
def test_a_real_client_registers_it_and_removes_it(tmp_path: Path, client: Client) -> None:
    home = tmp_path
    kept = {name: value for name, value in os.environ.items() if name not in VARIABLES}
    env = {**kept, "HOME": str(home), "DISABLE_AUTOUPDATER": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}
    env |= {"DISABLE_TELEMETRY": "1", "NO_PROXY": "*", "HTTPS_PROXY": "http://127.0.0.1:9"}
    file = home / file_of(client, {"HOME": str(home)})

    def run(*arguments: str) -> str:
        line = [sys.executable, "-m", "fugue_tui", "setup", client.name, *arguments]
        done = subprocess.run(line, env=env, capture_output=True, text=True, cwd=home)
        assert done.returncode == 0, done
        return done.stdout

    assert client.add[0] in run("--dry-run")
    assert not file.exists()
    assert ": added" in run()
    assert "already set up" in run()
    assert words_of(ConfigFile(str(file), client.keys).entry)[-1] == "mcp"
    assert ": removed" in run("--uninstall")
    assert not file.exists() or ConfigFile(str(file), client.keys).entry is None
    if client.name == "codex":  # It loses comments, but not for good.
        file.write_bytes(TOML)
        run()
        assert file.read_bytes() != TOML
        run("--uninstall")
        assert file.read_bytes() == TOML


KEYS = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=6).filter(lambda key: key != "fugue")
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=4,
)


@given(
    st.dictionaries(KEYS, VALUES, max_size=3),
    st.dictionaries(KEYS, VALUES, min_size=1, max_size=3),
    st.sampled_from([None, 2, 4, "\t"]),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
)
def test_an_entry_that_is_added_to_json_and_dropped_leaves_every_byte(
    more: dict[str, Any], servers: dict[str, Any], indent: int | str | None, newline: str, comments: bool
) -> None:
    content = {**more, "mcpServers": servers}
    text = json.dumps(content, indent=indent).replace("\n", newline)
    if comments and indent:
        text = text.replace("[" + newline, f'[ // {{ "{newline}').replace("{" + newline, f"{{ /* ] */{newline}")
        text = text.removesuffix(newline + "}") + "," + newline + "} // end"
    keys, value = ("mcpServers", "fugue"), {"command": "/x", "args": ["mcp"]}
    put = json_edit.put(text, keys, value)
    assert json_edit.parse(put) == {**content, "mcpServers": servers | {"fugue": value}}
    assert json_edit.drop(put, keys) == text
    if more:
        apart = json_edit.put(json.dumps(more, indent=indent), keys, value)
        assert json_edit.drop(apart, keys) == json.dumps(more, indent=indent)


def test_a_table_is_added_to_toml_and_dropped_to_the_byte() -> None:
    keys, value = ("mcp_servers", "fugue"), {"command": "/x", "args": ["mcp"], "a b": {"c": True}}
    for text in ("", "a = 1\n", TOML.decode(), TOML.decode().replace("\n", "\r\n")):
        put = toml_edit.put(text, keys, value)
        assert toml_edit.parse(put)["mcp_servers"]["fugue"] == value
        assert toml_edit.drop(put, keys) == text
