"""Who may do what: a table of origin and effect.

It bounds agents that speak to Fugue. A program in a pane runs as the person who started it: a shell is a shell.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from fugue_tui.control.core.command import Door, Effect, Origin
from fugue_tui.errors import ConfigError


class Decision(StrEnum):
    """What becomes of a request."""

    ALLOW = "allow"
    REFUSE = "refuse"


AGENTS: Final[Mapping[Effect, Decision]] = MappingProxyType(dict.fromkeys(Effect, Decision.ALLOW))
"""What agents may do by MCP unless the configuration says otherwise."""
PROGRAMS: Final[Mapping[Effect, Decision]] = MappingProxyType(
    {
        Effect.READ: Decision.ALLOW,
        Effect.LAYOUT: Decision.ALLOW,
        Effect.INPUT: Decision.REFUSE,
        Effect.DESTROY: Decision.REFUSE,
    }
)
"""What a program may do by what it prints."""


@dataclass(frozen=True, slots=True)
class Policy:
    """The table in force; a person's own hand and the command line may do everything."""

    agents: Mapping[Effect, Decision] = field(default_factory=lambda: AGENTS)

    def decide(self, origin: Origin, effect: Effect) -> Decision:
        """Whether this origin may do things of this effect."""
        match origin.door:
            case Door.MCP:
                return self.agents[effect]
            case Door.SIDEBAND:
                return Decision.REFUSE if self.agents[effect] is Decision.REFUSE else PROGRAMS[effect]
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
