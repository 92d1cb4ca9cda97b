"""The records of running servers: name, id, process and socket, readable wherever a client was started.

A server locks its record in the state directory for as long as it runs, and a second one in the state directory under
the home directory if that is another: clients that lack variables such as `XDG_RUNTIME_DIR` find it there. A workspace
that was killed leaves its record, so that it has the same id when it comes back. Imports little: the bridge starts with
it.
"""

import fcntl
import os
import stat
from collections.abc import Iterator, Mapping

from fugue_tui.records import Record, record
from fugue_tui.sockets import fault, is_name
from fugue_tui.store.paths import home_state_path, state_path

AREA = "running"
SEPARATOR = "@"
"""Between the name and the id in the name of a second record."""
READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
_LONGEST = 512


@record(frozen=True, slots=True)
class Server(Record):
    """A running server."""

    name: str = ""
    pid: int = 0
    """0 if it is unknown."""
    socket: str = ""
    """The path of its socket, which may be gone; empty if it has none, or if that is unknown."""
    id: str = ""
    """The workspace's own, which it keeps when it is renamed or comes back; empty if it has none."""

    @property
    def label(self) -> str:
        """Its name and id."""
        return f"{self.name} ({self.id})" if self.id else self.name


def holder(workspace: str) -> Server | None:
    """The running server of a name; None if there is none, or if that is unknown."""
    server, running = _inspect(os.path.join(state_path(), AREA, workspace))
    return server if running else None


def left_behind(workspace: str) -> Server | None:
    """The server of a name that has not ended but does not run; None if there is none."""
    server, running = _inspect(os.path.join(state_path(), AREA, workspace))
    return None if running else server


def servers(env: Mapping[str, str] = os.environ) -> tuple[list[Server], list[Server]]:
    """The running servers with a socket, of this state directory, and the user's others."""
    own, home = state_path(env), home_state_path(env)
    found = list(_running(own))
    ids = {server.id for server in found}
    return found, [server for server in (_running(home) if home != own else ()) if server.id not in ids]


def is_record(path: str) -> bool:
    """Whether a path without symbolic links is that of a record."""
    folder = os.path.dirname(path)
    if os.path.basename(folder) != AREA:
        return False
    return any(folder == os.path.realpath(os.path.join(each, AREA)) for each in (state_path(), home_state_path()))


def _running(directory: str) -> Iterator[Server]:
    area = os.path.join(directory, AREA)
    if fault(area):
        return
    for name in sorted(os.listdir(area)):
        server, running = _inspect(os.path.join(area, name))
        if running and server is not None and server.socket:
            yield server


def _inspect(path: str) -> tuple[Server | None, bool]:
    """The record at a path, None if it cannot be read, and whether its server runs."""
    try:
        fd = os.open(path, READ)
    except OSError:
        return None, False
    try:
        return read(fd, path), not locked(fd, fcntl.LOCK_SH)
    except OSError:
        return None, False
    finally:
        os.close(fd)


def locked(fd: int, how: int) -> bool:
    """Take a lock without waiting; whether that was possible. Raises OSError."""
    try:
        fcntl.flock(fd, how | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def read(fd: int, path: str) -> Server | None:
    """The content of an open record; None if it is not the user's, or no record. Raises OSError."""
    status, name = os.fstat(fd), os.path.basename(path).partition(SEPARATOR)[0]
    if not stat.S_ISREG(status.st_mode) or status.st_uid != os.getuid() or not is_name(name):
        return None
    pid, socket, id = (*os.pread(fd, _LONGEST, 0).decode(errors="replace").split("\n"), "", "", "")[:3]
    socket = socket if socket.isprintable() else ""
    return Server(name, int(pid) if pid.isdecimal() and len(pid) < 10 else 0, socket, id if _is_id(id) else "")


def _is_id(word: str) -> bool:
    return len(word) <= 16 and word.isascii() and word.isalnum()
