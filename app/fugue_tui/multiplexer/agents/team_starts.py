"""The teams that are being started, so that it is known which starts the end of the workspace cut off. Main thread."""

import logging
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from fugue_tui.errors import SaveError

if TYPE_CHECKING:
    from fugue_tui.multiplexer.agents.journal import Journal

_log = logging.getLogger(__name__)


class TeamStarts:
    """The starts of a workspace's teams. What cannot be saved is logged: nothing else depends on it."""

    def __init__(self) -> None:
        self.interrupted = set[str]()
        """The teams whose start the end of the previous run cut off, until they are started or stopped again."""
        self.journal: Journal | None = None
        """Keeps the starts over restarts; None if nothing does."""
        self.opening = set[str]()
        """The teams that have no panes yet."""
        self._running = set[str]()

    async def begin(self, team: str) -> None:
        """A team is being started."""
        self.interrupted.discard(team)
        self.opening.add(team)
        self._running.add(team)
        await self._write(team, done=False)

    async def end(self, team: str) -> None:
        """It runs, its panes are saved and its briefings in their mailboxes; or nothing of it is there."""
        self.opening.discard(team)
        self._running.discard(team)
        await self._write(team, done=True)

    async def report_interrupted(self) -> list[str]:
        """The starts that the previous run did not end; the next run does not have them any more."""
        for team in sorted(self.interrupted):
            await self._write(team, done=True)
        return sorted(self.interrupted)

    def load(self, records: Iterator[Mapping[str, Any]]) -> None:
        """Take over what a journal holds: of a team the last record counts."""
        for record in records:
            team = record.get("team")
            if isinstance(team, str):
                (self.interrupted.discard if record.get("done") else self.interrupted.add)(team)

    def records(self) -> list[dict[str, Any]]:
        """All that is kept, for a journal."""
        return [_record(team, done=False) for team in sorted(self._running)]

    async def _write(self, team: str, *, done: bool) -> None:
        if self.journal is not None:
            try:
                await self.journal.write(_record(team, done=done))
            except SaveError as error:
                _log.warning("the start of the team %s: %s", team, error)


def _record(team: str, *, done: bool) -> dict[str, Any]:
    return {"team": team, "done": done}
