"""Who types: take panes over from agents, freeze their input, and list the last authors of a pane."""

from msgspec import Struct

from fugue_tui.control.core import target
from fugue_tui.control.core.command import Command, Effect, Origin, Toolset
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.author import Kind
from fugue_tui.sanitize import clean


class HeldPane(Struct, frozen=True):
    """A pane, and whether the user has taken it over."""

    pane: str
    """The pane's id."""
    held: bool
    """Whether input of agents is refused there until the pane is handed over."""


class AgentsFrozen(Struct, frozen=True):
    """Whether agents may type anywhere."""

    frozen: bool
    """Whether all input of agents is refused."""


class TypedBy(Struct, frozen=True):
    """Consecutive inputs of one author."""

    kind: Kind
    """user, script (the command line outside of panes), agent, or program (in a pane)."""
    client: str
    """The agent's name for itself: untrusted; empty for others."""
    pane: str | None
    """The author's own pane; null outside of panes."""
    pid: int | None
    """The author's process; null for the user, or if unknown."""
    count: int
    """How many keys, texts and pastes."""
    seconds_ago: float
    """When the last of them was typed."""


class Authors(Struct, frozen=True):
    """The last authors of a pane."""

    pane: str
    """The pane's id."""
    held: bool
    """Whether the user has taken the pane over."""
    frozen: bool
    """Whether all input of agents is refused."""
    authors: tuple[TypedBy, ...]
    """Who typed, the last author first; at most 16, since the pane's program was started."""


class TakePane(Command[HeldPane], name="take-pane", effect=Effect.ADMIN, toolset=Toolset.SESSIONS, repeatable=True):
    """Take a pane over: input of agents is refused there until hand-over-pane."""

    pane: str = target.ACTIVE
    """The pane: an id, a name, or active for your own."""

    def run(self, mux: Multiplexer, origin: Origin) -> HeldPane:
        """The pane, held."""
        pane = target.pane(mux, self.pane, origin)
        mux.lease.take(pane)
        return HeldPane(str(pane), held=True)


class HandOverPane(Command[HeldPane], name="hand-over-pane", effect=Effect.ADMIN, user_only=True, repeatable=True):
    """Hand a pane over to agents, with what was typed there and not entered."""

    pane: str = target.ACTIVE
    """The pane: an id, a name, or active for your own."""

    def run(self, mux: Multiplexer, origin: Origin) -> HeldPane:
        """The pane, not held."""
        pane = target.pane(mux, self.pane, origin)
        mux.count_user_input(pane)
        mux.lease.hand_over(pane)
        return HeldPane(str(pane), held=False)


class FreezeAgents(
    Command[AgentsFrozen], name="freeze-agents", effect=Effect.ADMIN, toolset=Toolset.SESSIONS, repeatable=True
):
    """Refuse all input of agents, in every pane, until release-agents; they end nothing and take no focus either."""

    def run(self, mux: Multiplexer, origin: Origin) -> AgentsFrozen:
        """Frozen."""
        mux.lease.frozen = True
        return AgentsFrozen(frozen=True)


class ReleaseAgents(Command[AgentsFrozen], name="release-agents", effect=Effect.ADMIN, user_only=True, repeatable=True):
    """Accept the input of agents again after freeze-agents."""

    def run(self, mux: Multiplexer, origin: Origin) -> AgentsFrozen:
        """Not frozen."""
        mux.lease.frozen = False
        return AgentsFrozen(frozen=False)


class WhoTyped(Command[Authors], name="who-typed", effect=Effect.READ, toolset=Toolset.READING):
    """List who typed into a pane: the user, scripts, agents, programs in other panes."""

    pane: str = target.ACTIVE
    """The pane: an id, a name, or active for your own."""

    def run(self, mux: Multiplexer, origin: Origin) -> Authors:
        """The last authors. Raises NotFound."""
        pane = target.pane(mux, self.pane, origin)
        mux.count_user_input(pane)
        log, now = mux.pane_reports[pane].input, mux.clock()
        authors = [
            TypedBy(
                kind=entry.author.kind,
                client=clean(entry.author.client, 64),
                pane=str(entry.author.pane) if entry.author.pane is not None else None,
                pid=entry.author.pid,
                count=entry.count,
                seconds_ago=round(max(0.0, now - entry.at), 1),
            )
            for entry in reversed(log.entries)
        ]
        return Authors(str(pane), mux.lease.is_taken(pane), mux.lease.frozen, tuple(authors))
