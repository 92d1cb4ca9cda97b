"""The command that finds windows by their names, their panes' titles and what these show."""

from collections.abc import Iterator

from msgspec import Struct

from fugue_tui.control.core.command import Command, Effect, Origin, Toolset
from fugue_tui.control.output.pane_titles import pane_label
from fugue_tui.errors import InvalidArgument
from fugue_tui.ids import PaneId
from fugue_tui.layout.tree import panes
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.sanitize import clean
from fugue_tui.workspace.model import Window

_LONGEST = 60


class WindowMatch(Struct, frozen=True):
    """A pane of a window that matches."""

    window: str
    """The window's id."""
    name: str
    """The window's name."""
    pane: str
    """The pane's id: the active one where the window's name matches."""
    text: str
    """Its title, or the first line on its screen that has the text."""


class WindowMatches(Struct, frozen=True):
    """Windows that match."""

    matches: tuple[WindowMatch, ...]
    """At most one for each pane, in the order of the tabs."""


class FindWindow(Command[WindowMatches], name="find-window", effect=Effect.READ, toolset=Toolset.SESSIONS):
    """Find windows by a text in their names and their panes' titles, and for the user in what their panes show now;
    search-panes searches the text of panes for agents."""

    text: str
    """The text; capitals and small letters are the same."""

    def run(self, mux: Multiplexer, origin: Origin) -> WindowMatches:
        """What matches. Raises InvalidArgument for an empty text."""
        wanted = self.text.strip().casefold()
        if not wanted:
            raise InvalidArgument("text: give the text to find")
        return WindowMatches(
            tuple(
                match
                for window in mux.workspace.windows
                for match in _matches(mux, window, wanted, screens=not origin.is_agent)
            )
        )


def _matches(mux: Multiplexer, window: Window, wanted: str, *, screens: bool) -> Iterator[WindowMatch]:
    name = clean(mux.window_name(window))
    if wanted in name.casefold():
        yield _match(window, name, window.active, pane_label(mux, window.active))
        return
    for pane in panes(window.layout):
        lines = (pane_label(mux, pane), *(_visible(mux, pane) if screens else ()))
        if found := next((line for line in lines if wanted in line.casefold()), ""):
            yield _match(window, name, pane, found)


def _match(window: Window, name: str, pane: PaneId, text: str) -> WindowMatch:
    return WindowMatch(str(window.id), name, str(pane), clean(text.strip(), _LONGEST))


def _visible(mux: Multiplexer, pane: PaneId) -> list[str]:
    terminal = mux.terminals[pane]
    start = terminal.scrollback.top
    return terminal.lines(start, start + terminal.size.rows)
