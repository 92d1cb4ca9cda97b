"""Layout specifications: layouts whose panes do not exist yet."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, TypeAlias

from fugue_tui.geometry import Axis


@dataclass(frozen=True, slots=True)
class PaneSpec:
    """A pane to be opened."""

    command: str | tuple[str, ...] = ""
    """A line for the shell, or a program and its arguments; empty for the login shell."""
    cwd: str = ""
    name: str = ""
    env: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    on_exit: Literal["", "close", "keep"] = ""
    """Empty for the default."""
    tags: tuple[str, ...] = ()
    focus: bool = False
    """Whether it has the focus in its window; at most one pane of a window."""


@dataclass(frozen=True, slots=True)
class SplitSpec:
    """A split to be created: at least two children, with a positive weight each."""

    axis: Axis
    children: tuple["Spec", ...]
    weights: tuple[int, ...]


Spec: TypeAlias = PaneSpec | SplitSpec


def leaves(spec: Spec) -> Iterator[PaneSpec]:
    """The panes of a specification, in reading order."""
    match spec:
        case PaneSpec():
            yield spec
        case SplitSpec(_, children, _):
            for child in children:
                yield from leaves(child)
