"""Forks a background server process, names processes, and notifies the service manager. Few and cheap imports."""

import os
import socket
import sys
from collections.abc import Collection, Mapping
from contextlib import suppress

from fugue_tui.errors import TerminalError


def split(keep: Collection[int]) -> bool:
    """Fork a server. True in the server, which is detached: it has its own session, no terminal, no standard streams,
    no descriptors but those in `keep`, and is no child of the caller.

    Must be called before there are threads. Raises TerminalError if the process cannot be created.
    """
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    try:
        child = os.fork()
    except OSError as error:
        raise TerminalError(f"the workspace cannot be started: {error.strerror}") from None
    if child:
        if os.waitpid(child, 0)[1]:
            raise TerminalError("the workspace cannot be started: there is no room for another process")
        return False
    try:
        os.setsid()
        if os.fork():
            os._exit(0)  # Its child has no parent that waits for it, and can never get a terminal by accident.
        _close_descriptors(keep)
    except OSError:
        os._exit(1)
    return True


def call(name: str) -> None:
    """Set the process name that ps and top show, where supported; at most 15 characters."""
    with suppress(OSError):
        comm = os.open("/proc/self/comm", os.O_WRONLY | os.O_CLOEXEC)
        try:
            os.write(comm, name.encode()[:15])
        finally:
            os.close(comm)


def notify(state: str, env: Mapping[str, str] = os.environ) -> None:
    """Notify the service manager, if there is one (sd_notify(3)), for instance of `READY=1`."""
    address = env.get("NOTIFY_SOCKET", "")
    if address[:1] not in ("/", "@"):
        return
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.connect(address.replace("@", "\0", 1) if address[0] == "@" else address)
        manager.send(state.encode())


def _close_descriptors(keep: Collection[int]) -> None:
    null = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(null, standard)
    for found in os.listdir("/dev/fd"):
        if int(found) > 2 and int(found) not in keep:
            with suppress(OSError):
                os.close(int(found))
