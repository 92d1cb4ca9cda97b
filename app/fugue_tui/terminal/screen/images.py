"""Images on a terminal's screen: which, where, and which part of each.

Lengths are pixels of the terminal, whose cells have the size that programs get for an answer. Pixels themselves are
read only by who draws them.
"""

from collections.abc import Iterable
from typing import Final

from msgspec import Struct

from fugue_tui.geometry import CELL_PIXELS

PLACEHOLDER: Final = "\U0010eeee"
"""The character in whose cells a part of an image shows. Source: kitty's graphics protocol, Unicode placeholders."""


class Graphics(Struct, frozen=True):
    """What programs may do with images, and what they are told of it."""

    memory: int = 0
    """Bytes of decoded images that one screen keeps; 0 ignores images."""
    shown: bool = False
    """Whether an attached terminal shows images: only then are programs told that they may send some."""
    cell: tuple[int, int] = CELL_PIXELS
    """Width and height of a cell in pixels, as programs are told."""


class Image(Struct, frozen=True):
    """One image; another generation has other pixels."""

    id: int
    generation: int
    """Unique in the process."""
    width: int
    height: int


class Area(Struct, frozen=True):
    """A rectangle of pixels; `right` and `bottom` are exclusive."""

    x: int
    y: int
    width: int
    height: int

    @property
    def right(self) -> int:
        """The first pixel past it to the right."""
        return self.x + self.width

    @property
    def bottom(self) -> int:
        """The first pixel past it below."""
        return self.y + self.height

    def shared(self, other: "Area") -> "Area | None":
        """What two areas share; None if they share nothing."""
        x, y = max(self.x, other.x), max(self.y, other.y)
        width, height = min(self.right, other.right) - x, min(self.bottom, other.bottom) - y
        return Area(x, y, width, height) if width > 0 and height > 0 else None

    def without(self, taken: "Area") -> "list[Area]":
        """What is left of it: above a part of it, below, and at both sides."""
        shared = self.shared(taken)
        if shared is None:
            return [self]
        around = (
            Area(self.x, self.y, self.width, shared.y - self.y),
            Area(self.x, shared.bottom, self.width, self.bottom - shared.bottom),
            Area(self.x, shared.y, shared.x - self.x, shared.height),
            Area(shared.right, shared.y, self.right - shared.right, shared.height),
        )
        return [each for each in around if each.width > 0 and each.height > 0]


class Placement(Struct, frozen=True):
    """A part of an image on the screen."""

    image: Image
    target: Area
    """Where it is, from the corner of the viewport, outside of which it may reach."""
    source: Area
    """The part of the image that fills the target."""
    z: int = 0
    """Higher ones cover lower ones; negative ones are below the text."""

    def within(self, clip: Area) -> "Placement | None":
        """The part of it inside of an area; None if there is none."""
        seen = self.target.shared(clip)
        if seen is None or seen == self.target:
            return self if seen else None
        across, down = self.source.width / self.target.width, self.source.height / self.target.height
        x = self.source.x + round((seen.x - self.target.x) * across)
        y = self.source.y + round((seen.y - self.target.y) * down)
        width = max(1, min(round(seen.width * across), self.source.right - x))
        height = max(1, min(round(seen.height * down), self.source.bottom - y))
        return Placement(self.image, seen, Area(x, y, width, height), self.z)

    def moved(self, x: int, y: int) -> "Placement":
        """The same elsewhere."""
        area = self.target
        return Placement(self.image, Area(area.x + x, area.y + y, area.width, area.height), self.source, self.z)


class Pixels(Struct, frozen=True):
    """The pixels of an image."""

    mode: str
    """As Pillow spells it: RGB, RGBA, L or LA."""
    width: int
    height: int
    data: bytes


def uncovered(placement: Placement, clip: Area, covers: Iterable[Area]) -> list[Placement]:
    """The parts of a placement inside of an area and outside of what covers it."""
    parts = [part for part in [placement.target.shared(clip)] if part]
    for cover in covers:
        parts = [rest for part in parts for rest in part.without(cover)]
    return [found for part in parts if (found := placement.within(part))]
