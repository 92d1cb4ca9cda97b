"""Sizes, rectangles and directions in terminal cells.

All lengths are whole cells; x grows to the right and y grows downwards.
"""

from enum import StrEnum
from typing import Final

from msgspec import Struct

CELL_PIXELS: Final = (8, 16)
"""Width and height of a cell in pixels, as reported to programs that query sizes in pixels."""


class Axis(StrEnum):
    """The axis along which the children of a split are arranged."""

    HORIZONTAL = "horizontal"
    """Side by side, in a row."""
    VERTICAL = "vertical"
    """Stacked, in a column."""

    @property
    def other(self) -> "Axis":
        """The axis at a right angle to this one."""
        return Axis.VERTICAL if self is Axis.HORIZONTAL else Axis.HORIZONTAL


class Side(StrEnum):
    """One of the four sides of a pane."""

    LEFT = "left"
    RIGHT = "right"
    UP = "up"
    DOWN = "down"

    @property
    def axis(self) -> Axis:
        """The axis along which this side lies."""
        return Axis.HORIZONTAL if self in (Side.LEFT, Side.RIGHT) else Axis.VERTICAL

    @property
    def forward(self) -> bool:
        """True for right and down: towards growing x or y."""
        return self in (Side.RIGHT, Side.DOWN)


class Size(Struct, frozen=True):
    """A width and a height in cells."""

    cols: int
    rows: int


class Rect(Struct, frozen=True):
    """A rectangle of cells; `right` and `bottom` are exclusive."""

    x: int
    y: int
    cols: int
    rows: int

    @property
    def right(self) -> int:
        """The first column past the rectangle."""
        return self.x + self.cols

    @property
    def bottom(self) -> int:
        """The first row past the rectangle."""
        return self.y + self.rows

    @property
    def size(self) -> Size:
        """The rectangle's width and height."""
        return Size(self.cols, self.rows)

    def length(self, axis: Axis) -> int:
        """The extent along an axis, in cells."""
        return self.cols if axis is Axis.HORIZONTAL else self.rows

    def contains(self, x: int, y: int) -> bool:
        """Whether the cell at (x, y) lies inside."""
        return self.x <= x < self.right and self.y <= y < self.bottom

    def overlaps(self, other: "Rect") -> bool:
        """Whether they share a cell."""
        return self.x < other.right and other.x < self.right and self.y < other.bottom and other.y < self.bottom
