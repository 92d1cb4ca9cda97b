"""A private log file for warnings and errors while panes own the screen.

Everything that Python would print to stderr goes there: logging, warnings, and exceptions of threads and finalizers.
"""

import logging
import os
import sys
import threading
from contextlib import nullcontext, suppress
from typing import TYPE_CHECKING

from fugue_tui.sanitize import clean_text

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

LARGEST = 1 << 20
"""Most bytes of a log; a full one is kept once as `.1`, then dropped."""

_logger = logging.getLogger(__name__)

_APPEND = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class LogFile(logging.Handler):
    """A handler that creates a private file with the first record."""

    def __init__(self, path: str) -> None:
        super().__init__(logging.WARNING)
        self.path = path
        self.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))

    def emit(self, record: logging.LogRecord) -> None:
        """Write a sanitized record; a file that cannot be written is ignored."""
        with suppress(OSError):
            _append(self.path, f"{clean_text(self.format(record))}\n".encode())

    def move(self, path: str) -> None:
        """Move the log to another path; if that fails, the old path stays in use."""
        with self.lock or nullcontext(), suppress(OSError):
            if path != self.path and os.path.lexists(self.path):
                self._move_file(path)
            self.path = path

    def _move_file(self, path: str) -> None:
        if os.path.lexists(path):
            _append(path, _read(self.path))
            os.unlink(self.path)
        else:
            os.rename(self.path, path)
        if os.path.lexists(older(self.path)) and not os.path.lexists(older(path)):
            os.rename(older(self.path), older(path))


def older(path: str) -> str:
    """The path of a full log."""
    return f"{path}.1"


def _append(path: str, text: bytes) -> None:
    """Append to a file, rotating it if it is full. Raises OSError."""
    file = os.open(path, _APPEND, 0o600)
    try:
        size = os.fstat(file).st_size
        if size + len(text) <= LARGEST or not size:
            os.write(file, text[:LARGEST])
            return
    finally:
        os.close(file)
    os.replace(path, older(path))
    _append(path, text)


def keep(path: str) -> None:
    """Send logging, warnings and unhandled exceptions to a file from now on; an empty path drops them."""
    logging.getLogger().addHandler(LogFile(path) if path else logging.NullHandler())
    logging.captureWarnings(capture=True)
    threading.excepthook = _thread_failed
    sys.unraisablehook = _unraisable


def move(path: str) -> None:
    """Move the log to another path, appending to a file that exists."""
    for handler in logging.getLogger().handlers:
        if isinstance(handler, LogFile):
            handler.move(path)


def _read(path: str) -> bytes:
    file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        return os.read(file, LARGEST)
    finally:
        os.close(file)


def _thread_failed(failure: threading.ExceptHookArgs) -> None:
    if failure.exc_value is not None and not isinstance(failure.exc_value, SystemExit):
        name = failure.thread.name if failure.thread is not None else "unknown"
        _logger.error("thread %s failed", name, exc_info=failure.exc_value)


def _unraisable(failure: "UnraisableHookArgs") -> None:
    _logger.error(
        "%s: %a", failure.err_msg or "raised where it cannot be reported", failure.object, exc_info=failure.exc_value
    )
