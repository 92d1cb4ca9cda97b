"""What the monitor does about an agent: it notifies the user, writes to agents, restarts or ends them.

It does so by the commands that everyone uses, under the policy and after the user's typing. Main thread only.
"""

from collections.abc import Callable
from typing import Any, Final

from fugue_tui.config.monitor import Action, Condition
from fugue_tui.control.agents.monitor_info import GOES_ON, lead_of
from fugue_tui.control.agents.receivers import sender, unbracketed
from fugue_tui.control.commands.messages import SendMessage
from fugue_tui.control.commands.start_agent import RestartAgent, StopAgent
from fugue_tui.control.core.command import Command, Interface, Origin
from fugue_tui.control.core.deferred import finished, is_deferred
from fugue_tui.control.dispatch.dispatcher import Dispatcher
from fugue_tui.errors import FugueError
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.agents.mailboxes import MessageState, box_of
from fugue_tui.multiplexer.agents.monitored import MonitoredPane, NextAction
from fugue_tui.multiplexer.events.derive import EventKind
from fugue_tui.sanitize import clean, quoted

ORIGIN: Final = Origin(Interface.MONITOR)
RESTART_SECONDS: Final = 30.0
"""Seconds that are waited for an agent that was restarted."""
_LONGEST: Final = 160
_WORDS: Final = {
    Condition.GONE: "has gone",
    Condition.BUDGET: "is over its budget",
    Condition.BLOCKED: "waits for an answer",
    Condition.LOOPING: "is looping",
    Condition.IDLE: "rests",
}


class MonitorActions:
    """Performs actions."""

    def __init__(self, dispatcher: Dispatcher, notify: Callable[[PaneId, str], None]) -> None:
        """`notify` notifies the user about a pane."""
        self._dispatcher, self._mux, self._notify = dispatcher, dispatcher.mux, notify

    async def perform(self, pane: PaneId, monitored: MonitoredPane, action: NextAction) -> FugueError | None:
        """Do something about the agent in a pane, and record it; the error if it could not be done."""
        text, error = notice(self._mux, pane, monitored, action.condition), None
        try:
            await self._perform(pane, monitored, action, text)
        except FugueError as refused:
            error = refused
        facts: dict[str, Any] = {"condition": action.condition.value, "action": action.action.value}
        self._dispatcher.audit.record_event(
            "monitor",
            ORIGIN,
            f"{action.action}: {text}",
            panes=(str(pane),),
            outcome=error.code if error else "done",
            reason=str(error) if error else "",
            **facts,
            number=action.number,
        )
        if error is None:
            self._mux.event_log.record(EventKind.MONITOR, pane, **facts, number=action.number, text=text)
        return error

    def notify_end(self, pane: PaneId, monitored: MonitoredPane) -> None:
        """Notify the user that nothing more is done about an agent."""
        name = clean(self._mux.workspace.panes[pane].name, 40)
        self._notify(pane, f"{name or 'the agent'} in {pane} was acted on {monitored.acted} times: {GOES_ON}")

    async def _perform(self, pane: PaneId, monitored: MonitoredPane, action: NextAction, text: str) -> None:
        match action.action:
            case Action.TELL:
                self._notify(pane, text)
            case Action.NUDGE if not _is_nudged(self._mux, pane):
                await self._run(SendMessage(to=(str(pane),), text=monitored.rules.text))
            case Action.NUDGE:
                pass  # The last message still waits to be typed.
            case Action.RESTART:
                await self._run(RestartAgent(pane=str(pane), briefing=monitored.rules.text, wait=RESTART_SECONDS))
            case Action.STOP:
                await self._run(StopAgent(pane=str(pane)))
            case Action.ESCALATE:
                if (lead := lead_of(self._mux, pane, monitored.rules.escalate_to)) is None:
                    self._notify(
                        pane, f"{text}, and no agent has the name or role {clean(monitored.rules.escalate_to, 40)}"
                    )
                else:
                    await self._run(SendMessage(to=(str(lead),), text=f"{text}. Please see to it."))

    async def _run(self, command: Command[Any]) -> None:
        result = self._dispatcher.run(command, ORIGIN)
        await finished(result) if is_deferred(result) else None


def notice(mux: Multiplexer, pane: PaneId, monitored: MonitoredPane, condition: Condition) -> str:
    """One line on what an agent is in; its own words are quoted."""
    record, status = mux.workspace.panes[pane], mux.agents.statuses.get(pane)
    program = clean(status.program, 40) if status is not None else "the agent"
    name = f" ({quoted(unbracketed(record.name))})" if record.name else ""
    words = f"{program or 'the agent'} in {pane}{name} {_WORDS[condition]}"
    if condition is Condition.LOOPING:
        repeated = quoted(unbracketed(monitored.repeated)) if monitored.repeats_at is not None else "nothing new"
        words += f": {repeated}"
    elif status is not None and condition in (Condition.IDLE, Condition.BLOCKED):
        words += f" for {max(0, round(mux.clock() - status.since))} s"
        words += f": {quoted(unbracketed(status.reading.words))}" if status.reading.words else ""
    return clean(words, _LONGEST)


def _is_nudged(mux: Multiplexer, pane: PaneId) -> bool:
    """Whether a message of the monitor still waits to be typed into a pane."""
    box, own = box_of(mux.workspace.panes[pane]), sender(mux, ORIGIN)
    waits = (MessageState.QUEUED, MessageState.TYPING)
    return any(each.state in waits and each.sender == own for each in mux.mailboxes.of(box)) if box else False
