"""A workspace's listening socket: private, with one owner at a time, removed when it is closed, and bound again when
its path was removed.

A workspace with a name has two paths to one socket: the name's, which changes when the workspace is renamed, and a
unique constant one, which is passed to the programs in its panes. So they find the workspace under any name, and an old
name is free immediately.

Standard library only, and fast: it is created before the first program starts.
"""

import fcntl
import os
import stat
from contextlib import suppress
from socket import AF_UNIX, SOCK_STREAM
from socket import socket as Socket
from threading import Lock

from msgspec import Struct, field

from fugue_tui.errors import SocketError
from fugue_tui.sockets import already_running, answers, check_path, make_private, path_of
from fugue_tui.store import name_lock
from fugue_tui.store.name_lock import NameLock
from fugue_tui_mcp import http_address

BACKLOG = 128


class Listener(Struct):
    """A bound socket and the lock of its owner. Any thread."""

    path: str
    """The constant path."""
    named: str
    """The path of the workspace's name; the same as `path` if it listens at an explicit path."""
    socket: Socket
    _lock: int
    _made: tuple[int, int]
    _name: NameLock | None = None
    """The lock of the workspace's name, wherever it listens."""
    _guard: Lock = field(default_factory=Lock)

    def close(self, *, returns: bool = False) -> None:
        """Stop listening and remove the socket, unless another has replaced it. If the workspace `returns`, it has the
        same id then. Idempotent."""
        with self._guard:
            if self._lock < 0:
                return
            self.socket.close()
            for path in {self.path, self.named}:
                if _identity(path) == self._made:
                    os.unlink(path)
            os.close(self._lock)
            self._lock = -1
            self._keep_name(None, returns=returns)

    def restore(self) -> bool:
        """Bind again if a path of the socket is gone, as when its directory was removed; whether `socket` is another
        one now. Raises SocketError if that fails, and may be called again."""
        with self._guard:
            paths = {self.named, self.path}
            there = {path for path in paths if _identity(path) == self._made}
            if self._lock < 0 or there == paths:
                return False
            if there:
                with suppress(OSError):  # Something else may be at the other path.
                    os.link(*there, *(paths - there))
                return False
            make_private(os.path.dirname(self.named))
            if _identity(f"{self.named}.lock") != _identity_of(os.fstat(self._lock)):
                self._lock, old = _lock(self.named), self._lock
                os.close(old)
            _clear(self.named)
            self.socket = _bind(self.named)
            self._made = _identity_of(os.lstat(self.named))
            if self.path != self.named:
                with suppress(OSError):
                    os.link(self.named, self.path)
            return True

    @property
    def id(self) -> str:
        """The workspace's id; empty if it has none."""
        return self._name.id if self._name is not None else ""

    @property
    def log(self) -> str:
        """The path of the server's log: beside the socket, under the same name."""
        return f"{self.named.removesuffix('.sock')}.log"

    def rename(self, workspace: str) -> None:
        """Move to another workspace name, atomically.

        Raises AlreadyRunning if the name is in use, SocketError if renaming fails; nothing has changed then.
        """
        with self._guard:
            self._rename(workspace, path_of(workspace))

    def _rename(self, workspace: str, path: str) -> None:
        if self._name is not None and self._name.workspace == workspace:
            return
        if path == self.named or os.path.dirname(path) != os.path.dirname(self.named):
            if self._name is not None:  # It listens at a path of its own, and stays there.
                self._keep_name(name_lock.take(workspace, self.named, self.id))
            return
        if self.path == self.named:
            raise SocketError(f"{self.path}: it has no other path, and the programs in its panes use that one")
        lock, name = _lock(path), None
        try:
            name = name_lock.take(workspace, path, self.id)
            _clear(path)
            os.rename(self.named, path)
        except (OSError, SocketError) as error:
            os.close(lock)
            if name is not None:
                name.release()
            raise error if isinstance(error, SocketError) else SocketError(f"{path}: {error.strerror}") from None
        os.close(self._lock)
        self.named, self._lock = path, lock
        self._keep_name(name)

    def _keep_name(self, name: NameLock | None, *, returns: bool = False) -> None:
        if self._name is not None:
            self._name.release(returns=returns)
        self._name = name


def listen_as(workspace: str) -> Listener:
    """Listen under a workspace's name. Raises like `listen`."""
    listener = listen(path_of(workspace), workspace)
    constant = os.path.join(os.path.dirname(listener.named), f".{os.urandom(6).hex()}.sock")
    try:
        os.link(listener.named, constant)
    except OSError:
        return listener  # A file system without links: such a workspace cannot be renamed.
    listener.path = constant
    return listener


def listen(path: str, workspace: str = "") -> Listener:
    """Listen at a path, as the workspace of that name. Raises AlreadyRunning if a workspace does or another server has
    the name, SocketError if the directory is not private."""
    check_path(path)
    make_private(os.path.dirname(path))
    lock, name = _lock(path), None
    try:
        _clear(path)
        name = name_lock.take(workspace, path) if workspace else None
        bound = _bind(path)
        made = _identity_of(os.lstat(path))
    except BaseException:
        os.close(lock)
        if name is not None:
            name.release()
        raise
    return Listener(path, path, bound, lock, made, name)


def _identity(path: str) -> tuple[int, int] | None:
    try:
        return _identity_of(os.lstat(path))
    except OSError:
        return None


def _identity_of(status: os.stat_result) -> tuple[int, int]:
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
            http_address.remove(http_address.file_of(other))


def _bind(path: str) -> Socket:
    bound = Socket(AF_UNIX, SOCK_STREAM)
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
