"""Where panes float that commands open, and who sees them."""

from typing import Final

from msgspec.structs import replace

from fugue_tui.control.core.command import Origin
from fugue_tui.control.core.new_pane import Placement
from fugue_tui.control.core.placement import Place
from fugue_tui.ids import PaneId, WindowId
from fugue_tui.layout import floating
from fugue_tui.layout.tree import Float, float_of, floats
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.workspace import edit
from fugue_tui.workspace.model import Pane, Window, Workspace

_HIDDEN: Final = "the user is typing, so it is hidden; focus-pane or toggle-floats shows it"


def opened(mux: Multiplexer, origin: Origin, window: Window, pane: Pane, place: Float, *, focus: bool) -> Place:
    """The workspace with a new pane that floats over a window.

    What a program opens does not cover what the user types: it is hidden then. Raises InvalidArgument if the window has
    too many panes."""
    hidden = window.id == mux.workspace.active and mux.lease.keeps_focus(origin.author)
    wanted = replace(place, pane=pane.id, hidden=hidden)
    layout = floating.added(window.layout, wanted, mux.layouts.bounds(window))
    after = edit.add_panes(mux.workspace, window.id, [pane], layout, focus=pane.id if focus and not hidden else None)
    return Place(after, Placement.FLOATING, _HIDDEN if hidden else "")


def with_place(mux: Multiplexer, pane: PaneId, new: Float) -> Workspace:
    """The workspace with a floating pane somewhere else, or in another size."""
    window = mux.window_of(pane)
    return edit.set_layout(mux.workspace, window.id, floating.changed(window.layout, new))


def in_window(mux: Multiplexer, window: WindowId) -> tuple[Float, ...]:
    """The floating panes of a window. Raises NotFound."""
    return floats(mux.window(window).layout)


def of(mux: Multiplexer, pane: PaneId) -> Float | None:
    """The place of a floating pane; None if it does not float."""
    return float_of(mux.window_of(pane).layout, pane)
