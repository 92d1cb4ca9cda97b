"""Types of fields that are read from a save: what of a value is valid, and what it becomes."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, Final, TypeAlias

from fugue_tui import sanitize
from fugue_tui.geometry import Size
from fugue_tui.ids import PaneId, WindowId
from fugue_tui.layout.spec_types import argv_fault, variable_fault
from fugue_tui.validation.field_types import Anything, Bounds, Integer, ListOf, Refined, Table, Text
from fugue_tui.workspace import names

LARGEST_ID: Final = 1 << 31
"""Larger ids are invalid."""

_MOST: Final = Bounds(le=1 << 16)
"""The number of arguments, variables, tags or names of one pane."""
_LINE: Final = Text(Bounds(le=1 << 18), nul=False, escapes=True)
_LINES: Final = ListOf(_LINE, bounds=_MOST)
_ANY_TEXT: Final = Text(escapes=True)
_ID: Final = Integer(Bounds(ge=1, le=LARGEST_ID))
_SIDE: Final = Integer(Bounds(ge=1, le=1 << 15))


def _size(sides: list[int]) -> Size:
    return Size(*sides)


METADATA: Final = Table(Anything(_ANY_TEXT), _ANY_TEXT)

Line: TypeAlias = Annotated[str, _LINE]
"""Text that the system accepts; Linux allows half of its length for an argument."""
Lines: TypeAlias = Annotated[tuple[str, ...], _LINES]
Name: TypeAlias = Annotated[str, Refined(_LINE, make=names.clean)]
Title: TypeAlias = Annotated[str, Refined(_LINE, make=sanitize.clean)]
Argv: TypeAlias = Annotated[tuple[str, ...], Refined(_LINES, argv_fault)]
Environment: TypeAlias = Annotated[
    Mapping[str, str], Refined(Table(_LINE, Refined(_LINE, variable_fault), _MOST), make=MappingProxyType)
]
Projects: TypeAlias = Annotated[Mapping[str, str], Refined(Table(_LINE, _LINE, _MOST), make=MappingProxyType)]
"""Directories by the paths of project files."""
Tags: TypeAlias = Annotated[frozenset[str], ListOf(_LINE, frozenset, _MOST)]
Metadata: TypeAlias = Annotated[Mapping[str, Any], Refined(METADATA, make=MappingProxyType)]
SavedPaneId: TypeAlias = Annotated[PaneId, Refined(_ID, make=PaneId)]
SavedWindowId: TypeAlias = Annotated[WindowId, Refined(_ID, make=WindowId)]
SavedSize: TypeAlias = Annotated[Size, ListOf(_SIDE, _size, Bounds(ge=2, le=2))]
