"""Follows the configuration file: what is right in it comes into force at once, what is wrong is told."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Final

from fugue_tui.config import model
from fugue_tui.config.model import Config
from fugue_tui.errors import ConfigError
from fugue_tui.sanitize import clean

LOOK_SECONDS: Final = 2.0
"""How often the file's stamp is looked at."""


def brief(fault: str, file: Path | None) -> str:
    """A fault of a file as a status bar has room for it: with the file's name instead of its path."""
    return fault.replace(clean(str(file)), file.name, 1) if file is not None else fault


class Following:
    """Looks at one file now and then. On a fault the old configuration stays. Main thread only."""

    def __init__(self, file: Path, taken: Callable[[Config], None], refused: Callable[[str], None]) -> None:
        self._file = file
        self._taken = taken
        self._refused = refused
        self._stamp = model.stamp(file)
        self._timer: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Begin to look."""
        self._timer = asyncio.get_running_loop().call_later(LOOK_SECONDS, self._look)

    def stop(self) -> None:
        """Look no more."""
        if self._timer is not None:
            self._timer.cancel()

    def _look(self) -> None:
        self.start()
        self.look()

    def look(self) -> None:
        """Read the file if it is another than before."""
        stamp = model.stamp(self._file)
        if stamp == self._stamp:
            return
        self._stamp = stamp
        try:
            self._taken(model.load(self._file))
        except ConfigError as error:
            faults = "; ".join(brief(fault, self._file) for fault in error.faults)
            self._refused(f"{faults}; the old configuration stays")
