"""The workspaces of this user that run, and those that are restored when they are started."""

import os
import time
from typing import TYPE_CHECKING, Any, cast

from fugue_tui import sockets
from fugue_tui.client import command_request
from fugue_tui.errors import FugueError, SocketError

if TYPE_CHECKING:
    from fugue_tui.store.store import StoreEntry

ANSWER_SECONDS = 2.0
"""How long a workspace may take to report its state; after that, only its name is known."""


def workspaces(without: str = "") -> list[dict[str, Any]]:
    """Every workspace but one, by name; None for what is unknown. Asks those that run, which may take seconds; for
    those without a socket here, reads the last save."""
    running = [_running(name) for name in sockets.live() if name != without]
    names = {each["name"] for each in running}
    return running + [each for each in _saved() if each["name"] not in {*names, without}]


def is_saved(name: str) -> bool:
    """Whether a workspace would be restored if it were started."""
    return any(each["name"] == name for each in _saved())


def _saved() -> list[dict[str, Any]]:
    """The saved workspaces that are restored when they are started; none if the store cannot be read."""
    from fugue_tui.store.store import Store, state_dir

    try:
        entries = Store(state_dir()).names("auto")
    except FugueError:
        return []
    return [_kept(entry) for entry in entries if _is_restorable(entry)]


def _is_restorable(entry: "StoreEntry") -> bool:
    try:
        sockets.check_name(entry.name)
    except SocketError:
        return False
    return not entry.fault and not entry.head.get("ended")


def _kept(entry: "StoreEntry") -> dict[str, Any]:
    """A saved workspace; it may run, too, with no socket or with one elsewhere."""
    from fugue_tui.store import server_records

    server = server_records.holder(entry.name)
    found = {name: entry.head.get(name) for name in ("windows", "panes")}
    return {
        "name": entry.name,
        "running": server is not None,
        "clients": 0 if server is None else None,
        **{name: value if type(value) is int else None for name, value in found.items()},
        "since": _time(entry.head.get("saved_at")) if server is None else None,
        "version": None,
        "socket": server.socket or None if server is not None else None,
    }


def _running(name: str) -> dict[str, Any]:
    path = sockets.path_of(name)
    status, clients = _asked(path, "get-status"), _asked(path, "list-clients")
    return {
        "name": name,
        "running": True,
        "clients": _count(clients, "clients"),
        "windows": _count(status, "windows"),
        "panes": _count(status, "panes"),
        "since": _since(path),
        "version": status.get("version"),
        "socket": path,
    }


def _asked(path: str, command: str) -> dict[str, Any]:
    try:
        answer = command_request.ask(path, [command], ANSWER_SECONDS)
    except FugueError:
        return {}
    return cast("dict[str, Any]", answer.get("json") or {}) if not answer.get("exit") else {}


def _count(workspace: dict[str, Any], name: str) -> int | None:
    return len(workspace[name]) if name in workspace else None


def _since(path: str) -> str | None:
    """When the socket was created, in local time."""
    try:
        made = os.lstat(path).st_mtime
    except OSError:
        return None
    return _time(made)


def _time(seconds: object) -> str | None:
    try:
        return time.strftime("%Y-%m-%dT%H:%M:%S", time.localtime(seconds)) if isinstance(seconds, int | float) else None
    except (ValueError, OverflowError, OSError):
        return None
