"""An outline that moves over the panes for a moment: the panes below it have their final places from the start.

Each step restores the cells of the last one and draws the next, a few hundred cells together. Laying the panes out anew
for each step would draw the whole screen instead, and what programs print meanwhile would wait.
"""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, Protocol

from rich.segment import Segment
from textual.geometry import Region, Size
from textual.screen import Screen
from textual.strip import Strip

from fugue_tui.attach_server.client import AttachedClient
from fugue_tui.attach_server.registry import ClientRegistry
from fugue_tui.geometry import Rect
from fugue_tui.layout.frame_lines import FOCUS, outline
from fugue_tui.tui.render.region_painter import Part, painted, parts_of, without
from fugue_tui_widgets.pane_grid import PaneGrid

SECONDS: Final = 0.12
"""How long it moves."""
STEPS: Final = 4


class OutlinedApp(Protocol):
    """The app whose panes it moves over."""

    clients: ClientRegistry
    grid: PaneGrid

    @property
    def base(self) -> Screen[Any]:
        """The screen with the panes."""
        ...

    @property
    def bare(self) -> bool:
        """Whether the panes are laid out and nothing covers them."""
        ...

    @property
    def shows_images(self) -> bool:
        """Whether hosts show images, which text would erase."""
        ...


class MovingOutline:
    """Draws it on the mirrors that a test accepts. Main thread only."""

    def __init__(self, app: OutlinedApp, accepts: Callable[[AttachedClient], bool]) -> None:
        self._app, self._accepts = app, accepts
        self._from = self._to = Rect(0, 0, 0, 0)
        self._step = 0
        self._size = Size(0, 0)
        """The size of the screen that it moves over."""
        self._timer: asyncio.TimerHandle | None = None
        self._drawn: tuple[AttachedClient, ...] = ()
        """The clients that show the outline now."""
        self._edges: list[Region] = []
        """Its cells there."""

    @property
    def active(self) -> bool:
        """Whether it moves."""
        return self._timer is not None

    def move(self, old: Rect, new: Rect) -> None:
        """Move from one rectangle of the grid to another; instead of what it showed before."""
        self.end()
        self._from, self._to, self._step, self._size = old, new, 0, self._app.base.size
        self._wait()

    def end(self) -> None:
        """Show the panes alone."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._app.base.size != self._size:
            self._edges = []  # A screen of another size is painted whole.
        if self._edges and self._app.bare:
            self._draw([])
        elif self._edges:
            self._app.base.refresh(*self._edges)
            self._edges = []

    def _wait(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(SECONDS / STEPS, self._advance)

    def _advance(self) -> None:
        self._step += 1
        if self._step >= STEPS or self._app.base.size != self._size:
            self.end()
            return
        self._wait()
        if self._app.bare and not self._app.shows_images and not self._app.clients.busy:
            self._draw(self._next())

    def _next(self) -> list[Part]:
        """The outline of this step, on the screen."""
        share = 1 - (1 - self._step / STEPS) ** 2  # It slows down towards the end.
        rect, grid = _between(self._from, self._to, share), self._app.grid
        offset = grid.region.offset
        found = list[Part]()
        for x, y, rows in outline(rect, grid.model.line_style):
            strips = [Strip([Segment(row, grid.style_of(FOCUS))]) for row in rows]
            region = Region(x + offset.x, y + offset.y, len(rows[0]), len(rows))
            found.append((region, strips))
        return found

    def _draw(self, lines: list[Part]) -> None:
        """Restore the cells of the last step, and draw the lines of the next."""
        clients, edges = self._app.clients, [region for region, _ in lines]
        restored = _cells(self._app.base, [part for old in self._edges for part in _rest(old, edges)])
        if not self._edges:
            self._drawn = tuple(filter(self._accepts, clients.mirrors))
        data = painted(restored, lines, synchronized=clients.synchronized)
        for client in clients.mirrors:
            if client in self._drawn:
                client.writer.write(data)
        self._edges = edges


def _rest(region: Region, taken: Sequence[Region]) -> list[Region]:
    """What others leave of a region."""
    found = [region]
    for each in taken:
        found = [
            part for old in found for part in (without(old, old.intersection(each)) if old.overlaps(each) else [old])
        ]
    return found


def _cells(screen: Screen[Any], edges: Sequence[Region]) -> Iterator[Part]:
    """What the panes show at some cells; whole rows of those with wide characters, of which a cell is only a half."""
    if not edges:
        return
    around = Region.from_union(edges)
    for area, strips in parts_of(screen, [Region(0, around.y, screen.size.width, around.height)]) or ():
        for y, strip in enumerate(strips, area.y):
            row = Region(area.x, y, area.width, 1)
            wide = len(strip.text) != area.width
            for shared in filter(None, (row.intersection(edge) for edge in edges)):
                yield (row, [strip]) if wide else (shared, [strip.crop(shared.x - area.x, shared.right - area.x)])


def _between(old: Rect, new: Rect, share: float) -> Rect:
    """The rectangle at a share of the way."""

    def at(before: int, after: int) -> int:
        return round(before + (after - before) * share)

    x, y = at(old.x, new.x), at(old.y, new.y)
    return Rect(x, y, max(at(old.right, new.right) - x, 1), max(at(old.bottom, new.bottom) - y, 1))
