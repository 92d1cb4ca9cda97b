"""Saves a workspace while it lives, on one thread of its own: the main thread only gives it pictures.

Nothing that goes wrong here ends anything: it is told once, tried again after a while, and told when it is well again.
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
from fugue_tui.multiplexer.events.callbacks import CallbackList
from fugue_tui.workspace.model import Workspace

FINISH_SECONDS: Final = 3.0
"""How long the last save may take before the programs end without it."""

T = TypeVar("T")
logger = logging.getLogger(__name__)


class Saver:
    """What keeps a workspace on the disk. Main thread only, but for `wanted` of a piece of work."""

    def __init__(
        self,
        alive: LiveWorkspace,
        recorder: SnapshotWriter,
        settings: SessionSettings,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.on_news: Final = CallbackList[[str]]()
        """Something for the person: saving fails, or does so no more."""
        self.fault = ""
        """Why the newest try to save failed; empty while all is well."""
        self._alive, self._recorder, self._clock = alive, recorder, clock
        self._turn = threading.Condition()
        self._jobs: deque[Callable[[], None]] = deque()
        self._table = SaveSchedule(settings.save_seconds, on=settings.save)
        self._looking = self._held = self._leaving = False
        self._stamp: Stamp = ()
        self._name, self._told = "", set[str]()
        self._thread = threading.Thread(target=self._main, name="saver", daemon=True)

    # For the roof

    def start(self) -> None:
        """Begin to save, and to do what is asked for."""
        self._alive.on_change.connect(self._changed)
        self._table.changed(self._clock())
        self._thread.start()

    @property
    def complaint(self) -> str:
        """What to tell a person for as long as saving fails; empty while all is well."""
        return f"not saved: {self.fault}; trying again" if self.fault else ""

    @property
    def due(self) -> float:
        """When it will next look whether there is something to save, on its clock; infinity for never."""
        with self._turn:
            return inf if self._held else self._table.due

    def configure(self, settings: SessionSettings) -> None:
        """Go by another configuration. Text that may not be saved any more goes from what was saved by itself."""
        with self._turn:
            before, self._recorder.settings = self._recorder.settings, settings
            self._table.seconds, self._table.on = settings.save_seconds, settings.save
            if before != settings:
                self._jobs.append(lambda: self._start_over(forget=before.pane_history and not settings.pane_history))
                self._table.changed(self._clock())
            self._turn.notify()

    def hold(self) -> None:
        """Save nothing by itself, not even at the end: what was saved before may still be wanted."""
        with self._turn:
            self._held = True

    def release(self) -> None:
        """Save by itself again."""
        with self._turn:
            self._held = False
            self._table.changed(self._clock())
            self._turn.notify()

    def finish(self, seconds: float = FINISH_SECONDS, *, ended: bool = False) -> bool:
        """Save for the last time, before the programs are ended, and stop; whether that was done in time.

        `ended` says that it was left on purpose, so that nobody is asked whether it is to come back. A workspace whose
        last pane was closed has nothing to come back to: what was saved of it by itself goes."""
        if self._thread.ident is None:
            self._thread.start()
        picture = take(self._alive)
        with self._turn:
            self._leaving = True
            if self._table.on and not self._held:
                self._jobs.append(lambda: self._save_at_the_end(picture, ended))
            self._recorder.hurry.set()
            self._turn.notify()
        self._thread.join(seconds)
        if self._thread.is_alive():
            logger.warning("the workspace was left before it was saved for the last time: %s s were too short", seconds)
        return not self._thread.is_alive()

    # For commands

    def ask(self, work: Callable[[SnapshotWriter, Callable[[], bool]], T]) -> Future[T]:
        """Have something done with what is saved, on the saver's thread. The second argument tells whether it is still
        wanted; cancelling the future takes effect there, or at once if it did not begin."""
        future: Future[T] = Future()

        def job() -> None:
            if future.cancelled():
                return
            try:
                result = work(self._recorder, lambda: not future.cancelled())
            except Exception as error:  # noqa: BLE001  (handed to whoever asked)
                with suppress(InvalidStateError):
                    future.set_exception(error)
            else:
                with suppress(InvalidStateError):
                    future.set_result(result)

        with self._turn:
            if self._leaving:
                future.set_exception(SaveError("the workspace is being left"))
                return future
            self._jobs.append(job)
            self._turn.notify()
        return future

    # On the main thread

    def _changed(self, old: Workspace, new: Workspace) -> None:
        if differs_in_structure(old, new):
            with self._turn:
                self._table.changed(self._clock())
                self._turn.notify()

    def _look(self) -> None:
        picture = take(self._alive)
        with self._turn:
            self._looking = False
            self._table.begun()
            self._jobs.append(lambda: self._save(picture))
            self._turn.notify()

    def _tell(self, text: str) -> None:
        self._alive.post(lambda: self.on_news(text))

    # On the saver's thread

    def _main(self) -> None:
        while job := self._next():
            try:
                job()
            except Exception:  # a border: whatever is wrong with one piece of work, the next is done
                logger.exception("the saver failed")

    def _next(self) -> Callable[[], None] | None:
        with self._turn:
            while not self._jobs:
                if self._leaving:
                    return None
                left = inf if self._looking or self._held else self._table.due - self._clock()
                if left <= 0:
                    self._looking = True
                    self._alive.post(self._look)
                else:
                    self._turn.wait(None if left == inf else left)
            return self._jobs.popleft()

    def _start_over(self, *, forget: bool) -> None:
        """What is saved next is saved whole, whatever there is already."""
        self._stamp = ()
        if forget and self._name and not self._held:
            self._forget(self._name)

    def _save_at_the_end(self, picture: WorkspaceSnapshot, ended: bool) -> None:
        if picture.workspace.windows:
            self._save(picture, ended=ended)
            return
        self._forget(self._name or picture.workspace.name)

    def _forget(self, name: str) -> None:
        try:
            self._recorder.forget("auto", name)
        except FugueError as error:
            logger.warning("what was saved of a workspace stays: %s", error)

    def _save(self, picture: WorkspaceSnapshot, *, ended: bool = False) -> None:
        try:
            fault = self._saved(picture, ended)
        except FugueError as error:
            fault = str(error)
        except Exception as error:  # a border: a bug here must not end everyone's programs
            logger.exception("saving failed")
            fault = f"internal error: {type(error).__name__}; the log has the details"
        now = self._clock()
        with self._turn:
            (self._table.failed if fault else self._table.done)(now)
        before, self.fault = self.fault, fault
        if fault and not before:
            logger.warning("not saved: %s", fault)
            self._tell(self.complaint)
        elif before and not fault:
            self._tell("the workspace is saved again")

    def _saved(self, picture: WorkspaceSnapshot, ended: bool) -> str:
        """Save if there is anything to save; what went wrong with the whole is raised, with parts of it told."""
        if not picture.workspace.windows or (picture.stamp == self._stamp and not ended):
            return ""
        name = picture.workspace.name
        faults = self._recorder.record(picture, "auto", name, ended=ended)
        if self._name not in ("", name):
            self._forget(self._name)
        self._stamp, self._name = picture.stamp, name
        for fault in faults:
            if fault not in self._told:
                self._told.add(fault)
                self._tell(fault)
        return ""
