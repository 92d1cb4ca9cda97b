"""Saves a running workspace on its own thread, from snapshots that the main thread takes.

Errors end nothing: each is reported once, saving is retried with a backoff, and recovery is reported too.
"""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from math import inf
from typing import Final, TypeVar

from fugue_tui.config.model import SessionSettings
from fugue_tui.errors import FugueError, SaveError
from fugue_tui.multiplexer.autosave.schedule import SaveSchedule
from fugue_tui.multiplexer.autosave.snapshot import LiveWorkspace, Stamp, WorkspaceSnapshot, differs_in_structure, take
from fugue_tui.multiplexer.autosave.writer import SnapshotWriter
from fugue_tui.multiplexer.callbacks import CallbackList
from fugue_tui.workspace.model import Workspace

FINISH_SECONDS: Final = 3.0
"""Seconds that the last save may take before the programs are ended without it."""

T = TypeVar("T")
logger = logging.getLogger(__name__)


class Saver:
    """Saves a workspace automatically, and runs jobs on the store. Main thread only, unless noted."""

    TOPIC: Final = "saving"
    """The topic of messages on whether saving works, of which the newest holds."""

    def __init__(
        self,
        mux: LiveWorkspace,
        writer: SnapshotWriter,
        settings: SessionSettings,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.on_message: Final = CallbackList[[str, str]]()
        """Messages for the user, each with its topic, which is empty for those on single panes."""
        self.on_saved: Final = CallbackList[[]]()
        """`saved` is another workspace."""
        self.saved: Workspace | None = None
        """The workspace that was saved last; None before the first save."""
        self.fault = ""
        """Why the newest save failed; empty if it succeeded."""
        self._mux, self._writer, self._clock = mux, writer, clock
        self._condition = threading.Condition()
        self._jobs: deque[Callable[[], None]] = deque()
        self._schedule = SaveSchedule(settings.save_seconds, on=settings.save)
        self._snapshot_posted = self._paused = self._finishing = False
        self._stamp: Stamp = ()
        self._name, self._reported = "", set[str]()
        self._thread = threading.Thread(target=self._main, name="saver", daemon=True)

    # For the app

    def start(self) -> None:
        """Start saving and running jobs."""
        self._mux.on_change.connect(self._changed)
        self._schedule.changed(self._clock())
        self._thread.start()

    @property
    def complaint(self) -> str:
        """A message for the user while saving fails; empty otherwise."""
        return f"not saved: {self.fault}; trying again" if self.fault else ""

    @property
    def due(self) -> float:
        """When the next snapshot is taken, on the saver's clock; infinity for never."""
        with self._condition:
            return inf if self._paused else self._schedule.due

    def configure(self, settings: SessionSettings) -> None:
        """Apply a configuration. Text that may no longer be saved is removed from the automatic save."""
        with self._condition:
            before, self._writer.settings = self._writer.settings, settings
            self._schedule.seconds, self._schedule.on = settings.save_seconds, settings.save
            if before != settings:
                self._jobs.append(lambda: self._start_over(forget=before.pane_history and not settings.pane_history))
                self._schedule.changed(self._clock())
            self._condition.notify()

    def hold(self) -> None:
        """Pause automatic saving, also at the end, so that the previous save is kept."""
        with self._condition:
            self._paused = True

    def release(self) -> None:
        """Resume automatic saving."""
        with self._condition:
            self._paused = False
            self._schedule.changed(self._clock())
            self._condition.notify()

    def finish(self, seconds: float = FINISH_SECONDS, *, ended: bool = False) -> bool:
        """Save for the last time, before the programs are ended, and stop; whether that was done in time.

        `ended` marks an intended exit, after which the user is not asked whether to restore. The automatic save of a
        workspace without panes is deleted."""
        has_thread = self._thread.ident is not None or self._start_thread()
        snapshot = take(self._mux)
        with self._condition:
            self._finishing = True
            if self._schedule.on and not self._paused:
                self._jobs.append(lambda: self._save_at_the_end(snapshot, ended))
            self._writer.skip_pauses.set()
            self._condition.notify()
        if not has_thread:
            self._main()
            return True
        self._thread.join(seconds)
        if self._thread.is_alive():
            logger.warning("the last save of the workspace did not finish within %s s", seconds)
        return not self._thread.is_alive()

    def _start_thread(self) -> bool:
        """Whether the system permits the thread."""
        try:
            self._thread.start()
        except RuntimeError:
            return False
        return True

    # For commands

    def ask(self, work: Callable[[SnapshotWriter, Callable[[], bool]], T]) -> Future[T]:
        """Run a job on the saver's thread. Its second argument returns whether the result is still needed (any thread):
        false once the future is cancelled. A cancelled job that has not started is skipped."""
        future: Future[T] = Future()

        def job() -> None:
            if future.cancelled():
                return
            try:
                result = work(self._writer, lambda: not future.cancelled())
            except Exception as error:  # noqa: BLE001  (passed to the caller)
                with suppress(InvalidStateError):
                    future.set_exception(error)
            else:
                with suppress(InvalidStateError):
                    future.set_result(result)

        with self._condition:
            if self._finishing:
                future.set_exception(SaveError("the workspace is being left"))
                return future
            self._jobs.append(job)
            self._condition.notify()
        return future

    # On the main thread

    def _changed(self, old: Workspace, new: Workspace) -> None:
        if old.name != new.name:
            with self._condition:
                self._jobs.append(lambda: self._rename(old.name, new.name))
        if differs_in_structure(old, new):
            with self._condition:
                self._schedule.changed(self._clock())
                self._condition.notify()

    def _take_snapshot(self) -> None:
        snapshot = take(self._mux)
        with self._condition:
            self._snapshot_posted = False
            self._schedule.started()
            self._jobs.append(lambda: self._save(snapshot))
            self._condition.notify()

    def _report(self, text: str, topic: str = "") -> None:
        self._mux.post(lambda: self.on_message(text, topic))

    def _announce(self, workspace: Workspace) -> None:
        self.saved = workspace
        self.on_saved()

    # On the saver's thread

    def _main(self) -> None:
        while job := self._next():
            try:
                job()
            except Exception:  # an error boundary: a bug in one job must not end the others
                logger.exception("the saver failed")

    def _next(self) -> Callable[[], None] | None:
        with self._condition:
            while not self._jobs:
                if self._finishing:
                    return None
                left = inf if self._snapshot_posted or self._paused else self._schedule.due - self._clock()
                if left <= 0:
                    self._snapshot_posted = True
                    self._mux.post(self._take_snapshot)
                else:
                    self._condition.wait(None if left == inf else left)
            return self._jobs.popleft()

    def _start_over(self, *, forget: bool) -> None:
        """Make the next save a full one."""
        self._stamp = ()
        if forget and self._name and not self._paused:
            self._forget(self._name)

    def _save_at_the_end(self, snapshot: WorkspaceSnapshot, ended: bool) -> None:
        if snapshot.workspace.windows:
            self._save(snapshot, ended=ended)
            return
        self._forget(self._name or snapshot.workspace.name)

    def _rename(self, name: str, to: str) -> None:
        """Rename the save with its workspace; not while the user is asked whether to restore it, as it is that of the
        last one then."""
        if self._paused or self._name not in ("", name):
            return
        try:
            self._writer.rename(name, to)
        except FugueError as error:
            logger.warning("the automatic save could not be renamed: %s", error)
        else:
            self._name = to

    def _forget(self, name: str) -> None:
        try:
            self._writer.forget("auto", name)
        except FugueError as error:
            logger.warning("the automatic save could not be deleted: %s", error)

    def _save(self, snapshot: WorkspaceSnapshot, *, ended: bool = False) -> None:
        try:
            fault = self._saved(snapshot, ended)
        except FugueError as error:
            fault = str(error)
        except Exception as error:  # an error boundary: a bug here must not end the programs
            logger.exception("saving failed")
            fault = f"internal error: {type(error).__name__}; the log has the details"
        now = self._clock()
        with self._condition:
            (self._schedule.failed if fault else self._schedule.done)(now)
        before, self.fault = self.fault, fault
        if not fault:
            self._mux.post(lambda: self._announce(snapshot.workspace))
        if fault and not before:
            logger.warning("not saved: %s", fault)
            self._report(self.complaint, self.TOPIC)
        elif before and not fault:
            self._report("the workspace is saved again", self.TOPIC)

    def _saved(self, snapshot: WorkspaceSnapshot, ended: bool) -> str:
        """Save if anything changed. Errors of the whole save are raised, those of single panes reported."""
        if not snapshot.workspace.windows or (snapshot.stamp == self._stamp and not ended):
            return ""
        name = snapshot.workspace.name
        faults = self._writer.record(snapshot, "auto", name, ended=ended)
        if self._name not in ("", name):
            self._forget(self._name)
        self._stamp, self._name = snapshot.stamp, name
        for fault in faults:
            if fault not in self._reported:
                self._reported.add(fault)
                self._report(fault)
        return ""
