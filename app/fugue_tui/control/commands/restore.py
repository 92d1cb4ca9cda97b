"""The commands that bring back what was saved: a workspace, a snapshot, and the programs of panes that wait."""

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from functools import partial
from typing import TypeVar

from fugue_tui.control.commands.save import AREAS, checked, saver
from fugue_tui.control.core import target
from fugue_tui.control.core.command import Command, Confirmation, Effect, Origin, Toolset
from fugue_tui.control.core.confirmation import ending, pane_words
from fugue_tui.control.core.deferred import Deferred
from fugue_tui.control.core.results import PaneInfo, pane_info
from fugue_tui.control.restore.restorer import RestoreResult, RestoreSource, WorkspaceRestorer
from fugue_tui.errors import FugueError, InvalidArgument, NotFound, Refused, SaveError
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.autosave.writer import SnapshotWriter
from fugue_tui.store.store import Area, Store
from fugue_tui.workspace.save_codec import decode

T = TypeVar("T")
AUTO = "auto"
"""What names the workspace as it was when it ran last."""


class RestoreSession(
    Command[RestoreResult], name="restore-session", effect=Effect.LAYOUT, toolset=Toolset.SAVING, creates=True
):
    """Bring back a saved workspace: its windows are added to those that are open, and its panes show their old text.

    Shells start again by themselves, as `[session] rerun` says; every other program waits for Enter or start-pane.
    """

    name: str = AUTO
    """The name; auto is this workspace as it was when it ran last."""

    def run(self, mux: Multiplexer, origin: Origin) -> Deferred[RestoreResult]:
        """What came back, once all of it is there. Comes to NotFound or SaveError."""
        person = origin.is_user
        if self.name != AUTO:
            return fetched(
                mux, "named", checked(self.name), lambda source: WorkspaceRestorer(mux, source).beside(focus=person)
            )
        if mux.before is None:
            raise NotFound("this workspace did not run before, or is back already; list-saved shows what else is saved")
        return fetched(mux, *mux.before, partial(self._again, mux, person))

    def _again(self, mux: Multiplexer, person: bool, source: RestoreSource) -> WorkspaceRestorer:
        mux.before = None
        return WorkspaceRestorer(mux, source).beside(focus=person)


class RestoreSnapshot(
    Command[RestoreResult], name="restore-snapshot", effect=Effect.DESTROY, toolset=Toolset.SAVING, creates=True
):
    """Bring back a snapshot: its panes show the text that they had, in windows of their own, and wait.

    With a pane, one pane's text comes back in that pane's place.
    """

    name: str
    """The snapshot's name."""
    pane: str = ""
    """A pane whose place is taken, by its exact id; its program must have ended, or wait, unless kill is true."""
    kill: bool = False
    """Whether to end the program that runs in that pane."""

    def confirmation(self, mux: Multiplexer, origin: Origin) -> Confirmation | None:
        """Asked where it ends what runs in a pane."""
        if not (self.pane and self.kill):
            return None
        pane = target.pane(mux, self.pane, origin)
        question = f"End what runs in {pane_words(mux, pane)}, and show a snapshot there?"
        return ending(mux, [pane], question, replace(self, pane=str(pane)))

    def run(self, mux: Multiplexer, origin: Origin) -> Deferred[RestoreResult]:
        """What came back, once all of it is there. Raises NotFound or Refused; comes to NotFound or SaveError."""
        name = checked(self.name)
        if not self.pane:
            return fetched(mux, "snapshots", name, partial(self._beside, mux, origin.is_user))
        pane = target.pane_to_close(mux, self.pane, origin)
        self._may_replace(mux, pane)
        return fetched(mux, "snapshots", name, partial(self._within, mux, pane))

    def _beside(self, mux: Multiplexer, person: bool, source: RestoreSource) -> WorkspaceRestorer:
        return WorkspaceRestorer(mux, source, asleep=True).beside(focus=person)

    def _within(self, mux: Multiplexer, pane: PaneId, source: RestoreSource) -> WorkspaceRestorer:
        self._may_replace(mux, pane)
        there = source.saved.workspace.panes
        chosen = pane if pane in there else next(iter(there))
        if chosen != pane and len(there) > 1:
            raise InvalidArgument(f"pane: {pane} is not in the snapshot, which has {', '.join(map(str, there))}")
        return WorkspaceRestorer(mux, source, asleep=True).within(pane, chosen)

    def _may_replace(self, mux: Multiplexer, pane: PaneId) -> None:
        if mux.runs(pane) and not self.kill:
            raise Refused(f"a program runs in {pane}; kill=true ends it, and without pane a new window is opened")


class StartPane(Command[PaneInfo], name="start-pane", effect=Effect.LAYOUT, toolset=Toolset.RUNNING):
    """Run what a pane waits for that came back without its program; its old text stays above."""

    pane: str = target.ACTIVE
    """The pane: an id, a name, or active for your own."""
    shell: bool = False
    """Whether to start only the pane's shell, and not what ran in it."""

    def run(self, mux: Multiplexer, origin: Origin) -> PaneInfo:
        """The pane. Raises NotFound, Refused if it does not wait, or SpawnFailed; it waits on then."""
        pane = target.pane(mux, self.pane, origin)
        mux.start(pane, shell=self.shell)
        return pane_info(mux, pane)


def read(store: Store, area: Area, name: str) -> RestoreSource:
    """What was saved under a name, with what is damaged of it left out. Raises SaveError; waits for the disk."""
    found = store.get(area, name)
    saved, faults = decode(found.manifest)
    if not saved.workspace.windows:
        raise SaveError(f"{name}: nothing of what was saved can be read")
    return RestoreSource(name, saved, store.text, (*found.faults, *faults))


def fetched(
    mux: Multiplexer, area: Area, name: str, begin: Callable[[RestoreSource], WorkspaceRestorer]
) -> Deferred[RestoreResult]:
    """Read what was saved, begin to bring it back on the main thread, and read its texts; then what came back."""
    answer = Deferred[RestoreResult]()

    def look(recorder: SnapshotWriter, wanted: Callable[[], bool]) -> RestoreSource:
        if not any(entry.name == name for entry in recorder.store.names(area)):
            kind = next(kind for kind, place in AREAS.items() if place == area)
            raise NotFound(f"no {kind} is saved as {name}; list-saved shows what is")
        return read(recorder.store, area, name)

    def arrived(source: RestoreSource) -> None:
        if not answer.done:
            follow(mux, begin(source), answer)

    on_main(mux, saver(mux).ask(look), arrived, answer)
    return answer


def follow(mux: Multiplexer, comeback: WorkspaceRestorer, answer: Deferred[RestoreResult]) -> None:
    """Have the texts of what comes back read, and the answer given when all are there. Main thread."""
    comeback.later.on_progress(lambda progress: answer.report(progress.text, progress.fraction))
    comeback.later.on_done(lambda: _pass_on(comeback.later, answer))
    on_main(mux, saver(mux).ask(lambda recorder, wanted: comeback.read()), _nothing, answer)


def on_main(mux: Multiplexer, done: Future[T], then: Callable[[T], None], answer: Deferred[RestoreResult]) -> None:
    """Go on with a result on the main thread; what goes wrong, there or before, is the answer."""

    def go_on() -> None:
        try:
            then(done.result())
        except FugueError as error:
            answer.fail(error)
        except Exception as error:  # A bug, which nobody may be waiting for any more: the app logs it.
            answer.fail(error)
            raise

    done.add_done_callback(lambda _: mux.post(go_on))


def _nothing(result: None) -> None:
    return


def _pass_on(done: Deferred[RestoreResult], answer: Deferred[RestoreResult]) -> None:
    answer.settle(done.result())
