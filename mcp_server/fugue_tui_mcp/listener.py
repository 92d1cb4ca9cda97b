"""A workspace's listening socket: private from its first moment, one owner at a time, gone when it closes.

A workspace that listens under its name has two paths to one socket: the name's, which moves when it is renamed, and one
that stays the same and is nobody else's ever, which the programs in its panes are told. So they find it under whatever
name, and a name that is given up is free at once.

Standard library only, and quick: it is made before the first program starts.
"""

import fcntl
import os
import socket
import stat
from dataclasses import dataclass

from fugue_tui.errors import AlreadyRunning, SocketError
from fugue_tui.sockets import answers, check_path, make_private, path_of

BACKLOG = 128


@dataclass(slots=True)
class Listener:
    """A bound socket and the lock that makes it ours. Main thread only, but for `socket`."""

    path: str
    """Where it is found as long as it lives."""
    named: str
    """Where it is found by the workspace's name; the same as `path` for one that listens at a place of its own."""
    socket: socket.socket
    _lock: int
    _made: tuple[int, int]

    def close(self) -> None:
        """Stop listening and take the socket away, unless another now stands in its place. May be called twice."""
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
        """Where the log of what listens here goes: beside the socket, under the same name."""
        return f"{self.named.removesuffix('.sock')}.log"

    @property
    def descriptors(self) -> tuple[int, int]:
        """What a process must hold to be the owner."""
        return self.socket.fileno(), self._lock

    def take_over(self) -> None:
        """Own what another process made, after a fork: the kernel names this one to those that connect."""
        self.socket.listen(BACKLOG)

    def give_up(self) -> None:
        """Leave the socket to another process, which got it by a fork."""
        self.socket.close()
        os.close(self._lock)
        self._lock = -1

    def rename(self, workspace: str) -> None:
        """Be found under another name, and no longer under the old one; at each moment there is one of them.

        Raises AlreadyRunning if the name is taken, SocketError if it cannot be; nothing has changed then.
        """
        path = path_of(workspace)
        if path == self.named or os.path.dirname(path) != os.path.dirname(self.named):
            return
        if self.path == self.named:
            raise SocketError(f"{self.path}: it listens there only, and the programs in its panes know it by that path")
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
    """Listen under a workspace's name. Raises as `listen` does."""
    listener = listen(path_of(workspace))
    own = os.path.join(os.path.dirname(listener.named), f".{os.urandom(6).hex()}.sock")
    try:
        os.link(listener.named, own)
    except OSError:
        return listener  # A file system without links: such a workspace cannot be renamed.
    listener.path = own
    return listener


def listen(path: str) -> Listener:
    """Listen at a path. Raises AlreadyRunning if a workspace does, SocketError if the place is not ours alone."""
    check_path(path)
    make_private(os.path.dirname(path))
    lock = _lock(path)
    try:
        _clear(path)
        bound = _bind(path)
        found = os.lstat(path)
    except BaseException:
        os.close(lock)
        raise
    return Listener(path, path, bound, lock, (found.st_dev, found.st_ino))


def _identity(path: str) -> tuple[int, int] | None:
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


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
        raise _already(path) from None
    return lock


def _clear(path: str) -> None:
    """Take away what a workspace that was killed has left; we hold the lock."""
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(found.st_mode):
        raise SocketError(f"{path} is there and is not a socket; move it away or choose another with --socket")
    if answers(path):
        raise _already(path)
    directory = os.path.dirname(path)
    for name in os.listdir(directory):
        if _identity(other := os.path.join(directory, name)) == (found.st_dev, found.st_ino):
            os.unlink(other)


def _bind(path: str) -> socket.socket:
    bound = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        os.fchmod(bound.fileno(), 0o600)  # Linux takes the mode of the new file from here.
        bound.bind(path)
        os.chmod(path, 0o600)
        bound.listen(BACKLOG)
        bound.setblocking(False)
    except OSError as error:
        bound.close()
        raise SocketError(f"{path}: {error.strerror or error}") from None
    return bound


def _already(path: str) -> AlreadyRunning:
    name = os.path.basename(path).removesuffix(".sock")
    return AlreadyRunning(f"workspace {name} is already running ({path})")
