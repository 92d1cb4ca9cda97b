"""Runs a short program without a terminal, such as one that sets the clipboard, for a bounded time. Worker threads."""

import os
import select
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Final

from fugue_tui.terminal.pty import orphans

MOST_OUTPUT: Final = 4_096
"""Bytes of output that are read; the rest is dropped."""


def run(argv: Sequence[str], *, env: Mapping[str, str], seconds: float, given: str = "", cwd: str = "/") -> str | None:
    """What a program prints, once it has ended well; None if it failed or took longer than so many seconds.

    It leads a session of its own, which is killed if it fails. Raises OSError if it cannot be started."""
    with orphans.lock:
        started = subprocess.Popen(
            argv,
            stdin=subprocess.PIPE if given else subprocess.DEVNULL,
            stdout=subprocess.DEVNULL if given else subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=dict(env),
            cwd=cwd,
            start_new_session=True,
        )
        orphans.own.add(started.pid)
    end, ended = time.monotonic() + seconds, False
    try:
        output = _written(started, given, end) if given else _read(started, end)
        ended = started.wait(max(end - time.monotonic(), 0.01)) == 0
        return output if ended else None
    except (subprocess.TimeoutExpired, BrokenPipeError):
        return None
    finally:
        if not ended:
            with suppress(ProcessLookupError):
                os.killpg(started.pid, signal.SIGKILL)
        started.wait()
        orphans.own.discard(started.pid)
        for pipe in (started.stdin, started.stdout):
            if pipe is not None:
                with suppress(BrokenPipeError):
                    pipe.close()


def _written(started: "subprocess.Popen[bytes]", given: str, end: float) -> str:
    """Write its input; a program that sets the clipboard goes on in the background, so that its output never ends."""
    started.communicate(given.encode("utf-8", "replace"), timeout=max(end - time.monotonic(), 0.01))
    return ""


def _read(started: "subprocess.Popen[bytes]", end: float) -> str:
    """Read its output up to the limit. Raises TimeoutExpired."""
    assert started.stdout is not None
    output = bytearray()
    while True:
        left = end - time.monotonic()
        if left <= 0 or not select.select([started.stdout], [], [], left)[0]:
            raise subprocess.TimeoutExpired(started.args, 0)
        data = os.read(started.stdout.fileno(), MOST_OUTPUT)
        if not data:
            return output.decode("utf-8", "replace")
        if len(output) < MOST_OUTPUT:
            output += data[: MOST_OUTPUT - len(output)]
