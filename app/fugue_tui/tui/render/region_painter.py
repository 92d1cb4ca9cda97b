"""Paints the regions of a screen that changed on the mirrors.

Textual's compositor renders every row of every widget for a change of one cell, such as in a title.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from textual.geometry import Region
from textual.screen import Screen
from textual.strip import Strip

from fugue_tui.attach_server.output.color_depth import Depth
from fugue_tui.attach_server.registry import ClientRegistry
from fugue_tui.tui.render.client_view import vt_text
from fugue_tui.tui.render.compositor import compositor_of

_BEGIN, _END = b"\x1b[?2026h", b"\x1b[?2026l"


def paint_changes(clients: ClientRegistry, screen: Screen[Any]) -> set[int] | None:
    """Paint what changed on the screen on top, which moves the mirrors' cursor; the rows of that. None leaves it to the
    compositor: all of the screen changed, or another one shows through there."""
    dirty, whole = compositor_of(screen)._dirty_regions, compositor_of(screen).size.region  # pyright: ignore[reportPrivateUsage]
    regions = [part for region in dirty if (part := region.intersection(whole))]
    found = _parts(screen, regions) if whole not in dirty else None
    if found is None:
        return None
    dirty.clear()
    _paint(clients, found)
    return {y for region in regions for y in region.line_range}


def _parts(screen: Screen[Any], regions: Iterable[Region]) -> list[tuple[Region, list[Strip]]] | None:
    """The rows of some regions of a screen, in parts that each show one widget; None if another screen shows there."""
    parts, found = list(regions), list[tuple[Region, list[Strip]]]()
    for widget, (area, clip) in compositor_of(screen).visible_widgets.items():
        seen, rest = area.intersection(clip), list[Region]()
        for part in parts:
            shared = part.intersection(seen)
            if shared and widget is screen:
                return None
            if shared:
                found.append((shared, widget.render_lines(shared.translate(-area.offset))))
            rest += _without(part, shared) if shared else [part]
        if not rest:
            return found
        parts = rest
    return None


def _without(region: Region, taken: Region) -> list[Region]:
    """What is left of a region: above a part of it, below, and at both sides."""
    around = (
        Region(region.x, region.y, region.width, taken.y - region.y),
        Region(region.x, taken.bottom, region.width, region.bottom - taken.bottom),
        Region(region.x, taken.y, taken.x - region.x, taken.height),
        Region(taken.right, taken.y, region.right - taken.right, taken.height),
    )
    return [each for each in around if each]


def _paint(clients: ClientRegistry, found: Sequence[tuple[Region, Sequence[Strip]]]) -> None:
    """Write the rows of regions to the mirrors."""
    out = bytearray()
    for region, strips in found:
        for y, strip in enumerate(strips, region.y):
            out += b"\x1b[%d;%dH" % (y + 1, region.x + 1) + vt_text(strip, Depth.TRUE)
    clients.write(_BEGIN + out + _END if clients.synchronized else out)
