"""A window's dividers, and its panes' titles with names and states."""

from collections.abc import Mapping
from typing import Final

from fugue_tui.ids import PaneId
from fugue_tui.layout.grid_view import GridView, Title
from fugue_tui.layout.tree import float_of
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.agents.state import AgentState
from fugue_tui.sanitize import clean
from fugue_tui.workspace.find import is_zoomed
from fugue_tui.workspace.model import Window

_ENDED_KEYS: Final = "Enter runs it again, {} closes"
_GLYPHS: Final[Mapping[AgentState, tuple[str, str]]] = {
    AgentState.IDLE: ("○", "-"),
    AgentState.WORKING: ("●", "*"),
    AgentState.BLOCKED: ("◆", "?"),
    AgentState.DONE: ("✓", "+"),
    AgentState.ERROR: ("✗", "x"),
    AgentState.UNKNOWN: ("·", "."),
}
_TONES: Final = frozenset((AgentState.WORKING, AgentState.BLOCKED, AgentState.DONE, AgentState.ERROR))
"""The states that have a colour."""
INJECTED: Final = "injected, withdraw-context undoes it"
"""The state of a pane in whose shell a client has set variables or aliases."""


def grid_view(mux: Multiplexer, window: Window) -> GridView:
    """The panes of a window, its dividers and titles."""
    titled = mux.layouts.bounds(window).y > 0
    solution = mux.layouts.of(window)
    named = solution.panes if titled else [pane for pane, _ in solution.floats]
    titles = {pane: pane_title(mux, pane) for pane in (*named, *solution.collapsed)}
    synchronized = frozenset(mux.user_options.synchronized(window))
    return GridView(solution, titles, window.active, titled, mux.line_style(), synchronized)


def ended_keys(mux: Multiplexer, pane: PaneId) -> str:
    """The keys of a pane whose program has ended: Escape closes one that floats, as tmux's popups."""
    return _ENDED_KEYS.format("Escape" if float_of(mux.window_of(pane).layout, pane) else "x")


def pane_title(mux: Multiplexer, pane: PaneId) -> Title:
    """A pane's number, its name (or what it runs), and its state."""
    return with_state(mux, pane, Title(f"{pane} {pane_label(mux, pane)}", colour=mux.tmux_options.colour(pane)))


def with_state(mux: Multiplexer, pane: PaneId, title: Title) -> Title:
    """A title with the pane's state as it is now: cheap, as the program in the foreground is not looked up."""
    terminal, window = mux.terminals[pane], mux.window_of(pane)
    if terminal.exit is not None:
        state = f"{terminal.exit.words}, {ended_keys(mux, pane)}"
    elif pane in mux.restored_panes and not mux.workspace.panes[pane].content:
        state = "waits, Enter runs it"
    elif offset := terminal.scrollback.offset:
        state = f"history -{offset}"
    else:
        state = "zoomed" if is_zoomed(window, pane) else ""
    injected = INJECTED if pane in mux.injected_contexts else ""
    agent, tone = agent_state(mux, pane)
    marked = "marked" if mux.user_options.marked == pane else ""
    if pane in mux.user_options.synchronized(window):
        marked, tone = f"synchronized{marked and ', ' + marked}", tone or "synchronized"
    tone = tone or _tone(mux, pane, window)
    recorded = "recorded" if mux.recordings.of(str(pane)) else ""
    note, input_state = mux.sideband.notes.get(pane, ""), _input_state(mux, pane)
    states = (marked, recorded, _piped(mux, pane), agent, note, injected, state, *input_state)
    state = ", ".join(part for part in states if part)
    return Title(title.text, state, tone, mode=terminal.copy_mode.label, colour=title.colour)


def _piped(mux: Multiplexer, pane: PaneId) -> str:
    """Whether the output goes to a program or a file, and how much of it was lost."""
    piped = mux.pipes.of(pane)
    if piped is None:
        return ""
    lost = f", {-(-piped.pipe.dropped // 1024)} KiB lost" if piped.pipe.dropped else ""
    return f"{'logged' if piped.receiver.path else 'piped'}{lost}"


def _tone(mux: Multiplexer, pane: PaneId, window: Window) -> str:
    """The tone of how a program ended, or of what keys or agents do otherwise in a pane; empty for none."""
    terminal = mux.terminals[pane]
    if terminal.exit is not None:
        return "error" if terminal.exit.code or terminal.exit.signal else "done"
    special = terminal.copy_mode.label or window.zoomed or mux.lease.is_taken(pane)
    return "mode" if special or terminal.scrollback.offset else ""


def agent_state(mux: Multiplexer, pane: PaneId) -> tuple[str, str]:
    """What the agent in a pane does, with what it says if it needs an answer, and the tone of that; empty for none."""
    status = mux.agents.statuses.get(pane)
    if status is None or mux.terminals[pane].exit is not None:
        return "", ""
    reading, glyph = status.reading, agent_glyph(status.state, ascii_only=mux.line_style() == "ascii")
    share = f" {reading.progress} %" if reading.progress is not None else ""
    words = f", {reading.words}" if reading.words and status.state in (AgentState.BLOCKED, AgentState.ERROR) else ""
    tone = status.state.value if status.state in _TONES else ""
    return f"{glyph} {reading.kind or status.state}{share}{words}", tone


def agent_glyph(state: AgentState, *, ascii_only: bool = False) -> str:
    """The character for a state."""
    return _GLYPHS[state][ascii_only]


def _input_state(mux: Multiplexer, pane: PaneId) -> tuple[str, str]:
    """Whether the user has taken a pane over, and who typed last, once another than the user has typed there."""
    last = mux.pane_reports[pane].input.last if mux.terminals[pane].exit is None else None
    return "held by you" if mux.lease.is_taken(pane) else "", last.label if last is not None else ""


def pane_label(mux: Multiplexer, pane: PaneId) -> str:
    """The pane's name, else its program's title, else the program in the foreground, or the one that waits to run."""
    terminal, waiting = mux.terminals[pane], mux.restored_panes.get(pane)
    record = mux.workspace.panes[pane]
    runs = waiting.offer.words if waiting else terminal.foreground
    return clean(record.name or record.content or terminal.title or runs or "shell", 60)
