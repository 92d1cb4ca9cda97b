"""Search of all panes: a list of the lines that match, with what stands around them, and the way there."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from enum import IntEnum
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from fugue_tui.control.commands.panes import FocusPane
from fugue_tui.control.core.confirmation import count
from fugue_tui.control.output.pane_search import (
    FoundLine,
    PaneFound,
    PaneTexts,
    Within,
    knows_output,
    last_output,
    place_of,
    search_pane,
    surroundings,
)
from fugue_tui.control.output.pane_titles import pane_label
from fugue_tui.control.output.text_search import Query
from fugue_tui.errors import InvalidArgument
from fugue_tui.ids import PaneId
from fugue_tui.layout.tree import panes
from fugue_tui.multiplexer.watch.patterns import Pattern
from fugue_tui.sanitize import clean
from fugue_tui.terminal.screen.pins import Pin
from fugue_tui.terminal.terminal import Terminal
from fugue_tui.tui.app_context import AppContext
from fugue_tui.tui.ui.view_model import window_label
from fugue_tui.workspace.model import Window

if TYPE_CHECKING:
    from fugue_tui_widgets.finder_screen import FinderScreen
    from fugue_tui_widgets.row_list import ListRow

_HINTS: Final = ("Enter goes there", "Escape closes", "Tab scope", "↑ ↓ choose", "(?-i) and other RE2 syntax")
_MOST_PANES: Final = 1_000


class SearchScope(IntEnum):
    """What is searched."""

    PANE = 0
    OUTPUT = 1
    WINDOW = 2
    EVERYTHING = 3


class _Source(Struct, frozen=True):
    """A pane to search."""

    pane: PaneId
    terminal: Terminal
    heading: str


class _Result(Struct, frozen=True, eq=False):
    """What was found in a pane."""

    source: _Source
    found: PaneFound
    rows: "Sequence[ListRow]"


class SearchEverywhere:
    """Opens the search. Main thread only."""

    def __init__(self, app: AppContext, show_match: Callable[[Query, Pin], None]) -> None:
        """`show_match` starts copy mode in the focused pane on a match."""
        self._app, self._show_match = app, show_match
        self._last = ""

    def open(self, scope: SearchScope = SearchScope.EVERYTHING) -> None:
        """Ask for a text; what was searched for last stands there, to be typed over."""
        from fugue_tui_widgets.finder_screen import FinderModel, FinderScreen, Scope

        scopes = (
            Scope("this pane", "pane"),
            Scope("its last output", "output"),
            Scope("this window", "window"),
            Scope("everything", "everything"),
        )
        model = FinderModel("text or regular expression", scopes, _HINTS)
        search = _Search(self._app, self._go)
        search.screen = FinderScreen(model, search, text=self._last, scope=scope)
        self._app.push_screen(search.screen, lambda _: search.end())

    def _go(self, query: Query, pane: PaneId, pin: Pin) -> None:
        self._last = query.text
        self._app.commands.run(FocusPane(pane=str(pane)), then=lambda _: self._show_match(query, pin))


class _Search:
    """One search, as the owner of its screen."""

    screen: "FinderScreen"

    def __init__(self, app: AppContext, go: Callable[[Query, PaneId, Pin], None]) -> None:
        self._app, self._go = app, go
        self._query, self._scope = Query(""), SearchScope.EVERYTHING
        self._pattern: Pattern | None = None
        self._results = list[_Result]()
        self._texts = PaneTexts()
        self._version = 0
        self._task: asyncio.Task[None] | None = None
        self._previewing: asyncio.Task[None] | None = None
        self._previewed: object = None
        self._target: tuple[Query, PaneId, Pin] | None = None
        self._ended = False

    # What is typed

    def changed(self, text: str, scope: int) -> None:
        """Search for something else; what was found so far is shown while the rest is searched."""
        self._query, self._scope, self._version = Query(text), SearchScope(scope), self._version + 1
        self._results, self._pattern = [], None
        if not text:
            self._show("search: type a text or a regular expression")
            return
        try:
            self._pattern = self._query.pattern()
        except InvalidArgument as error:
            self._show(str(error).removeprefix("search: "))
            return
        self.screen.show_title("search: ...")
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._run())

    def end(self) -> None:
        """The screen was closed: go to what was chosen."""
        self._ended, self._version = True, self._version + 1
        if self._target is not None:
            self._go(*self._target)

    async def _run(self) -> None:
        """Search one pane after the other; from the first again if something else is wanted meanwhile."""
        try:
            version = -1
            while version != self._version and not self._ended:
                version, pattern = self._version, self._pattern
                if pattern is not None:
                    await self._search(version, pattern)
        finally:
            self._task = None

    async def _search(self, version: int, pattern: Pattern) -> None:
        sources, within = self._sources(), None
        if self._scope is SearchScope.OUTPUT and sources:
            within = await asyncio.to_thread(_output_of, sources[0].terminal)
            if within is None and version == self._version:
                self._show(f"no output of a command is known in {sources[0].pane}: its shell marks no prompts")
                return
        for source in sources:
            found = await asyncio.to_thread(
                _search_source, source, self._texts, pattern, within, lambda: version != self._version
            )
            if version != self._version:
                return
            if found is not None:
                self._results.append(found)
                self._show(self._title(searching=True))
        self._show(self._title())

    def _sources(self) -> list[_Source]:
        """The panes to search: the focused one, those of its window, and the others."""
        mux, front = self._app.mux, self._app.mux.front
        if front is None:
            return []
        others = [window for window in mux.workspace.windows if window.id != front.id]
        windows = [front, *others] if self._scope is SearchScope.EVERYTHING else [front]
        focused = front.active
        found = [
            (window, pane)
            for window in windows
            for pane in sorted(panes(window.layout), key=lambda pane: pane != focused)
            if self._scope >= SearchScope.WINDOW or pane == focused
        ][:_MOST_PANES]
        for _, pane in found:
            mux.contents.refresh(pane)
        return [_Source(pane, mux.terminals[pane], self._heading(window, pane)) for window, pane in found]

    def _heading(self, window: Window, pane: PaneId) -> str:
        mux = self._app.mux
        tabs = [each.id for each in mux.workspace.windows if each.session == window.session]
        several = any(each.session != window.session for each in mux.workspace.windows)
        session = f"{clean(window.session, 24)}:" if several else "window "
        return f"{pane} {pane_label(mux, pane)} · {session}{tabs.index(window.id) + 1} {window_label(mux, window)}"

    # What is shown

    def _title(self, *, searching: bool = False) -> str:
        lines = sum(len(result.found.lines) for result in self._results)
        found = f"{lines}+ lines" if any(result.found.more for result in self._results) else count(lines, "line")
        where = f" in {count(len(self._results), 'pane')}" if self._scope >= SearchScope.WINDOW else ""
        return f"search: {found}{where}{' ...' * searching}"

    def _show(self, title: str) -> None:
        if not self._ended:
            self.screen.show_rows([row for result in self._results for row in result.rows], title)
            self.preview(self.screen.key)

    def preview(self, key: str) -> None:
        """Read what stands around the line under the cursor, on another thread."""
        # From Python 3.12 on, Textual starts tasks eagerly: one may be over before it is kept here.
        idle = self._previewing is None or self._previewing.done()
        if idle and self.screen.preview_size is not None and not self._ended:
            self._previewing = asyncio.get_running_loop().create_task(self._read(key))

    async def _read(self, key: str) -> None:
        from fugue_tui_widgets.cell_preview import Shown

        try:
            chosen = self._chosen(key)
            state = (chosen[1], chosen[0].found.terminal.changes) if chosen is not None else None
            if state == self._previewed:
                return
            around = await asyncio.to_thread(surroundings, chosen[0].found, chosen[1]) if chosen is not None else None
            self._previewed = state
            if self._ended:
                return
            if chosen is None or around is None:
                self.screen.show_preview(Shown())
                return
            back = f"{count(around.back, 'line')} back" if around.back else "on the screen"
            title = f"{chosen[0].source.pane} · {back}"
            self.screen.show_preview(Shown(around.rows, around.y, around.x, title))
        finally:
            self._previewing = None
        if self.screen.key != key:
            self.preview(self.screen.key)

    def _chosen(self, key: str) -> tuple[_Result, FoundLine] | None:
        pane, _, number = key.partition(":")
        result = next((each for each in self._results if str(each.source.pane) == pane), None)
        return (result, result.found.lines[int(number)]) if result is not None else None

    # Where it leads

    def chosen(self, key: str) -> None:
        """Go to a line."""
        if (chosen := self._chosen(key)) is None:
            return
        result, line = chosen
        source = result.source
        pin = None
        if self._app.mux.terminals.get(source.pane) is source.terminal:
            pin = place_of(result.found.found, line.matches, source.terminal)
        if pin is None:
            self._app.alert("that line is not kept any more; searching again")
            self.changed(self._query.text, self._scope)
            return
        self._target = self._query, source.pane, pin
        self.screen.dismiss()

    def pressed(self, press: str, key: str) -> None:
        """No other key means anything."""


def _output_of(terminal: Terminal) -> Within | None:
    return last_output(terminal) if knows_output(terminal) else None


def _search_source(
    source: _Source, texts: PaneTexts, pattern: Pattern, within: Within | None, stopped: Callable[[], bool]
) -> _Result | None:
    """Search a pane, on another thread."""
    found = search_pane(source.terminal, texts, pattern, within, stopped)
    return _Result(source, found, list(_rows(source, found))) if found is not None else None


def _rows(source: _Source, found: PaneFound) -> "Iterator[ListRow]":
    """The rows of a pane: its heading, and its lines, the newest first."""
    from fugue_tui_widgets.row_list import ListRow

    lines = f"the newest {len(found.lines)} lines" if found.more else count(len(found.lines), "line")
    yield ListRow("", ((source.heading, "heading"), (f"  {lines}", "dim")))
    for number in range(len(found.lines) - 1, -1, -1):
        parts = tuple((text, "match" if matches else "") for text, matches in found.lines[number].shown)
        yield ListRow(f"{source.pane}:{number}", (("  ", ""), *parts))
