"""What a person asked for that is still to come: how far it is and how it ended is told, and it can be given up."""

import asyncio
from collections.abc import Callable
from typing import Any, Final

from fugue_tui.control.core.command import Command
from fugue_tui.control.core.deferred import Deferred, Progress
from fugue_tui.errors import FugueError

PATIENCE: Final = 0.5
"""Seconds after which it is told that something takes longer."""


class PendingCommands:
    """The commands of a person that answer later. Main thread only."""

    def __init__(
        self, post: Callable[[Callable[[], None]], None], alert: Callable[[str], None], broke: Callable[..., None]
    ) -> None:
        self._post, self._alert, self._broke = post, alert, broke
        self._open: dict[Deferred[Any], str] = {}

    def follow(self, command: Command[Any], later: Deferred[Any], then: Callable[[Any], None]) -> None:
        """Have `then` called with the result once it is there; what goes wrong is told."""
        self._open[later] = command.verb
        later.on_progress(lambda progress: self._post(lambda: self._progressed(later, progress)))
        later.on_done(lambda: self._post(lambda: self._over(later, then)))
        asyncio.get_running_loop().call_later(PATIENCE, self._still, later)

    def give_up(self) -> bool:
        """Cancel all that is still to come; whether there was any."""
        found = [later.cancel() for later in tuple(self._open)]
        return any(found)

    def _still(self, later: Deferred[Any]) -> None:
        if later in self._open:
            self._alert(f"{self._open[later]}: under way; the prefix and Escape give it up")

    def _progressed(self, later: Deferred[Any], progress: Progress) -> None:
        if later in self._open:
            share = "" if progress.fraction is None else f" ({progress.fraction:.0%})"
            self._alert(f"{self._open[later]}: {progress.text}{share}")

    def _over(self, later: Deferred[Any], then: Callable[[Any], None]) -> None:
        verb = self._open.pop(later)
        match later.error:
            case None:
                then(later.result())
            case FugueError() as error:
                self._alert(f"{verb}: {error}")
            case error:
                self._broke(verb, error)
