"""A private directory and its files: never follows a link, never blocks on a pipe, never leaves half a file.

Names are relative to the open directory, so that it cannot be replaced midway. Every failure is a SaveError with the
path, the cause, and the way out.
"""

import errno
import fcntl
import os
import stat
import time
from collections.abc import Generator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from typing import Final

from fugue_tui.errors import SaveError

LOCK_SECONDS: Final = 10.0
"""How long to wait for a lock of another process."""

_DIRECTORY: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_READ: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY
_CREATE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_APPEND: Final = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY
_LOCK: Final = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY
_ELSEWHERE: Final = "or set FUGUE_STATE to a directory elsewhere"
_WAYS_OUT: Final = {
    errno.ENOSPC: f"make room, {_ELSEWHERE}",
    errno.EDQUOT: f"make room, {_ELSEWHERE}",
    errno.EFBIG: f"raise the limit on file sizes, {_ELSEWHERE}",
    errno.EIO: f"see whether the disk fails, {_ELSEWHERE}",
    errno.ELOOP: f"put a directory in its place (links are not followed here), {_ELSEWHERE}",
    errno.ENOTDIR: f"put a directory in its place (links are not followed here), {_ELSEWHERE}",
}
_OTHERWISE: Final = "set FUGUE_STATE to a directory that you can write to"


class Damaged(SaveError):
    """The content is not what was written; `reason` omits the path."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.reason = reason


class Busy(SaveError):
    """Another process holds a lock."""


class PrivateDir:
    """An open private directory; created and closed by `opened`, `made` and `child`."""

    __slots__ = ("_fd", "path")

    def __init__(self, fd: int, path: str) -> None:
        self._fd, self.path = fd, path

    def read(self, name: str, limit: int) -> bytes | None:
        """A file's bytes; None if it does not exist. Raises Damaged for no regular file, or for more bytes than the
        limit."""
        try:
            fd = os.open(name, _READ, dir_fd=self._fd)
        except FileNotFoundError:
            return None
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.ENXIO):
                raise Damaged(self._at(name), "is no plain file") from None
            raise _failed(self._at(name), error) from None
        try:
            return self._bytes(fd, name, limit)
        except OSError as error:
            raise _failed(self._at(name), error) from None
        finally:
            os.close(fd)

    def size(self, name: str) -> int:
        """A regular file's length in bytes; 0 if it does not exist."""
        try:
            found = os.stat(name, dir_fd=self._fd, follow_symlinks=False)
        except OSError:
            return 0
        return found.st_size if stat.S_ISREG(found.st_mode) else 0

    def same(self, one: str, other: str) -> bool:
        """Whether two names refer to the same file."""
        with suppress(OSError):
            first, second = (os.stat(name, dir_fd=self._fd, follow_symlinks=False) for name in (one, other))
            return os.path.samestat(first, second)
        return False

    def names(self) -> list[str]:
        """The names of its entries, sorted."""
        try:
            return sorted(os.listdir(self._fd))
        except OSError as error:
            raise _failed(self.path, error) from None

    def fill(self, name: str, *parts: bytes) -> None:
        """Write a new file and fsync it, replacing a leftover; on failure no file is left."""
        self.remove(name)
        try:
            fd = os.open(name, _CREATE, 0o600, dir_fd=self._fd)
            try:
                os.fchmod(fd, 0o600)
                for part in parts:
                    _write(fd, part)
                os.fsync(fd)
            finally:
                os.close(fd)
        except OSError as error:
            self.discard(name)
            raise _failed(self._at(name), error) from None

    def append(self, name: str) -> int:
        """A descriptor of a file, made if needed, at whose end everything is written; the caller closes it."""
        try:
            fd = os.open(name, _APPEND, 0o600, dir_fd=self._fd)
        except OSError as error:
            raise _failed(self._at(name), error) from None
        try:
            _check_file(os.fstat(fd), self._at(name))
            os.fchmod(fd, 0o600)
        except (OSError, SaveError):
            os.close(fd)
            raise
        return fd

    def rename(self, name: str, to: str) -> None:
        """Rename a file atomically, replacing the target."""
        try:
            os.rename(name, to, src_dir_fd=self._fd, dst_dir_fd=self._fd)
        except OSError as error:
            raise _failed(self._at(to), error) from None

    def settle(self, temporary: str, name: str) -> None:
        """Rename a temporary file to its final name; on failure it is deleted."""
        try:
            self.rename(temporary, name)
        except SaveError:
            self.discard(temporary)
            raise

    def replace(self, name: str, data: bytes) -> None:
        """Write a file atomically, in place of an earlier one."""
        draft = f".{name}.{os.getpid()}.new"
        self.fill(draft, data)
        self.settle(draft, name)

    def copy(self, name: str, to: str) -> None:
        """Hard-link a file under a second name; on file systems without links, rename it."""
        try:
            os.link(name, to, src_dir_fd=self._fd, dst_dir_fd=self._fd, follow_symlinks=False)
        except OSError as error:
            if error.errno not in (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK):
                raise _failed(self._at(to), error) from None
            self.rename(name, to)

    def remove(self, name: str) -> None:
        """Delete a file; a missing one is no error."""
        try:
            os.unlink(name, dir_fd=self._fd)
        except FileNotFoundError:
            pass
        except OSError as error:
            raise _failed(self._at(name), error) from None

    def discard(self, name: str) -> None:
        """Delete a file, ignoring failure."""
        with suppress(OSError):
            os.unlink(name, dir_fd=self._fd)

    def sync(self) -> None:
        """Fsync the directory."""
        try:
            os.fsync(self._fd)
        except OSError as error:
            if error.errno != errno.EINVAL:  # Some file systems have nothing to do here, and say so.
                raise _failed(self.path, error) from None

    def child(self, name: str) -> AbstractContextManager["PrivateDir | None"]:
        """A private subdirectory; None if it does not exist."""
        return _entered(name, self._at(name), self._fd)

    def made(self, name: str) -> AbstractContextManager["PrivateDir"]:
        """A private subdirectory, made if needed."""
        return _made(name, self._at(name), self._fd)

    @contextmanager
    def lock(self, name: str, *, shared: bool = False, seconds: float | None = None) -> Generator[None, None, None]:
        """Hold a lock against other processes and threads. Raises Busy if it is not acquired in time."""
        deadline = time.monotonic() + (LOCK_SECONDS if seconds is None else seconds)
        try:
            fd = os.open(name, _LOCK, 0o600, dir_fd=self._fd)
        except OSError as error:
            raise _failed(self._at(name), error) from None
        try:
            _check_file(os.fstat(fd), self._at(name))
            _take(fd, fcntl.LOCK_SH if shared else fcntl.LOCK_EX, deadline, self._at(name))
            yield
        finally:
            os.close(fd)

    def _at(self, name: str) -> str:
        return os.path.join(self.path, name)

    def _bytes(self, fd: int, name: str, limit: int) -> bytes:
        found = os.fstat(fd)
        _check_file(found, self._at(name))
        parts, left = list[bytes](), limit + 1
        while left > 0 and (part := os.read(fd, min(left, max(found.st_size + 1, 4096)))):
            parts.append(part)
            left -= len(part)
        if left <= 0:
            raise Damaged(self._at(name), f"has more than {limit} bytes")
        return b"".join(parts)


@contextmanager
def opened(path: str, *names: str) -> Generator[PrivateDir | None, None, None]:
    """The private directory at a path, or below it; None if it does not exist. Raises SaveError if it is unsafe."""
    with ExitStack() as held:
        folder = held.enter_context(_entered(path, path, None))
        for name in names:
            folder = folder and held.enter_context(folder.child(name))
        yield folder


@contextmanager
def made(path: str, *names: str) -> Generator[PrivateDir, None, None]:
    """The private directory at a path, or below it, made if needed. Raises SaveError if it is unsafe."""
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
    except OSError as error:
        raise _failed(os.path.dirname(path), error) from None
    with ExitStack() as held:
        folder = held.enter_context(_made(path, path, None))
        for name in names:
            folder = held.enter_context(folder.made(name))
        yield folder


@contextmanager
def _made(name: str, path: str, parent: int | None) -> Generator[PrivateDir, None, None]:
    try:
        with suppress(FileExistsError):
            os.mkdir(name, 0o700, dir_fd=parent)
    except OSError as error:
        raise _failed(path, error) from None
    with _entered(name, path, parent) as folder:
        if folder is None:
            raise SaveError(f"{path}: the directory was removed while it was made; try again")
        yield folder


@contextmanager
def _entered(name: str, path: str, parent: int | None) -> Generator[PrivateDir | None, None, None]:
    try:
        fd = os.open(name, _DIRECTORY, dir_fd=parent)
    except FileNotFoundError:
        fd = None
    except OSError as error:
        raise _failed(path, error) from None
    if fd is None:
        yield None
        return
    try:
        _check_directory(os.fstat(fd), path)
        yield PrivateDir(fd, path)
    finally:
        os.close(fd)


def _check_directory(found: os.stat_result, path: str) -> None:
    if found.st_uid != os.geteuid():
        raise SaveError(f"{path}: belongs to user {found.st_uid}; chown it if it should be yours, {_ELSEWHERE}")
    if found.st_mode & 0o077:
        raise SaveError(f"{path}: others may enter it; chmod 700 it, {_ELSEWHERE}")


def _check_file(found: os.stat_result, path: str) -> None:
    """The mode of a file is not checked: no other user can enter the directory."""
    if not stat.S_ISREG(found.st_mode):
        raise Damaged(path, "is no plain file")
    if found.st_uid != os.geteuid():
        raise SaveError(f"{path}: belongs to user {found.st_uid}; chown it if it should be yours, or move it away")


def _write(fd: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(fd, rest) :]


def _take(fd: int, how: int, deadline: float, path: str) -> None:
    pause = 0.001
    while True:
        try:
            fcntl.flock(fd, how | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() >= deadline:
                raise Busy(f"{path}: another fugue-tui holds it; try again, or see whether one hangs") from None
        except OSError as error:
            raise _failed(path, error) from None
        time.sleep(pause)
        pause = min(pause * 2, 0.05)


def _failed(path: str, error: OSError) -> SaveError:
    reason = error.strerror or type(error).__name__
    return SaveError(f"{path}: {reason}; {_WAYS_OUT.get(error.errno or 0, _OTHERWISE)}")
