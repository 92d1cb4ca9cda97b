"""The shapes of drawn characters, in pixels within their cell."""

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Box:
    """A filled rectangle; `alpha` below 1 lets the background through."""

    x0: float
    y0: float
    x1: float
    y1: float
    alpha: float = 1.0


@dataclass(frozen=True, slots=True)
class Line:
    """A straight line of a width."""

    x0: float
    y0: float
    x1: float
    y1: float
    width: float


@dataclass(frozen=True, slots=True)
class Arc:
    """A quarter circle that joins the middles of two sides. (cx, cy) is its centre; angles in degrees, clockwise from
    three o'clock."""

    cx: float
    cy: float
    radius: float
    start: int
    width: float


@dataclass(frozen=True, slots=True)
class Polygon:
    """A filled shape with straight sides."""

    points: tuple[tuple[float, float], ...]


Shape: TypeAlias = Box | Line | Arc | Polygon
