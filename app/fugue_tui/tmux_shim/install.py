"""Puts the `tmux` of `shim` into a directory that comes first on a PATH, and names the variables that lead to it."""

import os
import shlex
import sys
import zlib
from contextlib import suppress

from fugue_tui import sockets
from fugue_tui.errors import SocketError
from fugue_tui.tmux_shim import shim

FOLDER = "FUGUE_TMUX"
"""The variable with the directory of that `tmux`."""


def environment(workspace: str, path: str) -> dict[str, str]:
    """The variables for programs in panes of the workspace at a socket, whose PATH would be `path`; TMUX_PANE is each
    pane's own. Raises SocketError if the `tmux` cannot be written."""
    folder = installed()
    rest = [each for each in path.split(os.pathsep) if each != folder]
    return {
        "TMUX": f"{workspace},{os.getpid()},0",
        "PATH": os.pathsep.join([folder, *rest]),
        FOLDER: folder,
        "CLAUDE_CODE_TMUX_TRUECOLOR": "1",
    }


def installed() -> str:
    """The directory with the `tmux`, which is written if it is not there. Raises SocketError."""
    text = script().encode()
    folder = os.path.join(sockets.runtime_dir(), f"tmux-{zlib.crc32(text):08x}")
    file = os.path.join(folder, "tmux")
    if os.path.isfile(file) and not sockets.fault(folder):
        return folder
    sockets.make_private(os.path.dirname(folder))
    sockets.make_private(folder)
    fresh = f"{file}.{os.getpid()}"
    try:
        with suppress(FileNotFoundError):
            os.unlink(fresh)
        fd = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o700)
        try:
            os.write(fd, text)
        finally:
            os.close(fd)
        os.rename(fresh, file)
    except OSError as error:
        raise SocketError(f"{file}: {error.strerror}; programs that drive a tmux need it") from None
    return folder


def script() -> str:
    """A shell script that runs the `tmux` with this Python, without its site packages."""
    return f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -I -S {shlex.quote(os.path.abspath(shim.__file__))} "$@"\n'
