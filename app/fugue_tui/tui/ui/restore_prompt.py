"""Restores the saved workspace of the same name at the start: at once, after a question, or never, as configured.

A saved workspace that is not restored is kept under another name before the new one is saved.
"""

import logging
import re
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import TYPE_CHECKING, Final

from fugue_tui.control.commands.restore import fill_panes, read
from fugue_tui.control.core.confirmation import count
from fugue_tui.control.core.deferred import spawn
from fugue_tui.control.restore.rerun_policy import is_shell, words
from fugue_tui.control.restore.restorer import RestoreSource, WorkspaceRestorer, local_time
from fugue_tui.layout.tree import panes
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.autosave.saver import Saver
from fugue_tui.multiplexer.autosave.writer import SnapshotWriter
from fugue_tui.sanitize import clean
from fugue_tui.store.store import Store, state_dir
from fugue_tui.workspace.model import Window, Workspace
from fugue_tui.workspace.save_model import SavedWorkspace

if TYPE_CHECKING:
    from fugue_tui.tui.app_context import ServerContext
    from fugue_tui_widgets.restore_dialog import RestoreDialog

logger = logging.getLogger(__name__)

MOST_KEPT: Final = 5
"""How many workspaces of one name that were not restored are kept."""
_SHOWN: Final = 60
"""Characters of a window's programs."""


class RestorePrompt:
    """The saved workspace of the name that starts. Main thread only."""

    def __init__(self, mux: Multiplexer, source: RestoreSource) -> None:
        self._mux, self._source = mux, source
        self._app: ServerContext | None = None
        self._dialog: RestoreDialog | None = None
        self._disconnect: Callable[[], None] = _nothing
        self._new: Workspace | None = None
        self._restorer: WorkspaceRestorer | None = None
        self.ended: Final = source.saved.ended
        """Whether the user ended it: it is kept without a question."""
        if not self.ended:
            mux.ids.reserve(source.saved.last_pane, source.saved.last_window)
            mux.before = ("auto", source.name)

    def restore_at_start(self) -> None:
        """Restore its panes instead of a first pane; their texts follow once there is an app."""
        self._restorer = WorkspaceRestorer(self._mux, self._source).instead()

    def attach(self, app: "ServerContext") -> None:
        """Set the app, which has a saver; nothing is saved until it is known whether this is restored."""
        self._app = app
        self._saver.hold()
        if self._restorer is not None:
            self._restore(self._restorer)

    def ask(self) -> None:
        """Ask the user, over the new workspace; does nothing if it was restored already."""
        from fugue_tui_widgets.restore_dialog import RestoreDialog

        if self._app is None or self._mux.before is None:
            return
        self._new = self._mux.workspace
        self._dialog = RestoreDialog(heading(self._source.saved), rows(self._source.saved), self._source.faults)
        self._disconnect = self._mux.on_change.connect(self._changed)
        self._app.push_screen(self._dialog, self._answered)

    def defer(self) -> None:
        """Keep it under another name; then the running workspace is saved."""
        kept = self._saver.ask(self._keep)
        kept.add_done_callback(lambda done: self._mux.post(lambda: self._kept(done)))

    @property
    def _saver(self) -> Saver:
        assert self._mux.saver is not None
        return self._mux.saver

    def _answered(self, restore: bool | None) -> None:
        if restore is not None:
            self._disconnect()
        if restore:
            restorer = WorkspaceRestorer(self._mux, self._source)
            self._restore(restorer.instead() if self._is_unchanged else restorer.beside(focus=True))
        elif restore is not None:
            self.defer()

    @property
    def _is_unchanged(self) -> bool:
        """Whether the new workspace is unused."""
        live = self._mux.pane_reports.values()
        return self._mux.workspace == self._new and all(each.typed_at is None for each in live)

    def _restore(self, restorer: WorkspaceRestorer) -> None:
        self._mux.before = None
        self._mux.post(lambda: self._start(restorer))

    def _start(self, restorer: WorkspaceRestorer) -> None:
        spawn(self._fill(restorer))

    async def _fill(self, restorer: WorkspaceRestorer) -> None:
        try:
            faults = list((await fill_panes(self._mux, restorer)).faults)
        except Exception as error:  # noqa: BLE001  (reported)
            faults = [str(error)]
        finally:
            self._saver.release()
        for fault in faults:
            logger.warning("not restored: %s", fault)
        if faults:
            several = f"{len(faults)} things are left out, the log has them all: " if len(faults) > 1 else "left out: "
            self._inform(several + faults[0])

    def _changed(self, old: Workspace, new: Workspace) -> None:
        """Close the question if an agent has restored it meanwhile."""
        if self._dialog is not None and self._mux.before is None:
            self._disconnect()
            self._dialog.dismiss(None)
            self._saver.release()

    # On the saver's thread

    def _keep(self, recorder: SnapshotWriter, wanted: Callable[[], bool]) -> str:
        store, name = recorder.store, self._source.name
        named = [entry.name for entry in store.names("named")]
        label = _unused(f"{name}-before-{time.strftime('%Y-%m-%d')}", named)
        with store.saving() as saving:
            saving.put("named", label, store.get("auto", name).manifest)
        pattern = re.compile(rf"{re.escape(name)}-before-\d{{4}}-\d\d-\d\d(-\d+)?")
        for old in [each for each in named if pattern.fullmatch(each)][MOST_KEPT - 1 :]:
            store.delete("named", old)
        return label

    def _kept(self, done: "Future[str]") -> None:
        if error := done.exception():
            self._inform(f"the last workspace could not be kept: {error}")
        else:
            self._mux.before = ("named", done.result())
            if not self.ended:
                self._inform(f"the last workspace is kept: restore-session {done.result()} restores it")
        self._saver.release()

    def _inform(self, text: str) -> None:
        if self._app is not None:
            self._app.inform(clean(text))


def found(mux: Multiplexer) -> RestorePrompt:
    """The workspace that was saved under the name of the one that starts. Raises SaveError if it cannot be read."""
    return RestorePrompt(mux, read(Store(state_dir()), "auto", mux.workspace.name))


def heading(saved: SavedWorkspace) -> str:
    """What was saved and when, in one line."""
    workspace = saved.workspace
    counts = f"{count(len(workspace.windows), 'window')}, {count(len(workspace.panes), 'pane')}"
    when = " ".join(part for part in (ago(time.time() - saved.saved_at), f"({local_time(saved.saved_at)})") if part)
    return f"{clean(workspace.name, 40)}, saved {when}: {counts}" if local_time(saved.saved_at) else counts


def rows(saved: SavedWorkspace) -> list[tuple[str, str]]:
    """Each window's name, and what ran in its panes."""
    windows = saved.workspace.windows
    return [
        (f"{at} {_window_name(saved, window)}".rstrip(), _programs(saved, window))
        for at, window in enumerate(windows, 1)
    ]


def ago(seconds: float) -> str:
    """A duration before now in words; empty if it is not plausible."""
    if not 0 <= seconds < 100 * 365 * 86_400:
        return ""
    for unit, length in (("day", 86_400), ("hour", 3_600), ("minute", 60)):
        if seconds >= length:
            return f"{count(int(seconds // length), unit)} ago"
    return "just now"


def _window_name(saved: SavedWorkspace, window: Window) -> str:
    workspace = saved.workspace
    several = any(each.session != window.session for each in workspace.windows)
    name = window.name or workspace.panes[window.active].name
    return clean(" ".join(part for part in (f"{window.session}:" if several else "", name) if part), 30)


def _programs(saved: SavedWorkspace, window: Window) -> str:
    names: list[str] = []
    for pane in panes(window.layout):
        seen, record = saved.seen.get(pane), saved.workspace.panes[pane]
        ran = seen.argv if seen is not None and is_shell(record.argv) else record.argv
        names.append(record.content or ("shell" if is_shell(ran) else words(ran)))
    return clean(" · ".join(names), _SHOWN)


def _unused(name: str, used: list[str]) -> str:
    number, unused = 2, name
    while unused in used:
        unused, number = f"{name}-{number}", number + 1
    return unused


def _nothing() -> None:
    return
