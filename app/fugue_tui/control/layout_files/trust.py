"""Trust decisions on layout files: the user confirms the commands of each version of a file once.

Confirmed versions are kept as digests in a private directory under the state directory; a file that changes by one byte
must be confirmed again. The files in the user's own directory need no confirmation, unless an agent has saved them.
"""

import hashlib
import os
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from fugue_tui.config.servers import described
from fugue_tui.config.values import toml
from fugue_tui.layout.document import Document, WindowSpec
from fugue_tui.layout.spec_types import PaneSpec, leaves
from fugue_tui.sanitize import visible
from fugue_tui.store.private_dir import made, opened
from fugue_tui.store.store import state_dir

FOLDER: Final = "trusted"
"""The directory of the digests, in the state directory."""
_LONGEST: Final = 1 << 13
_BY_AGENT: Final = "agent"
"""Stands for the digest of a file that an agent has saved."""
_OWN: Final = "own"
"""Stands for the digest of a file that the user has saved in the directory of the user's own layouts."""


def is_trusted(file: Path, raw: bytes, *, own: bool = False) -> bool:
    """Whether the user trusts a file with these bytes; `own` if it is in the directory of the user's own layouts.

    Raises SaveError if the stored digests are unsafe to read."""
    kept = _kept(file)
    return kept == hashlib.sha256(raw).hexdigest() or (own and kept in ("", _OWN))


def was_trusted(file: Path) -> bool:
    """Whether the user trusted any version of a file."""
    return _kept(file) not in ("", _BY_AGENT)


def saved(file: Path, raw: bytes, *, own: bool, by_user: bool) -> None:
    """Record who saved a file: the user, who trusts it then, or an agent. Raises SaveError."""
    if not by_user:
        _keep(file, _BY_AGENT)
    elif own:
        _keep(file, _OWN)
    else:
        trust(file, raw)


def trust(file: Path, raw: bytes) -> None:
    """Record that the user trusts a file with these bytes. Raises SaveError."""
    _keep(file, hashlib.sha256(raw).hexdigest())


def programs(document: Document) -> str:
    """Everything that a document runs, for the user to read: nothing is omitted, truncated or hidden."""
    lines = [line for window in document.windows for line in _window(window)]
    lines += [
        f"  MCP server {name}, started once it is used: {visible(toml(described(server)))}"
        for name, server in document.servers.items()
    ]
    return "\n".join(lines)


def _keep(file: Path, kept: str) -> None:
    with made(str(state_dir()), FOLDER) as folder:
        folder.replace(_name(file), f"{kept} {os.path.realpath(file)}\n".encode(errors="replace"))


def _kept(file: Path) -> str:
    with opened(str(state_dir()), FOLDER) as folder:
        found = folder.read(_name(file), _LONGEST) if folder is not None else None
    return found.decode(errors="replace").partition(" ")[0] if found else ""


def _name(file: Path) -> str:
    return hashlib.sha256(os.fsencode(os.path.realpath(file))).hexdigest()


def _window(window: WindowSpec) -> Iterator[str]:
    yield f"  window {visible(window.name) or '(without a name)'}"
    for pane in leaves(window.layout):
        yield from _pane(pane)


def _pane(pane: PaneSpec) -> Iterator[str]:
    command = pane.command if isinstance(pane.command, str) else shlex.join(pane.command)
    first, *rest = visible(command).split("\n") if command.strip() else ["a shell"]
    name = f"{visible(pane.name)}: " if pane.name else ""
    yield f"    {name}{first}"
    yield from (f"        {line}" for line in rest)
    if pane.cwd:
        yield f"        in {visible(pane.cwd)}"
    for variable, value in pane.env.items():
        yield f"        with {visible(variable)}={visible(value)}"
