"""A workspace's listening socket: private, with one owner at a time, removed when it is closed.

A workspace with a name has two paths to one socket: the name's, which changes when the workspace is renamed, and a
unique constant one, which is passed to the programs in its panes. So they find the workspace under any name, and an old
name is free immediately.

Standard library only, and fast: it is created before the first program starts.
"""

import fcntl
import os
import socket
import stat

from msgspec import Struct

from fugue_tui.errors import SocketError
from fugue_tui.sockets import already_running, answers, check_path, make_private, path_of

BACKLOG = 128


class Listener(Struct):
    """A bound socket and the lock of its owner. Main thread only, except `socket`."""

    path: str
    """The constant path."""
    named: str
    """The path of the workspace's name; the same as `path` if it listens at an explicit path."""
    socket: socket.socket
    _lock: int
    _made: tuple[int, int]

    def close(self) -> None:
        """Stop listening and remove the socket, unless another has replaced it. Idempotent."""
        if self._lock < 0:
            return
        self.socket.close()
        for path in {self.path, self.named}:
            if _identity(path) == self._made:
                os.unlink(path)
        os.close(self._lock)
        self._lock = -1

    @property
    def log(self) -> str:
        """The path of the server's log: beside the socket, under the same name."""
        return f"{self.named.removesuffix('.sock')}.log"

    def rename(self, workspace: str) -> None:
        """Move to another workspace name, atomically.

        Raises AlreadyRunning if the name is in use, SocketError if renaming fails; nothing has changed then.
        """
        path = path_of(workspace)
        if path == self.named or os.path.dirname(path) != os.path.dirname(self.named):
            return
        if self.path == self.named:
            raise SocketError(f"{self.path}: it has no other path, and the programs in its panes use that one")
        lock = _lock(path)
        try:
            _clear(path)
            os.rename(self.named, path)
        except OSError as error:
            os.close(lock)
            raise SocketError(f"{path}: {error.strerror}") from None
        except SocketError:
            os.close(lock)
            raise
        os.close(self._lock)
        self.named, self._lock = path, lock


def listen_as(workspace: str) -> Listener:
    """Listen under a workspace's name. Raises like `listen`."""
    listener = listen(path_of(workspace))
    constant = os.path.join(os.path.dirname(listener.named), f".{os.urandom(6).hex()}.sock")
    try:
        os.link(listener.named, constant)
    except OSError:
        return listener  # A file system without links: such a workspace cannot be renamed.
    listener.path = constant
    return listener


def listen(path: str) -> Listener:
    """Listen at a path. Raises AlreadyRunning if a workspace does, SocketError if the directory is not private."""
    check_path(path)
    make_private(os.path.dirname(path))
    lock = _lock(path)
    try:
        _clear(path)
        bound = _bind(path)
        status = os.lstat(path)
    except BaseException:
        os.close(lock)
        raise
    return Listener(path, path, bound, lock, (status.st_dev, status.st_ino))


def _identity(path: str) -> tuple[int, int] | None:
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino


def _lock(path: str) -> int:
    name = f"{path}.lock"
    try:
        lock = os.open(name, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK, 0o600)
    except OSError as error:
        raise SocketError(f"{name}: {error.strerror}") from None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        raise already_running(path) from None
    return lock


def _clear(path: str) -> None:
    """Remove the socket of a killed workspace; the caller holds the lock."""
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(status.st_mode):
        raise SocketError(f"{path} exists and is not a socket; move it away or choose another with --socket")
    if answers(path):
        raise already_running(path)
    directory = os.path.dirname(path)
    for name in os.listdir(directory):
        if _identity(other := os.path.join(directory, name)) == (status.st_dev, status.st_ino):
            os.unlink(other)


def _bind(path: str) -> socket.socket:
    bound = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        os.fchmod(bound.fileno(), 0o600)  # On Linux, the mode of the new file.
        bound.bind(path)
        os.chmod(path, 0o600)
        bound.listen(BACKLOG)
        bound.setblocking(False)
    except OSError as error:
        bound.close()
        raise SocketError(f"{path}: {error.strerror or error}") from None
    return bound
