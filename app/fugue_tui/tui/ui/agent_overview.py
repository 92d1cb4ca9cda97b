"""Shows the tables of agents, over the panes and in panes, and keeps those up to date that are visible. Main thread
only."""

import asyncio
import re
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from textual.widget import Widget

from fugue_tui.control.commands.panes import ClosePane, FocusPane
from fugue_tui.control.commands.send_keys import SendInput
from fugue_tui.control.commands.show_agents import (
    AGENTS,
    COLUMNS,
    EMPTY,
    ORDERS,
    AgentRows,
    ShowAgents,
    TablePlace,
    summary,
)
from fugue_tui.control.commands.signals import InterruptPane
from fugue_tui.control.commands.start_agent import RestartAgent, StopAgent
from fugue_tui.ids import PaneId
from fugue_tui.layout.table import TableRow
from fugue_tui.sanitize import clean
from fugue_tui.tui.app_context import AppContext
from fugue_tui_widgets.dialogs import Ask

if TYPE_CHECKING:
    from collections.abc import Callable

    from fugue_tui_widgets.table_view import TableScreen, TableView

SECONDS: Final = 1.0
"""How often the times are updated, and the directories and branches read."""
PAUSE: Final = 0.1
"""Minimum seconds between two updates."""
_CHOICE: Final = re.compile(r"\W*(\d)[.)]\s+(\S.*)")
_CHOICE_WIDTH: Final = 24
"""Characters of a choice that are shown."""


class AgentOverview:
    """The tables of agents."""

    def __init__(self, app: AppContext) -> None:
        self._app = app
        self._rows = AgentRows(app.mux)
        self._overlay: TableScreen | None = None
        self._panes: dict[PaneId, TableView] = {}
        self._changed = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Answer commands that read the table."""
        self._app.mux.contents.texts[AGENTS] = self._rows.text

    def open(self) -> None:
        """Show the table over the panes; nothing happens if it is there."""
        from fugue_tui_widgets.table_view import TableScreen

        if self._overlay is None or not self._overlay.is_attached:
            self._overlay = TableScreen(self._view(self._close, overlay=True))
            self._app.push_screen(self._overlay, self._closed)

    def content(self, pane: PaneId, what: str) -> Widget | None:
        """What is shown in a pane; None if it is no table of agents."""
        if what != AGENTS:
            return None
        self._panes[pane] = self._view(lambda: self._app.commands.run(ClosePane(pane=str(pane))))
        return self._panes[pane]

    @property
    def follows(self) -> bool:
        """Whether tables are kept up to date now."""
        return self._task is not None

    def wake(self) -> None:
        """Update the tables from now on, as long as one of them is visible."""
        self._changed.set()
        if self._task is None and self._visible():
            self._task = asyncio.get_running_loop().create_task(self._follow())
            self._task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._task = None
        error = None if task.cancelled() else task.exception()
        if error is not None:
            message = {"message": "the table of agents", "exception": error}
            asyncio.get_running_loop().call_exception_handler(message)
        elif not task.cancelled():
            self.wake()

    def _visible(self) -> "list[TableView]":
        mux, app = self._app.mux, self._app
        self._panes = {pane: view for pane, view in self._panes.items() if pane in mux.workspace.panes}
        panes = [view for view in self._panes.values() if view.is_attached and view.display and view.region]
        overlay = [self._overlay.view] if self._overlay is not None and self._overlay.is_attached else []
        return [*overlay, *panes] if app.clients.watched else []

    async def _follow(self) -> None:
        """Update the visible tables whenever an agent's state changes, and every second."""
        changed, clock, looked = self._changed, self._app.mux.clock, float("-inf")
        stop = self._app.mux.agents.on_change.connect(lambda pane, before, after: changed.set())
        try:
            while self._visible():
                changed.clear()
                if clock() >= looked + SECONDS:
                    looked = clock()
                    await self._rows.read_directories()
                rows = self._rows.rows()
                for view in self._visible():
                    view.show(rows)
                await asyncio.sleep(PAUSE)
                with suppress(TimeoutError):
                    async with asyncio.timeout(SECONDS):
                        await changed.wait()
        finally:
            stop()

    # Keys

    def _view(self, close: "Callable[[], None]", *, overlay: bool = False) -> "TableView":
        from fugue_tui_widgets.table_view import RowKey, TableKey, TableModel, TableView

        keys = {
            "enter": RowKey("goes there", self._go),
            "a": RowKey("answers", self._ask),
            "i": RowKey("interrupts", self._interrupt),
            "x": RowKey("stops", self._stop),
            "R": RowKey("restarts", self._restart),
        }
        own = {"p": TableKey("keeps it", self._keep)} if overlay else {}
        model = TableModel(COLUMNS, ORDERS, EMPTY, summary, keys, own, close, self.wake)
        return TableView(model, framed=overlay)

    def _close(self) -> None:
        if self._overlay is not None:
            self._overlay.dismiss()

    def _closed(self, result: None) -> None:
        self._overlay = None

    def _go(self, row: TableRow) -> None:
        self._close()
        self._app.commands.run(FocusPane(pane=row.key))

    def _keep(self) -> None:
        self._close()
        self._app.commands.run(ShowAgents(place=TablePlace.SPLIT))

    def _interrupt(self, row: TableRow) -> None:
        self._app.commands.confirm(InterruptPane(pane=row.key))

    def _stop(self, row: TableRow) -> None:
        self._app.commands.confirm(StopAgent(pane=row.key), then=lambda _: self._app.alert(f"{row.key} is stopped"))

    def _restart(self, row: TableRow) -> None:
        self._app.commands.confirm(RestartAgent(pane=row.key), then=lambda _: self._app.alert(f"{row.key} runs again"))

    def _ask(self, row: TableRow) -> None:
        """Ask for an answer to an agent."""
        says = row.cells[-1].partition(": ")[2]
        heading = f"to {row.cells[2]} in {row.cells[1]}" + (f": {says}" if says else "")
        if choices := self._choices(row.key):
            heading += f" ({', '.join(choices)})"

        def answered(text: str | None) -> None:
            if text is not None:
                self._answer(row.key, text)

        self._app.push_screen(Ask(heading), answered)

    def _choices(self, key: str) -> list[str]:
        """The numbered choices of the dialog that an agent that waits shows."""
        pane = PaneId(int(key.removeprefix("%")))
        terminal = self._app.mux.terminals.get(pane)
        if terminal is None or pane not in self._app.mux.agents.waiting():
            return []
        first = terminal.scrollback.lines
        return _numbered(terminal.lines(first, first + terminal.size.rows))

    def _answer(self, pane: str, text: str) -> None:
        command = SendInput(pane=pane, text=text, submit=True)
        self._app.commands.run(command, then=lambda _: self._app.alert(f"sent to {pane}"))


def _numbered(lines: Sequence[str]) -> list[str]:
    """The last list of choices 1, 2, 3... in some lines, each as its number and the beginning of its words."""
    found = list[str]()
    for line in lines:
        if not (match := _CHOICE.match(line)):
            continue
        number, words = int(match[1]), clean(match[2], _CHOICE_WIDTH)
        if number == 1:
            found = []
        if number == len(found) + 1:
            found.append(f"{number} {words}")
    return found if len(found) > 1 else []
