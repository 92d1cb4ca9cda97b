"""Show who may do what, and explain it for one call."""

from msgspec import Struct

from fugue_tui.control.core import target
from fugue_tui.control.core.command import Command, Effect, Interface, Origin, Toolset
from fugue_tui.control.dispatch.policy import STRICTNESS, WORKSPACE_EFFECTS, Decision, judge, rule
from fugue_tui.control.schema import command_line
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.author import Kind

_INTERFACES = {
    Kind.USER: Interface.KEY,
    Kind.SCRIPT: Interface.CLI,
    Kind.PROGRAM: Interface.SIDEBAND,
    Kind.MONITOR: Interface.MONITOR,
}
_MEANINGS = {
    Effect.READ: "see panes, their text and the layout",
    Effect.LAYOUT: "open shells, arrange and name panes and windows",
    Effect.INPUT: "type into a program",
    Effect.RUN: "start a program of its own choice",
    Effect.DESTROY: "end programs, close panes, delete saves",
    Effect.CLIPBOARD: "see and change what was copied",
    Effect.ADMIN: "detach terminals, rename or end the workspace, write layout files",
}


class PolicyRow(Struct, frozen=True):
    """Who may do one thing."""

    effect: Effect
    """What is done."""
    user: Decision
    """The user, and scripts outside of panes."""
    own_panes: Decision
    """Agents, in their own panes and in those that they opened."""
    other_panes: Decision
    """Agents, in all other panes and to the workspace."""
    output: Decision
    """Programs, by sequences in their output."""
    meaning: str
    """What it means."""


class PolicyTable(Struct, frozen=True):
    """The policy in force."""

    rules: tuple[PolicyRow, ...]
    """One for each effect."""
    trust: str
    """[mcp] trust: full means that agents are never asked about."""
    ask_seconds: int
    """How long a question waits for the user."""


class EffectDecision(Struct, frozen=True):
    """The decision on one effect of a call."""

    effect: str
    """What the call does."""
    decision: Decision
    """Whether it may."""
    reason: str
    """Why."""


class Explanation(Struct, frozen=True):
    """What would be decided about a call."""

    decision: Decision
    """The strictest of all."""
    command: str
    """The call."""
    effects: tuple[EffectDecision, ...]
    """The decision on each of its effects; empty for the user, who may do everything."""


class ShowPolicy(Command[PolicyTable], name="show-policy", effect=Effect.READ, toolset=Toolset.SESSIONS):
    """Show who may do what in this workspace, as a table."""

    def run(self, mux: Multiplexer, origin: Origin) -> PolicyTable:
        """The table."""
        return PolicyTable(
            tuple(_row(mux, effect) for effect in Effect), mux.permissions.trust, mux.permissions.ask_seconds
        )


class ExplainPolicy(Command[Explanation], name="explain-policy", effect=Effect.READ, toolset=Toolset.SESSIONS):
    """Explain whether a call would be allowed, asked about or refused, and why; it is not run."""

    call: str
    """The call as on the command line, such as: close-pane %3."""
    caller: Kind = Kind.AGENT
    """Who makes it."""
    pane: str = ""
    """The pane that the caller came out of; omitted, your own."""

    def run(self, mux: Multiplexer, origin: Origin) -> Explanation:
        """The decision. Raises what the call would raise for its words and its targets."""
        command = command_line.command(self.call)
        pane = target.pane(mux, self.pane, origin) if self.pane else origin.pane
        if self.pane or self.caller is not origin.kind:
            interface = _INTERFACES.get(self.caller, Interface.MCP)
            away = self.caller is not Kind.AGENT
            origin = Origin(interface, None if away else pane, inside=not away, process=origin.process)
        found = judge(mux, command, origin)
        strictest = max((each.decision for each in found), key=STRICTNESS.index, default=Decision.ALLOW)
        effects = tuple(EffectDecision(each.effect, each.decision, each.reason) for each in found)
        return Explanation(strictest, " ".join(command_line.format(command)), effects)


def _row(mux: Multiplexer, effect: Effect) -> PolicyRow:
    others = rule(mux.permissions, Kind.AGENT, effect)
    asks_always = others is Decision.ASK and effect in WORKSPACE_EFFECTS
    return PolicyRow(
        effect=effect,
        user=Decision.ALLOW,
        own_panes=Decision.ALLOW if others is Decision.ASK and not asks_always else others,
        other_panes=others,
        output=rule(mux.permissions, Kind.PROGRAM, effect),
        meaning=_MEANINGS[effect],
    )
