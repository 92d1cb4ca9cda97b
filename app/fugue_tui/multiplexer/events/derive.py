"""Derives log entries from events and from state changes. Pure."""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any, Final

from msgspec import Struct, field

from fugue_tui.ids import PaneId, WindowId
from fugue_tui.layout.tree import panes
from fugue_tui.multiplexer.agents.mailboxes import pane_of
from fugue_tui.multiplexer.agents.state import AgentStatus
from fugue_tui.multiplexer.agents.tasks import Task
from fugue_tui.multiplexer.events.pane_events import AgentChanged, Ended, PaneEvent, Started
from fugue_tui.sanitize import clean, clean_path
from fugue_tui.terminal.emulator.command_record import CommandRecord
from fugue_tui.terminal.emulator.events import (
    Bell,
    CommandFinished,
    CommandStarted,
    CwdChanged,
    EventsDropped,
    Notification,
    StatusReport,
    TitleChanged,
)
from fugue_tui.workspace.model import Window, Workspace

LONGEST: Final = 1_000
"""Characters logged of a command or a notification."""


class EventKind(StrEnum):
    """The kinds of logged events."""

    OUTPUT = "output"
    """A pane printed: bytes and lines, counted together for a while."""
    STARTED = "started"
    """A program was started in a pane, the first or another."""
    EXIT = "exit"
    """A pane's program ended."""
    BELL = "bell"
    NOTIFICATION = "notification"
    """A program notified (OSC 9 or 777)."""
    TITLE = "title"
    """A program set its title."""
    CWD = "cwd"
    """A program reported its working directory."""
    EVENTS_DROPPED = "events-dropped"
    """A program reported events too fast: so many titles, notifications and the like were dropped."""
    AGENT = "agent"
    """An agent began to work, needs an answer, is done..., or has ended."""
    TASK = "task"
    """A task was added, claimed, done..., otherwise changed, or removed."""
    MONITOR = "monitor"
    """The monitor has acted on an agent."""
    COMMAND_STARTED = "command-started"
    """A shell that marks its prompts began to run a command."""
    COMMAND_FINISHED = "command-finished"
    """Such a command exited."""
    FOCUS = "focus"
    """Another pane has the user's focus."""
    LAYOUT = "layout"
    """A window's panes were rearranged, zoomed or unzoomed."""
    PANE_OPENED = "pane-opened"
    PANE_CLOSED = "pane-closed"
    PANE_RENAMED = "pane-renamed"
    WINDOW_OPENED = "window-opened"
    WINDOW_CLOSED = "window-closed"
    WINDOW_RENAMED = "window-renamed"
    CLIENT_ATTACHED = "client-attached"
    """A terminal was attached to the workspace."""
    CLIENT_DETACHED = "client-detached"


class EventDraft(Struct, frozen=True):
    """An entry without number and timestamp."""

    kind: EventKind
    pane: PaneId | None = None
    window: WindowId | None = None
    facts: Mapping[str, Any] = field(default_factory=dict[str, Any])


NOTHING: Final = EventDraft(EventKind.OUTPUT)
"""In place of events that are not logged."""


def draft(pane: PaneId, event: PaneEvent) -> EventDraft:
    """The entry of an event; NOTHING for most replies and prompt marks."""
    match event:
        case StatusReport() | AgentChanged(entered=False):
            return NOTHING  # Ahead of the others, as agents report many times a second.
        case Started():
            return EventDraft(EventKind.STARTED, pane)
        case Ended(exit):
            return EventDraft(
                EventKind.EXIT, pane, None, {"exit": exit.words, "code": exit.code, "signal": exit.signal}
            )
        case Bell():
            return EventDraft(EventKind.BELL, pane)
        case Notification(title, body):
            return EventDraft(
                EventKind.NOTIFICATION, pane, None, {"title": clean(title, LONGEST), "body": clean(body, LONGEST)}
            )
        case TitleChanged(title):
            return EventDraft(EventKind.TITLE, pane, None, {"title": clean(title)})
        case CwdChanged(cwd):
            return EventDraft(EventKind.CWD, pane, None, {"cwd": clean_path(cwd)})
        case AgentChanged(status):
            return EventDraft(EventKind.AGENT, pane, None, _agent(status))
        case EventsDropped(count):
            return EventDraft(EventKind.EVENTS_DROPPED, pane, None, {"count": count})
        case CommandStarted(command) | CommandFinished(command) if command.own:
            return NOTHING
        case CommandStarted(command):
            return EventDraft(EventKind.COMMAND_STARTED, pane, None, _command(command))
        case CommandFinished(command):
            ending = {"exit_code": command.confirmed_exit_code, "seconds": command.seconds}
            return EventDraft(EventKind.COMMAND_FINISHED, pane, None, _command(command) | ending)
        case _:
            return NOTHING


def task_draft(workspace: Workspace, before: Task | None, after: Task | None) -> EventDraft:
    """The entry of a changed task, with its owner's pane."""
    task = after or before
    if task is None:
        return NOTHING
    facts = {"number": task.number, "title": task.title, "state": task.state.value if after else "removed"}
    facts |= {"before": before.state.value if before else None, "owner": task.owner_words, "by": task.changed_by}
    return EventDraft(EventKind.TASK, pane_of(workspace, task.owner) if task.owner else None, None, facts)


def changes(old: Workspace, new: Workspace) -> Iterator[EventDraft]:
    """The differences between two states of a workspace; windows open before their panes and close after them."""
    before = {window.id: window for window in old.windows}
    after = {window.id: window for window in new.windows}
    for window in after.keys() - before.keys():
        yield EventDraft(EventKind.WINDOW_OPENED, None, window, {"name": clean(after[window].name)})
    yield from _panes(old, new)
    for window in after:
        if window in before:
            yield from _window(before[window], after[window])
    for window in before.keys() - after.keys():
        yield EventDraft(EventKind.WINDOW_CLOSED, None, window)
    if (focus := _focused(new)) != _focused(old):
        yield EventDraft(EventKind.FOCUS, focus, new.active if focus is not None else None)


def _panes(old: Workspace, new: Workspace) -> Iterator[EventDraft]:
    for pane in sorted(new.panes.keys() - old.panes.keys()):
        yield EventDraft(EventKind.PANE_OPENED, pane, _home(new, pane), {"name": clean(new.panes[pane].name)})
    for pane in sorted(old.panes.keys() - new.panes.keys()):
        yield EventDraft(EventKind.PANE_CLOSED, pane, _home(old, pane))
    for pane in sorted(old.panes.keys() & new.panes.keys()):
        if old.panes[pane].name != new.panes[pane].name:
            yield EventDraft(EventKind.PANE_RENAMED, pane, _home(new, pane), {"name": clean(new.panes[pane].name)})


def _window(old: Window, new: Window) -> Iterator[EventDraft]:
    if old.name != new.name:
        yield EventDraft(EventKind.WINDOW_RENAMED, None, new.id, {"name": clean(new.name)})
    if old.layout != new.layout or old.zoomed != new.zoomed:
        yield EventDraft(EventKind.LAYOUT, None, new.id, {"zoomed": new.zoomed})


def _home(workspace: Workspace, pane: PaneId) -> WindowId | None:
    return next((window.id for window in workspace.windows if pane in panes(window.layout)), None)


def _focused(workspace: Workspace) -> PaneId | None:
    return next((window.active for window in workspace.windows if window.id == workspace.active), None)


def _agent(status: AgentStatus | None) -> dict[str, Any]:
    if status is None:
        return {"state": None}
    reading = status.reading
    facts = {"program": clean(status.program), "state": reading.state.value, "words": reading.words}
    return facts | ({"kind": reading.kind.value} if reading.kind else {}) | {"signal": status.signal.value}


def _command(command: CommandRecord) -> dict[str, Any]:
    return {"number": command.number, "command": clean(command.line, LONGEST), "trusted": command.trusted}
