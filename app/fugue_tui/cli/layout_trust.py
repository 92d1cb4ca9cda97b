"""Whose word a layout file's commands are run on: the person's, asked once for each version of the file.

What was agreed to is kept as digests in a private directory of the state: a file that changes by one byte is asked
about again.
"""

import hashlib
import os
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from fugue_tui.layout.document import Document, WindowSpec
from fugue_tui.layout.spec_types import PaneSpec, leaves
from fugue_tui.sanitize import clean_text
from fugue_tui.store.private_dir import opened
from fugue_tui.store.store import state_dir

FOLDER: Final = "trusted"
"""Where it is kept, in the state directory."""
_LONGEST: Final = 1 << 13


def is_trusted(file: Path, raw: bytes) -> bool:
    """Whether a file with these bytes was agreed to. Raises SaveError if what is kept cannot be trusted itself."""
    return _kept(file) == hashlib.sha256(raw).hexdigest()


def was_trusted(file: Path) -> bool:
    """Whether any version of a file was agreed to."""
    return bool(_kept(file))


def trust(file: Path, raw: bytes) -> None:
    """Remember that a file with these bytes was agreed to. Raises SaveError."""
    name = _name(file)
    draft = f"{name}.{os.getpid()}"
    with opened(str(state_dir()), make=True) as state:
        assert state is not None
        with state.child(FOLDER, make=True) as folder:
            assert folder is not None
            folder.fill(draft, f"{hashlib.sha256(raw).hexdigest()} {os.path.realpath(file)}\n".encode(errors="replace"))
            folder.rename(draft, name)


def programs(document: Document) -> str:
    """What a document runs, for a person to read: nothing in it is left out, cut or hidden."""
    return "\n".join(line for window in document.windows for line in _window(window))


def visible(text: str) -> str:
    """Text as it is if all of it can be seen, else with its hidden characters spelt out."""
    return text if clean_text(text, len(text) + 1) == text else ascii(text)


def _kept(file: Path) -> str:
    with opened(str(state_dir())) as state:
        if state is None:
            return ""
        with state.child(FOLDER) as folder:
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
