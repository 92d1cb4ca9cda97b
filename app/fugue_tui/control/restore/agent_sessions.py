"""Finds the conversation of an agent's process in the files that the agent keeps.

Files are opened without following links or blocking; only their heads and a bounded number of entries are read.
"""

import hashlib
import json
import os
import re
import stat
import time
from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from fugue_tui.terminal.pty import process

UUID: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_HEAD: Final = 65_536
"""Bytes read of a file."""
_MOST: Final = 4_096
"""Entries read of a folder."""
_DAYS: Final = 31
"""Day folders that are searched, the latest first."""
_SLACK: Final = 2.0
"""Seconds by which the clocks of files and processes may differ."""


class AgentProcess(Struct, frozen=True):
    """An agent's process and its directory."""

    pid: int
    cwd: str
    home: Path
    env: Mapping[str, str]
    ticks: int | None
    """The process's start time in clock ticks since boot; None if unknown."""
    since: float
    """Its start time in seconds since the epoch; 0 if unknown."""

    @classmethod
    def of(cls, pid: int, cwd: str, home: str = "") -> "AgentProcess":
        """A process as described in /proc."""
        env, age = process.environ(pid) or {}, process.age(pid)
        folder = home or env.get("HOME", "") or os.path.expanduser("~")
        since = 0.0 if age is None else time.time() - age
        return cls(pid, cwd, Path(folder), {} if home else env, process.start_ticks(pid), since)

    def folder(self, variable: str, name: str) -> Path:
        """The agent's data folder: from its environment variable, else in the home directory."""
        return Path(self.env.get(variable, "") or self.home / name)


def claude_ids(where: AgentProcess, given: str) -> list[str]:
    """The possible conversations of the process: the one that Claude Code recorded, else all since its start."""
    root = where.folder("CLAUDE_CONFIG_DIR", ".claude")
    folder = root / "projects" / re.sub(r"[^a-zA-Z0-9]", "-", where.cwd)
    noted = _object(root / "sessions" / f"{where.pid}.json")
    is_own = where.ticks is not None and noted.get("procStart") == str(where.ticks)
    own = str(noted.get("sessionId")) if is_own else ""
    for known in (own, given):
        if UUID.fullmatch(known) and os.path.isfile(folder / f"{known}.jsonl"):
            return [known]
    return [] if own else [file.stem for file in _written(folder, where.since) if UUID.fullmatch(file.stem)]


def codex_ids(where: AgentProcess, given: str) -> list[str]:
    """The possible conversations of the process: the one given, else those of its directory since its start."""
    root = where.folder("CODEX_HOME", ".codex") / "sessions"
    days = sorted(root.glob("[0-9]*/[0-9]*/[0-9]*"), reverse=True)[:_DAYS]
    files = [file for day in days for file in _written(day, where.since) if file.name.startswith("rollout-")]
    ids = [file.stem[-36:] for file in files[:_MOST] if _value(file, "cwd") == where.cwd]
    return [given] if given and (given in ids or not ids) else [id for id in ids if UUID.fullmatch(id)]


def gemini_ids(where: AgentProcess, given: str) -> list[str]:
    """The conversations of the process's directory that were written since its start."""
    root = where.folder("", ".gemini") / "tmp"
    hashed = hashlib.sha256(where.cwd.encode()).hexdigest()
    folders = [each for each in _entries(root) if each.name == hashed or _head(each / ".project_root") == where.cwd]
    files = [file for folder in folders for file in _written(folder / "chats", where.since)]
    ids = list(dict.fromkeys(_value(file, "sessionId") for file in files if file.name.startswith("session-")))
    return [given] if given and given in ids else [id for id in ids if UUID.fullmatch(id)]


def _written(folder: Path, since: float) -> list[Path]:
    """The conversations in a folder that were written since, the latest first."""
    found: list[tuple[float, Path]] = []
    for file in _entries(folder):
        state = file.lstat()
        if stat.S_ISREG(state.st_mode) and file.suffix in (".jsonl", ".json") and state.st_mtime >= since - _SLACK:
            found.append((state.st_mtime, file))
    return [file for _, file in sorted(found, reverse=True)]


def _entries(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as entries:
            return [Path(entry.path) for entry in islice(entries, _MOST)]
    except OSError:
        return []


def _value(file: Path, key: str) -> str:
    """The first string under a key in a JSON or JSON lines file, searched in its head without parsing."""
    found = re.search(rf'"{key}"\s*:\s*("(?:[^"\\]|\\.)*")', _head(file))
    return str(json.loads(found[1])) if found else ""


def _object(file: Path) -> dict[str, Any]:
    text = _head(file)
    found: Any = json.loads(text) if text else {}
    return found if isinstance(found, dict) else {}  # pyright: ignore[reportUnknownVariableType]


def _head(file: Path) -> str:
    try:
        handle = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NOCTTY)
    except OSError:
        return ""
    try:
        return os.read(handle, _HEAD).decode(errors="replace") if stat.S_ISREG(os.fstat(handle).st_mode) else ""
    finally:
        os.close(handle)
