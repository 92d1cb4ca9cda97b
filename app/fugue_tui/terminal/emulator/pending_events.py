"""A terminal's pending replies and events, in order and bounded, until they are taken.

What both engines share in reporting them, and the lock of their pins.
"""

from collections.abc import Callable
from contextlib import nullcontext
from typing import Final

from fugue_tui.geometry import Size
from fugue_tui.terminal.emulator import program_status
from fugue_tui.terminal.emulator.event_queue import EventQueue
from fugue_tui.terminal.emulator.events import (
    ClipboardWrite,
    CwdChanged,
    Event,
    PromptMark,
    Reply,
    StatusQuery,
    TitleChanged,
)
from fugue_tui.terminal.emulator.osc import local_path
from fugue_tui.terminal.screen.images import Graphics
from fugue_tui.terminal.screen.pins import Guard

REPLY_LIMIT: Final = 65_536
"""Bytes of replies that may wait; what a program asks beyond that goes unanswered until it reads."""
TEXT_LIMIT: Final = 4_096
"""Characters kept of a title, a path or a notification."""
CLIPBOARD_LIMIT: Final = 1_048_576
"""Bytes of one OSC 52 write; a longer one is dropped whole."""


_GRAPHICS_REPLY: Final = b"\x1b_G"


class PendingEvents:
    """One terminal's events, title, directory and hold, as its callbacks found them."""

    __slots__ = (
        "_events",
        "_pending",
        "_reply_bytes",
        "cwd",
        "dark",
        "graphics",
        "on_hold",
        "on_mark",
        "size",
        "title",
    )

    def __init__(self, size: Size, on_hold: Callable[[bool], None]) -> None:
        self.size = size
        self.title = ""
        self.cwd = ""
        self.dark = True
        self.graphics = Graphics()
        self.on_hold = on_hold
        self.on_mark: Callable[[PromptMark], None] = lambda mark: None
        """Called for each prompt mark, after the text before it was parsed and before the text behind it."""
        self._events = EventQueue[Event]()
        self._pending = bytearray()
        self._reply_bytes = 0

    def take(self) -> list[Event]:
        """Everything since the last call, in order."""
        self._flush()
        self._reply_bytes = 0
        return self._events.take()

    def reply(self, data: bytes) -> None:
        """Queue a reply to the program, unless too many are pending, or it is about images that no terminal shows."""
        if data.startswith(_GRAPHICS_REPLY) and not self.graphics.shown:
            return
        if self._reply_bytes + len(data) <= REPLY_LIMIT:
            self._reply_bytes += len(data)
            self._pending += data

    def emit(self, event: Event | StatusQuery) -> None:
        """Queue an event, or answer a query."""
        if isinstance(event, StatusQuery):
            self.reply(program_status.REPLY)
            return
        if isinstance(event, PromptMark):
            self.on_mark(event)
        self._flush()
        self._events.put(event)

    def _flush(self) -> None:
        if self._pending:
            self._events.put(Reply(bytes(self._pending)))
            self._pending.clear()

    def set_title(self, title: str) -> None:
        """Record a title; an unchanged one emits no event."""
        if title != self.title:
            self.title = title
            self.emit(TitleChanged(title))

    def set_cwd(self, location: str) -> None:
        """Note a working directory that was reported as a file URL or a path, if it is on this machine."""
        path = local_path(location)
        if path is not None and path != self.cwd:
            self.cwd = path
            self.emit(CwdChanged(path))

    def copy(self, data: bytes) -> None:
        """Note an OSC 52 write; empty and outsized ones are ignored."""
        if 0 < len(data) <= CLIPBOARD_LIMIT:
            self.emit(ClipboardWrite(data.decode("utf-8", "replace")))


class EventSource:
    """The part of an engine that reports its program's events; see `Emulator` for its methods."""

    _inbox: PendingEvents
    _guard: Guard = nullcontext()

    @property
    def size(self) -> Size:
        """The screen's size in cells."""
        return self._inbox.size

    @property
    def title(self) -> str:
        """The title that the program set last."""
        return self._inbox.title

    @property
    def cwd(self) -> str:
        """The working directory that the program reported last."""
        return self._inbox.cwd

    def take_events(self) -> list[Event]:
        """Replies and events since the last call, in order."""
        return self._inbox.take()

    def connect_marks(self, lock: Guard, on_mark: Callable[[PromptMark], None]) -> None:
        """Set the lock of the pins, and the callback of prompt marks."""
        self._guard, self._inbox.on_mark = lock, on_mark
