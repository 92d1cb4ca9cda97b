"""The recordings of a workspace that are being made, and the thread that writes them.

A recorder copies what happens on the threads where it happens; the thread `recorder` writes it out, five times a second
and only while there are recordings. Main thread only, but for that thread.
"""

import logging
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, Protocol

from fugue_tui.ids import PaneId
from fugue_tui.multiplexer.access.approvals import Approvals
from fugue_tui.multiplexer.author import Author
from fugue_tui.multiplexer.callbacks import CallbackList
from fugue_tui.multiplexer.events.pane_events import PaneEvent, Post, Started
from fugue_tui.multiplexer.recording.recording_info import RecordingInfo
from fugue_tui.terminal.terminal import Terminal
from fugue_tui.workspace.model import Workspace

if TYPE_CHECKING:
    from fugue_tui.multiplexer.recording.recorder import MarkerQueue

INTERVAL: Final = 0.2
"""Seconds between two writes."""
CLOSE_SECONDS: Final = 3.0
"""How long the end of the workspace waits for a disk."""
logger = logging.getLogger(__name__)


class Recorder(Protocol):
    """One recording that is being made."""

    source: str
    """The id of the pane or window."""
    markers: "MarkerQueue"

    @property
    def info(self) -> RecordingInfo:
        """What list-recordings shows."""
        ...

    def flush(self) -> None:
        """Write what has come since the last call, on the recorder's thread. Raises OSError."""
        ...

    def close(self) -> None:
        """Write the rest, and close the file, on the recorder's thread. Raises OSError."""
        ...


class RecordedWorkspace(Protocol):
    """The multiplexer, as recordings use it."""

    post: Final[Post]
    on_change: CallbackList[[Workspace, Workspace]]
    on_event: CallbackList[[PaneId, PaneEvent]]
    on_typed: CallbackList[[PaneId, Author, int]]
    terminals: dict[PaneId, Terminal]
    approvals: Approvals


class Recordings:
    """The recordings that are being made, one of a pane or window."""

    def __init__(self, mux: RecordedWorkspace) -> None:
        self._mux = mux
        self._active: dict[str, Recorder] = {}
        self._condition = threading.Condition()
        self._closing: list[tuple[Recorder, Callable[[str], None]]] = []
        self._thread: threading.Thread | None = None
        self._ended = False
        self._asked = frozenset[int]()
        self.on_change = CallbackList[[]]()
        """A recording was started, or has ended."""
        self.on_fault = CallbackList[[str, str]]()
        """A recording has ended because its file cannot be written: its source, and why."""

    def active(self) -> tuple[RecordingInfo, ...]:
        """The recordings that are being made, oldest first."""
        return tuple(recorder.info for recorder in self._active.values())

    def of(self, source: str) -> RecordingInfo | None:
        """The recording of a pane or window, by its id; None if there is none."""
        recorder = self._active.get(source)
        return recorder.info if recorder is not None else None

    def start(self, recorder: Recorder) -> None:
        """Begin to write a recording, whose source has none."""
        with self._condition:
            self._active[recorder.source] = recorder
            if self._thread is None:
                self._begin()
            self._condition.notify()
        self.on_change()

    def stop(self, source: str, done: Callable[[str], None]) -> RecordingInfo | None:
        """End a recording; `done` is called on the main thread once the file is complete, with what went wrong. Returns
        what it was until now; None, and does not call, if there is none."""
        with self._condition:
            recorder = self._active.pop(source, None)
            if recorder is None:
                return None
            self._closing.append((recorder, done))
            self._condition.notify()
        self.on_change()
        return recorder.info

    def _begin(self) -> None:
        """Start the thread, and follow the workspace."""
        self._thread = threading.Thread(target=self._main, name="recorder", daemon=True)
        self._thread.start()
        self._mux.on_change.connect(self._changed)
        self._mux.on_event.connect(self._on_event)
        self._mux.on_typed.connect(self._on_typed)
        self._mux.approvals.on_change.connect(self._on_approvals)

    def _changed(self, old: Workspace, new: Workspace) -> None:
        """The recordings of what was closed end."""
        kept = {*map(str, new.panes), *(str(window.id) for window in new.windows)}
        for source in [source for source in self._active if source not in kept]:
            self.stop(source, _ignore)

    def _on_event(self, pane: PaneId, event: PaneEvent) -> None:
        """A pane has another terminal, with which its recording goes on."""
        recorder = self._active.get(str(pane)) if isinstance(event, Started) else None
        if recorder is None:
            return
        from fugue_tui.multiplexer.recording.pane_recorder import PaneRecorder

        if isinstance(recorder, PaneRecorder):
            recorder.switch(self._mux.terminals[pane])

    def _on_typed(self, pane: PaneId, author: Author, count: int) -> None:
        """What agents type is marked."""
        if count and not author.kind.acts_for_user:
            self.mark(str(pane), f"{author.label} typed")

    def _on_approvals(self) -> None:
        """What agents ask is marked in the panes that it is about, or in all recordings."""
        waiting = self._mux.approvals.waiting()
        for request in waiting:
            if request.id not in self._asked:
                for source in map(str, request.question.panes) if request.question.panes else list(self._active):
                    self.mark(source, f"asked: {request.question.what}")
        self._asked = frozenset(request.id for request in waiting)

    def mark(self, source: str, label: str) -> None:
        """Set a marker in the recording of a pane or window; nothing if there is none."""
        recorder = self._active.get(source)
        if recorder is not None:
            recorder.markers.put(label)

    def close(self) -> None:
        """End every recording, and wait until their files are complete."""
        with self._condition:
            self._closing += [(recorder, _ignore) for recorder in self._active.values()]
            self._active.clear()
            self._ended = True
            self._condition.notify()
        if self._thread is not None:
            self._thread.join(CLOSE_SECONDS)

    def _main(self) -> None:
        while True:
            with self._condition:
                if not self._closing and not self._ended:
                    self._condition.wait(INTERVAL if self._active else None)
                closing, self._closing = self._closing, []
                active, ended = list(self._active.values()), self._ended
            for recorder, done in closing:
                self._finish(recorder, done)
            for recorder in active:
                self._write(recorder)
            if ended:
                return

    def _finish(self, recorder: Recorder, done: Callable[[str], None]) -> None:
        fault = _attempt(recorder.close)
        self._mux.post(lambda: done(fault))

    def _write(self, recorder: Recorder) -> None:
        if fault := _attempt(recorder.flush):
            _attempt(recorder.close)
            self._mux.post(lambda: self._gone(recorder, fault))

    def _gone(self, recorder: Recorder, fault: str) -> None:
        """A recording has ended, as its file cannot be written."""
        with self._condition:
            if self._active.get(recorder.source) is not recorder:
                return
            del self._active[recorder.source]
        self.on_change()
        self.on_fault(recorder.source, fault)


def _attempt(write: Callable[[], None]) -> str:
    """What prevented a write; empty if nothing did."""
    try:
        write()
    except OSError as error:
        return error.strerror or str(error)
    except Exception as error:
        logger.error("a recording", exc_info=error)
        return "an internal error; the log has it"
    return ""


def _ignore(fault: str) -> None:
    """No one waits for the end of that recording."""
