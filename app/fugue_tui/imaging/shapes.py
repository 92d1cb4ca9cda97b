"""The shapes of drawn characters, in pixels within their cell."""

from typing import TypeAlias

from msgspec import Struct


class Box(Struct, frozen=True):
    """A filled rectangle; `alpha` below 1 lets the background through."""

    x0: float
    y0: float
    x1: float
    y1: float
    alpha: float = 1.0


class Line(Struct, frozen=True):
    """A straight line of a width."""

    x0: float
    y0: float
    x1: float
    y1: float
    width: float


class Arc(Struct, frozen=True):
    """A quarter circle that joins the middles of two sides. (cx, cy) is its centre; angles in degrees, clockwise from
    three o'clock."""

    cx: float
    cy: float
    radius: float
    start: int
    width: float


class Polygon(Struct, frozen=True):
    """A filled shape with straight sides."""

    points: tuple[tuple[float, float], ...]


Shape: TypeAlias = Box | Line | Arc | Polygon
