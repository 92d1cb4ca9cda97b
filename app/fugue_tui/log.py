"""A private file for what goes wrong while the screen belongs to panes: nothing may be written over them.

Everything that Python would print on stderr goes there: logging, warnings, and what threads and finalizers raise.
"""

import logging
import os
import sys
import threading
from typing import TYPE_CHECKING

from fugue_tui.text import clean_text

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

LARGEST = 1 << 20
"""Bytes at which a log is no longer written."""

_logger = logging.getLogger(__name__)


class LogFile(logging.Handler):
    """A private file, made when something goes wrong; without a file, nothing is kept."""

    def __init__(self, path: str) -> None:
        super().__init__(logging.WARNING)
        self.path = path
        self.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record, cleaned; a file that cannot be written is done without."""
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        try:
            file = os.open(self.path, flags, 0o600)
        except OSError:
            return
        try:
            if os.fstat(file).st_size < LARGEST:
                os.write(file, f"{clean_text(self.format(record))}\n".encode())
        except OSError:
            return
        finally:
            os.close(file)


def keep(path: str) -> None:
    """From now on, write what goes wrong to a file; an empty path drops it."""
    logging.getLogger().addHandler(LogFile(path) if path else logging.NullHandler())
    logging.captureWarnings(capture=True)
    threading.excepthook = _thread_failed
    sys.unraisablehook = _nobody_told


def _thread_failed(failure: threading.ExceptHookArgs) -> None:
    if failure.exc_value is not None and not isinstance(failure.exc_value, SystemExit):
        name = failure.thread.name if failure.thread is not None else "unknown"
        _logger.error("thread %s failed", name, exc_info=failure.exc_value)


def _nobody_told(failure: "UnraisableHookArgs") -> None:
    _logger.error(
        "%s: %a", failure.err_msg or "raised where nobody can be told", failure.object, exc_info=failure.exc_value
    )
