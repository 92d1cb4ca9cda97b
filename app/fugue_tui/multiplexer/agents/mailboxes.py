"""Messages to the agents in panes: a mailbox each, in order, with the state of every message. Main thread only.

A pane's mailbox has a key in the pane's metadata, which is saved with the pane: what waits is delivered after a
restart, to the same pane under whatever id, and to no other. `control.agents.messenger` types what is queued.
"""

import os
import time
from collections.abc import Iterator, Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from fugue_tui.errors import NotFound, Refused, SaveError
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer.agents.load_gate import LoadGate
from fugue_tui.multiplexer.callbacks import CallbackList
from fugue_tui.workspace.model import Pane, Workspace

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Coroutine

    from fugue_tui.multiplexer.agents.journal import Journal

KEY: Final = "mailbox"
"""The entry of a pane's metadata with the key of its mailbox."""
LONGEST: Final = 20_000
"""Characters of a message."""
MOST_WAITING: Final = 500
"""Messages of one mailbox that were not read."""
MOST_KEPT: Final = 200
"""Messages of one mailbox that were read."""
MOST_TOPICS: Final = 100
"""Topics that one mailbox may be subscribed to."""
OLDEST: Final = 7 * 86_400.0
"""Seconds after which a message that was delivered is dropped when a workspace starts."""
OLDEST_WAITING: Final = 90 * 86_400.0
"""The same for one that waits: its pane may still be brought back."""


class MessageState(StrEnum):
    """What became of a message."""

    QUEUED = "queued"
    """It waits until the agent is at its input, or reads its mailbox."""
    TYPING = "typing"
    """It is being typed."""
    DELIVERED = "delivered"
    """It was typed and entered."""
    UNCONFIRMED = "unconfirmed"
    """The server ended while it was typed: it is not typed again, and can be read in the mailbox."""
    READ = "read"
    """The agent has read it in its mailbox."""
    ACKNOWLEDGED = "acknowledged"
    """The agent has acknowledged it."""

    @property
    def waits(self) -> bool:
        """Whether the agent may not have seen it."""
        return self in (MessageState.QUEUED, MessageState.TYPING, MessageState.UNCONFIRMED)


class Message(Struct, frozen=True, omit_defaults=True):
    """A message to one agent."""

    id: int
    box: str
    """The key of the receiver's mailbox."""
    sender: str
    """Who sent it, in words for people and models: cleaned."""
    text: str
    sent: float
    """When, in seconds since the epoch."""
    state: MessageState = MessageState.QUEUED
    topic: str = ""
    """The topic that it was published under; empty for none."""
    source: str = ""
    """The mailbox of its sender; empty for users, scripts and clients outside of panes."""
    briefing: bool = False
    """Whether it is typed as it is, without saying that it is a message and whose."""
    after: tuple[str, ...] = ()
    """The mailboxes whose agents have to have done what they were given before it is typed."""


class Mailboxes:
    """The mailboxes of a workspace."""

    def __init__(self) -> None:
        self._boxes: dict[str, dict[int, Message]] = {}
        self._topics: dict[str, frozenset[str]] = {}
        self._behind = set[int]()
        """The numbers of the queued messages that wait for other agents."""
        self._next = 1
        self._writes: set[asyncio.Task[Message]] = set()
        self.loaded = LoadGate()
        """All changes wait for it."""
        self.journal: Journal | None = None
        """Keeps the messages over restarts; None if nothing does."""
        self.on_change = CallbackList[[Message]]()
        """A message is new, or has another state."""

    @property
    def messages(self) -> Mapping[int, Message]:
        """All that are kept, by their numbers, oldest first."""
        return dict(sorted((number, each) for box in self._boxes.values() for number, each in box.items()))

    def of(self, box: str) -> list[Message]:
        """The messages of a mailbox, oldest first."""
        return list(self._boxes.get(box, {}).values())

    def get(self, number: int) -> Message | None:
        """The message with a number; None if it is not kept."""
        return next((box[number] for box in self._boxes.values() if number in box), None)

    def sent_by(self, box: str) -> list[Message]:
        """The messages that the owner of a mailbox has sent, oldest first."""
        return [each for each in self.messages.values() if box and each.source == box]

    def next_queued(self, box: str) -> Message | None:
        """The message that is typed next; None if none is queued, or one is being typed."""
        found = self.of(box)
        if any(each.state is MessageState.TYPING for each in found):
            return None
        return next((each for each in found if each.state is MessageState.QUEUED), None)

    def held(self) -> list[Message]:
        """The queued messages that wait for other agents."""
        return [each for number in sorted(self._behind) if (each := self.get(number)) is not None]

    async def add(
        self,
        box: str,
        sender: str,
        text: str,
        *,
        source: str = "",
        topic: str = "",
        briefing: bool = False,
        after: tuple[str, ...] = (),
    ) -> Message:
        """Put a message into a mailbox; it is on disk once this returns. Raises Refused if the mailbox is full, and
        SaveError. It is sent even if the caller is cancelled once it is being written."""
        await self.loaded.wait()
        if sum(each.state.waits for each in self.of(box)) >= MOST_WAITING:
            raise Refused(f"its mailbox has {MOST_WAITING} unread messages; wait until some are read")
        message = Message(
            self._next, box, sender, text, time.time(), topic=topic, source=source, briefing=briefing, after=after
        )
        self._next += 1
        return await self._whole(self._add(message))

    async def _add(self, message: Message) -> Message:
        await self._write(message)
        self._keep(message)
        self._forget_old(message.box)
        self.on_change(message)
        return message

    async def set_state(self, number: int, state: MessageState) -> Message:
        """Give a message another state; it is on disk once this returns. Raises NotFound and SaveError."""
        return await self._change(number, state=state)

    async def release_message(self, number: int) -> Message:
        """Let a message wait for other agents no more; that is on disk once this returns. Raises NotFound and
        SaveError."""
        return await self._change(number, after=())

    async def _change(self, number: int, **changes: Any) -> Message:
        await self.loaded.wait()
        before = self.message(number)
        return await self._whole(self._replace(before, self._keep(replace(before, **changes))))

    async def _replace(self, before: Message, message: Message) -> Message:
        try:
            await self._write(message)
        except SaveError:
            if self.get(message.id) is message:
                self._keep(before)
            raise
        self.on_change(message)
        return message

    async def _whole(self, change: "Coroutine[Any, Any, Message]") -> Message:
        """Make a change to its end, even if the caller is cancelled: what is on disk is known here."""
        import asyncio

        task = asyncio.get_running_loop().create_task(change)
        self._writes.add(task)
        task.add_done_callback(self._written)
        return await asyncio.shield(task)

    def _written(self, task: "asyncio.Task[Message]") -> None:
        self._writes.discard(task)
        if not task.cancelled():
            task.exception()  # The caller has it, unless it was cancelled.

    def message(self, number: int) -> Message:
        """The message with a number. Raises NotFound."""
        if (found := self.get(number)) is None:
            raise NotFound(f"no message {number}; list-messages shows those that are kept")
        return found

    # Topics

    def subscribers(self, topic: str) -> list[str]:
        """The mailboxes that are subscribed to a topic."""
        return sorted(box for box, topics in self._topics.items() if topic in topics)

    def topics(self, box: str) -> frozenset[str]:
        """The topics that a mailbox is subscribed to."""
        return self._topics.get(box, frozenset())

    async def subscribe(self, box: str, topic: str, *, subscribed: bool) -> frozenset[str]:
        """Subscribe a mailbox to a topic, or end that; all its topics now. Raises Refused and SaveError."""
        await self.loaded.wait()
        topics = self.topics(box) | {topic} if subscribed else self.topics(box) - {topic}
        if len(topics) > MOST_TOPICS:
            raise Refused(f"topic: {MOST_TOPICS} topics are too many; end a subscription first")
        self._topics[box] = topics
        if self.journal is not None:
            await self.journal.write({"box": box, "topics": sorted(topics)})
        return topics

    # Over restarts

    def load(self, records: Iterator[Mapping[str, Any]], now: float) -> None:
        """Take over what a journal holds: of a message the last record counts. What was being typed is unconfirmed."""
        for record in records:
            try:
                if "topics" in record:
                    self._topics[str(record["box"])] = frozenset(map(str, record["topics"]))
                    continue
                message = msgspec.convert(record, Message)
            except (msgspec.ValidationError, KeyError, TypeError):
                continue  # A newer version's, or damaged.
            if message.state is MessageState.TYPING:
                message = replace(message, state=MessageState.UNCONFIRMED)
            self._keep(message)
            self._next = max(self._next, message.id + 1)
        for message in self.messages.values():
            if now - message.sent > (OLDEST_WAITING if message.state.waits else OLDEST):
                del self._boxes[message.box][message.id]

    def records(self) -> list[dict[str, Any]]:
        """All that is kept, for a journal."""
        topics = [{"box": box, "topics": sorted(topics)} for box, topics in self._topics.items() if topics]
        return [*topics, *(msgspec.to_builtins(each) for each in self.messages.values())]

    def _keep(self, message: Message) -> Message:
        self._boxes.setdefault(message.box, {})[message.id] = message
        if message.after and message.state is MessageState.QUEUED:
            self._behind.add(message.id)
        else:
            self._behind.discard(message.id)
        return message

    async def _write(self, message: Message) -> None:
        if self.journal is not None:
            await self.journal.write(msgspec.to_builtins(message))

    def _forget_old(self, box: str) -> None:
        seen = [each for each in self.of(box) if not each.state.waits]
        for each in seen[: max(0, len(seen) - MOST_KEPT)]:
            del self._boxes[box][each.id]


def box_of(pane: Pane) -> str:
    """The key of a pane's mailbox; empty if it has none yet."""
    found = pane.metadata.get(KEY, "")
    return found if isinstance(found, str) else ""


def with_box(pane: Pane) -> Pane:
    """A pane with a mailbox."""
    if box_of(pane):
        return pane
    return replace(pane, metadata=MappingProxyType({**pane.metadata, KEY: os.urandom(6).hex()}))


def pane_of(workspace: Workspace, box: str) -> PaneId | None:
    """The pane with a mailbox; the first one, if a save was brought back beside the panes that it was made of. None if
    it is closed."""
    return min((pane.id for pane in workspace.panes.values() if box_of(pane) == box), default=None)
