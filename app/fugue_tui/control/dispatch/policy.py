"""Access policy: whether a caller may do what a command does, by who calls, the effect, and whose the panes are.

The user, and the user's command line outside of panes, may do everything. For all others the `[mcp]` rules hold:
`allow`, `refuse`, or `ask`, which lets a caller do what it likes in its own pane and in panes that it opened, and asks
the user about everything else.
"""

from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from fugue_tui.config.model import McpSettings, SecuritySettings
from fugue_tui.config.values import toml
from fugue_tui.control.core.command import Command, Effect, Interface, Origin, StartedCommand
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.access import command_rules
from fugue_tui.multiplexer.access.grants import Grant, Grantee
from fugue_tui.multiplexer.author import Kind
from fugue_tui.sanitize import quoted


class Decision(StrEnum):
    """The policy's decision on a request, the strictest last."""

    ALLOW = "allow"
    ASK = "ask"
    REFUSE = "refuse"


class Judgement(Struct, frozen=True):
    """The decision on one effect of a call."""

    effect: str
    """An `Effect`, or one on an MCP server: `server_effect`."""
    decision: Decision
    reason: str
    """Why, in words for the user."""
    panes: tuple[PaneId, ...] = ()
    """With `ASK`, the panes that the caller did not open."""
    always_asks: bool = False
    """With `ASK`, whether no grant can answer for the user."""


_RULES: Final = ("trust", *Effect, "tcp")
"""The keys of `[mcp]` that are rules."""
STRICTNESS: Final = (Decision.ALLOW, Decision.ASK, Decision.REFUSE)
WORKSPACE_EFFECTS: Final = frozenset((Effect.ADMIN, Effect.CLIPBOARD))
"""Effects that concern no single pane."""
_OPENS: Final = frozenset((Effect.INPUT, Effect.RUN))
"""Effects that without a target happen in a pane that the call opens."""
_OTHERWISE: Final = {
    Kind.PROGRAM: "what programs print may not act on the workspace",
    Kind.MONITOR: "the rules by which the agent is monitored",
}
"""Why something else is decided about a kind of caller than `[mcp]` says."""
_NO_LIMITS: Final = SecuritySettings()


def rule(permissions: McpSettings, kind: Kind, effect: Effect) -> Decision:
    """The rule for a kind of caller and an effect."""
    if kind.acts_for_user:
        return Decision.ALLOW
    decision = Decision(getattr(permissions, effect))
    if kind is Kind.MONITOR:  # Its rules are the approval.
        refused = decision is Decision.REFUSE or effect in WORKSPACE_EFFECTS
        return Decision.REFUSE if refused else Decision.ALLOW
    if kind is Kind.PROGRAM and effect not in (Effect.READ, Effect.LAYOUT):
        return Decision.REFUSE if decision is Decision.REFUSE or effect in WORKSPACE_EFFECTS else Decision.ASK
    return Decision.ALLOW if decision is Decision.ASK and permissions.trust == "full" else decision


def loosened(old: McpSettings, new: McpSettings) -> tuple[str, ...]:
    """The rules that another configuration would loosen, a line each."""
    rules = ((f"[mcp] {name}", getattr(old, name), getattr(new, name)) for name in _looser_rules(old, new))
    limits = (
        (f"[mcp.security] {name}", getattr(old.security, name), getattr(new.security, name))
        for name in _looser_limits(old.security, new.security)
    )
    return tuple(f"{name} = {_shown(after)} (it is {_shown(before)})" for name, before, after in (*rules, *limits))


def tightened(old: McpSettings, new: McpSettings) -> McpSettings:
    """Another configuration without what it would loosen."""
    limits = {name: getattr(old.security, name) for name in _looser_limits(old.security, new.security)}
    rules = {name: getattr(old, name) for name in _looser_rules(old, new)}
    return replace(new, security=replace(new.security, **limits), **rules)


def _looser_rules(old: McpSettings, new: McpSettings) -> tuple[str, ...]:
    rules = tuple(name for name in _RULES if _laxity(getattr(new, name)) > _laxity(getattr(old, name)))
    return (*rules, "audit_required") if old.audit_required and not new.audit_required else rules


def _looser_limits(old: SecuritySettings, new: SecuritySettings) -> Iterator[str]:
    """The keys of `[mcp.security]` that allow something more; a list that changes both ways is one."""
    for name in ("allowed_commands", "allowed_directories"):
        before, after = set(getattr(old, name)), set(getattr(new, name))
        if before and (not after or after - before):
            yield name
    if set(old.dangerous_patterns) - set(new.dangerous_patterns):
        yield "dangerous_patterns"
    before_ms, after_ms = old.command_timeout_ms, new.command_timeout_ms
    if before_ms and (not after_ms or after_ms > before_ms):
        yield "command_timeout_ms"
    if new.max_panes > old.max_panes:
        yield "max_panes"


def judge(
    mux: Multiplexer, command: Command[Any], origin: Origin, targets: tuple[PaneId, ...] | None = None
) -> tuple[Judgement, ...]:
    """The decision on each effect of a call; `targets` are its targets if they are known. Raises what resolving them
    raises."""
    if origin.kind.acts_for_user:
        return ()
    if command.user_only:
        return tuple(Judgement(each, Decision.REFUSE, "only the user may do this") for each in sorted(command.effects))
    if command.mcp_server:
        return tuple(_judged_server(mux, command, origin))
    found = tuple(_judged_effects(mux, command, origin, targets))
    if mux.permissions.security == _NO_LIMITS or any(each.decision is Decision.REFUSE for each in found):
        return found
    return (*found, *_limited(mux.permissions.security, command.started(mux, origin)))


def server_effect(server: str, effect: Effect) -> str:
    """An effect by an MCP server, as it is granted."""
    return f"{effect} by MCP server {server}"


def grantee(origin: Origin) -> Grantee:
    """The caller as grants know it."""
    program = quoted(origin.program) if origin.program else "a program"
    place = f"in {origin.pane}" if origin.pane is not None else "that left its pane" if origin.inside else "outside"
    # Another program of the pane is another client; a command line is started anew each time.
    owner = origin.process if origin.interface is Interface.MCP and origin.process else origin.owner
    return Grantee(owner, origin.executable, f"{program} {place}", origin.source)


def is_made_by(mux: Multiplexer, pane: PaneId, owner: str) -> bool:
    """Whether a pane is the caller's own, or was opened by it or from a pane that it opened."""
    seen = set[str]()
    while (name := str(pane)) not in seen:
        if name == owner:
            return True
        seen.add(name)
        opener = mux.owners.get(pane, "")
        if opener == owner and owner:
            return True
        if not opener.startswith("%"):
            return False
        pane = PaneId(opener[1:])
    return False


def _are_partners(mux: Multiplexer, origin: Origin, panes: Iterable[PaneId]) -> bool:
    """Whether an agent may type into panes as a member of their team."""
    own = origin.pane if origin.kind is Kind.AGENT else None
    return own is not None and mux.agents.partners(own).issuperset(panes)


def _shown(value: object) -> str:
    return ascii(value) if isinstance(value, str) else toml(value)


def _laxity(word: str | bool) -> int:
    """How much a rule's word allows."""
    return int(word) if isinstance(word, bool) else ("refuse", "ask", "allow", "full").index(word)


def _limited(security: SecuritySettings, started: Iterable[StartedCommand]) -> Iterator[Judgement]:
    """What `[mcp.security]` says about the programs and lines of a call. Directories of programs are checked when they
    start."""
    for each in started:
        reason = command_rules.refusal(security, each.command, each.env)
        if not reason and each.cwd:
            reason = command_rules.resolved_directory(security, each.cwd)[1]
        if reason:
            yield Judgement(Effect.RUN, Decision.REFUSE, reason)
        elif reason := command_rules.danger(security, each.command):
            yield Judgement(Effect.RUN, Decision.ASK, reason, always_asks=True)


def _judged_effects(
    mux: Multiplexer, command: Command[Any], origin: Origin, targets: tuple[PaneId, ...] | None
) -> Iterator[Judgement]:
    rules = {effect: rule(mux.permissions, origin.kind, effect) for effect in sorted(command.effects)}
    if targets is None:
        targets = command.targets(mux, origin) if Decision.ASK in rules.values() else ()
    others = tuple(dict.fromkeys(pane for pane in targets if not is_made_by(mux, pane, origin.owner)))
    kept = origin.kind is Kind.PROGRAM and any(pane in others or pane == origin.pane for pane in targets)
    about = f"in {', '.join(map(str, others))}, which the caller did not open" if others else "for the workspace"
    for effect, decision in rules.items():
        if effect is Effect.INPUT and decision is Decision.ASK and others and _are_partners(mux, origin, others):
            yield Judgement(effect, Decision.ALLOW, "they are in its team, whose file lets it type to them")
        elif effect is Effect.DESTROY and kept:
            yield Judgement(effect, Decision.REFUSE, "what a program prints may end only panes that it opened")
        elif decision is not Decision.ASK:
            reason = f"[mcp] {effect} = {decision.value!a}"
            if getattr(mux.permissions, effect) != decision:
                reason = _OTHERWISE.get(origin.kind, '[mcp] trust = "full"')
            yield Judgement(effect, decision, reason)
        elif effect not in WORKSPACE_EFFECTS and not others and (targets or effect in _OPENS):
            yield Judgement(effect, Decision.ALLOW, "it is the caller's own pane, or one that the caller opened")
        elif grant := mux.grants.covering(grantee(origin), effect, others):
            yield Judgement(effect, Decision.ALLOW, f"grant {grant.id} ({grant.scope})")
        else:
            yield Judgement(effect, Decision.ASK, f"[mcp] {effect} = 'ask', {about}", others)


def _server_grant(mux: Multiplexer, origin: Origin, server: str, effect: Effect) -> Grant | None:
    """The grant for an effect by a server; whoever may do anything but destroy may read too."""
    effects = (Effect.READ, Effect.RUN) if effect is Effect.READ else (effect,)
    found = (mux.grants.covering(grantee(origin), server_effect(server, each), ()) for each in effects)
    return next((grant for grant in found if grant is not None), None)


def _judged_server(mux: Multiplexer, command: Command[Any], origin: Origin) -> Iterator[Judgement]:
    """The decision on the use of an MCP server: by its own rule for agents, and by that for what the call does."""
    server = command.mcp_server
    agents = Decision(mux.mcp_servers.find(server).settings.agents)
    trusts = mux.permissions.trust == "full"
    for effect in sorted(command.effects_in(mux)):
        decision, named = rule(mux.permissions, origin.kind, effect), server_effect(server, effect)
        if origin.kind in _OTHERWISE:
            yield Judgement(named, Decision.REFUSE, _OTHERWISE[origin.kind])
        elif Decision.REFUSE in (agents, decision):
            where = f"[mcp.servers.{server}] agents" if agents is Decision.REFUSE else f"[mcp] {effect}"
            yield Judgement(named, Decision.REFUSE, f"{where} = 'refuse'")
        elif trusts or (agents is Decision.ALLOW and (effect is not Effect.DESTROY or decision is Decision.ALLOW)):
            reason = '[mcp] trust = "full"' if trusts else f"[mcp.servers.{server}] agents = 'allow'"
            yield Judgement(named, Decision.ALLOW, reason)
        elif grant := _server_grant(mux, origin, server, effect):
            yield Judgement(named, Decision.ALLOW, f"grant {grant.id} ({grant.scope})")
        else:
            rule_words = f"[mcp.servers.{server}] agents = {agents.value!a}"
            yield Judgement(named, Decision.ASK, f"{rule_words}, {effect} = {decision.value!a}")
