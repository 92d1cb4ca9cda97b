"""A workspace has one socket and two names for it; names are taken once, changed whole, and free again."""

import os
import subprocess
import sys
import threading
from pathlib import Path
from shutil import rmtree

import pytest
from tests.mcp.workspace_sockets import runtime as runtime
from tests.mcp.workspace_sockets import sockets_in

from fugue_tui.errors import AlreadyRunning, SocketError
from fugue_tui.sockets import answers, live, path_of, same
from fugue_tui.store import server_records
from fugue_tui_mcp.listener import Listener, listen_as


def test_a_name_is_one_of_two_paths_and_both_go_with_the_workspace(runtime: Path) -> None:
    listener = listen_as("dev")
    assert listener.named == str(runtime / "dev.sock")
    assert listener.path != listener.named
    assert same(listener.path, listener.named)
    assert live() == ["dev"]
    listener.close()
    assert sockets_in(runtime) == []


def test_a_renamed_workspace_is_found_by_its_new_name_and_by_its_own_path(runtime: Path) -> None:
    listener = listen_as("dev")
    listener.rename("ops")
    assert live() == ["ops"]
    assert answers(listener.path)
    assert same(listener.path, path_of("ops"))
    with pytest.raises(AlreadyRunning, match="workspace ops is already running"):
        listen_as("ops")
    other = listen_as("dev")  # The old name is free at once, and leads to whoever has it now.
    assert not same(other.named, listener.path)
    listener.rename("ops")
    listener.close()
    assert live() == ["dev"]
    other.close()
    assert sockets_in(runtime) == []


def test_a_name_that_is_taken_leaves_the_workspace_under_its_own(runtime: Path) -> None:
    first, second = listen_as("one"), listen_as("two")
    with pytest.raises(AlreadyRunning, match="workspace two is already running"):
        first.rename("two")
    with pytest.raises(SocketError, match="cannot name a workspace"):
        first.rename("../x")
    (runtime / "file.sock").write_text("mine")
    with pytest.raises(SocketError, match="is not a socket"):
        first.rename("file")
    assert live() == ["one", "two"]
    assert answers(first.path)
    with pytest.raises(AlreadyRunning):
        listen_as("one")
    first.close()
    second.close()


def test_of_many_that_want_a_name_at_once_one_gets_it(runtime: Path) -> None:
    running, won, lost = [listen_as(f"w{number}") for number in range(10)], list[str](), list[str]()
    barrier = threading.Barrier(20)

    def rename(listener: Listener) -> None:
        barrier.wait()
        try:
            listener.rename("goal")
            won.append("renamed")
        except AlreadyRunning:
            lost.append("renamed")

    def start() -> None:
        barrier.wait()
        try:
            running.append(listen_as("goal"))
            won.append("started")
        except AlreadyRunning:
            lost.append("started")

    threads = [threading.Thread(target=rename, args=(each,)) for each in running[:10]]
    threads += [threading.Thread(target=start) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(won), len(lost)) == (1, 19)
    assert live().count("goal") == 1
    assert all(answers(each.path) and answers(each.named) for each in running)
    for each in running:
        each.close()
    assert sockets_in(runtime) == []


def test_a_killed_workspace_leaves_nothing_for_the_next_under_any_name_it_had(runtime: Path) -> None:
    script = "from fugue_tui_mcp.listener import *; import os; w = listen_as('dev'); w.rename('ops'); os._exit(9)"
    subprocess.run([sys.executable, "-c", script], check=False)
    assert len(sockets_in(runtime)) == 2
    assert live() == []
    listener = listen_as("ops")
    assert sockets_in(runtime) == sorted([os.path.basename(listener.path), "ops.sock"])
    assert live() == ["ops"]
    listener.close()


def test_a_name_has_one_server_wherever_its_socket_is(
    runtime: Path, private_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = listen_as("dev")
    elsewhere = private_dir / "other"
    elsewhere.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(elsewhere))
    with pytest.raises(AlreadyRunning, match=f"workspace dev is already running, as process {os.getpid()}") as caught:
        listen_as("dev")
    assert caught.value.path == first.named
    assert sockets_in(elsewhere / "fugue-tui") == []
    assert server_records.holder("dev") == server_records.Server("dev", os.getpid(), first.named, first.id)
    first.rename("ops")
    listen_as("dev").close()
    with pytest.raises(AlreadyRunning, match="workspace ops is already running"):
        listen_as("ops")
    first.close()
    assert server_records.holder("ops") is None
    listen_as("ops").close()


def test_a_name_of_a_killed_server_is_free(runtime: Path) -> None:
    script = "from fugue_tui_mcp.listener import *; import os; listen_as('dev'); os._exit(9)"
    subprocess.run([sys.executable, "-c", script], check=False)
    assert server_records.holder("dev") is None
    listen_as("dev").close()


def test_a_state_directory_that_cannot_be_used_prevents_nothing(
    runtime: Path, private_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FUGUE_STATE", str(private_dir / "file" / "state"))
    (private_dir / "file").write_text("")
    listener = listen_as("dev")
    assert server_records.holder("dev") is None
    listener.close()


def test_a_socket_whose_directory_was_removed_is_made_again(runtime: Path) -> None:
    listener = listen_as("dev")
    assert not listener.restore()
    rmtree(runtime)
    listener.socket.close()
    assert live() == []
    assert listener.restore()
    assert not listener.restore()
    assert live() == ["dev"]
    assert answers(listener.path)
    with pytest.raises(AlreadyRunning):
        listen_as("dev")
    listener.rename("ops")
    listener.close()
    assert sockets_in(runtime) == []
    assert not listener.restore()


@pytest.mark.parametrize("gone", ["named", "path"])
def test_a_removed_path_of_a_socket_is_made_again(runtime: Path, gone: str) -> None:
    listener = listen_as("dev")
    bound = listener.socket
    os.unlink(getattr(listener, gone))
    assert not listener.restore()
    assert listener.socket is bound
    assert same(listener.path, listener.named)
    listener.close()


def test_a_socket_is_not_made_again_while_another_has_its_path(runtime: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    listener = listen_as("dev")
    rmtree(runtime)
    listener.socket.close()
    monkeypatch.setenv("FUGUE_STATE", str(runtime.parent / "state"))
    other = listen_as("dev")
    for _ in range(2):
        with pytest.raises(AlreadyRunning):
            listener.restore()
    assert same(other.named, other.path)
    other.close()
    assert listener.restore()
    listener.close()
