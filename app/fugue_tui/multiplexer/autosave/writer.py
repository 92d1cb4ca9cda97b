"""Writes pictures of a workspace to the disk. Belongs to the saver's thread, but for `settings` and `hurry`."""

import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from threading import Event
from typing import Final, TypeAlias

from fugue_tui.config.model import SessionSettings
from fugue_tui.errors import Cancelled
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer.autosave.snapshot import PaneSnapshot, WorkspaceSnapshot
from fugue_tui.store.store import Area, PendingSave, Store
from fugue_tui.terminal.emulator.save_format import PORTABLE_LINES, pack, unpack
from fugue_tui.terminal.pty import process
from fugue_tui.terminal.shell_integration.saved_commands import Sift, placeless
from fugue_tui.terminal.terminal import Terminal
from fugue_tui.workspace.save_codec import encode
from fugue_tui.workspace.save_model import SavedPane, SavedWorkspace
from fugue_tui.workspace.secret_filter import SecretFilter

PAUSE: Final = 0.005
"""Seconds between two panes' texts, for whoever types meanwhile."""
TIDY_EVERY: Final = 10
"""Saves after which texts that nothing refers to are removed."""
_LINES_KNOWN: Final = 1 << 13

Resume: TypeAlias = Callable[[tuple[str, ...], int, str], tuple[str, ...]]
"""What takes up what a program (its words, its process, its directory) was doing; empty if there is no such thing."""


@dataclass(frozen=True, slots=True)
class StoredText:
    """The text of a pane that is in the store."""

    terminal: Terminal
    changes: tuple[int, int]
    limit: int
    """The `history_kib` that held."""
    digest: str
    """Empty if it was too large."""
    fault: str
    """What is missing of it, in words."""


@dataclass(slots=True)
class _PendingWrite:
    """One picture on its way."""

    saving: PendingSave
    faults: list[str] = field(default_factory=list[str])


class SnapshotWriter:
    """Knows which texts are in the store already, so that only what changed is written."""

    def __init__(self, store: Store, settings: SessionSettings, resume: Resume = lambda argv, pid, cwd: ()) -> None:
        self.store = store
        self.settings = settings
        """May be replaced at any time, on any thread."""
        self.hurry = Event()
        """Set when there is nobody left to be polite to."""
        self._resume = resume
        self._kept: dict[PaneId, StoredText] = {}
        self._saves = 0

    def record(
        self,
        picture: WorkspaceSnapshot,
        area: Area,
        name: str,
        *,
        ended: bool = False,
        wanted: Callable[[], bool] = lambda: True,
    ) -> tuple[str, ...]:
        """Save a picture under a name, all of it or nothing; what of it could not be saved, in words.

        `ended` says that the workspace was left on purpose. Raises SaveError, or Cancelled once it is unwanted."""
        with self.store.saving() as saving:
            writing = _PendingWrite(saving)
            seen: dict[PaneId, SavedPane] = {}
            for pane, each in picture.panes.items():
                if not wanted():
                    raise Cancelled(f"nothing was saved as {name}: nobody waits for it any more")
                seen[pane] = self._seen(pane, each, writing)
            last_pane, last_window = picture.last_ids
            saved = SavedWorkspace(picture.workspace, picture.area, seen, time.time(), ended, last_pane, last_window)
            saving.put(area, name, encode(saved, self.settings.secrets))
        if area == "auto":
            self._kept = {pane: kept for pane, kept in self._kept.items() if pane in picture.panes}
        self._saves += 1
        if self._saves % TIDY_EVERY == 0 and not self.hurry.is_set():
            self.store.tidy()
        return tuple(writing.faults)

    def forget(self, area: Area, name: str) -> None:
        """Remove what was saved under a name, if anything was. Raises SaveError."""
        if any(entry.name == name for entry in self.store.names(area)):
            self.store.delete(area, name)

    def _seen(self, pane: PaneId, each: PaneSnapshot, writing: _PendingWrite) -> SavedPane:
        if each.before is not None:
            return self._still(each.before, writing.saving)
        text = self._text(pane, each, writing) if self.settings.pane_history else ""
        terminal = each.terminal
        running = each.exit is None
        group = (terminal.foreground_group or terminal.pid) if running else 0
        argv, cwd = process.argv(group) if group else (), terminal.cwd if running else ""
        return SavedPane(
            cwd=cwd,
            title=terminal.title,
            argv=argv,
            exit=each.exit,
            size=terminal.size,
            text=text,
            resume=self._resume(argv, group, cwd) if argv else (),
        )

    def _still(self, before: SavedPane, saving: PendingSave) -> SavedPane:
        """What is saved of a pane that waits: the same again."""
        there = self.settings.pane_history and saving.has(before.text)
        return before if there else replace(before, text="")

    def _text(self, pane: PaneId, each: PaneSnapshot, writing: _PendingWrite) -> str:
        """The digest of a pane's text in the store; empty if it has none there."""
        terminal, limit, kept = each.terminal, self.settings.history_kib, self._kept.get(pane)
        if kept is None or (kept.terminal, kept.changes, kept.limit) != (terminal, terminal.seen_as, limit):
            kept = self._written(pane, terminal, limit, writing) or kept
        elif kept.digest and not writing.saving.has(kept.digest):
            kept = self._written(pane, terminal, limit, writing)
        if kept is None or (kept.digest and not writing.saving.has(kept.digest)):
            return ""
        if kept.fault:
            writing.faults.append(kept.fault)
        return kept.digest

    def _written(self, pane: PaneId, terminal: Terminal, limit: int, writing: _PendingWrite) -> StoredText | None:
        """Put a pane's text into the store; None if the pane was closed meanwhile."""
        changes, data, fault = terminal.seen_as, terminal.saved(_sift(self.settings.secrets)), ""
        if not data:
            return None
        if not _fits(data, limit):
            data, fault = _newest(data, limit), f"of pane {pane} only the newest lines are saved: its text has more "
            fault += f"than {limit} KiB; raise [session] history_kib"
        kept = StoredText(terminal, changes, limit, writing.saving.keep(data) if data else "", fault)
        self._kept[pane] = kept
        self.hurry.wait(PAUSE)
        return kept


@lru_cache(1)
def _sift(secrets: tuple[str, ...]) -> Sift:
    """What takes secrets out of command lines, most of which were seen before."""
    return lru_cache(_LINES_KNOWN)(SecretFilter(secrets).line)


def _fits(data: bytes, limit: int) -> bool:
    """Whether a text has at most so many KiB, compressed as the store does it."""
    return len(data) <= limit << 10 or len(zlib.compress(data, 1)) <= limit << 10


def _newest(data: bytes, limit: int) -> bytes:
    """The same text cut to its newest lines, as many as fit; empty if none do."""
    save, lines = unpack(data), PORTABLE_LINES
    rows = save.portable.split(b"\r\n")
    while lines:
        cut = pack(replace(save, native=b"", portable=b"\r\n".join(rows[-lines:]), past=placeless(save.past)))
        if _fits(cut, limit):
            return cut
        lines //= 2
    return b""
