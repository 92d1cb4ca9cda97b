"""The panes of a window on screen: one container that places each view by the solved layout and draws the frame.

Views are mounted once and stay mounted through every edit; a view without a rectangle is simply not placed.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import ClassVar, Final

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style as RichStyle
from textual import events
from textual.geometry import Offset, Region, Size, Spacing
from textual.layout import Layout, WidgetPlacement
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from fugue_tui.geometry import Axis, Rect
from fugue_tui.ids import PaneId
from fugue_tui.layout.frame_lines import FOCUS, SYNCHRONIZED, FrameLines
from fugue_tui.layout.grid_view import GridView, float_view
from fugue_tui.layout.solve import Divider
from fugue_tui_widgets.error_boundary import ErrorBoundary
from fugue_tui_widgets.float_frame import FloatFrame
from fugue_tui_widgets.terminal_view import TerminalView

STYLES: Final = (FOCUS, SYNCHRONIZED, "mode", "blocked", "working", "done", "error")
"""The styles of the frame, besides its own."""
_columns: Final = lru_cache(maxsize=4_096)(cell_len)
"""The columns of one character."""


def _on_the_hosts_own(style: RichStyle) -> RichStyle:
    """The style without its background: lines have the same background as the panes."""
    return RichStyle(color=style.color, bold=style.bold, dim=style.dim, reverse=style.reverse)


def _joined(regions: Iterable[Region]) -> list[Region]:
    """Regions of one row each; those that a single cell divides are one."""
    found = list[Region]()
    for region in sorted(regions, key=lambda each: (each.y, each.x)):
        if found and found[-1].y == region.y and region.x - found[-1].right <= 1:
            found[-1] = found[-1].union(region)
        else:
            found.append(region)
    return found


class _Solved(Layout):
    """Places each view on its rectangle."""

    name = "solved"

    def arrange(self, parent: Widget, children: list[Widget], size: Size, greedy: bool = True) -> list[WidgetPlacement]:
        """One placement for each view that has a rectangle."""
        assert isinstance(parent, PaneGrid)
        return list(parent.placements(children))


class PaneGrid(ErrorBoundary, Widget):
    """The container of all terminal views, of every window."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {f"pane-grid--{style}" for style in STYLES}
    DEFAULT_CSS = """
    PaneGrid { width: 1fr; height: 1fr; overflow: hidden hidden; }
    """

    class DividerDragged(Message):
        """A divider was dragged by some cells along its axis since the last message."""

        def __init__(self, divider: Divider, cells: int) -> None:
            super().__init__()
            self.divider = divider
            self.cells = cells

    class DragStarted(Message):
        """A drag of a divider begins."""

    class DragEnded(Message):
        """A drag of a divider ends."""

    class TitleDragged(Message):
        """A pane is dragged by its title."""

        def __init__(self, pane: PaneId, at: tuple[int, int]) -> None:
            super().__init__()
            self.pane = pane
            self.at = at
            """The pointer's column and row on the screen."""

    class TitleMenuRequested(Message):
        """The right button was pressed on the title of a pane."""

        def __init__(self, pane: PaneId, at: tuple[int, int]) -> None:
            super().__init__()
            self.pane = pane
            self.at = at
            """The pointer's column and row on the screen."""

    class TitleClicked(Message):
        """The title of a pane was clicked."""

        def __init__(self, pane: PaneId) -> None:
            super().__init__()
            self.pane = pane

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._default_layout = _Solved()
        self.views: dict[PaneId, TerminalView] = {}
        self.contents: dict[PaneId, Widget] = {}
        """What is shown in place of the views of panes that run no program."""
        self.model = GridView()
        self.covered: frozenset[PaneId] = frozenset()
        """The panes of which a floating one covers a part."""
        self._frames: dict[PaneId, FloatFrame] = {}
        """The frames of the floating panes that have one."""
        self._lines: FrameLines | None = None
        self._strips: dict[int, tuple[tuple[str, ...], tuple[str, ...], Strip]] = {}
        """The rows as drawn, with the characters and styles that they were drawn of."""
        self._palette: dict[str, RichStyle] = {}
        self._dragged: tuple[tuple[Divider, ...], Offset] | None = None
        """The dividers that are dragged, one of each axis at a crossing, and where the pointer was last."""
        self._pressed: tuple[PaneId, Offset] | None = None
        """The pane on whose title the button was pressed, and where."""

    def show(self, model: GridView) -> None:
        """Draw another model; views are placed again only if the rectangles changed."""
        old, self.model = self.model, model
        self._show_frames()
        if old.solution != model.solution or old.title_row != model.title_row:
            self.covered = model.solution.covered
            self._clear_arrangement_cache()
            self.refresh(layout=True)
        elif regions := self._changed_regions(old):
            self.refresh(*regions)

    def _show_frames(self) -> None:
        """Draw the frames of the floating panes; one of each that has one is mounted."""
        model = self.model
        pictures = {pane: float_view(model, pane, frame) for pane, frame in model.solution.floats}
        for pane in [pane for pane in self._frames if pictures.get(pane) is None]:
            self._frames.pop(pane).remove()
        for pane, picture in pictures.items():
            if picture is not None and self.is_attached:
                if pane not in self._frames:
                    self._frames[pane] = FloatFrame(pane, self.style_of)
                    self.mount(self._frames[pane])
                self._frames[pane].show(picture)

    def covers(self, pane: PaneId, x: int, y: int) -> bool:
        """Whether a floating pane lies over a cell of this container that another pane has."""
        return pane in self.covered and self.model.solution.at(x, y) != pane

    def _changed_regions(self, old: GridView) -> list[Region]:
        """The cells of the frame that differ: the titles alone, which change often, or all of it."""
        model = self.model
        if (old.focus, old.line_style, old.synchronized) != (model.focus, model.line_style, model.synchronized):
            return self._frame_regions()
        rects = (rect for pane, rect in model.solution.tiles.items() if old.titles.get(pane) != model.titles.get(pane))
        return _joined(Region(rect.x, rect.y - 1, rect.cols, 1) for rect in rects if rect.y >= 1)

    def _frame_regions(self) -> list[Region]:
        """The cells of the frame: dividers, and the row of titles above the topmost panes."""
        rects = [divider.rect for divider in self.model.solution.dividers]
        top = [Region(0, 0, self.size.width, 1)] if self.model.title_row else []
        return top + [Region(rect.x, rect.y, rect.cols, rect.rows) for rect in rects]

    def set_views(self, views: Mapping[PaneId, TerminalView]) -> None:
        """Mount new views, and remove those of closed panes; nothing once the app is ending."""
        if not self.is_attached:
            return  # A signal in the middle of the start takes the screen away before its first panes are shown.
        for pane in [pane for pane in self.views if pane not in views]:
            self.views.pop(pane).remove()
        fresh = {pane: view for pane, view in views.items() if pane not in self.views}
        self.views |= fresh
        if fresh:
            self.mount(*fresh.values())

    def set_contents(self, contents: Mapping[PaneId, Widget]) -> None:
        """Mount what is shown in panes without a program, in place of their views; remove that of closed panes."""
        if not self.is_attached:
            return
        for pane in [pane for pane in self.contents if pane not in contents]:
            self.contents.pop(pane).remove()
            if pane in self.views:
                self.views[pane].display = True
        fresh = {pane: widget for pane, widget in contents.items() if pane not in self.contents}
        self.contents |= fresh
        for pane in fresh:
            self.views[pane].display = False
        if fresh:
            self.mount(*fresh.values())

    def show_as_text(self, pane: PaneId, *, text: bool) -> None:
        """Show the view of a pane without a program, or again what is shown in its place."""
        if pane in self.contents:
            self.views[pane].display, self.contents[pane].display = text, not text

    def content_of(self, pane: PaneId | None) -> Widget | None:
        """What is shown now in place of a pane's view; None if the view is."""
        content = self.contents.get(pane) if pane is not None else None
        return content if content is not None and content.display else None

    def pane_of(self, widget: Widget) -> PaneId | None:
        """The pane in which a widget is."""
        shown = {id(shown): pane for each in (self.views, self.contents) for pane, shown in each.items()}
        return next((pane for node in widget.ancestors_with_self if (pane := shown.get(id(node)))), None)

    def placements(self, children: Sequence[Widget]) -> Iterable[WidgetPlacement]:
        """Where each shown view goes, relative to this container."""
        solution = self.model.solution
        levels = {pane: 2 * level for level, (pane, _) in enumerate(solution.floats, 1)}
        frames = dict(solution.floats)
        places = {
            id(widget): (rect, levels.get(pane, 0))
            for each in (self.views, self.contents)
            for pane, widget in each.items()
            if (rect := solution.panes.get(pane)) is not None
        }
        places |= {id(frame): (frames[pane], levels[pane] - 1) for pane, frame in self._frames.items()}
        for child in children:
            if id(child) in places:
                rect, level = places[id(child)]
                region = Region(rect.x, rect.y, rect.cols, rect.rows)
                yield WidgetPlacement(region, Offset(), Spacing(), child, level, False, False, False)

    def render_lines(self, crop: Region) -> list[Strip]:
        """The frame: dividers, crossings and titles; the views lie on top of the rest."""
        lines, cols = self._frame_lines(), self.size.width
        return [self._row(lines, y, cols).crop(crop.x, crop.right) for y in range(crop.y, crop.bottom)]

    def _row(self, lines: FrameLines, y: int, cols: int) -> Strip:
        """A row of the frame, drawn again only if it has changed."""
        if not 0 <= y < len(lines.chars):
            return Strip.blank(cols, self.style_of(""))
        chars, styles = lines.chars[y], lines.styles[y]
        known = self._strips.get(y)
        if known is not None and known[0] is chars and known[1] is styles:
            return known[2]
        strip = Strip([Segment(text, self.style_of(style)) for text, style in lines.runs(y)], cols)
        self._strips[y] = chars, styles, strip
        return strip

    def style_of(self, name: str) -> RichStyle:
        """One of `STYLES`, that of the lines for an empty name, or a colour."""
        if name not in self._palette:
            if name and name not in STYLES:
                return RichStyle.parse(name)
            style = self.get_component_rich_style(f"pane-grid--{name}") if name else self.rich_style
            self._palette[name] = _on_the_hosts_own(style)
        return self._palette[name]

    def notify_style_update(self) -> None:
        """Another theme: draw everything again."""
        super().notify_style_update()
        self._palette.clear()
        self._strips.clear()
        for frame in self._frames.values():
            frame.refresh()

    def _frame_lines(self) -> FrameLines:
        size = self.size
        current = self._lines
        if current is None or current.picture is not self.model or current.size != (size.width, size.height):
            current = self._lines = FrameLines.of(self.model, size.width, size.height, _columns, before=current)
            if len(self._strips) > size.height:
                self._strips.clear()
        return current

    # Mouse

    def dividers_at(self, x: int, y: int) -> tuple[Divider, ...]:
        """The dividers under a cell of this container: where some meet, one of each axis."""
        found: dict[Axis, Divider] = {}
        for divider in self.model.solution.dividers:
            if divider.rect.contains(x, y):
                found.setdefault(divider.axis, divider)
        for divider in self.model.solution.dividers if found or (self.model.title_row and not y) else ():
            rect, across = divider.rect, divider.axis is Axis.HORIZONTAL
            longer = Rect(
                rect.x - (not across), rect.y - across, rect.cols + 2 * (not across), rect.rows + 2 * across
            )  # A divider ends beside the one that it meets.
            if longer.contains(x, y):
                found.setdefault(divider.axis, divider)
        return tuple(found.values())

    async def on_mouse_down(self, event: events.MouseDown) -> None:
        """Start dragging dividers, or click a title, by which its pane may be dragged."""
        event.stop()
        here = Offset(int(event.screen_x), int(event.screen_y))
        at = here - self.region.offset
        title = self._frame_lines().title_at(at.x, at.y)
        if title is not None and event.button == 3:
            self.post_message(self.TitleMenuRequested(title, (here.x, here.y)))
        elif event.button != 1:
            return
        elif title is not None:
            self._pressed = (title, here)
            self.capture_mouse()
            self.post_message(self.TitleClicked(title))
        elif dividers := self.dividers_at(at.x, at.y):
            self._dragged = (dividers, here)
            self.capture_mouse()
            self.post_message(self.DragStarted())

    async def on_mouse_move(self, event: events.MouseMove) -> None:
        """Drag the dividers, or the pane."""
        here = Offset(int(event.screen_x), int(event.screen_y))
        if self._pressed is not None and here != self._pressed[1]:
            pane, self._pressed = self._pressed[0], None
            self.release_mouse()
            self.post_message(self.TitleDragged(pane, (here.x, here.y)))
        if self._dragged is None:
            return
        dividers, last = self._dragged
        self._dragged = (dividers, here)
        for divider in dividers:
            cells = here.x - last.x if divider.axis is Axis.HORIZONTAL else here.y - last.y
            if cells:
                self.post_message(self.DividerDragged(divider, cells))
        event.stop()

    async def on_mouse_up(self, event: events.MouseUp) -> None:
        """Stop dragging."""
        if self._pressed is not None:
            self._pressed = None
            self.release_mouse()
            event.stop()
        if self._dragged is not None:
            self._dragged = None
            self.release_mouse()
            self.post_message(self.DragEnded())
            event.stop()
