"""Brings a saved workspace back into a running one: its layout at once, the text of its panes as it is read.

What is on the main thread is a matter of milliseconds; texts are read and laid out on another, the visible panes first.
"""

import os
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import Final

from fugue_tui.control.core.deferred import Deferred
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

READERS: Final = min(4, os.cpu_count() or 1)
"""Texts that are read and laid out at the same time: almost all of that is the engine's work, and needs no GIL."""


@dataclass(frozen=True, slots=True)
class RestoredPane:
    """A pane that came back."""

    pane: str
    """Its id now."""
    was: str
    """The id that it had when it was saved."""
    name: str
    """Its name; empty if none."""
    waits: str | None
    """What Enter or start-pane would run, empty for a shell; null if its program runs already."""


@dataclass(frozen=True, slots=True)
class RestoreResult:
    """What came back."""

    name: str
    """What it was saved as."""
    windows: tuple[str, ...]
    """The ids of the windows that came back, in the order of their tabs."""
    panes: tuple[RestoredPane, ...]
    """The panes that came back, window by window."""
    faults: tuple[str, ...]
    """What was damaged or missing, and is left out."""


@dataclass(frozen=True, slots=True)
class RestoreSource:
    """A saved workspace that was read, and where the texts of its panes are."""

    name: str
    saved: SavedWorkspace
    text: Callable[[str], bytes]
    """The text with a digest; on any thread. Raises SaveError."""
    faults: tuple[str, ...] = ()
    """What was left out of it."""


@dataclass(frozen=True, slots=True)
class PaneTextRead:
    """The text of one pane that is to be read."""

    pane: PaneId
    size: Size
    cwd: str
    offer: RerunOffer
    saved_at: float


class WorkspaceRestorer:
    """One workspace on its way back; lives on the main thread, but for `read`."""

    def __init__(self, mux: Multiplexer, source: RestoreSource, *, asleep: bool = False) -> None:
        """With `asleep` nothing starts by itself."""
        self.later = Deferred[RestoreResult]()
        """What came back, once every text is there."""
        self._mux, self._source, self._asleep = mux, source, asleep
        self._saved = _where_they_were(source.saved)
        self._fillings: list[PaneTextRead] = []
        self._damaged: dict[PaneId, str] = {}
        self._failed: list[Exception] = []
        self._counting = threading.Lock()
        self._read = 0
        self._was: dict[PaneId, PaneId] = {}
        self._windows: tuple[WindowId, ...] = ()

    def instead(self) -> "WorkspaceRestorer":
        """Have what was saved be the whole workspace, with the ids that it had; what runs now is ended."""
        saved = self._saved
        self._bring(replace(saved, name=self._mux.workspace.name), {pane: pane for pane in saved.panes})
        self._windows = tuple(window.id for window in saved.windows)
        return self

    def beside(self, *, focus: bool = False) -> "WorkspaceRestorer":
        """Append what was saved to the workspace, with its old ids if they are kept free for it, else with new ones.
        `focus` brings the window to the front that was there when it was saved."""
        mux, saved = self._mux, self._saved
        if mux.ids.claim(saved, mux.workspace):
            merged = merge(mux.workspace, saved, iter(_in_order(saved)).__next__, iter(_windows(saved)).__next__)
        else:
            merged = merge(mux.workspace, saved, mux.ids.next_pane, mux.ids.next_window)
        front = merged.windows.get(saved.active) if focus else None
        after = merged.workspace if front is None else select_window(merged.workspace, front)
        self._bring(after, dict(merged.panes))
        self._windows = tuple(merged.windows.values())
        return self

    def within(self, pane: PaneId, saved: PaneId) -> "WorkspaceRestorer":
        """Have one pane's text and program in the place of another pane, whose program is ended."""
        mux, seen = self._mux, self._source.saved.seen.get(saved, SavedPane())
        record = replace(self._saved.panes[saved], id=pane, name=mux.workspace.panes[pane].name)
        offered = self._offer(record, seen)
        mux.put_back(record, offered)
        self._was = {pane: saved}
        self._fillings = [self._filling(record, offered)]
        self._windows = (mux.window_of(pane).id,)
        return self

    def _bring(self, after: Workspace, ids: dict[PaneId, PaneId]) -> None:
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
        return replace(made, told=(*_told(seen), *made.told), seen=seen)

    def _filling(self, pane: Pane, offered: RerunOffer) -> PaneTextRead:
        size = self._mux.terminals[pane.id].size
        return PaneTextRead(pane.id, size, pane.cwd, offered, self._source.saved.saved_at)

    # Elsewhere

    def read(self) -> None:
        """Read every text and have it shown, several at a time; on any thread but the main one."""
        left, many = deque(self._fillings), len(self._fillings)
        readers = [
            threading.Thread(target=self._read_on, args=(left,), name=f"reader {number}", daemon=True)
            for number in range(min(READERS, many))
        ]
        for reader in readers:
            reader.start()
        for reader in readers:
            reader.join()
        if self._failed:
            raise self._failed[0]
        self._mux.post(self._settle)

    def _read_on(self, left: deque[PaneTextRead]) -> None:
        """Read one text after the other, until there is none left or something is wrong with the reading itself."""
        while not self._failed:
            try:
                filling = left.popleft()
            except IndexError:
                return
            try:
                self._fill(filling)
            except Exception as error:  # noqa: BLE001  (raised where all are waited for)
                self._failed.append(error)

    def _fill(self, filling: PaneTextRead) -> None:
        emulator = self._mux.blank(filling.size)
        commands, lines = self._recalled(emulator, filling)
        for line in lines:
            write_notice(emulator, line)
        self._mux.post(partial(self._mux.fill, filling.pane, emulator, commands))
        with self._counting:
            self._read += 1
            self.later.report(f"pane {self._read} of {len(self._fillings)}", self._read / len(self._fillings))

    def _recalled(self, emulator: Emulator, filling: PaneTextRead) -> tuple[Sequence[CommandRecord], Sequence[str]]:
        """Bring the text back; the commands that ran in it, and what is to be told below it."""
        commands, lines = tuple[CommandRecord, ...](), _lines(filling)
        if digest := filling.offer.seen.text:
            try:
                commands = recall(emulator, self._source.text(digest))
            except FugueError as error:
                self._damaged[filling.pane] = f"{filling.pane}: its text is left out: {error}"
                lines.insert(1, "its text was damaged and is left out")
        return commands, lines

    def _settle(self) -> None:
        mux = self._mux
        infos = {pane: pane_info(mux, pane) for pane in self._was if pane in mux.workspace.panes}
        returned = (RestoredPane(each.id, str(self._was[pane]), each.name, each.waits) for pane, each in infos.items())
        windows = tuple(str(window.id) for window in mux.workspace.windows if window.id in self._windows)
        damaged = (self._damaged[each.pane] for each in self._fillings if each.pane in self._damaged)
        self.later.settle(RestoreResult(self._source.name, windows, tuple(returned), (*self._source.faults, *damaged)))


def _where_they_were(saved: SavedWorkspace) -> Workspace:
    """The workspace with each pane where it worked last: shells and agents follow their people."""
    records = dict(saved.workspace.panes)
    for pane, seen in saved.seen.items():
        record = records[pane]
        if seen.cwd and (is_shell(record.argv) or seen.resume or not record.cwd):
            records[pane] = replace(record, cwd=seen.cwd)
    return replace(saved.workspace, panes=MappingProxyType(records))


def moment(seconds: float) -> str:
    """A moment for people, in local time; empty if unknown."""
    try:
        return time.strftime("%-d %b %Y %H:%M", time.localtime(seconds)) if seconds > 0 else ""
    except (ValueError, OverflowError, OSError):
        return ""


def _lines(filling: PaneTextRead) -> list[str]:
    """What is told below a pane's old text."""
    offered, when = filling.offer, moment(filling.saved_at)
    lines = [f"restored, saved {when}" if when else "restored", *offered.told]
    place = nearest_directory(filling.cwd)
    if filling.cwd and place != os.path.abspath(filling.cwd):
        lines.append(f"{filling.cwd} is gone; it runs in {place}")
    return lines if offered.starts else [*lines, *offered.calls]


def _told(seen: SavedPane) -> Sequence[str]:
    """What a pane's person should know of it besides what it runs."""
    told: list[str] = []
    names = [name.removeprefix("env.") for name in seen.withheld if name.startswith("env.")]
    if names:
        told.append(f"not saved, as secrets: {', '.join(names)}")
    if "argv" in seen.withheld:
        told.append("its command held a secret and was not saved; respawn-pane runs another")
    if seen.exit is not None:
        told.append(f"its program had ended: {seen.exit.words}")
    return told


def _in_order(workspace: Workspace, *, front: bool = False) -> list[PaneId]:
    """Every pane, window by window; with `front` those on the screen first."""
    windows = sorted(workspace.windows, key=lambda window: front and window.id != workspace.active)
    return [pane for window in windows for pane in panes(window.layout)]


def _windows(workspace: Workspace) -> list[WindowId]:
    return [window.id for window in workspace.windows]
