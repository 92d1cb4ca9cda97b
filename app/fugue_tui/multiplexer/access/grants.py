"""Grants: what the user has allowed a caller for longer than one call. Main thread only."""

import time
from collections.abc import Callable, Collection, Iterable
from enum import StrEnum
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from fugue_tui.errors import NotFound
from fugue_tui.ids import PaneId

MOST: Final = 1_000
"""Grants that are kept; the oldest gives way."""


class Scope(StrEnum):
    """How far an answer reaches."""

    ONCE = "once"
    """This call."""
    PANE = "pane"
    """The same effects on these panes, until they or the caller's program end."""
    SESSION = "session"
    """The same effects on any pane, until the caller's program ends."""
    ALWAYS = "always"
    """The same effects by this executable in every workspace, until it is revoked."""


class Grantee(Struct, frozen=True):
    """Whom a grant is for."""

    owner: str
    """The caller: its own pane, or its process and start time."""
    executable: str
    """The path of its executable; empty if unknown, which nothing is granted to for ever."""
    words: str
    """The caller in words, for the user: cleaned."""
    source: str = ""
    """The pane that it came out of, else its executable: what its requests are counted by."""


class Grant(Struct, frozen=True):
    """One grant."""

    id: int
    scope: Scope
    effects: frozenset[str]
    grantee: Grantee
    panes: frozenset[PaneId]
    """The panes that it is limited to with `PANE`."""
    since: float
    """Seconds since the epoch."""

    def covers(self, grantee: Grantee, effect: str, panes: Collection[PaneId]) -> bool:
        """Whether it allows a caller an effect on these panes."""
        if effect not in self.effects:
            return False
        match self.scope:
            case Scope.ALWAYS:
                return bool(grantee.executable) and grantee.executable == self.grantee.executable
            case Scope.PANE:
                return grantee.owner == self.grantee.owner and bool(panes) and self.panes.issuperset(panes)
            case _:
                return grantee.owner == self.grantee.owner


class Grants:
    """The grants in force."""

    def __init__(self) -> None:
        self._grants: dict[int, Grant] = {}
        self._last_id = 0
        self.on_always: Callable[[Grant, bool], None] = lambda grant, granted: None
        """Called when an executable is granted something (true), or that is revoked (false): saves it."""

    def all(self) -> tuple[Grant, ...]:
        """Every grant, oldest first."""
        return tuple(self._grants.values())

    def covering(self, grantee: Grantee, effect: str, panes: Collection[PaneId]) -> Grant | None:
        """The grant that allows a caller an effect on these panes."""
        return next((grant for grant in self._grants.values() if grant.covers(grantee, effect, panes)), None)

    def add(self, scope: Scope, grantee: Grantee, effects: Iterable[str], panes: Iterable[PaneId] = ()) -> Grant:
        """Grant something."""
        self._last_id += 1
        limited = frozenset(panes if scope is Scope.PANE else ())
        grant = Grant(self._last_id, scope, frozenset(effects), grantee, limited, time.time())
        while len(self._grants) >= MOST:
            del self._grants[next(iter(self._grants))]
        self._grants[grant.id] = grant
        if scope is Scope.ALWAYS:
            self.on_always(grant, True)
        return grant

    def load(self, saved: Iterable[Grant]) -> None:
        """Add the grants of executables that were saved."""
        for grant in saved:
            self._last_id += 1
            self._grants[self._last_id] = replace(grant, id=self._last_id)

    def revoke(self, grant: int) -> Grant:
        """End a grant. Raises NotFound."""
        if grant not in self._grants:
            raise NotFound(f"no grant {grant}; list-grants shows what is granted")
        revoked = self._grants.pop(grant)
        if revoked.scope is Scope.ALWAYS:
            self.on_always(revoked, False)
        return revoked

    def end_pane(self, pane: PaneId) -> None:
        """End what was granted to the program of a pane, and for that pane, as its program has ended."""
        for grant in self.all():
            gone = grant.grantee.owner == str(pane) or pane in grant.panes
            if gone and grant.scope is not Scope.ALWAYS:
                del self._grants[grant.id]
