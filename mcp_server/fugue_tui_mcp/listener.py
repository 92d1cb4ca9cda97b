"""A workspace's listening socket: private from its first moment, one owner at a time, gone when it closes.

Standard library only, and quick: it is made before the first program starts, which is told its path.
"""

import fcntl
import os
import socket
import stat
from dataclasses import dataclass

from fugue_tui.errors import AlreadyRunning, SocketError
from fugue_tui.sockets import answers, check_path, make_private

BACKLOG = 128


@dataclass(slots=True)
class Listener:
    """A bound socket and the lock that makes it ours."""

    path: str
    socket: socket.socket
    _lock: int
    _made: tuple[int, int]

    def close(self) -> None:
        """Stop listening and take the socket away, unless another now stands in its place. May be called twice."""
        if self._lock < 0:
            return
        self.socket.close()
        try:
            found = os.lstat(self.path)
            if (found.st_dev, found.st_ino) == self._made:
                os.unlink(self.path)
        except FileNotFoundError:
            pass
        os.close(self._lock)
        self._lock = -1


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
    return Listener(path, bound, lock, (found.st_dev, found.st_ino))


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
    os.unlink(path)


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
