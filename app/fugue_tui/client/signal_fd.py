"""Delivers signals through a readable file descriptor, so that they interrupt no system call. Cheap to import."""

import os
import signal
from types import FrameType, TracebackType

WATCHED = (
    *(signal.SIGWINCH, signal.SIGTSTP, signal.SIGCONT),
    *(signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT),
)


class SignalFd:
    """While active, these signals only make `fd` readable. Main thread only."""

    def __init__(self) -> None:
        self.fd, self._write_fd = os.pipe()
        os.set_blocking(self.fd, False)
        os.set_blocking(self._write_fd, False)

    def __enter__(self) -> "SignalFd":
        self._wakeup = signal.set_wakeup_fd(self._write_fd, warn_on_full_buffer=False)
        self._before = {number: signal.signal(number, _noted) for number in WATCHED}
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(self._wakeup)
        os.close(self.fd)
        os.close(self._write_fd)

    def take(self) -> list[int]:
        """The signals since the last call, each once, in order of arrival."""
        try:
            return list(dict.fromkeys(os.read(self.fd, 1 << 12)))
        except BlockingIOError:
            return []


def _noted(number: int, frame: FrameType | None) -> None:
    """The wake-up descriptor reports the signal."""
