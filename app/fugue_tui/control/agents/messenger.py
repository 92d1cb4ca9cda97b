"""Types the messages that wait in mailboxes, each when its agent is at its input. Main thread only.

A message is typed into an agent that is idle, done or has failed: never into a dialog, another program, or over a line
that the user has left there. While the user types, it waits. It is marked on disk before it is typed, and not typed
again after a restart: what is not confirmed stays in the mailbox. One that waits for other agents is typed once each of
those has had what waits for it and is idle or done again, or has ended.
"""

import asyncio
import logging
import re
from contextvars import Context
from typing import Final

from fugue_tui.control.agents.agent_monitor import last_rows
from fugue_tui.control.agents.program_rules import RuleCache
from fugue_tui.control.core.command import Interface, Origin
from fugue_tui.control.core.deferred import finished, is_deferred
from fugue_tui.control.core.send_input import Input, send
from fugue_tui.errors import FugueError, SaveError
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.agents.mailboxes import Message, MessageState, box_of, pane_of
from fugue_tui.multiplexer.agents.state import AgentState
from fugue_tui.multiplexer.watch.main_loop import call_later
from fugue_tui.sanitize import clean
from fugue_tui.workspace.model import Workspace

ANSWER_SECONDS: Final = 3.0
"""For so long after something was typed an agent that has rested since before may not have begun to work on it yet: it
is not typed to again, nor taken for idle or done."""
ENTER_SECONDS: Final = 1.5
"""Seconds after which Enter is pressed again, if what was typed is in the agent's input still: a program that has just
started may lose a key. Less than ANSWER_SECONDS, after which the next message is typed."""
ENTERS: Final = 3
"""How often that is done at most."""
RETRY_SECONDS: Final = 1.0
"""Seconds until a message is tried again that could not be typed, such as while the user types there."""
LOOK_SECONDS: Final = 0.2
"""Seconds until the screen of an agent that rests is looked at again, as it does not show its input."""
RESTS: Final = (AgentState.IDLE, AgentState.DONE, AgentState.ERROR)
"""The states in which an agent takes a message."""
_DONE: Final = (AgentState.IDLE, AgentState.DONE)
_HEADER: Final = "[message "
_LINE_END: Final = re.compile(r"[\n\u2028\u2029]")

_log = logging.getLogger(__name__)


class Messenger:
    """The delivery of a workspace's messages."""

    def __init__(self, mux: Multiplexer) -> None:
        self._mux, self._boxes = mux, mux.mailboxes
        self._rules = RuleCache()
        self._changed = set[str]()
        """The mailboxes whose agents changed while they were looked at."""
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._boxes.on_change.connect(lambda message: self._look_behind(message.box))
        mux.agents.on_change.connect(lambda pane, before, after: self._on_agent(pane))
        mux.agents.on_found.connect(self._on_agent)
        mux.on_change.connect(self._on_workspace)

    def start(self) -> None:
        """Begin with what waits already."""
        for box in {each.box for each in self._boxes.messages.values() if each.state is MessageState.QUEUED}:
            self._look(box)

    def _on_agent(self, pane: PaneId) -> None:
        if (record := self._mux.workspace.panes.get(pane)) is not None and (box := box_of(record)):
            self._look_behind(box)

    def _on_workspace(self, old: Workspace, new: Workspace) -> None:
        if old.panes is not new.panes:
            for pane in new.panes.keys() - old.panes.keys():
                if box := box_of(new.panes[pane]):
                    self._look(box)
            for pane in old.panes.keys() - new.panes.keys():
                if box := box_of(old.panes[pane]):
                    self._look_behind(box)

    def _look_behind(self, box: str) -> None:
        """Deliver what waits in a mailbox, and what waits for its agent."""
        self._look(box)
        for message in self._boxes.held():
            if box in message.after:
                self._look(message.box)

    def _look(self, box: str) -> None:
        """Deliver what waits in a mailbox, unless that is under way."""
        if box in self._tasks:
            self._changed.add(box)
        elif self._boxes.next_queued(box) is not None:
            task = asyncio.get_running_loop().create_task(self._deliver(box), context=Context())
            self._tasks[box] = task
            task.add_done_callback(lambda _: self._end(box))

    def _end(self, box: str) -> None:
        """A look has ended; what changed meanwhile is looked at."""
        del self._tasks[box]
        if box in self._changed:
            self._changed.discard(box)
            self._look(box)

    async def _deliver(self, box: str) -> None:
        """Type the next message if its agent takes it, else look again when that may have changed."""
        await asyncio.sleep(0)
        pane = pane_of(self._mux.workspace, box)
        message = self._boxes.next_queued(box)
        if pane is None or message is None:
            return
        wait = self._held(message) if message.after else self._wait(pane)
        if wait is None:
            return  # A change of the agents' states looks again.
        if wait <= 0:
            done = await (self._release(message) if message.after else self._type(pane, message))
            wait = 0.0 if done else RETRY_SECONDS
        if (timer := self._timers.pop(box, None)) is not None:
            timer.cancel()
        self._timers[box] = call_later(wait, lambda: self._look(box))

    def _held(self, message: Message) -> float | None:
        """Seconds until the agents that a message waits for are done: 0 if they are, None if only a change of
        their states can end that."""
        left = 0.0
        for box in message.after:
            pane = pane_of(self._mux.workspace, box)
            if pane is None or pane in self._mux.exits:
                continue
            status = self._mux.agents.statuses.get(pane)
            waits = any(each.state in (MessageState.QUEUED, MessageState.TYPING) for each in self._boxes.of(box))
            if waits or status is None or status.state not in _DONE:
                return None
            left = max(left, settling(self._mux, pane))
        return left

    async def _release(self, message: Message) -> bool:
        """Let a message wait for other agents no more; whether that was saved."""
        try:
            await self._boxes.release_message(message.id)
        except SaveError as error:
            _log.warning("message %d waits: %s", message.id, error)
            return False
        return True

    def _wait(self, pane: PaneId) -> float | None:
        """Seconds until an agent may take a message: 0 if it does, None if only a change of its state can end that."""
        status = self._mux.agents.statuses.get(pane)
        if pane not in self._mux.agents.programs or status is None or status.state not in RESTS:
            return None
        if (left := settling(self._mux, pane)) > 0:
            return left
        return 0.0 if self._takes_input(pane) else LOOK_SECONDS

    def _takes_input(self, pane: PaneId) -> bool:
        """Whether the screen shows the agent's input: a program may say that it is idle before it reads."""
        program, terminal = self._mux.agents.programs[pane], self._mux.terminals[pane]
        rules = self._rules.of(program)
        return rules.takes_input(last_rows(terminal)) and (not rules.screens or terminal.modes.bracketed_paste)

    async def _type(self, pane: PaneId, message: Message) -> bool:
        """Type a message and press Enter; whether that was done, or is unknown."""
        origin = Origin(Interface.MCP, client=message.sender)
        if self._mux.input(pane, origin.author).refusal() is not None:
            return False
        try:
            await self._boxes.set_state(message.id, MessageState.TYPING)
        except SaveError as error:
            _log.warning("message %d waits: %s", message.id, error)
            return False
        state = MessageState.QUEUED
        try:
            if self._wait(pane) == 0.0:
                text = self._typed(pane, message)
                result = send(self._mux, origin, str(pane), (Input(text, submit=True),), 0.0)
                state = MessageState.UNCONFIRMED
                sent = await finished(result) if is_deferred(result) else result
                state = MessageState.DELIVERED if sent.submitted else MessageState.UNCONFIRMED
        except FugueError as error:
            _log.info("message %d to %s: %s", message.id, pane, error)
        await self._mark(message, state)
        if state is MessageState.DELIVERED:
            self._check_later(pane, message, ENTERS)
        return state is not MessageState.QUEUED

    def _typed(self, pane: PaneId, message: Message) -> str:
        """What is typed of a message: one line for a program that reads each line as input of its own, as those behind
        the first would have no head."""
        text = typed_text(message)
        takes_lines = message.briefing or self._mux.terminals[pane].modes.bracketed_paste
        return text if takes_lines else text.replace("\n", " ")

    def _check_later(self, pane: PaneId, message: Message, left: int) -> None:
        """Look whether an agent has taken a message, and press Enter if not, so many times at most."""
        status = self._mux.agents.statuses.get(pane)
        if status is not None and left:
            call_later(ENTER_SECONDS, lambda: self._check(pane, message, status.since, left))

    def _check(self, pane: PaneId, message: Message, since: float, left: int) -> None:
        status, program = self._mux.agents.statuses.get(pane), self._mux.agents.programs.get(pane)
        if program is None or status is None or status.since != since or status.state not in RESTS:
            return
        holds = self._rules.of(program).holds(last_rows(self._mux.terminals[pane]), typed_text(message))
        if holds and message.box not in self._tasks:
            task = asyncio.get_running_loop().create_task(self._enter(pane, message, left), context=Context())
            self._tasks[message.box] = task
            task.add_done_callback(lambda _: self._end(message.box))

    async def _enter(self, pane: PaneId, message: Message, left: int) -> None:
        """Press Enter, unless the user types there."""
        origin = Origin(Interface.MCP, client=message.sender)
        try:
            result = send(self._mux, origin, str(pane), (Input(submit=True),), 0.0)
            await finished(result) if is_deferred(result) else None
        except FugueError as error:
            _log.info("message %d to %s is not entered: %s", message.id, pane, error)
        self._check_later(pane, message, left - 1)

    async def _mark(self, message: Message, state: MessageState) -> None:
        """Save what became of a message, as soon as that is possible: until then no other is typed there."""
        while True:
            try:
                await self._boxes.set_state(message.id, state)
            except SaveError as error:
                _log.warning("message %d is %s: %s", message.id, state, error)
                await asyncio.sleep(RETRY_SECONDS)
            else:
                return


def settling(mux: Multiplexer, pane: PaneId) -> float:
    """Seconds for which an agent that rests may yet begin to work on what was typed; 0 for any other."""
    status, signals = mux.agents.statuses.get(pane), mux.agents.signals.get(pane)
    if status is None or signals is None or status.state not in RESTS or signals.typed_at < status.since:
        return 0.0
    return max(0.0, signals.typed_at + ANSWER_SECONDS - mux.clock())


def typed_text(message: Message) -> str:
    """What is typed of a message: a line that looks like the head of another message is indented."""
    if message.briefing:
        return message.text
    about = f" on {message.topic}" if message.topic else ""
    lines = [f" {line}" if clean(line).startswith(_HEADER) else line for line in _LINE_END.split(message.text)]
    return f"{_HEADER}{message.id} from {message.sender}{about}] " + "\n".join(lines)
