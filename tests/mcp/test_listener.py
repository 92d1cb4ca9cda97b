"""A workspace's socket: private, one owner at a time, and gone when it closes."""

import os
import socket
import stat
import subprocess
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.mcp.workspace_sockets import runtime as runtime
from tests.mcp.workspace_sockets import sockets_in

from fugue_tui.errors import AlreadyRunning, NotRunning, SocketError
from fugue_tui.sockets import answers, connect, path_of
from fugue_tui_mcp.listener import Listener, listen, listen_as
from fugue_tui_mcp.peer_credentials import peer_of


@contextmanager
def umask(mask: int) -> Generator[None]:
    """Run under another umask."""
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077])
def test_socket_and_directory_are_ours_alone_whatever_the_umask(private_dir: Path, mask: int) -> None:
    path = private_dir / "deep" / "test.sock"
    with umask(mask):
        listener = listen(str(path))
    assert stat.S_IMODE(path.lstat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.lstat().st_mode) == 0o700
    assert stat.S_IMODE(path.with_suffix(".sock.lock").lstat().st_mode) == 0o600
    listener.close()


def test_closing_takes_the_socket_away_and_frees_the_name(private_dir: Path) -> None:
    path = private_dir / "test.sock"
    for _ in range(3):
        listener = listen(str(path))
        assert answers(str(path))
        listener.close()
        listener.close()
        assert not path.exists()
    with pytest.raises(NotRunning, match="no workspace listens at"):
        connect(str(path))


def test_what_a_killed_workspace_left_is_taken_away(private_dir: Path) -> None:
    path = str(private_dir / "test.sock")
    script = f"from fugue_tui_mcp.listener import listen; import os; listen({path!r}); os._exit(9)"
    subprocess.run([sys.executable, "-c", script], check=False)
    assert os.path.exists(path)
    listener = listen(path)
    assert answers(path)
    listener.close()


def test_a_second_workspace_of_the_name_is_refused_and_the_first_lives(private_dir: Path) -> None:
    path = str(private_dir / "test.sock")
    first = listen(path)
    with pytest.raises(AlreadyRunning, match="workspace test is already running"):
        listen(path)
    assert answers(path)
    first.close()


def test_of_many_servers_started_at_once_one_listens(private_dir: Path) -> None:
    path, won, lost = str(private_dir / "test.sock"), list[Listener](), list[Exception]()
    barrier = threading.Barrier(20)

    def start() -> None:
        barrier.wait()
        try:
            won.append(listen(path))
        except SocketError as error:
            lost.append(error)

    threads = [threading.Thread(target=start) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(won), len(lost)) == (1, 19)
    assert answers(path)
    won[0].close()


def test_a_server_that_answers_without_our_lock_is_left_alone(private_dir: Path) -> None:
    path = str(private_dir / "test.sock")
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(path)
        other.listen()
        with pytest.raises(AlreadyRunning):
            listen(path)
        assert os.path.exists(path)


@pytest.mark.parametrize("kind", ["file", "link", "directory"])
def test_what_is_no_socket_is_never_removed(private_dir: Path, kind: str) -> None:
    path = private_dir / "test.sock"
    if kind == "file":
        path.write_text("mine")
    elif kind == "link":
        path.symlink_to(private_dir / "elsewhere.sock")
    else:
        path.mkdir()
    with pytest.raises(SocketError, match="is not a socket"):
        listen(str(path))
    assert path.is_symlink() or path.exists()


def test_a_socket_of_another_process_at_the_path_is_not_removed(private_dir: Path) -> None:
    path = private_dir / "test.sock"
    listener = listen(str(path))
    path.unlink()
    path.write_text("another's")
    listener.close()
    assert path.read_text() == "another's"


def test_a_lock_that_is_a_link_is_refused(private_dir: Path) -> None:
    (private_dir / "test.sock.lock").symlink_to(private_dir / "victim")
    with pytest.raises(SocketError, match=r"test\.sock\.lock"):
        listen(str(private_dir / "test.sock"))
    assert not (private_dir / "victim").exists()


def test_a_directory_that_others_may_enter_is_refused(private_dir: Path) -> None:
    private_dir.chmod(0o755)
    with pytest.raises(SocketError, match="others may enter it; chmod 700 it"):
        listen(str(private_dir / "test.sock"))
    private_dir.chmod(0o700)


def test_a_directory_that_is_a_link_is_refused(private_dir: Path) -> None:
    (private_dir / "real").mkdir(mode=0o700)
    (private_dir / "link").symlink_to(private_dir / "real")
    with pytest.raises(SocketError, match="is not a directory"):
        listen(str(private_dir / "link" / "test.sock"))


@pytest.mark.skipif(os.getuid() != 0, reason="giving a directory away takes root")
def test_a_directory_of_another_user_is_refused(private_dir: Path) -> None:
    theirs = private_dir / "theirs"
    theirs.mkdir(mode=0o700)
    os.chown(theirs, 65534, 65534)
    with pytest.raises(SocketError, match="belongs to user 65534"):
        listen(str(theirs / "test.sock"))


def test_a_path_that_is_too_long_is_refused_with_its_length(private_dir: Path) -> None:
    with pytest.raises(SocketError, match=r"has \d+ bytes, 103 fit"):
        listen(str(private_dir / ("x" * 120) / "test.sock"))


def test_the_socket_is_not_inherited_by_programs(private_dir: Path) -> None:
    listener = listen(str(private_dir / "test.sock"))
    assert not os.get_inheritable(listener.socket.fileno())
    listing = subprocess.run(["ls", "/proc/self/fd"], capture_output=True, text=True, close_fds=False, check=True)
    assert str(listener.socket.fileno()) not in listing.stdout.split()
    listener.close()


def test_peer_credentials_identify_the_client(private_dir: Path) -> None:
    listener = listen(str(private_dir / "test.sock"))
    with connect(listener.path):
        listener.socket.setblocking(True)
        accepted, _ = listener.socket.accept()
        with accepted:
            peer = peer_of(accepted)
    assert (peer.uid, peer.pid) == (os.getuid(), os.getpid())
    listener.close()


FORKED = """
import os
from fugue_tui.sockets import path_of
from fugue_tui_mcp.listener import listen_as
if os.fork():
    os._exit(0)
listener = listen_as("dev")
print("ready", flush=True)
listener.socket.setblocking(True)
with listener.socket.accept()[0] as accepted:
    accepted.send(str(os.getpid()).encode())
    accepted.recv(1)
listener.close()
"""


def test_a_socket_belongs_to_the_forked_process_that_made_it(runtime: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", FORKED], stdout=subprocess.PIPE) as maker:
        assert maker.wait() == 0
        assert maker.stdout
        assert maker.stdout.readline() == b"ready\n"
        with pytest.raises(AlreadyRunning):
            listen_as("dev")
        with connect(path_of("dev")) as link:
            pid = int(link.recv(20))
            assert pid != maker.pid
            assert peer_of(link).pid == pid
        maker.stdout.read()  # It ends with the last process that has it.
    assert sockets_in(runtime) == []
    listen_as("dev").close()


def test_a_listener_at_a_place_of_its_own_stays_there(runtime: Path, private_dir: Path) -> None:
    listener = listen(str(private_dir / "own.sock"))
    listener.rename("dev")
    assert listener.path == listener.named == str(private_dir / "own.sock")
    listener.close()
    listener = listen(path_of("dev"))
    with pytest.raises(SocketError, match="it has no other path"):
        listener.rename("ops")
    listener.close()
