"""Which panes' output is parsed for sideband tags, and why. Main thread only."""

import os
import shutil
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Final

from msgspec import Struct

from fugue_tui import sockets
from fugue_tui.config.model import CommunicationSettings
from fugue_tui.ids import PaneId

SHOWN_SECONDS: Final = 5.0
"""How long a tag is shown in the frame of its pane."""


class SidebandGrant(Struct, frozen=True):
    """The user's permission for a pane to print tags."""

    until: float | None = None
    """When it ends, on the multiplexer's clock; None for when the pane's program ends."""
    typing: bool = False
    """Whether answers may be typed into the pane."""


class SidebandStatus(Struct, frozen=True):
    """Whether a pane's output is parsed for tags."""

    parsed: bool
    reason: str
    """Why, or why not."""


class SidebandAccess:
    """Trust in panes' tags, and what tags have done."""

    def __init__(self, clock: Callable[[], float], agents: Mapping[PaneId, str]) -> None:
        """`agents` are the agents that run in the foreground, by pane."""
        self.settings = CommunicationSettings()
        self.enabled = True
        """Whether tags are parsed at all; a key of the user turns that off and on."""
        self.grants: dict[PaneId, SidebandGrant] = {}
        self.revoked: set[PaneId] = set()
        """The panes that the user does not trust, whatever runs there."""
        self.mcp: Counter[PaneId] = Counter()
        """The MCP sessions that came out of each pane."""
        self.spawned: dict[PaneId, PaneId] = {}
        """The panes that tags have opened, and the panes that printed those."""
        self.notes: dict[PaneId, str] = {}
        """What a pane's newest tag did, while that is shown in its frame."""
        self.changed: Callable[[PaneId], None] = lambda pane: None
        """Called when a pane may be trusted from now on, or not any more."""
        self._clock, self._agents = clock, agents
        self._keys: dict[PaneId, str] = {}
        self._folder = os.path.join(sockets.runtime_dir(), f"replies-{os.getpid()}")

    def status(self, pane: PaneId, name: str) -> SidebandStatus:
        """Whether a pane of this name is parsed, and why."""
        if not self.enabled:
            return SidebandStatus(False, "the sideband is turned off")
        if not self.settings.sideband_enabled:
            return SidebandStatus(False, "[claude.communication] sideband_enabled = false")
        reason = self._trust(pane, name)
        if not reason:
            revoked = "revoke-sideband was run for it" if pane in self.revoked else ""
            return SidebandStatus(False, revoked or "it is no agent, and grant-sideband was not run for it")
        if self.mcp[pane] and self.settings.prefer == "mcp":
            return SidebandStatus(False, 'its program uses MCP, and [claude.communication] prefer = "mcp"')
        return SidebandStatus(True, reason)

    def _trust(self, pane: PaneId, name: str) -> str:
        """Why a pane is trusted; empty if it is not."""
        grant = self.grants.get(pane)
        if grant is not None and grant.until is not None and self._clock() >= grant.until:
            del self.grants[pane]
            grant = None
        if grant is not None:
            left = "" if grant.until is None else f" for {max(1, round(grant.until - self._clock()))} s"
            return f"granted by the user{left}"
        if pane in self.revoked:
            return ""
        if name and name in self.settings.panes:
            return "named in [claude.communication] panes"
        agent = self._agents.get(pane, "")
        return f"the agent {agent} runs there" if agent else ""

    def key(self, pane: PaneId) -> str:
        """The key that a pane's program has in its environment; empty if it was started before there were any."""
        return self._keys.get(pane, "")

    def environment(self, pane: PaneId) -> dict[str, str]:
        """The variables of a pane's new program, with a new key."""
        self._keys[pane] = os.urandom(6).hex()
        return {"FUGUE_SIDEBAND_KEY": self._keys[pane], "FUGUE_SIDEBAND_REPLY": self.reply_file(pane)}

    def reply_file(self, pane: PaneId, name: str = "reply") -> str:
        """Where answers to a pane's tags are written."""
        return os.path.join(self._folder, str(pane)[1:], f"{name}.json")

    def end_program(self, pane: PaneId) -> None:
        """A pane's program has ended: what was granted to it ends."""
        self.revoked.discard(pane)
        if self.grants.pop(pane, None) is not None:
            self.changed(pane)

    def end_pane(self, pane: PaneId) -> None:
        """A pane was closed."""
        self.end_program(pane)
        for known in (self._keys, self.spawned, self.notes):
            known.pop(pane, None)

    def mcp_session(self, pane: PaneId, count: int) -> None:
        """An MCP session came out of a pane (1), or has ended (-1)."""
        self.mcp[pane] += count
        if not self.mcp[pane]:
            del self.mcp[pane]
        self.changed(pane)

    def close(self) -> None:
        """Delete the answers. Blocks."""
        shutil.rmtree(self._folder, ignore_errors=True)
