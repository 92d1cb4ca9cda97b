"""Panes that wait: what each would run, what it is told under its old text, and whether that text is there yet."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Offer:
    """What a pane that waits would run."""

    argv: tuple[str, ...] | None = None
    """What Enter runs instead of the pane's own program, once; None for its own."""
    words: str = ""
    """What is said to be run: untrusted text; empty for a shell."""
    shell: bool = False
    """Whether Escape starts a shell in its stead."""
    told: tuple[str, ...] = ()
    """What else the person should know of the pane, a line each."""
    starts: bool = False
    """Whether it starts by itself once its old text is there."""

    @property
    def call(self) -> str:
        """What the keys do, for people."""
        again = f"press Enter to run again: {self.words}" if self.words else "press Enter to start a shell"
        return f"{again} · Escape starts only a shell" if self.shell else again


@dataclass(slots=True)
class Waiting:
    """A pane that waits. Main thread only."""

    offer: Offer
    wanted: bool = False
    """Whether it is to start as soon as its old text is there."""
    pending: bool = False
    """Whether its old text is still to come."""
    env: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
