"""One server of a name, wherever its socket is: a lock in the state directory, held while the server runs.

The directory of a socket may be removed (at the last logout, for example) or another in another login; two servers of
one name would save over each other. The locked file is the server's record, see `server_records`.
"""

import fcntl
import os
import time
from contextlib import suppress
from typing import Final

from fugue_tui.errors import AlreadyRunning, SaveError
from fugue_tui.store.paths import home_state_path, state_path
from fugue_tui.store.private_dir import PrivateDir, made
from fugue_tui.store.server_records import AREA, READ, SEPARATOR, Server, holder, locked, read

_ATTEMPTS: Final = 20
_RETRY_SECONDS: Final = 0.01


class NameLock:
    """The held lock of a name, with a second record if the state directory is not the one under the home directory."""

    def __init__(self, server: Server, held: tuple[int, str], second: tuple[int, str] | None) -> None:
        self._server, self._held, self._second = server, held, second

    @property
    def workspace(self) -> str:
        """The name."""
        return self._server.name

    @property
    def id(self) -> str:
        """The workspace's id."""
        return self._server.id

    def rename(self, workspace: str) -> None:
        """Hold another name instead. Raises AlreadyRunning, and holds the same then."""
        if workspace != self.workspace and (other := take(workspace, self._server.socket, self.id)):
            self.release()
            self._server, self._held, self._second = other._server, other._held, other._second

    def release(self, *, returns: bool = False) -> None:
        """Let another server have the name, and the id too if the workspace `returns`. Idempotent."""
        if self._second is not None:
            _release(*self._second)
            self._second = None
        fd, path = self._held
        if fd >= 0:
            _release(fd, "" if returns else path)
            self._held = -1, path


def take(workspace: str, socket: str, id: str = "") -> NameLock | None:
    """Take the lock of a name; None if the state directory cannot be used. Raises AlreadyRunning.

    Without an `id` it is that of the workspace of this name that was left behind, or a new one."""
    for _ in range(_ATTEMPTS):
        try:
            with made(state_path(), AREA) as area:
                found = _take(area, workspace, Server(workspace, os.getpid(), socket, id))
        except (OSError, SaveError):
            return None
        if isinstance(found, Server):
            if _runs(found.pid):
                raise AlreadyRunning(_words(workspace, found), found.socket)
            time.sleep(_RETRY_SECONDS)  # It was just released, or a reader looked at it.
            continue
        server, held = found
        return NameLock(server, held, _second_record(server))
    if elsewhere := holder(workspace):
        place = " in a container or on another machine" if elsewhere.pid else ""
        raise AlreadyRunning(f"{_words(workspace, elsewhere)}{place}; give another name")
    return None


def _second_record(server: Server) -> tuple[int, str] | None:
    """The held record under the home directory; None if it is not needed, or cannot be written."""
    home = home_state_path()
    with suppress(OSError, SaveError):
        if not os.path.exists(home) or not os.path.samefile(home, state_path()):
            with made(home, AREA) as area:
                _remove_leftovers(area)
                found = _take(area, f"{server.name}{SEPARATOR}{server.id}", server)
                return None if isinstance(found, Server) else found[1]
    return None


def _take(area: PrivateDir, key: str, server: Server) -> tuple[Server, tuple[int, str]] | Server:
    """The server's locked record, or the record of the server that holds the lock. Raises OSError.

    It is written by another descriptor than the locked one: one that is only read keeps no disk from being mounted
    read-only."""
    path = os.path.join(area.path, key)
    written = area.append(key)
    try:
        fd = os.open(path, READ)
        try:
            found = read(fd, path) or Server()
            if locked(fd, fcntl.LOCK_EX) and _is_at(path, fd, written):
                server = Server(server.name, server.pid, server.socket, server.id or found.id or os.urandom(4).hex())
                _write(written, server)
                fd, taken = -1, fd
                return server, (taken, path)
            return found
        finally:
            if fd >= 0:
                os.close(fd)
    except FileNotFoundError:
        return Server()
    finally:
        os.close(written)


def _write(fd: int, server: Server) -> None:
    """Write a record in place of what the file holds; it stays as it was if that fails, as on a full disk: the lock
    counts, not its words."""
    content = f"{server.pid}\n{server.socket}\n{server.id}\n".encode()
    with suppress(OSError):
        fcntl.fcntl(fd, fcntl.F_SETFL, 0)  # Not at the end of the file: what is there already needs no more room.
        if os.pwrite(fd, content, 0) == len(content):
            os.ftruncate(fd, len(content))


def _is_at(path: str, *fds: int) -> bool:
    """Whether descriptors are of the file that is at a path now."""
    there = os.lstat(path)
    return all(os.path.samestat(os.fstat(fd), there) for fd in fds)


def _remove_leftovers(area: PrivateDir) -> None:
    """Remove the second records of servers that were killed."""
    for key in area.names():
        path = os.path.join(area.path, key)
        if SEPARATOR in key:
            with suppress(OSError):
                fd = os.open(path, READ)
                _release(fd, path if locked(fd, fcntl.LOCK_EX) and _is_at(path, fd) else "")


def _release(fd: int, path: str) -> None:
    """Unlock a record, which is removed from its path if it has one."""
    if path:
        with suppress(OSError):
            os.unlink(path)
    os.close(fd)


def _runs(pid: int) -> bool:
    if not pid:
        return False
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    return True


def _words(workspace: str, found: Server) -> str:
    where = f" ({found.socket})" if found.socket else ""
    return f"workspace {workspace} is already running, as process {found.pid or 'unknown'}{where}"
