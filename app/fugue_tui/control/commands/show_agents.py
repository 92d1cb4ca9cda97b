"""Show the agents in a table: over the panes, or in a pane of its own, which reads as text."""

import os
from collections.abc import Mapping, Sequence
from enum import StrEnum
from textwrap import fill
from typing import Final

from msgspec import Struct

from fugue_tui.control.commands.agents import AgentInfo, agent_info, branches_of, seconds_in
from fugue_tui.control.commands.panes import SplitPane
from fugue_tui.control.core import target
from fugue_tui.control.core.command import Command, Effect, Origin, Toolset
from fugue_tui.control.core.new_pane import Direction, Placement
from fugue_tui.control.core.results import OpenedPane
from fugue_tui.control.output.pane_titles import agent_glyph
from fugue_tui.errors import Refused
from fugue_tui.geometry import Size
from fugue_tui.ids import PaneId
from fugue_tui.layout.table import Column, TableRow, text_of
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.agents.state import AgentState
from fugue_tui.terminal.screen.width import columns as columns_of

AGENTS: Final = "agents"
"""The content of a pane that shows the table."""
EMPTY: Final = "No agent runs in a pane: type claude, codex or gemini in one, or use the command start-agent."
ORDERS: Final = ("who waits", "pane", "agent", "time", "cost")
"""The ways to sort, in the order in which the key goes through them."""
COLUMNS: Final = (
    Column("", 0, toned=True),
    Column("pane", 1, least=10, most=24),
    Column("agent", 4, least=6, most=16),
    Column("for", 3, least=3, right=True),
    Column("doing", 5, least=10),
    Column("where", 6, least=12),
    Column("model", 8, least=8, most=24, optional=True),
    Column("cost", 7, least=5, right=True, optional=True),
    Column("says", 2, least=18, toned=True),
)
_TONES: Final = ("blocked", "error", "done", "working")
"""The states that have a colour, the most urgent first."""


class TablePlace(StrEnum):
    """Where a table is shown."""

    OVERLAY = "overlay"
    """Over the panes, until the user closes it."""
    SPLIT = "split"
    """In a new pane beside another."""
    WINDOW = "window"
    """In a new pane, in a window of its own."""


class ShownAgents(Struct, frozen=True):
    """Where the table of agents is shown."""

    place: TablePlace
    """Where."""
    pane: OpenedPane | None
    """Its pane; null for an overlay."""


class ShowAgents(Command[ShownAgents], name="show-agents", effect=Effect.LAYOUT, toolset=Toolset.AGENTS, creates=True):
    """Show all agents in a table: over the panes, or in a pane of its own, which stays and can be read as text.

    The table has keys to go to an agent, answer, interrupt, stop, restart, sort and filter.
    """

    place: TablePlace | None = None
    """overlay over the panes, for the user alone; split beside a pane; window for a new window. Omitted, overlay, and
    for agents split."""
    pane: str = target.ACTIVE
    """The pane to split: an id, a name, or active for your own."""
    direction: Direction | None = None
    """horizontal or right: to the right. vertical or down: below. auto: along the longer side, as if omitted."""
    name: str = ""
    """A name for the new pane, usable instead of its id."""
    focus: bool | None = None
    """Whether to focus the new pane; omitted, only if the user ran the command."""

    def run(self, mux: Multiplexer, origin: Origin) -> ShownAgents:
        """Where it is shown. Raises NotFound or Refused."""
        place = self.place or (TablePlace.OVERLAY if origin.kind.acts_for_user else TablePlace.SPLIT)
        if place is TablePlace.OVERLAY:
            if not origin.kind.acts_for_user:
                raise Refused("place: only the user opens an overlay; list-agents shows you the agents, split a pane")
            mux.on_overlay(AGENTS)
            return ShownAgents(place, None)
        direction, at = self.direction or Direction.AUTO, Placement(place.value)
        split = SplitPane(pane=self.pane, place=at, direction=direction, name=self.name, focus=self.focus)
        opened = split.open(mux, origin, AGENTS)
        return ShownAgents(TablePlace((opened.placed or at).value), opened)


class AgentRows:
    """The agents as rows of a table. Main thread only."""

    def __init__(self, mux: Multiplexer) -> None:
        self._mux = mux
        self._directories: Mapping[PaneId, str] = {}
        self._branches: Mapping[str, str] = {}
        self._rows: dict[PaneId, tuple[object, TableRow]] = {}
        """The last row of each agent, and what it was made of."""

    async def read_directories(self) -> None:
        """Look in which directories the agents are now, and their branches; until then, rows have those of the last
        time."""
        directories = {pane: self._mux.cwd(pane) for pane in self._mux.agents.statuses}
        self._branches = await branches_of(set(directories.values()))
        self._directories = directories

    def rows(self) -> list[TableRow]:
        """The agents as they are now, by pane. The row of one that has not changed is the same object as before."""
        mux, plain, before = self._mux, self._mux.line_style() == "ascii", self._rows
        self._rows, home = {}, os.path.expanduser("~")
        for pane, status in sorted(mux.agents.statuses.items()):
            if (record := mux.workspace.panes.get(pane)) is not None:
                cwd = self._directories.get(pane) or mux.cwd(pane)
                branch = self._branches.get(cwd, "")
                title = mux.terminals[pane].title
                made_of = (plain, status, record, title, seconds_in(mux, status), cwd, branch, home)
                known = before.get(pane)
                if known is None or known[0] != made_of:
                    row = agent_row(agent_info(mux, pane, status, cwd, branch), home, ascii_only=plain)
                    known = made_of, row
                self._rows[pane] = known
        return [row for _, row in self._rows.values()]

    def text(self, size: Size) -> str:
        """The table as text, those first that wait."""
        self._directories = {}
        rows = sorted(self.rows(), key=lambda row: row.ranks[0])
        return text_of(COLUMNS, rows, size.cols, columns_of) if rows else fill(EMPTY, size.cols)


def agent_row(agent: AgentInfo, home: str = "", *, ascii_only: bool = False) -> TableRow:
    """The row of an agent; the user's home directory is written as `~`."""
    what = agent.kind or agent.state
    number = int(agent.pane[1:])
    urgency = _TONES.index(agent.state) if agent.state in _TONES else len(_TONES) + (agent.state == "unknown")
    return TableRow(
        key=agent.pane,
        cells=(
            agent_glyph(AgentState(agent.state), ascii_only=ascii_only),
            f"{agent.pane} {agent.name}".rstrip(),
            agent.program,
            duration(agent.seconds),
            agent.title,
            _where(agent, home),
            agent.model,
            f"${agent.cost:.2f}" if agent.cost is not None else "",
            f"{what}: {agent.words}" if agent.words else what,
        ),
        tone=agent.state if agent.state in _TONES else "",
        ranks=(
            (urgency, -agent.seconds, number),
            (number,),
            (agent.program, number),
            (-agent.seconds, number),
            (-round(1_000_000 * (agent.cost or 0)), number),
        ),
    )


def summary(rows: Sequence[TableRow]) -> str:
    """How many agents there are, and how many of them wait."""
    waiting = sum(row.tone == "blocked" for row in rows)
    count = f", {waiting} wait" if waiting > 1 else ", 1 waits" if waiting else ""
    return f"{len(rows)} agent{'s' * (len(rows) != 1)}{count}"


def duration(seconds: int) -> str:
    """A time in its largest unit: `40s`, `12m`, `3h`, `2d`."""
    for unit, size in (("d", 86_400), ("h", 3_600), ("m", 60)):
        if seconds >= size:
            return f"{seconds // size}{unit}"
    return f"{seconds}s"


def _where(agent: AgentInfo, home: str) -> str:
    """An agent's directory and branch."""
    cwd = agent.cwd
    where = f"~{cwd[len(home) :]}" if home and (cwd == home or cwd.startswith(f"{home}/")) else cwd
    return f"{where} ({agent.branch})" if agent.branch else where
