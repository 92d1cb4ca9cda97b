"""One server of a name, wherever its socket is: a lock in the state directory, held while the server runs.

The directory of a socket may be removed (at the last logout, for example) or another in another login; two servers of
one name would save over each other. Imports little: a workspace starts with it.
"""

import fcntl
import os
import time
from contextlib import ExitStack, suppress
from typing import Final

from fugue_tui.errors import AlreadyRunning, SaveError
from fugue_tui.records import Record, record
from fugue_tui.store.paths import state_dir
from fugue_tui.store.private_dir import opened

_AREA: Final = "running"
_READ: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
_LONGEST: Final = 512
_ATTEMPTS: Final = 20
_RETRY_SECONDS: Final = 0.01


@record(frozen=True, slots=True)
class Holder(Record):
    """A running server."""

    pid: int = 0
    socket: str = ""
    """The path of its socket, which may be gone."""


class NameLock:
    """A held lock."""

    def __init__(self, fd: int, path: str) -> None:
        self._fd, self._path = fd, path

    @property
    def workspace(self) -> str:
        """The name."""
        return os.path.basename(self._path)

    def release(self) -> None:
        """Let another server have the name. Idempotent."""
        if self._fd >= 0:
            with suppress(OSError):
                os.unlink(self._path)
            os.close(self._fd)
            self._fd = -1


def take(workspace: str, socket: str) -> NameLock | None:
    """Take the lock of a name; None if the state directory cannot be used. Raises AlreadyRunning."""
    for _ in range(_ATTEMPTS):
        try:
            with ExitStack() as held:
                root = held.enter_context(opened(str(state_dir()), make=True))
                area = root and held.enter_context(root.child(_AREA, make=True))
                if area is None:
                    return None
                path = os.path.join(area.path, workspace)
                written = area.append(workspace)
                held.callback(os.close, written)
                lock = _taken(os.open(path, _READ), written, path, socket)
        except (OSError, SaveError):
            return None
        if isinstance(lock, NameLock):
            return lock
        if _runs(lock.pid):
            raise AlreadyRunning(_words(workspace, lock), lock.socket)
        time.sleep(_RETRY_SECONDS)  # It was just released, or `holder` looked at it.
    return None


def holder(workspace: str) -> Holder | None:
    """The running server of a name; None if there is none, or if that is unknown."""
    try:
        fd = os.open(os.path.join(state_dir(), _AREA, workspace), _READ)
    except OSError:
        return None
    try:
        return None if _lock(fd, fcntl.LOCK_SH) else _read(fd)
    except OSError:
        return None
    finally:
        os.close(fd)


def _taken(fd: int, written: int, path: str, socket: str) -> NameLock | Holder:
    """The lock on an open file, which is closed if another holds it. Raises OSError.

    It is `written` by another descriptor: one that is only read keeps no disk from being mounted read-only."""
    try:
        if not _lock(fd, fcntl.LOCK_EX):
            found = _read(fd)
        elif _inode(os.fstat(fd)) != _inode(os.lstat(path)) or _inode(os.fstat(written)) != _inode(os.fstat(fd)):
            found = Holder()
        else:
            os.ftruncate(written, 0)
            os.write(written, f"{os.getpid()}\n{socket}\n".encode())
            return NameLock(fd, path)
    except FileNotFoundError:
        found = Holder()
    except BaseException:
        os.close(fd)
        raise
    os.close(fd)
    return found


def _inode(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino


def _lock(fd: int, how: int) -> bool:
    try:
        fcntl.flock(fd, how | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _runs(pid: int) -> bool:
    if not pid:
        return False
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    return True


def _read(fd: int) -> Holder:
    pid, _, rest = os.pread(fd, _LONGEST, 0).decode(errors="replace").partition("\n")
    return Holder(int(pid) if pid.isdecimal() and len(pid) < 10 else 0, rest.partition("\n")[0])


def _words(workspace: str, found: Holder) -> str:
    return f"workspace {workspace} is already running, as process {found.pid or 'unknown'} ({found.socket})"
