"""Names and sockets of a workspace that starts."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from fugue_tui.config.model import Config, McpSettings
from fugue_tui.errors import AlreadyRunning
from fugue_tui.server_start import StartOptions, claim, claim_for_show
from fugue_tui.store.server_records import servers


def test_a_server_has_its_socket_whatever_agents_may_do(monkeypatch: pytest.MonkeyPatch, private_dir: Path) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(private_dir))
    workspace, listener = claim(StartOptions(), Config(mcp=McpSettings(enabled=False)))
    assert (workspace, listener.named) == ("main", f"{private_dir}/fugue-tui/main.sock")
    with pytest.raises(AlreadyRunning, match="workspace main is already running"):
        claim(StartOptions(), Config())
    listener.close()


def test_workspaces_without_a_server_take_the_first_free_name(
    monkeypatch: pytest.MonkeyPatch, private_dir: Path
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(private_dir))
    claimed = [claim_for_show(StartOptions(), Config()) for _ in range(3)]
    assert [workspace for workspace, _, _ in claimed] == ["main", "main-2", "main-3"]
    with pytest.raises(AlreadyRunning, match="workspace main is already running"):
        claim_for_show(StartOptions(workspace="main"), Config())
    for _, listener, _ in claimed:
        assert listener
        listener.close()


def test_the_configuration_may_say_where_to_listen(private_dir: Path) -> None:
    elsewhere = Config(mcp=McpSettings(socket=str(private_dir / "x.sock")))
    workspace, listener = claim(StartOptions(), elsewhere)
    assert (workspace, listener.path) == ("main", str(private_dir / "x.sock"))
    listener.close()
    _, listener = claim(StartOptions(socket=str(private_dir / "y.sock")), elsewhere)
    assert listener.path == str(private_dir / "y.sock")
    listener.close()


def test_a_workspace_without_a_socket_has_its_name_alone(monkeypatch: pytest.MonkeyPatch, private_dir: Path) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(private_dir))
    silent = Config(mcp=McpSettings(enabled=False))
    workspace, listener, lock = claim_for_show(StartOptions(workspace="dev"), silent)
    assert lock is not None
    assert (workspace, listener, lock.workspace) == ("dev", None, "dev")
    with pytest.raises(AlreadyRunning, match=rf"workspace dev is already running, as process {os.getpid()}$") as found:
        claim(StartOptions(workspace="dev"), Config())
    assert found.value.path == ""
    with pytest.raises(AlreadyRunning, match="workspace dev is already running"):
        claim_for_show(StartOptions(workspace="dev"), silent)
    assert servers() == ([], [])
    lock.rename("main")
    assert claim_for_show(StartOptions(), silent)[0] == "main-2"
    free = claim_for_show(StartOptions(workspace="dev"), silent)[2]
    assert free is not None
    free.release()
    lock.release()


@pytest.mark.parametrize("daemon", [True, False])
def test_program_ends_despite_a_job_that_hangs(daemon: bool) -> None:
    script = (
        "import sys, threading; from fugue_tui.server_start import exit_despite_threads;"
        f"threading.Thread(target=threading.Event().wait, daemon={daemon}).start();"
        "print('saved'); sys.exit(exit_despite_threads(3))"
    )
    ended = subprocess.run([sys.executable, "-c", script], stdout=subprocess.PIPE, timeout=60, check=False)
    assert (ended.returncode, ended.stdout) == (3, b"saved\n")
