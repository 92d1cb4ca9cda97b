"""Parses layouts from unchecked JSON values; `spec` describes the format.

Every fault raises InvalidArgument with its path; nothing else is raised.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Annotated, Final, NoReturn, TypeVar

from msgspec import Meta, Struct

from fugue_tui.errors import InvalidArgument
from fugue_tui.geometry import Axis
from fugue_tui.layout.apportion import whole
from fugue_tui.layout.spec_types import FloatSpec, LayersSpec, LayoutSpec, PaneSpec, Spec, SplitSpec
from fugue_tui.layout.tree import MAX_DEPTH, MAX_PANES
from fugue_tui.validation.annotations import Record
from fugue_tui.validation.field_types import Bounds, Choice, ListOf, Number, Refined, WrongKind, at

_T = TypeVar("_T")

_TOO_DEEP: Final = f"too deep; at most {MAX_DEPTH} splits lie inside one another"
_AXES: Final = {**{str(axis): axis for axis in Axis}, "right": Axis.HORIZONTAL, "down": Axis.VERTICAL}
_DIRECTION: Final = Refined(Choice(_AXES), words="horizontal (side by side) or vertical (stacked)")
_RATIO: Final = Refined(Number(Bounds(gt=0, lt=10**9)), words="a number above 0 and below a billion, such as 0.35")


_FLOATS: Final = Refined(
    ListOf(Record(FloatSpec), bounds=Bounds(le=MAX_PANES)), words='a list of floating panes, such as {"pane": {}}'
)


class Layout(Struct, frozen=True):
    """A layout as it is written: a pane or a split."""

    pane: Annotated[PaneSpec | None, Record(PaneSpec)] = None
    direction: Annotated[Axis | None, _DIRECTION] = None
    splits: Annotated[tuple["Item", ...], Meta(min_length=1, max_length=MAX_PANES)] = ()
    stacked: bool = False
    """Whether the splits, which are panes, share one place."""

    @property
    def written(self) -> str:
        """A key of it that is written; empty if none is."""
        return next((key for key in ("pane", "direction", "splits", "stacked") if getattr(self, key)), "")


class WrappedLayout(Layout, frozen=True):
    """A layout that may also be written as the value of `layout`."""

    layout: Annotated[Layout | None, Record(Layout)] = None


class LayeredLayout(WrappedLayout, frozen=True):
    """The layout of a whole window."""

    floats: Annotated[tuple[FloatSpec, ...], _FLOATS] = ()


class Item(WrappedLayout, frozen=True):
    """An item of a split."""

    ratio: Annotated[float | None, _RATIO] = None


class Reader(Struct):
    """Makes the specification of one window; counts its panes, and those with the focus."""

    panes: int = 0
    focused: int = 0

    def layers(self, spec: Spec, floats: Sequence[FloatSpec], path: str) -> LayoutSpec:
        """Count the panes that float over tiles; what both are together."""
        for index, each in enumerate(floats):
            where = f"{at(path, 'floats')}[{index}]"
            self.pane(each.pane, f"{where}.pane")
            if each.hidden and each.pane.focus:
                fail(f"{where}.hidden", "goes with no focus; give one of them")
        return LayersSpec(spec, tuple(floats)) if floats else spec

    def spec(self, given: WrappedLayout, path: str, level: int = 0) -> Spec:
        """The specification of a layout that is nested in `level` splits; a shell if nothing is written."""
        if given.layout is None:
            return self.body(given, path, level) if given.written else self.pane(PaneSpec(), path)
        if given.written:
            fail(path, "has a layout and more; put it all into the layout")
        return self.body(given.layout, at(path, "layout"), level)

    def body(self, given: Layout, path: str, level: int = 0) -> Spec:
        """The specification of a pane or a split."""
        if given.pane is not None:
            if given.direction or given.splits or given.stacked:
                fail(path, "has a pane and splits; give one of them")
            return self.pane(given.pane, at(path, "pane"))
        if not given.written:
            fail(path, 'needs a "pane", or a "direction" and "splits"')
        if given.stacked and given.direction is Axis.HORIZONTAL:
            fail(at(path, "stacked"), "goes with no horizontal direction; the panes of a stack lie one above the other")
        if given.direction is None and not given.stacked:
            fail(at(path, "direction"), "is missing; horizontal is side by side, vertical is stacked")
        if not given.splits:
            fail(at(path, "splits"), "is missing; expected a list of the panes and splits in it")
        axis, items = given.direction or Axis.VERTICAL, given.splits
        return self._split(axis, items, at(path, "splits"), level + 1, stacked=given.stacked)

    def pane(self, found: PaneSpec, path: str) -> PaneSpec:
        """Count a pane. Raises InvalidArgument if there are too many."""
        self.panes += 1
        if self.panes > MAX_PANES:
            fail(path, f"too many panes; a window holds at most {MAX_PANES}")
        self.focused += found.focus
        if self.focused > 1:
            fail(f"{path}.focus", "another pane of this window has the focus already")
        return found

    def _split(self, axis: Axis, items: Sequence[Item], path: str, level: int, *, stacked: bool) -> Spec:
        if level > MAX_DEPTH:
            fail(path, _TOO_DEEP)
        children = tuple(self.spec(item, f"{path}[{index}]", level) for index, item in enumerate(items))
        weights = _weights([item.ratio for item in items], path)
        if len(children) == 1:
            fail(path, "has one item, which is no split; give its pane or layout in place of the split, or add another")
        if stacked and not all(isinstance(child, PaneSpec) for child in children):
            fail(path, "holds a split, and a stack is of panes; take it out of the stack")
        return SplitSpec(axis, children, weights, stacked)


def _weights(ratios: Sequence[float | None], path: str) -> tuple[int, ...]:
    """The ratios as weights; items without one share the remainder of 1."""
    given = [None if ratio is None else _exact(ratio) for ratio in ratios]
    missing = given.count(None)
    rest = 1 - sum((ratio for ratio in given if ratio is not None), Fraction(0))
    if missing and rest <= 0:
        fail(f"{path}[{given.index(None)}].ratio", "is missing, and the others leave nothing of 1; give every ratio")
    return whole([rest / missing if ratio is None else ratio for ratio in given])


def _exact(ratio: float) -> Fraction:
    return max(Fraction(ratio).limit_denominator(10**6), Fraction(1, 10**6))


def checked(kind: type[_T], value: object, path: str = "", root: str = "layout") -> _T:
    """A value of that form; `root` names the whole in errors. Raises InvalidArgument, and nothing else."""
    if not isinstance(value, Mapping):
        raise WrongKind(path or root, value, "an object")
    try:
        return Record(kind).check(value, path)
    except RecursionError:
        fail(path, _TOO_DEEP)


def fail(path: str, reason: str) -> NoReturn:
    """Raise InvalidArgument with the path; the root is called `layout`."""
    raise InvalidArgument(f"{path or 'layout'}: {reason}") from None
