"""Where workspaces listen."""

import os
import socket
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from shutil import rmtree

import pytest

from fugue_tui.errors import NotRunning, SocketError
from fugue_tui.sockets import (
    LONGEST_PATH,
    check_name,
    connect,
    fault,
    find,
    live,
    make_private,
    path_of,
    runtime_dir,
    same,
)


@pytest.fixture
def runtime() -> Iterator[Path]:
    """A runtime directory with a short path."""
    directory = Path(tempfile.mkdtemp(prefix="fugue-", dir="/tmp"))
    yield directory
    rmtree(directory)


def _serve(path: str) -> socket.socket:
    bound = socket.socket(socket.AF_UNIX)
    bound.bind(path)
    bound.listen()
    return bound


def test_the_socket_lies_in_the_runtime_directory(runtime: Path) -> None:
    assert path_of("dev", {"XDG_RUNTIME_DIR": str(runtime)}) == f"{runtime}/fugue-tui/dev.sock"


def test_without_a_runtime_directory_there_is_still_a_private_place() -> None:
    path = path_of("dev", {})
    assert path in (f"/run/user/{os.getuid()}/fugue-tui/dev.sock", f"/tmp/fugue-tui-{os.getuid()}/dev.sock")
    assert path_of("dev", {"XDG_RUNTIME_DIR": "relative"}) == path


def test_a_runtime_directory_that_is_too_long_is_passed_over() -> None:
    path = path_of("x" * 48, {"XDG_RUNTIME_DIR": "/" + "d" * 120, "TMPDIR": "/" + "t" * 200})
    assert path == f"/tmp/fugue-tui-{os.getuid()}/{'x' * 48}.sock"
    assert len(path) <= LONGEST_PATH


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "../x", "-x", "a b", "\x1b[31m", "é", "x" * 49, "a\0"])
def test_a_name_that_could_not_be_a_files_is_refused(name: str) -> None:
    with pytest.raises(SocketError, match="cannot name a workspace") as caught:
        check_name(name)
    assert str(caught.value).isascii()
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("name", ["main", "main-2", "my.project_1", "7"])
def test_sensible_names_are_taken(name: str) -> None:
    assert check_name(name) == name


def test_a_private_directory_is_made_and_checked(runtime: Path) -> None:
    make_private(str(runtime / "a" / "b"))
    assert fault(str(runtime / "a" / "b")) == ""
    (runtime / "a" / "b").chmod(0o750)
    assert "others may enter it" in fault(str(runtime / "a" / "b"))
    assert fault(str(runtime / "missing")) == "No such file or directory"


def test_a_private_directory_that_cannot_be_made_is_reported_with_the_way_out(runtime: Path) -> None:
    (runtime / "file").write_text("")
    with pytest.raises(SocketError, match=r"file/a/b: Not a directory; set XDG_RUNTIME_DIR to .*--socket"):
        make_private(str(runtime / "file" / "a" / "b"))


def test_connecting_says_that_nothing_listens(runtime: Path) -> None:
    with pytest.raises(NotRunning):
        connect(str(runtime / "none.sock"))
    _serve(str(runtime / "dead.sock")).close()
    with pytest.raises(NotRunning):
        connect(str(runtime / "dead.sock"))


def test_connecting_waits_while_the_backlog_is_full(runtime: Path) -> None:
    path = str(runtime / "busy.sock")
    with _serve(path) as bound:
        bound.listen(0)
        first = connect(path)
        with pytest.raises(SocketError, match="is busy and accepts no connection") as told:
            connect(path, 0.1)
        assert not isinstance(told.value, NotRunning)
        accepting = threading.Timer(0.05, lambda: bound.accept()[0].close())
        accepting.start()
        second = connect(path)
        accepting.join()
        for link in (first, second):
            link.close()


def test_connecting_refuses_what_is_not_a_socket_of_ours(runtime: Path) -> None:
    (runtime / "file.sock").write_text("")
    with pytest.raises(SocketError, match="is not a socket of yours"):
        connect(str(runtime / "file.sock"))
    with _serve(str(runtime / "real.sock")):
        (runtime / "link.sock").symlink_to(runtime / "real.sock")
        with pytest.raises(SocketError, match="is not a socket of yours"):
            connect(str(runtime / "link.sock"))
        runtime.chmod(0o777)
        with pytest.raises(SocketError, match="others may enter it"):
            connect(str(runtime / "real.sock"))


def test_the_workspace_that_is_meant_is_found(runtime: Path) -> None:
    env = {"XDG_RUNTIME_DIR": str(runtime)}
    directory = runtime_dir(env)
    assert live(env) == []
    assert find(env=env) == f"{directory}/main.sock"
    make_private(directory)
    with _serve(f"{directory}/dev.sock"):
        assert live(env) == ["dev"]
        assert find(env=env) == f"{directory}/dev.sock"
        with _serve(f"{directory}/ops.sock"):
            with pytest.raises(SocketError, match=r"several workspaces run \(dev, ops\); choose one with --workspace"):
                find(env=env)
            with _serve(f"{directory}/main.sock"):
                assert find(env=env) == f"{directory}/main.sock"
        assert find("ops", env=env) == f"{directory}/ops.sock"
        assert find(env=env | {"FUGUE_SOCKET": "/x/around.sock"}) == "/x/around.sock"
        assert find("ops", env=env | {"FUGUE_SOCKET": "/x/around.sock"}) == f"{directory}/ops.sock"
        assert find("ops", "/x/said.sock", env) == "/x/said.sock"


def test_only_names_are_listed(runtime: Path) -> None:
    env = {"XDG_RUNTIME_DIR": str(runtime)}
    directory = runtime_dir(env)
    make_private(directory)
    with _serve(f"{directory}/dev.sock"), _serve(f"{directory}/.0a1b.sock"), _serve(f"{directory}/\x1b[31m.sock"):
        assert live(env) == ["dev"]


def test_a_process_of_an_ended_workspace_connects_to_the_new_one_of_its_name(runtime: Path) -> None:
    env = {"XDG_RUNTIME_DIR": str(runtime), "FUGUE_WORKSPACE": "dev", "FUGUE_SOCKET": f"{runtime}/.0a1b.sock"}
    assert find(env=env) == f"{runtime}/fugue-tui/dev.sock"
    with _serve(f"{runtime}/.0a1b.sock"):
        assert find(env=env) == f"{runtime}/.0a1b.sock"
    (runtime / ".0a1b.sock").unlink()
    assert find(env=env | {"FUGUE_WORKSPACE": "../x"}) == f"{runtime}/.0a1b.sock"


def test_two_paths_of_one_socket_are_the_same(runtime: Path) -> None:
    with _serve(f"{runtime}/a.sock"), _serve(f"{runtime}/b.sock"):
        (runtime / "c.sock").hardlink_to(runtime / "a.sock")
        assert same(f"{runtime}/a.sock", f"{runtime}/c.sock")
        assert not same(f"{runtime}/a.sock", f"{runtime}/b.sock")
        assert not same(f"{runtime}/none.sock", f"{runtime}/none.sock")
