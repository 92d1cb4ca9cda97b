"""Opens the table of agents, and keeps it up to date while it is open. Main thread only."""

import asyncio
import os
from typing import TYPE_CHECKING, Final

from fugue_tui.control.commands.agents import AgentInfo, agent_infos
from fugue_tui.control.commands.panes import FocusPane
from fugue_tui.control.commands.send_keys import SendInput
from fugue_tui.control.commands.signals import InterruptPane
from fugue_tui.control.output.pane_titles import agent_glyph
from fugue_tui.multiplexer.agents.state import AgentState
from fugue_tui.tui.app_context import AppContext

if TYPE_CHECKING:
    from fugue_tui_widgets.agent_screen import AgentRow, AgentScreen

SECONDS: Final = 1.0
"""How often the times are updated, and the directories read."""
PAUSE: Final = 0.1
"""Minimum seconds between two updates."""


class AgentOverview:
    """The table of agents."""

    def __init__(self, app: AppContext) -> None:
        self._app = app

    def open(self) -> None:
        """Show the table; Enter there focuses the chosen pane."""
        from fugue_tui_widgets.agent_screen import AgentScreen

        screen = AgentScreen(self._answer, self._interrupt)
        task = asyncio.get_running_loop().create_task(self._follow(screen))

        def closed(pane: str | None) -> None:
            task.cancel()
            if pane is not None:
                self._app.commands.run(FocusPane(pane=pane))

        self._app.push_screen(screen, closed)

    def _answer(self, pane: str, text: str) -> None:
        self._app.commands.run(
            SendInput(pane=pane, text=text, submit=True), then=lambda _: self._app.alert(f"sent to {pane}")
        )

    def _interrupt(self, pane: str) -> None:
        self._app.commands.confirm(InterruptPane(pane=pane))

    async def _follow(self, screen: "AgentScreen") -> None:
        """Update the table whenever an agent's state changes, and every second."""
        agents, changed = self._app.mux.agents, asyncio.Event()
        stop = agents.on_change.connect(lambda pane, before, after: changed.set())
        try:
            while True:
                changed.clear()
                found = await agent_infos(self._app.mux, sorted(agents.statuses))
                screen.show([self._row(each) for each in found])
                await asyncio.sleep(PAUSE)
                try:
                    async with asyncio.timeout(SECONDS):
                        await changed.wait()
                except TimeoutError:
                    pass
        finally:
            stop()

    def _row(self, each: AgentInfo) -> "AgentRow":
        from fugue_tui_widgets.agent_screen import AgentRow

        home = os.path.expanduser("~")
        where = f"~{each.cwd[len(home) :]}" if each.cwd == home or each.cwd.startswith(f"{home}/") else each.cwd
        return AgentRow(
            pane=each.pane,
            label=f"{each.pane} {each.name}".rstrip(),
            agent=each.program,
            state=each.state,
            glyph=agent_glyph(AgentState(each.state), ascii_only=self._app.mux.line_style() == "ascii"),
            what=each.kind or each.state,
            seconds=each.seconds,
            title=each.title,
            where=f"{where} ({each.branch})" if each.branch else where,
            words=each.words,
        )
