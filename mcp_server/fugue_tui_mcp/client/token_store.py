"""Keeps the OAuth tokens of MCP servers: in the platform's keyring if the `keyring` package is there and works, else in
a private file. Blocks."""

import hashlib
import importlib
from contextlib import suppress
from typing import Any, Final

from fugue_tui.errors import SaveError
from fugue_tui.store.paths import state_path
from fugue_tui.store.private_dir import made, opened

SERVICE: Final = "fugue-tui MCP"
"""The name of the service in the keyring."""
FOLDER: Final = "mcp-tokens"
"""The directory of the files, in the state directory."""
LONGEST: Final = 1 << 20


def load(url: str) -> str:
    """What is kept for a server; empty if nothing is."""
    if (ring := _keyring()) is not None:
        with suppress(Exception):
            if found := ring.get_password(SERVICE, url):
                return str(found)
    with suppress(OSError, SaveError), opened(state_path(), FOLDER) as folder:
        found = folder.read(_name(url), LONGEST) if folder is not None else None
        return found.decode(errors="replace") if found else ""
    return ""


def save(url: str, text: str) -> None:
    """Keep something for a server, in place of what was kept. Raises SaveError."""
    if (ring := _keyring()) is not None:
        with suppress(Exception):  # A keyring that is locked, or has no room for so much: the file has.
            ring.set_password(SERVICE, url, text)
            if ring.get_password(SERVICE, url) == text:
                _remove(url)
                return
    with made(state_path(), FOLDER) as folder:
        folder.replace(_name(url), text.encode())


def _remove(url: str) -> None:
    with opened(state_path(), FOLDER) as folder:
        if folder is not None:
            folder.discard(_name(url))


def _name(url: str) -> str:
    return hashlib.sha256(url.encode()).hexdigest()


def _keyring() -> Any:
    """The `keyring` package; None if it is not installed, or has no place to keep anything in."""
    try:
        ring: Any = importlib.import_module("keyring")
        return ring if ring.get_keyring().priority > 0 else None
    except Exception:  # noqa: BLE001  (whatever is wrong with the user's keyring, there is the file)
        return None
