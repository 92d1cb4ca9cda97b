"""The lines that the user typed at the command prompt: kept in a private file, bounded, without secrets."""

import asyncio
import logging
import re
from collections.abc import Sequence
from typing import Final

from fugue_tui.errors import SaveError
from fugue_tui.sanitize import clean
from fugue_tui.store.paths import state_path
from fugue_tui.store.private_dir import made, opened
from fugue_tui.workspace.secret_filter import SecretFilter

FILE: Final = "command-history"
LINES: Final = 500
"""Lines that are kept; the oldest go first."""
LONGEST: Final = 1_000
"""Characters of a line that is kept; longer ones are not."""
_SIZE_LIMIT: Final = 4 * LINES * (LONGEST + 1)
_LOCK: Final = "command-history.lock"
_SECRET: Final = re.compile(r"--(?:env|[a-z-]*(?:token|secret|password|passphrase|credential|key))\b", re.IGNORECASE)

logger = logging.getLogger(__name__)


class CommandHistory:
    """The lines, the oldest first. Main thread only; the file is written on a worker thread."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._loaded = False

    def load(self) -> None:
        """Read the file, once."""
        if not self._loaded:
            self._loaded = True
            self.lines = _merged(read(), self.lines)

    def add(self, line: str, secrets: Sequence[str]) -> None:
        """Keep a line, unless it may hold a secret or begins with a space; `secrets` are the patterns of their
        names."""
        if not is_kept(line, secrets):
            return
        self.lines = _merged(self.lines, [line])
        asyncio.get_running_loop().run_in_executor(None, save, line)


def is_kept(line: str, secrets: Sequence[str]) -> bool:
    """Whether a line is kept: it holds nothing that looks like a secret."""
    return (
        bool(line.strip())
        and not line.startswith(" ")
        and len(line) <= LONGEST
        and clean(line, LONGEST) == line
        and not _SECRET.search(line)
        and SecretFilter(secrets).line(line) == line
    )


def read() -> list[str]:
    """The lines in the file; none if it cannot be read."""
    try:
        with opened(state_path()) as folder:
            raw = folder.read(FILE, _SIZE_LIMIT) if folder is not None else None
    except SaveError as error:
        logger.warning("%s", error)
        return []
    return _parsed(raw)


def save(line: str) -> None:
    """Add a line to the file, after those that other workspaces have added."""
    try:
        with made(state_path()) as folder, folder.lock(_LOCK):
            lines = _merged(_parsed(folder.read(FILE, _SIZE_LIMIT)), [line])
            folder.replace(FILE, "".join(f"{each}\n" for each in lines).encode())
    except SaveError as error:
        logger.warning("%s", error)


def _parsed(raw: bytes | None) -> list[str]:
    lines = (raw or b"").decode(errors="replace").splitlines()
    return [line for line in lines if line and clean(line, LONGEST) == line][-LINES:]


def _merged(lines: Sequence[str], more: Sequence[str]) -> list[str]:
    """Both, each line once, where it was used last."""
    last = {line: at for at, line in enumerate([*lines, *more])}
    return sorted(last, key=last.__getitem__)[-LINES:]
