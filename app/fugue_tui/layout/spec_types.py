"""Layout specifications: layouts whose panes do not exist yet. The annotations say what of them can be written."""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Annotated, Any, Final, Literal, TypeAlias

from msgspec import Struct, field

from fugue_tui.geometry import Axis
from fugue_tui.sanitize import clean
from fugue_tui.validation.annotations import Record
from fugue_tui.validation.field_types import (
    Bounds,
    Choice,
    Integer,
    ListOf,
    Number,
    OneOf,
    Refined,
    Table,
    Text,
    WrongKind,
)

MAX_TAG: Final = 64
"""Most characters of a tag."""

_WORD: Final = Text(Bounds(le=1 << 16), nul=False)
_ENTRIES: Final = 1024
"""Most arguments of a command, or variables of a pane."""


def argv_fault(argv: Sequence[str]) -> str:
    """Why a program's arguments are invalid; empty if they are valid."""
    return "must name a program first" if argv and not argv[0] else ""


def variable_fault(name: str) -> str:
    """Why a name is not that of an environment variable; empty if it is."""
    return "" if name and "=" not in name else "is not a variable's name"


def _tag_fault(tag: str) -> str:
    return "" if tag and len(tag) <= MAX_TAG and clean(tag) == tag else f"must be 1 to {MAX_TAG} printable characters"


def _distinct(tags: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(tags))


_ARGV: Final = Refined(ListOf(_WORD, bounds=Bounds(ge=1, le=_ENTRIES)), argv_fault)
_ENV: Final = Table(_WORD, Refined(_WORD, variable_fault), Bounds(le=_ENTRIES))
_TAGS: Final = ListOf(Refined(_WORD, _tag_fault), _distinct, Bounds(le=32))

Word: TypeAlias = Annotated[str, _WORD]
"""Text that can be passed to a program."""


class _Extent(OneOf):
    """Cells (40, "40"), or a share of the window (0.5, "0.5", "50%")."""

    def __init__(self) -> None:
        super().__init__(
            (Integer(Bounds(ge=0, le=10_000), strict=True), Number(Bounds(ge=0, le=1)), Text(Bounds(le=16)))
        )
        self.words = "cells, such as 40, or a share of the window, such as 50% or 0.5"

    def check(self, value: Any, where: str) -> int | float:
        found = super().check(value, where)
        if not isinstance(found, str):
            return found
        try:
            return self.check(_number(found.strip()), where)
        except ValueError:
            raise WrongKind(where, value, self.words) from None


def _number(text: str) -> int | float:
    if text.endswith("%"):
        return float(text[:-1]) / 100
    return float(text) if "." in text else int(text)


Extent: TypeAlias = Annotated[int | float, _Extent()]
"""A length: cells if it is an int, a share of the window's width or height, 0.0 to 1.0, if it is a float."""


class PaneSpec(Struct, frozen=True):
    """A pane to be opened."""

    command: Annotated[
        str | tuple[str, ...],
        Refined(OneOf((_WORD, _ARGV)), words="a string for the shell or a list of arguments"),
    ] = ""
    """A line for the shell, or a program and its arguments; empty for the login shell."""
    cwd: Word = ""
    name: Word = ""
    env: Annotated[Mapping[str, str], Refined(_ENV, make=MappingProxyType)] = field(
        default_factory=lambda: MappingProxyType({})
    )
    on_exit: Annotated[
        Literal["", "close", "keep", "always"],
        Refined(Choice.of(("close", "keep", "always", "")), words="close, keep or always"),
    ] = ""
    """Empty for the default."""
    tags: Annotated[tuple[str, ...], _TAGS] = ()
    focus: bool = False
    """Whether it has the focus in its window; at most one pane of a window."""


class SplitSpec(Struct, frozen=True):
    """A split to be created: at least two children, with a positive weight each."""

    axis: Axis
    children: tuple["Spec", ...]
    weights: tuple[int, ...]
    stacked: bool = False
    """Whether its children, panes of a column, share one place."""


Spec: TypeAlias = PaneSpec | SplitSpec

SHARE: Final = 0.6
"""The default share of the window's width and height that a floating pane has."""


class FloatSpec(Struct, frozen=True):
    """A floating pane to be opened: where its frame is in the window, and how large. What does not fit is clamped."""

    pane: Annotated[PaneSpec, Record(PaneSpec)] = PaneSpec()
    cols: Extent = SHARE
    rows: Extent = SHARE
    x: Extent | None = None
    """None for the middle."""
    y: Extent | None = None
    """The same."""
    hidden: bool = False
    zoom: bool = False
    """Whether it fills the window while it has the focus."""


class LayersSpec(Struct, frozen=True):
    """Tiles to be created, with at least one pane that floats over them."""

    tiled: Spec
    floats: tuple[FloatSpec, ...]


LayoutSpec: TypeAlias = Spec | LayersSpec


def leaves(spec: LayoutSpec) -> Iterator[PaneSpec]:
    """The panes of a specification, in reading order, and then those that float."""
    match spec:
        case LayersSpec(below, over):
            yield from leaves(below)
            yield from (each.pane for each in over)
        case PaneSpec():
            yield spec
        case SplitSpec(_, children):
            for child in children:
                yield from leaves(child)
