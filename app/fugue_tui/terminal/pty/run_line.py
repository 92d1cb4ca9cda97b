"""Runs a line of /bin/sh without a terminal, and reads what it prints. Worker threads."""

import os
import select
import signal
import subprocess
import threading
import time
from contextlib import suppress
from typing import Final

from msgspec import Struct

from fugue_tui.terminal.pty import orphans

_STEP: Final = 1 << 16
_STEP_MS: Final = 50
"""Milliseconds until a cancelled one is noticed."""


class ShellRun(Struct, frozen=True):
    """How a line ended."""

    output: bytes
    """What it printed, on stdout and stderr."""
    exit_code: int
    """Its exit code; minus the signal's number if a signal ended it."""
    timed_out: bool
    """Whether it was ended because it took too long, or was stopped."""
    cut: bool
    """Whether it printed more than is kept."""


def start(line: str, cwd: str) -> "subprocess.Popen[bytes]":
    """Start a line in a session of its own; `read` waits for it. Raises OSError or ValueError."""
    with orphans.lock:
        child = subprocess.Popen(
            ("/bin/sh", "-c", line), cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
        orphans.own.add(child.pid)
    return child


def read(child: "subprocess.Popen[bytes]", deadline: float, stopped: threading.Event, longest: int) -> ShellRun:
    """What a process prints until nobody can print any more, or until the deadline, at which it is ended."""
    assert child.stdout is not None
    kept, cut, late = bytearray(), False, False
    with child.stdout as stdout:
        ready = select.poll()
        ready.register(stdout, select.POLLIN)
        while not late:
            if ready.poll(_STEP_MS):
                if not (piece := os.read(stdout.fileno(), _STEP)):
                    break
                cut = cut or len(kept) + len(piece) > longest
                kept += piece[: longest - len(kept)]
            late = stopped.is_set() or time.monotonic() > deadline
    if late:
        _kill(child)
    late = _end(child, deadline, stopped) or late
    orphans.own.discard(child.pid)
    return ShellRun(bytes(kept), child.returncode, late, cut)


def _end(child: "subprocess.Popen[bytes]", deadline: float, stopped: threading.Event) -> bool:
    """Wait for a process that prints no more, and end its process group at the deadline; whether that was needed."""
    while child.poll() is None:
        if stopped.is_set() or time.monotonic() > deadline:
            _kill(child)
            child.wait()
            return True
        time.sleep(_STEP_MS / 1000)
    return False


def _kill(child: "subprocess.Popen[bytes]") -> None:
    """End the process group of a process that was not waited for."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
