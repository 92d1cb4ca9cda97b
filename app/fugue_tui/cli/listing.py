"""`fugue-tui ls`: the workspaces that run."""

import os
import time
from typing import Any, cast

from fugue_tui import client, sockets
from fugue_tui.cli.options import Usage, as_json, complain, options_of, say
from fugue_tui.errors import FugueError

ANSWER_SECONDS = 2.0
"""How long a workspace may take to tell of itself; past that, only its name is known."""
COLUMNS = ("name", "clients", "windows", "panes", "since")


def ls(arguments: list[str]) -> int:
    """Print every workspace: its name, how many terminals are attached, windows and panes, and since when it runs."""
    options, loose, _ = options_of(arguments, (), ("--json",))
    if loose:
        raise Usage(f"ls: {loose[0][:40]!a}: one word too many; it takes --json")
    found = workspaces()
    if "--json" in options:
        say(as_json({"workspaces": found}))
    elif found:
        say(_table(found))
    else:
        complain("no workspace runs; fugue-tui starts one")
    return 0


def workspaces() -> list[dict[str, Any]]:
    """What is known of every workspace, by name; None for what it does not tell."""
    return [_running(name) for name in sockets.live()]


def _running(name: str) -> dict[str, Any]:
    path = sockets.path_of(name)
    status, clients = _told(path, "get-status"), _told(path, "list-clients")
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


def _told(path: str, command: str) -> dict[str, Any]:
    try:
        answer = client.ask(path, [command], ANSWER_SECONDS)
    except FugueError:
        return {}
    return cast("dict[str, Any]", answer.get("json") or {}) if not answer.get("exit") else {}


def _count(told: dict[str, Any], name: str) -> int | None:
    return len(told[name]) if name in told else None


def _since(path: str) -> str | None:
    """When the socket was made, in local time."""
    try:
        made = os.lstat(path).st_mtime
    except OSError:
        return None
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.localtime(made))


def _table(found: list[dict[str, Any]]) -> str:
    rows = [tuple(name.upper() for name in COLUMNS)]
    rows += [tuple("?" if each[name] is None else str(each[name]) for name in COLUMNS) for each in found]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    padded = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)
    return "\n".join(line.rstrip() for line in padded)
