"""Access policy: a table of origin and effect.

It limits MCP clients, sideband requests, and command lines that come out of a pane: an agent has a shell there.
"""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from msgspec import Struct, field

from fugue_tui.control.core.command import Door, Effect, Origin
from fugue_tui.errors import ConfigError


class Decision(StrEnum):
    """The policy's decision on a request."""

    ALLOW = "allow"
    REFUSE = "refuse"


AGENTS: Final[Mapping[Effect, Decision]] = MappingProxyType(dict.fromkeys(Effect, Decision.ALLOW))
"""What agents may do over MCP by default."""
PROGRAMS: Final[Mapping[Effect, Decision]] = MappingProxyType(
    {
        Effect.READ: Decision.ALLOW,
        Effect.LAYOUT: Decision.ALLOW,
        Effect.INPUT: Decision.REFUSE,
        Effect.RUN: Decision.REFUSE,
        Effect.DESTROY: Decision.REFUSE,
        Effect.ADMIN: Decision.REFUSE,
    }
)
"""What a program may do by sideband requests in its output."""


class Policy(Struct, frozen=True):
    """The table in force; the user, and the user's command line outside of panes, may do everything."""

    agents: Mapping[Effect, Decision] = field(default_factory=lambda: AGENTS)

    def decide(self, origin: Origin, effect: Effect) -> Decision:
        """Whether this origin may run commands of this effect."""
        match origin.door:
            case Door.MCP:
                return self.agents[effect]
            case Door.SIDEBAND:
                return Decision.REFUSE if self.agents[effect] is Decision.REFUSE else PROGRAMS[effect]
            case Door.CLI if origin.inside:
                return self.agents[effect]
            case _:
                return Decision.ALLOW


def policy(rules: Mapping[str, str]) -> Policy:
    """A policy from the configuration's `[mcp]` rules, such as `{"destroy": "refuse"}`. Raises ConfigError."""
    agents = dict(AGENTS)
    for name, word in rules.items():
        if name not in set(Effect):
            raise ConfigError(f"[mcp] {name}: no such effect; there are {', '.join(Effect)}")
        if word not in set(Decision):
            raise ConfigError(f"[mcp] {name}: {word!a} is not {' or '.join(Decision)}")
        agents[Effect(name)] = Decision(word)
    return Policy(MappingProxyType(agents))
