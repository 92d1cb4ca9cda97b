"""Notifies the user that agents wait or are done: in the status bar, in the host terminals' titles, and outside by the
notifications of the host. Main thread only."""

import asyncio
from typing import Final

from fugue_tui.control.output.pane_titles import pane_label
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer.agents.state import AgentState, AgentStatus
from fugue_tui.sanitize import clean
from fugue_tui.tui.app_context import ServerContext

DELAY_SECONDS: Final = 1.0
"""A state that lasts no longer notifies nobody."""
PAUSE_SECONDS: Final = 10.0
"""Minimum seconds between two notifications outside."""
TITLE_SECONDS: Final = 0.2
"""How long a change of how many wait may be missing from the terminals' titles."""
_WORDS: Final = {AgentState.BLOCKED: "waits for you", AgentState.DONE: "is done", AgentState.ERROR: "has failed"}
_LONGEST: Final = 160


class AgentNotifications:
    """Follows the states of agents."""

    def __init__(self, app: ServerContext) -> None:
        self._app = app
        self._waiting = 0
        self._due: dict[PaneId, AgentStatus] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._title: asyncio.TimerHandle | None = None
        self._sent_at = float("-inf")

    def start(self) -> None:
        """Begin to follow them."""
        self._app.mux.agents.on_change.connect(self._changed)

    def notify(self, pane: PaneId, text: str) -> None:
        """Notify the user of what the monitor found in a pane, also of one that the user looks at."""
        self._app.inform(text)
        if sequence := notification_sequence(self._app.settings.agents.notify, clean(text, _LONGEST)):
            self._app.clients.send(sequence)

    def _changed(self, pane: PaneId, before: AgentStatus | None, after: AgentStatus | None) -> None:
        if self._title is None:
            self._title = asyncio.get_running_loop().call_later(TITLE_SECONDS, self._count)
        if after is None or after.state not in _WORDS:
            self._due.pop(pane, None)
        elif before is None or before.state is not after.state:
            self._due[pane] = after
            self._schedule(DELAY_SECONDS)

    def _count(self) -> None:
        self._title = None
        waiting = len(self._app.mux.agents.waiting())
        if waiting != self._waiting:
            self._waiting = waiting
            self._app.clients.set_waiting(self._app.mux.workspace.name, waiting)

    def _schedule(self, seconds: float) -> None:
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(seconds, self._notify)

    def _notify(self) -> None:
        self._timer = None
        mux, due = self._app.mux, {pane: each for pane, each in self._due.items() if not self._is_seen(pane)}
        self._due.clear()
        if not due:
            return
        left = self._sent_at + PAUSE_SECONDS - mux.clock()
        if left > 0:
            self._due = due
            self._schedule(left)
            return
        self._sent_at = mux.clock()
        text = notice(_label(self._app, next(iter(due))), due)
        self._app.inform(text)
        if sequence := notification_sequence(self._app.settings.agents.notify, text):
            self._app.clients.send(sequence)

    def _is_seen(self, pane: PaneId) -> bool:
        """Whether the user looks at a pane, or it is gone."""
        mux = self._app.mux
        return pane not in mux.workspace.panes or self._app.is_seen(pane)


def _label(app: ServerContext, pane: PaneId) -> str:
    """A pane's id and name."""
    name = clean(app.mux.workspace.panes[pane].name) or pane_label(app.mux, pane)
    return f"{pane} ({name})"


def notice(label: str, due: dict[PaneId, AgentStatus]) -> str:
    """One line about agents in their new states; `label` names the pane of the first."""
    status = next(iter(due.values()))
    if len(due) > 1:
        waiting = sum(each.waits for each in due.values())
        return f"{waiting} agents wait for you" if waiting > 1 else f"{len(due)} agents are done or wait for you"
    words = f": {status.reading.words}" if status.reading.words else ""
    return clean(f"{status.program} in {label} {_WORDS[status.state]}{words}", _LONGEST)


def notification_sequence(way: str, text: str) -> bytes:
    """The sequence that has a host terminal show a notification (iTerm2's OSC 9, rxvt's 777, kitty's 99, or a bell);
    empty for `off`."""
    match way:
        case "osc9":
            # OSC 9 and a number is a command of ConEmu's, which Ghostty and Windows Terminal know, too.
            return f"\x1b]9;fugue-tui: {text}\x07".encode()
        case "osc777":
            return f"\x1b]777;notify;fugue-tui;{text.replace(';', ',')}\x07".encode()
        case "osc99":
            return f"\x1b]99;;{text}\x1b\\".encode()
        case "bell":
            return b"\a"
        case _:
            return b""
