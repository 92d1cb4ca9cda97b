"""Paints the regions of a screen that changed on the mirrors.

Textual's compositor renders every row of every widget for a change of one cell, such as in a title.
"""

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

from rich.segment import Segment
from textual.geometry import Region
from textual.screen import Screen
from textual.strip import Strip

from fugue_tui.attach_server.output.color_depth import Depth
from fugue_tui.attach_server.registry import ClientRegistry
from fugue_tui.tui.render.client_view import move_to, vt_text
from fugue_tui.tui.render.compositor import compositor_of
from fugue_tui.tui.render.mirror_updates import MirrorRows

_BEGIN, _END = b"\x1b[?2026h", b"\x1b[?2026l"
_SAVE, _RESTORE = b"\x1b7", b"\x1b8"
Part: TypeAlias = tuple[Region, Sequence[Strip]]
"""A region of the screen, and its rows."""


def paint_changes(clients: ClientRegistry, screen: Screen[Any], shown: MirrorRows | None) -> set[int] | None:
    """Paint what changed on the screen on top, which moves the mirrors' cursor; the rows of that. None leaves it to the
    compositor: all of the screen changed, or another one shows through there. `shown` is what the mirrors show."""
    dirty, whole = compositor_of(screen)._dirty_regions, compositor_of(screen).size.region  # pyright: ignore[reportPrivateUsage]
    regions = [part for region in dirty if (part := region.intersection(whole))]
    found = parts_of(screen, regions) if whole not in dirty else None
    if found is None:
        return None
    dirty.clear()
    out = _written(found) if shown is None else _changed(found, shown)
    clients.write(_BEGIN + out + _END if out and clients.synchronized else out)
    return {y for region in regions for y in region.line_range}


def painted(parts: Iterable[Part], lines: Iterable[Part], *, synchronized: bool) -> bytes:
    """What shows some parts on a mirror, and over them lines in one style, and leaves its cursor where it was."""
    out = bytearray(_SAVE + _written(parts))
    for region, strips in lines:
        style, _, end = vt_text(Strip([Segment("x", next(iter(strips[0])).style)]), Depth.TRUE).partition(b"x")
        rows = b"".join(move_to(region.x, y) + strip.text.encode() for y, strip in enumerate(strips, region.y))
        out += style + rows + end
    out += _RESTORE
    return bytes(_BEGIN + out + _END if synchronized else out)


def parts_of(screen: Screen[Any], regions: Iterable[Region]) -> list[Part] | None:
    """The rows of some regions of a screen, in parts that each show one widget; None if another screen shows there."""
    parts, found = list(regions), list[Part]()
    for widget, (area, clip) in compositor_of(screen).visible_widgets.items():
        seen, rest = area.intersection(clip), list[Region]()
        for part in parts:
            shared = part.intersection(seen)
            if shared and widget is screen:
                return None
            if shared:
                found.append((shared, widget.render_lines(shared.translate(-area.offset))))
            rest += without(part, shared) if shared else [part]
        if not rest:
            return found
        parts = rest
    return None


def without(region: Region, taken: Region) -> list[Region]:
    """What is left of a region: above a part of it, below, and at both sides."""
    around = (
        Region(region.x, region.y, region.width, taken.y - region.y),
        Region(region.x, taken.bottom, region.width, region.bottom - taken.bottom),
        Region(region.x, taken.y, taken.x - region.x, taken.height),
        Region(taken.right, taken.y, region.right - taken.right, taken.height),
    )
    return [each for each in around if each]


def _changed(parts: Iterable[Part], shown: MirrorRows) -> bytes:
    pieces = ((region.x, y, strip) for region, strips in parts for y, strip in enumerate(strips, region.y))
    return b"".join(shown.change(piece) for piece in pieces)


def _written(parts: Iterable[Part]) -> bytes:
    out = bytearray()
    for region, strips in parts:
        for y, strip in enumerate(strips, region.y):
            out += move_to(region.x, y) + vt_text(strip, Depth.TRUE)
    return bytes(out)
