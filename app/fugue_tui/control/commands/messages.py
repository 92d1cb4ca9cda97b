"""Messages between agents: send, publish, list, read and acknowledge them, and subscribe to topics."""

import asyncio
from collections.abc import Sequence
from typing import Annotated, Final

from msgspec import Meta, Struct

from fugue_tui.control.agents.receivers import mailbox, receivers, sender, unbracketed
from fugue_tui.control.commands.wait import MAX_TIMEOUT
from fugue_tui.control.core import target
from fugue_tui.control.core.changes import until
from fugue_tui.control.core.command import Command, Effect, Origin, Toolset
from fugue_tui.control.core.deferred import Deferred, run_task
from fugue_tui.control.core.send_input import typeable
from fugue_tui.errors import InvalidArgument, NotFound, Refused
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.agents.mailboxes import LONGEST, Message, MessageState, box_of, pane_of
from fugue_tui.sanitize import clean, clean_text

MAX_RECEIVERS: Final = 64
Text = Annotated[str, Meta(min_length=1, max_length=LONGEST)]
Topic = Annotated[str, Meta(min_length=1, max_length=100)]


class MessageInfo(Struct, frozen=True):
    """A message to an agent. Its text is untrusted."""

    id: int
    """Its number."""
    pane: str | None
    """The receiver's pane; null if it is closed."""
    name: str
    """The receiver's name; empty if it has none."""
    sender: str
    """Who sent it: a name and a pane, the user, or a script."""
    topic: str
    """The topic that it was published under; empty for none."""
    state: MessageState
    """queued until the agent is at its input; unconfirmed, if the workspace ended while it was typed; delivered; read
    or acknowledged by the agent."""
    text: str
    """Its text: untrusted."""


class SentMessages(Struct, frozen=True):
    """The messages that were sent, one to each receiver."""

    messages: tuple[MessageInfo, ...]
    """The messages as they are now."""


class MessageList(Struct, frozen=True):
    """Messages, oldest first."""

    messages: tuple[MessageInfo, ...]
    """The messages."""


class Subscriptions(Struct, frozen=True):
    """What an agent is subscribed to."""

    pane: str
    """The agent's pane."""
    topics: tuple[str, ...]
    """Its topics."""


class SendMessage(
    Command[SentMessages], name="send-message", effect=Effect.INPUT, toolset=Toolset.AGENTS, creates=True
):
    """Send a message to an agent, a role, a team or all.

    It is typed when the agent is at its input: never into a dialog, another program or over a line that the user has
    left there; messages to one agent keep their order. It is kept until then, also over a restart.
    """

    to: Annotated[tuple[str, ...], Meta(min_length=1, max_length=MAX_RECEIVERS)]
    """The receivers: a pane's id or name, role:NAME, team:NAME, or all."""
    text: Text
    """The text; may have several lines."""
    wait: Annotated[float, Meta(ge=0, le=MAX_TIMEOUT)] = 0.0
    """Seconds to wait until it is delivered everywhere; 0 returns at once."""

    def targets(self, mux: Multiplexer, origin: Origin) -> tuple[PaneId, ...]:
        """The receivers."""
        return receivers(mux, self.to, origin)

    def run(self, mux: Multiplexer, origin: Origin) -> Deferred[SentMessages]:
        """Put it into the mailboxes. Raises NotFound, InvalidArgument, Refused or SaveError."""
        text = _visible(self.text)
        panes = receivers(mux, self.to, origin)
        return run_task(_send(mux, origin, panes, text, "", self.wait))


class PublishMessage(
    Command[SentMessages], name="publish-message", effect=Effect.INPUT, toolset=Toolset.AGENTS, creates=True
):
    """Send a message to all agents that are subscribed to a topic."""

    topic: Topic
    """The topic."""
    text: Text
    """The text; may have several lines."""

    def targets(self, mux: Multiplexer, origin: Origin) -> tuple[PaneId, ...]:
        """The subscribers."""
        return self._subscribers(mux, origin)

    def run(self, mux: Multiplexer, origin: Origin) -> Deferred[SentMessages]:
        """Put it into their mailboxes. Raises NotFound if there are none."""
        _topic(self.topic)
        panes = self._subscribers(mux, origin)
        if not panes:
            raise NotFound(f"topic: no other agent is subscribed to {clean(self.topic, 60)}; send-message reaches one")
        return run_task(_send(mux, origin, panes, _visible(self.text), _topic(self.topic), 0.0))

    def _subscribers(self, mux: Multiplexer, origin: Origin) -> tuple[PaneId, ...]:
        boxes = mux.mailboxes.subscribers(unbracketed(self.topic))
        found = (pane_of(mux.workspace, box) for box in boxes)
        return tuple(pane for pane in found if pane is not None and pane != origin.pane)


class SubscribeTopic(Command[Subscriptions], name="subscribe-topic", effect=Effect.LAYOUT, toolset=Toolset.AGENTS):
    """Get the messages that are published under a topic, in your own mailbox."""

    topic: Topic
    """The topic."""
    pane: str = target.ACTIVE
    """The pane of the agent; agents subscribe their own."""
    subscribed: bool = True
    """False ends the subscription."""

    def run(self, mux: Multiplexer, origin: Origin) -> Deferred[Subscriptions]:
        """All topics. Raises NotFound, or Refused for another's pane."""
        pane = _own(mux, self.pane, origin)
        return run_task(self._subscribe(mux, pane, mailbox(mux, pane), _topic(self.topic)))

    async def _subscribe(self, mux: Multiplexer, pane: PaneId, box: str, topic: str) -> Subscriptions:
        topics = await mux.mailboxes.subscribe(box, topic, subscribed=self.subscribed)
        return Subscriptions(str(pane), tuple(sorted(topics)))


class ListMessages(Command[MessageList], name="list-messages", effect=Effect.READ, toolset=Toolset.AGENTS):
    """List messages and what became of them: those of an agent's mailbox, or those that it sent. Nothing is marked as
    read."""

    pane: str = ""
    """The agent's pane; omitted, your own, and for the user all messages."""
    sent: bool = False
    """Those that it sent, instead of those that it got."""
    states: tuple[MessageState, ...] = ()
    """Only those in these states."""
    limit: Annotated[int, Meta(ge=1, le=500)] = 50
    """The newest so many."""

    def run(self, mux: Multiplexer, origin: Origin) -> MessageList:
        """The messages, oldest first. Raises NotFound."""
        found = [each for each in self._messages(mux, origin) if not self.states or each.state in self.states]
        return MessageList(tuple(_info(mux, each) for each in found[-self.limit :]))

    def _messages(self, mux: Multiplexer, origin: Origin) -> Sequence[Message]:
        if not self.pane and (origin.pane is None or origin.is_user):
            return tuple(mux.mailboxes.messages.values())
        pane = target.pane(mux, self.pane or target.ACTIVE, origin)
        box = box_of(mux.workspace.panes[pane])
        if not box:
            return ()
        return mux.mailboxes.sent_by(box) if self.sent else mux.mailboxes.of(box)


class ReadMessages(Command[MessageList], name="read-messages", effect=Effect.LAYOUT, toolset=Toolset.AGENTS):
    """Read the new messages of your mailbox, which are not typed any more then."""

    pane: str = target.ACTIVE
    """The agent's pane; agents read their own."""

    def run(self, mux: Multiplexer, origin: Origin) -> Deferred[MessageList]:
        """The messages that were not read. Raises NotFound, or Refused for another's pane."""
        pane = _own(mux, self.pane, origin)
        return run_task(self._read(mux, box_of(mux.workspace.panes[pane])))

    async def _read(self, mux: Multiplexer, box: str) -> MessageList:
        unread = (MessageState.QUEUED, MessageState.UNCONFIRMED, MessageState.DELIVERED)
        new = [each for each in mux.mailboxes.of(box) if box and each.state in unread]
        read = await asyncio.gather(*(mux.mailboxes.set_state(each.id, MessageState.READ) for each in new))
        return MessageList(tuple(_info(mux, each) for each in read))


class AcknowledgeMessage(
    Command[MessageInfo], name="acknowledge-message", effect=Effect.LAYOUT, toolset=Toolset.AGENTS, repeatable=True
):
    """Acknowledge a message that you got, which its sender sees in list-messages."""

    id: Annotated[int, Meta(ge=1)]
    """Its number."""

    def run(self, mux: Multiplexer, origin: Origin) -> Deferred[MessageInfo]:
        """The message. Raises NotFound, or Refused for another's message."""
        message = mux.mailboxes.message(self.id)
        pane = pane_of(mux.workspace, message.box)
        if not origin.kind.acts_for_user and (pane is None or pane != origin.pane):
            raise Refused(f"message {self.id} is not to you; list-messages shows yours")
        if message.state is MessageState.TYPING:
            raise Refused(f"message {self.id} is being typed; try again", retry_after_ms=1_000)
        return run_task(self._acknowledge(mux))

    async def _acknowledge(self, mux: Multiplexer) -> MessageInfo:
        return _info(mux, await mux.mailboxes.set_state(self.id, MessageState.ACKNOWLEDGED))


def _topic(text: str) -> str:
    return unbracketed(target.visible_word(text, "topic"))


def _visible(text: str) -> str:
    """The text of a message, which is typed as it is. Raises InvalidArgument if nothing of it could be seen."""
    target.visible_word(text, "text")
    return typeable(text)


async def _send(
    mux: Multiplexer, origin: Origin, panes: Sequence[PaneId], text: str, topic: str, seconds: float
) -> SentMessages:
    """Put a message into mailboxes, and wait until it is delivered."""
    source = mailbox(mux, origin.pane) if origin.pane in mux.workspace.panes and origin.pane is not None else ""
    boxes, by = [mailbox(mux, pane) for pane in panes if pane in mux.workspace.panes], sender(mux, origin)
    if not boxes:
        raise NotFound("to: the receivers' panes were closed meanwhile")
    sent = await asyncio.gather(*(mux.mailboxes.add(box, by, text, source=source, topic=topic) for box in boxes))
    numbers = [each.id for each in sent]
    await until_delivered(mux, numbers, seconds)
    return SentMessages(tuple(_info(mux, mux.mailboxes.get(each.id) or each) for each in sent))


async def until_delivered(mux: Multiplexer, numbers: Sequence[int], seconds: float) -> None:
    """Wait until messages wait no more, for so many seconds at most."""
    await until(lambda: not any(_waits(mux, number) for number in numbers), seconds, mux.mailboxes.on_change)


def _waits(mux: Multiplexer, number: int) -> bool:
    message = mux.mailboxes.get(number)
    return message is not None and message.state in (MessageState.QUEUED, MessageState.TYPING)


def _own(mux: Multiplexer, wanted: str, origin: Origin) -> PaneId:
    """The pane whose mailbox a caller may change: an agent's own."""
    if not origin.kind.acts_for_user and origin.pane is None:
        raise InvalidArgument("pane: you are in no pane, so you have no mailbox")
    pane = target.pane(mux, wanted, origin)
    if not origin.kind.acts_for_user and pane != origin.pane:
        raise Refused(f"{pane} is not your own pane; each agent has a mailbox of its own")
    return pane


def _info(mux: Multiplexer, message: Message) -> MessageInfo:
    pane = pane_of(mux.workspace, message.box)
    return MessageInfo(
        id=message.id,
        pane=None if pane is None else str(pane),
        name="" if pane is None else clean(mux.workspace.panes[pane].name),
        sender=clean(message.sender),
        topic=clean(message.topic),
        state=message.state,
        text=clean_text(message.text),
    )
