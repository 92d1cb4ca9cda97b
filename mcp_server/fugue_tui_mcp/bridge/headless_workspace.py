"""Starts a workspace without a terminal for a client's call, with `[mcp] start = true`.

Standard library only, but for reading the configuration when there is a call and no workspace.
"""

import os
import sys

from fugue_tui import daemonize, sockets
from fugue_tui.store.server_records import Server, left_behind

_OF_A_PANE = ("FUGUE_PANE", "FUGUE_SOCKET", "FUGUE_WORKSPACE")
"""The variables that would make it a part of the workspace around the client."""


def is_wanted(joined: Server | None) -> bool:
    """Whether calls start a workspace, and one that starts now is that to which the client belongs, if any."""
    from fugue_tui.config import model

    if not model.read(model.path()).config.mcp.start:
        return False
    if joined is None or not (joined.id or joined.pid):
        return True
    left = left_behind(joined.name)
    return left is not None and left.id == joined.id


def start(name: str, path: str) -> None:
    """Start a workspace under a name, `main` if it is empty, at an explicit socket path or its own.

    It is no child of the caller and outlives it; whether it could start is seen at its socket. Must be called without
    threads."""
    if not daemonize.split(()):
        return
    env = {variable: value for variable, value in os.environ.items() if variable not in _OF_A_PANE}
    arguments = [sys.executable, "-P", "-m", "fugue_tui", "serve", name or sockets.DEFAULT]
    try:
        os.execve(sys.executable, [*arguments, *(["--socket", path] if path else [])], env)
    finally:
        os._exit(127)
