"""Commands that restore: a saved workspace, a snapshot, and the programs of suspended panes."""

import asyncio
from collections.abc import Callable
from contextvars import copy_context
from functools import partial

from msgspec.structs import replace

from fugue_tui.control.commands.save import AREAS, checked, saver
from fugue_tui.control.core import target
from fugue_tui.control.core.command import Command, Confirmation, Effect, Origin, Toolset
from fugue_tui.control.core.confirmation import ending, pane_words
from fugue_tui.control.core.deferred import Deferred, run_task
from fugue_tui.control.core.results import OpenedPane, opened_pane
from fugue_tui.control.layout_files.project_servers import bring_back
from fugue_tui.control.restore.restorer import RestoreResult, RestoreSource, WorkspaceRestorer
from fugue_tui.errors import InvalidArgument, NotFound, Refused, SaveError
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.autosave.writer import SnapshotWriter
from fugue_tui.store.store import Area, Store
from fugue_tui.workspace.save_codec import decode

AUTO = "auto"
"""The name of this workspace's automatic save."""


class RestoreSession(
    Command[RestoreResult],
    name="restore-session",
    effect=Effect.RUN,
    also=Effect.ADMIN,
    toolset=Toolset.SAVING,
    creates=True,
):
    """Restore a saved workspace: its windows are added to the open ones, and its panes show their saved text.

    Shells start automatically, as `[session] rerun` sets; every other program waits for Enter or start-pane.
    """

    name: str = AUTO
    """The name; auto is this workspace's last automatic save."""

    def run(self, mux: Multiplexer, origin: Origin) -> Deferred[RestoreResult]:
        """What was restored, once complete. Fails with NotFound or SaveError."""
        focus = origin.is_user
        if self.name != AUTO:
            begin = partial(self._beside, mux, focus)
            return run_task(_restore_saved(mux, "named", checked(self.name), begin))
        if mux.before is None:
            raise NotFound("this workspace has no earlier run, or is already restored; list-saved shows what is saved")
        return run_task(_restore_saved(mux, *mux.before, partial(self._restore_last, mux, focus)))

    def _restore_last(self, mux: Multiplexer, focus: bool, source: RestoreSource) -> WorkspaceRestorer:
        mux.before = None
        return self._beside(mux, focus, source)

    def _beside(self, mux: Multiplexer, focus: bool, source: RestoreSource) -> WorkspaceRestorer:
        return WorkspaceRestorer(mux, source).beside(focus=focus)


class RestoreSnapshot(
    Command[RestoreResult],
    name="restore-snapshot",
    effect=Effect.DESTROY,
    also=Effect.RUN,
    given=("pane",),
    otherwise=Effect.RUN,
    toolset=Toolset.SAVING,
    creates=True,
):
    """Restore a snapshot: its panes show their saved text in new windows, and their programs wait to be started.

    With a pane, one pane's text is restored into that pane.
    """

    name: str
    """The snapshot's name."""
    pane: str = ""
    """The pane to replace, by its exact id; its program must have ended, or wait, unless kill is true."""
    kill: bool = False
    """Whether to end that pane's running program."""

    def targets(self, mux: Multiplexer, origin: Origin) -> tuple[PaneId, ...]:
        """The pane that is replaced, if any."""
        return (target.pane_to_close(mux, self.pane, origin),) if self.pane else ()

    def confirmation(self, mux: Multiplexer, origin: Origin) -> Confirmation | None:
        """Asked if it ends a running program."""
        if not (self.pane and self.kill):
            return None
        pane = target.pane(mux, self.pane, origin)
        question = f"End what runs in {pane_words(mux, pane)}, and show a snapshot there?"
        return ending(mux, [pane], question, replace(self, pane=str(pane)))

    def run(self, mux: Multiplexer, origin: Origin) -> Deferred[RestoreResult]:
        """What was restored, once complete. Raises NotFound or Refused; fails with NotFound or SaveError."""
        name = checked(self.name)
        if not self.pane:
            return run_task(_restore_saved(mux, "snapshots", name, partial(self._beside, mux, origin.is_user)))
        pane = target.pane_to_close(mux, self.pane, origin)
        self._may_replace(mux, pane)
        return run_task(_restore_saved(mux, "snapshots", name, partial(self._within, mux, pane)))

    def _beside(self, mux: Multiplexer, focus: bool, source: RestoreSource) -> WorkspaceRestorer:
        return WorkspaceRestorer(mux, source, asleep=True).beside(focus=focus)

    def _within(self, mux: Multiplexer, pane: PaneId, source: RestoreSource) -> WorkspaceRestorer:
        self._may_replace(mux, pane)
        there = source.saved.workspace.panes
        chosen = pane if pane in there else next(iter(there))
        if chosen != pane and len(there) > 1:
            raise InvalidArgument(f"pane: {pane} is not in the snapshot, which has {', '.join(map(str, there))}")
        return WorkspaceRestorer(mux, source, asleep=True).within(pane, chosen)

    def _may_replace(self, mux: Multiplexer, pane: PaneId) -> None:
        if mux.runs(pane) and not self.kill:
            raise Refused(f"a program runs in {pane}; kill=true ends it; without pane, a new window is opened")
        mux.lease.check_end(pane)


class StartPane(Command[OpenedPane], name="start-pane", effect=Effect.RUN, toolset=Toolset.RUNNING):
    """Start the program of a restored pane that waits; its saved text stays above."""

    pane: str = target.ACTIVE
    """The pane: an id, a name, or active for your own."""
    shell: bool = False
    """Whether to start only a shell instead of the pane's program."""

    def targets(self, mux: Multiplexer, origin: Origin) -> tuple[PaneId, ...]:
        """The pane."""
        return (target.pane(mux, self.pane, origin),)

    def run(self, mux: Multiplexer, origin: Origin) -> OpenedPane:
        """The pane. Raises NotFound, Refused if it does not wait, or SpawnFailed, and still waits then."""
        pane = target.pane(mux, self.pane, origin)
        mux.start(pane, shell=self.shell)
        return opened_pane(mux, pane)


def read(store: Store, area: Area, name: str) -> RestoreSource:
    """What was saved under a name, without its damaged parts. Raises SaveError; blocks on the disk."""
    found = store.get(area, name)
    saved, faults = decode(found.manifest)
    if not saved.workspace.windows:
        raise SaveError(f"{name}: nothing of what was saved can be read")
    return RestoreSource(name, saved, store.text, (*found.faults, *faults))


async def _restore_saved(
    mux: Multiplexer, area: Area, name: str, begin: Callable[[RestoreSource], WorkspaceRestorer]
) -> RestoreResult:
    def load(recorder: SnapshotWriter, wanted: Callable[[], bool]) -> RestoreSource:
        if not any(entry.name == name for entry in recorder.store.names(area)):
            kind = next(kind for kind, place in AREAS.items() if place == area)
            raise NotFound(f"no {kind} is saved as {name}; list-saved shows what is")
        return read(recorder.store, area, name)

    return await fill_panes(mux, begin(await asyncio.wrap_future(saver(mux).ask(load))))


async def fill_panes(mux: Multiplexer, restorer: WorkspaceRestorer) -> RestoreResult:
    """Read the texts of a restored workspace into its panes, also if the caller cancels meanwhile; before that, the MCP
    servers of its projects."""
    left_out = await bring_back(mux, restorer.projects)
    loop, context = asyncio.get_running_loop(), copy_context()

    def restore_entries(recorder: SnapshotWriter, wanted: Callable[[], bool]) -> RestoreResult:
        """On the saver's thread, which changes nothing in the store while texts are read from it."""
        return context.run(asyncio.run_coroutine_threadsafe, restorer.fill(), loop).result()

    filled = asyncio.wrap_future(saver(mux).ask(restore_entries))
    filled.add_done_callback(lambda each: each.cancelled() or each.exception())  # The caller may be gone.
    result = await asyncio.shield(filled)
    return replace(result, faults=(*result.faults, *left_out))
