"""Layouts with a name, for any number of panes.

    single            one pane
    split_horizontal  two side by side
    split_vertical    two stacked
    grid_2x2          two rows of two
    main_left ...     the main pane on that side, the others lined up along it; three by itself
    even_horizontal   all side by side
    even_vertical     all stacked
    tiled             as square a grid as the number allows
    stacked           all in one place, one expanded and the others as titles

The first four open so many panes and no more; a window that has more is tiled, lined up or put into rows of two.
Hyphens do for underscores, and tmux's `main-vertical` and `main-horizontal` are `main_left` and `main_top`.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise
from math import ceil, isqrt
from types import MappingProxyType
from typing import NamedTuple

from fugue_tui.errors import InvalidArgument
from fugue_tui.geometry import Axis, Rect, Side, Size
from fugue_tui.ids import PaneId
from fugue_tui.layout.edit import exact_share
from fugue_tui.layout.tree import MAX_PANES, Layout, Leaf, Node, Split, join, panes, stack, tiled, with_tiled

MAIN_SHARE = 0.6
"""The default share of the main pane of a `main_` preset."""
MAIN_SHARE_EXACT = Fraction(3, 5)
COMFORTABLE = Size(40, 8)
"""The size below which `automatic` puts panes elsewhere."""


class _Preset(NamedTuple):
    """How a preset arranges panes, its default number of panes (None: as many as are given) and its largest (None:
    any)."""

    arrange: Callable[[Sequence[PaneId]], Node]
    places: int | None
    most: int | None = None
    main: Side | None = None


def row(order: Sequence[PaneId]) -> Node:
    """All side by side, evenly."""
    return _line(Axis.HORIZONTAL, order)


def column(order: Sequence[PaneId]) -> Node:
    """All stacked, evenly."""
    return _line(Axis.VERTICAL, order)


def grid(order: Sequence[PaneId], cols: int) -> Node:
    """Even rows of at most `cols` panes, the longer rows first."""
    count = ceil(len(order) / cols)
    length, longer = divmod(len(order), count)
    ends = [length * (i + 1) + min(i + 1, longer) for i in range(count)]
    rows = [row(order[start:end]) for start, end in zip([0, *ends], ends, strict=False)]
    return join(Axis.VERTICAL, rows, [1] * count)


def pairs(order: Sequence[PaneId]) -> Node:
    """Even rows of two; an odd one fills the last row."""
    return grid(order, 2)


def tiles(order: Sequence[PaneId]) -> Node:
    """A grid as square as possible, wider than high."""
    return grid(order, isqrt(len(order) - 1) + 1)


def _line(axis: Axis, order: Sequence[PaneId]) -> Node:
    return join(axis, [Leaf(pane) for pane in order], [1] * len(order))


_TABLE = {
    "single": _Preset(tiles, 1, 1),
    "split_horizontal": _Preset(row, 2, 2),
    "split_vertical": _Preset(column, 2, 2),
    "grid_2x2": _Preset(pairs, 4, 4),
    "main_left": _Preset(column, 3, main=Side.LEFT),
    "main_top": _Preset(row, 3, main=Side.UP),
    "main_right": _Preset(column, 3, main=Side.RIGHT),
    "main_bottom": _Preset(row, 3, main=Side.DOWN),
    "even_horizontal": _Preset(row, None),
    "even_vertical": _Preset(column, None),
    "tiled": _Preset(tiles, None),
    "stacked": _Preset(stack, None),
}

PRESETS = tuple(_TABLE)
"""The names, in the order of the table above."""

ALIASES = MappingProxyType(
    {
        "main_vertical": "main_left",
        "main_horizontal": "main_top",
        "main_vertical_mirrored": "main_right",
        "main_horizontal_mirrored": "main_bottom",
    }
)
"""tmux's names of the presets."""


def canonical(name: str) -> str:
    """The preset's name for any accepted spelling; raises InvalidArgument with the valid names."""
    spelled = name.strip().lower().replace("-", "_")
    spelled = ALIASES.get(spelled, spelled)
    if spelled not in _TABLE:
        raise InvalidArgument(f"preset: no preset {name[:40]!r}; there are {', '.join(PRESETS)}")
    return spelled


def places(name: str) -> int | None:
    """The number of panes that the preset opens by default; None if it has none."""
    return _TABLE[canonical(name)].places


def most(name: str) -> int | None:
    """The largest number of panes that the preset opens; None if any."""
    return _TABLE[canonical(name)].most


def apply(name: str, order: Sequence[PaneId], main_share: float = MAIN_SHARE, main: PaneId | None = None) -> Node:
    """Arrange panes; in a `main_` preset, `main` (by default the first) gets `main_share` of the space."""
    if not 1 <= len(order) <= MAX_PANES:
        raise InvalidArgument(f"a layout has 1 to {MAX_PANES} panes, not {len(order)}")
    preset, share = _TABLE[canonical(name)], exact_share(main_share)
    if preset.main is None or len(order) == 1:
        return preset.arrange(order)
    chief = order[0] if main is None else main
    rest = preset.arrange([pane for pane in order if pane != chief])
    if preset.main.forward:
        return join(preset.main.axis, [rest, Leaf(chief)], [1 - share, share])
    return join(preset.main.axis, [Leaf(chief), rest], [share, 1 - share])


def automatic(order: Sequence[PaneId], rect: Rect) -> Node:
    """The arrangement for so many panes in a rectangle: two side by side, three as a main pane and a column, more in a
    grid; where they would get narrow, one above the other, and where they would get low, in a stack."""
    across = max(rect.cols // COMFORTABLE.cols, 1)
    if across == 1 or len(order) == 1:
        return _column_or_stack(order, rect.rows)
    if len(order) == 2:
        return row(order)
    if len(order) == 3:
        rest = _column_or_stack(order[1:], rect.rows)
        return join(Axis.HORIZONTAL, [Leaf(order[0]), rest], [MAIN_SHARE_EXACT, 1 - MAIN_SHARE_EXACT])
    cols = min(isqrt(len(order) - 1) + 1, across)
    if ceil(len(order) / cols) * COMFORTABLE.rows <= rect.rows:
        return grid(order, cols)
    ends = [len(order) * index // cols for index in range(cols + 1)]
    parts = [order[start:end] for start, end in pairwise(ends)]
    return join(Axis.HORIZONTAL, [_column_or_stack(part, rect.rows) for part in parts], [1] * cols)


def _column_or_stack(order: Sequence[PaneId], rows: int) -> Node:
    return column(order) if len(order) * COMFORTABLE.rows <= rows else stack(order)


def rearrange(node: Layout, name: str, main_share: float = MAIN_SHARE) -> Layout:
    """Apply a preset to a layout's tiles in reading order; the largest is the main one, so that repeating it changes
    nothing."""
    return with_tiled(node, apply(name, list(panes(tiled(node))), main_share, largest(node)))


def largest(node: Layout) -> PaneId:
    """The tile with the largest area; the first in reading order between equals."""
    areas = _areas(tiled(node), Fraction(1))
    return max(areas, key=lambda pane: areas[pane])


def _areas(node: Node, whole: Fraction) -> dict[PaneId, Fraction]:
    match node:
        case Leaf(pane):
            return {pane: whole}
        case Split(_, children):
            parts = [_areas(child, whole * share) for child, share in zip(children, node.shares, strict=True)]
            return {pane: area for part in parts for pane, area in part.items()}
