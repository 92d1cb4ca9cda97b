"""Restores a saved workspace into a running one: its layout at once, the text of its panes as it is read.

The main thread is used for milliseconds; texts are read and parsed on others, the visible panes first.
"""

import asyncio
import os
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from fugue_tui.control.core.deferred import reporter
from fugue_tui.control.core.own_position import birth_cursor
from fugue_tui.control.core.results import pane_info
from fugue_tui.control.restore.rerun_policy import is_shell, offer
from fugue_tui.errors import FugueError
from fugue_tui.geometry import Size
from fugue_tui.ids import PaneId, WindowId
from fugue_tui.layout.tree import panes
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.restored_pane import RerunOffer, nearest_directory, write_notice
from fugue_tui.terminal.emulator.command_record import CommandRecord
from fugue_tui.terminal.emulator.protocol import Emulator
from fugue_tui.terminal.shell_integration.saved_commands import recall
from fugue_tui.workspace.edit import select_window
from fugue_tui.workspace.merge import merge
from fugue_tui.workspace.model import Pane, Workspace
from fugue_tui.workspace.save_model import SavedPane, SavedWorkspace

READERS: Final = min(3, os.cpu_count() or 1)
"""Texts that are read and parsed in parallel: nearly all work is the engine's, without the GIL."""


class RestoredPane(Struct, frozen=True):
    """A restored pane."""

    pane: str
    """Its id now."""
    was: str
    """Its id in the save."""
    name: str
    """Its name; empty if none."""
    waits: str | None
    """What Enter or start-pane would run, empty for a shell; null if its program runs already."""
    cursor: str | None
    """For wait-for-output or read-pane: the start of its program; null until that is started."""


class RestoreResult(Struct, frozen=True):
    """The result of a restore."""

    name: str
    """The name of the save."""
    windows: tuple[str, ...]
    """The ids of the restored windows, in the order of their tabs."""
    panes: tuple[RestoredPane, ...]
    """The restored panes, window by window."""
    faults: tuple[str, ...]
    """What was damaged or missing and is left out."""


class RestoreSource(Struct, frozen=True):
    """A saved workspace, and a reader for the texts of its panes."""

    name: str
    saved: SavedWorkspace
    text: Callable[[str], bytes]
    """Reads the text with a digest; any thread. Raises SaveError."""
    faults: tuple[str, ...] = ()
    """What was left out of it."""


class PaneTextRead(Struct, frozen=True):
    """The text of one pane, to be read."""

    pane: PaneId
    size: Size
    cwd: str
    offer: RerunOffer
    saved_at: float


class WorkspaceRestorer:
    """One restore of a workspace. Main thread only."""

    def __init__(self, mux: Multiplexer, source: RestoreSource, *, asleep: bool = False) -> None:
        """With `asleep` no program starts by itself."""
        self._mux, self._source, self._asleep = mux, source, asleep
        self._saved = _with_last_directories(source.saved)
        self._fillings: list[PaneTextRead] = []
        self._damaged: dict[PaneId, str] = {}
        self._was: dict[PaneId, PaneId] = {}
        self._windows: tuple[WindowId, ...] = ()
        self.projects: Mapping[str, str] = source.saved.projects
        """The directories of the project files that were opened, by the path of the file."""

    def instead(self) -> "WorkspaceRestorer":
        """Replace the whole workspace by the saved one, with its old ids; running programs are ended."""
        saved = self._saved
        self._apply(replace(saved, name=self._mux.workspace.name), {pane: pane for pane in saved.panes})
        self._windows = tuple(window.id for window in saved.windows)
        return self

    def beside(self, *, focus: bool = False) -> "WorkspaceRestorer":
        """Append the saved windows to the workspace, with their old ids if those are reserved for them, else with new
        ones. `focus` selects the window that was active in the save."""
        mux, saved = self._mux, self._saved
        if mux.ids.claim(saved, mux.workspace):
            merged = merge(mux.workspace, saved, iter(_in_order(saved)).__next__, iter(_windows(saved)).__next__)
        else:
            merged = merge(mux.workspace, saved, mux.ids.next_pane, mux.ids.next_window)
        front = merged.windows.get(saved.active) if focus else None
        after = merged.workspace if front is None else select_window(merged.workspace, front)
        self._apply(after, dict(merged.panes))
        self._windows = tuple(merged.windows.values())
        return self

    def within(self, pane: PaneId, saved: PaneId) -> "WorkspaceRestorer":
        """Restore one saved pane's text and program into another pane, whose program is ended."""
        mux, seen = self._mux, self._source.saved.seen.get(saved, SavedPane())
        record = replace(self._saved.panes[saved], id=pane, name=mux.workspace.panes[pane].name)
        offered = self._offer(record, seen)
        mux.put_back(record, offered)
        self._was, self.projects = {pane: saved}, {}
        self._fillings = [self._filling(record, offered)]
        self._windows = (mux.window_of(pane).id,)
        return self

    def _apply(self, after: Workspace, ids: dict[PaneId, PaneId]) -> None:
        seen = self._source.saved.seen
        self._was = {new: old for old, new in ids.items()}
        offers = {new: self._offer(after.panes[new], seen.get(old, SavedPane())) for old, new in ids.items()}
        self._mux.bring_back(after, offers)
        order = [pane for pane in _in_order(after, front=True) if pane in offers]
        self._fillings = [self._filling(after.panes[pane], offers[pane]) for pane in order]

    def _offer(self, pane: Pane, seen: SavedPane) -> RerunOffer:
        mux = self._mux
        usable = "resume" not in seen.withheld
        made = offer(
            pane,
            foreground=seen.argv,
            resume=seen.resume if usable else (),
            rerun="never" if self._asleep else mux.rerun,
            shell=mux.shell,
            over=seen.exit is not None,
        )
        if "argv" in seen.withheld and not made.argv:
            made = replace(made, argv=(), words="", starts=False)
        return replace(made, notes=(*_notes(seen), *made.notes), seen=seen)

    def _filling(self, pane: Pane, offered: RerunOffer) -> PaneTextRead:
        size = self._mux.terminals[pane.id].size
        return PaneTextRead(pane.id, size, pane.cwd, offered, self._source.saved.saved_at)

    async def fill(self) -> RestoreResult:
        """Read every text and show it, several at a time."""
        left, many, report = deque(self._fillings), len(self._fillings), reporter()

        async def fill_next() -> None:
            while left:
                await self._fill(left.popleft())
                done = many - len(left)
                report(f"pane {done} of {many}", done / many)

        try:
            await asyncio.gather(*(fill_next() for _ in range(READERS)))
        finally:
            left.clear()
        return self._result()

    async def _fill(self, filling: PaneTextRead) -> None:
        emulator, commands = await asyncio.to_thread(self._recall, filling)
        self._mux.fill(filling.pane, emulator, commands)

    def _recall(self, filling: PaneTextRead) -> tuple[Emulator, Sequence[CommandRecord]]:
        """An emulator with the text and the lines below it, and the commands in the text. Any thread."""
        emulator = self._mux.blank(filling.size)
        commands, lines = tuple[CommandRecord, ...](), _lines(filling)
        if digest := filling.offer.seen.text:
            try:
                commands = recall(emulator, self._source.text(digest))
            except FugueError as error:
                self._damaged[filling.pane] = f"{filling.pane}: its text is left out: {error}"
                lines.insert(1, "its text was damaged and is left out")
        for line in lines:
            write_notice(emulator, line)
        return emulator, commands

    def _result(self) -> RestoreResult:
        mux = self._mux
        infos = {pane: pane_info(mux, pane) for pane in self._was if pane in mux.workspace.panes}
        returned = (
            RestoredPane(each.id, str(self._was[pane]), each.name, each.waits, birth_cursor(mux, pane))
            for pane, each in infos.items()
        )
        windows = tuple(str(window.id) for window in mux.workspace.windows if window.id in self._windows)
        damaged = (self._damaged[each.pane] for each in self._fillings if each.pane in self._damaged)
        return RestoreResult(self._source.name, windows, tuple(returned), (*self._source.faults, *damaged))


def _with_last_directories(saved: SavedWorkspace) -> Workspace:
    """The workspace with the last directory of each shell and agent."""
    records = dict(saved.workspace.panes)
    for pane, seen in saved.seen.items():
        record = records[pane]
        if seen.cwd and (is_shell(record.argv) or seen.resume or not record.cwd):
            records[pane] = replace(record, cwd=seen.cwd)
    return replace(saved.workspace, panes=MappingProxyType(records))


def local_time(seconds: float) -> str:
    """A timestamp for display, in local time; empty if unknown."""
    try:
        return time.strftime("%-d %b %Y %H:%M", time.localtime(seconds)) if seconds > 0 else ""
    except (ValueError, OverflowError, OSError):
        return ""


def _lines(filling: PaneTextRead) -> list[str]:
    """The lines to print below a pane's old text."""
    offered, when = filling.offer, local_time(filling.saved_at)
    lines = [f"restored, saved {when}" if when else "restored", *offered.notes]
    folder = nearest_directory(filling.cwd)
    if filling.cwd and folder != os.path.abspath(filling.cwd):
        lines.append(f"{filling.cwd} is gone; it runs in {folder}")
    return lines if offered.starts else [*lines, *offered.calls]


def _notes(seen: SavedPane) -> Sequence[str]:
    """Notes for the user about what was not saved, or has ended."""
    notes: list[str] = []
    names = [name.removeprefix("env.") for name in seen.withheld if name.startswith("env.")]
    if names:
        notes.append(f"not saved, as secrets: {', '.join(names)}")
    if "argv" in seen.withheld:
        notes.append("its command held a secret and was not saved; respawn-pane runs another")
    if seen.exit is not None:
        notes.append(f"its program had ended: {seen.exit.words}")
    return notes


def _in_order(workspace: Workspace, *, front: bool = False) -> list[PaneId]:
    """Every pane, window by window; with `front` those of the active window first."""
    windows = sorted(workspace.windows, key=lambda window: front and window.id != workspace.active)
    return [pane for window in windows for pane in panes(window.layout)]


def _windows(workspace: Workspace) -> list[WindowId]:
    return [window.id for window in workspace.windows]
