"""Writes snapshots of a workspace to the store. Owned by the saver's thread, except `settings` and `skip_pauses`."""

import time
import zlib
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import accumulate
from threading import Event
from typing import Final, TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from fugue_tui.config.model import SessionSettings
from fugue_tui.errors import Cancelled
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer.autosave.snapshot import PaneSnapshot, WorkspaceSnapshot
from fugue_tui.store.store import Area, PendingSave, Store
from fugue_tui.terminal.emulator.save_format import PORTABLE_LINES, pack, unpack
from fugue_tui.terminal.pty import process
from fugue_tui.terminal.shell_integration.saved_commands import LineFilter, placeless
from fugue_tui.terminal.terminal import Terminal
from fugue_tui.workspace.save_codec import encode
from fugue_tui.workspace.save_model import SavedPane, SavedWorkspace
from fugue_tui.workspace.secret_filter import SecretFilter

PAUSE: Final = 0.005
"""Seconds between two panes' texts, so that saving does not slow typing."""
TIDY_EVERY: Final = 10
"""Saves between two removals of unreferenced texts."""
MOST_ARGUMENTS: Final = 16_384
"""Characters of a program's arguments that are saved, in whole words."""
_LINES_KNOWN: Final = 1 << 13

Resume: TypeAlias = Callable[[tuple[str, ...], int, str], tuple[str, ...]]
"""The argv that resumes a program, from its argv, process id and directory; empty if there is none."""


class StoredText(Struct, frozen=True):
    """A pane's text in the store."""

    terminal: Terminal
    changes: tuple[int, int]
    limit: int
    """The `history_kib` it was cut to."""
    digest: str
    """Empty if it was too large."""
    fault: str
    """What is missing of it, as a message; empty if nothing is."""


class _PendingWrite(Struct):
    """One snapshot being written."""

    saving: PendingSave
    faults: list[str] = field(default_factory=list[str])


class SnapshotWriter:
    """Writes snapshots; texts that are in the store already are not written again."""

    def __init__(self, store: Store, settings: SessionSettings, resume: Resume = lambda argv, pid, cwd: ()) -> None:
        self.store = store
        self.settings = settings
        """May be replaced at any time, on any thread."""
        self.skip_pauses = Event()
        """Set when saving need not pause for the user."""
        self._resume = resume
        self._kept: dict[PaneId, StoredText] = {}
        self._saves = 0

    def record(
        self,
        snapshot: WorkspaceSnapshot,
        area: Area,
        name: str,
        *,
        ended: bool = False,
        wanted: Callable[[], bool] = lambda: True,
    ) -> tuple[str, ...]:
        """Save a snapshot under a name, all or nothing; messages on what had to be left out.

        `ended` marks an intended exit. Raises SaveError, or Cancelled once `wanted` returns false."""
        with self.store.saving() as saving:
            writing = _PendingWrite(saving)
            seen: dict[PaneId, SavedPane] = {}
            for pane, each in snapshot.panes.items():
                if not wanted():
                    raise Cancelled(f"nothing was saved as {name}: the call was cancelled")
                seen[pane] = self._seen(pane, each, writing)
            saved = SavedWorkspace(
                snapshot.workspace, snapshot.area, seen, time.time(), ended, *snapshot.last_ids, snapshot.projects
            )
            saving.put(area, name, encode(saved, self.settings.secrets))
        if area == "auto":
            self._kept = {pane: kept for pane, kept in self._kept.items() if pane in snapshot.panes}
        self._saves += 1
        if self._saves % TIDY_EVERY == 0 and not self.skip_pauses.is_set():
            self.store.tidy()
        return tuple(writing.faults)

    def rename(self, name: str, to: str) -> None:
        """Rename the automatic save of a workspace. Raises SaveError."""
        self.store.rename("auto", name, to)

    def forget(self, area: Area, name: str) -> None:
        """Delete the save of a name, if there is one. Raises SaveError."""
        if any(entry.name == name for entry in self.store.names(area)):
            self.store.delete(area, name)

    def _seen(self, pane: PaneId, each: PaneSnapshot, writing: _PendingWrite) -> SavedPane:
        if each.before is not None:
            return self._unchanged(each.before, writing.saving)
        text = self._text(pane, each, writing) if self.settings.pane_history else ""
        terminal = each.terminal
        running = each.exit is None
        group = (terminal.foreground_group or terminal.pid) if running else 0
        argv, cwd = _capped(process.argv(group)) if group else (), terminal.cwd if running else ""
        return SavedPane(
            cwd=cwd,
            title=terminal.title,
            argv=argv,
            exit=each.exit,
            size=terminal.size,
            text=text,
            resume=self._resume(argv, group, cwd) if argv else (),
        )

    def _unchanged(self, before: SavedPane, saving: PendingSave) -> SavedPane:
        """The unchanged save of a restored pane that still waits."""
        stored = self.settings.pane_history and saving.has(before.text)
        return before if stored else replace(before, text="")

    def _text(self, pane: PaneId, each: PaneSnapshot, writing: _PendingWrite) -> str:
        """The digest of a pane's text in the store; empty if it has none."""
        terminal, limit, kept = each.terminal, self.settings.history_kib, self._kept.get(pane)
        if kept is None or (kept.terminal, kept.changes, kept.limit) != (terminal, terminal.save_version, limit):
            kept = self._written(pane, terminal, limit, writing) or kept
        elif kept.digest and not writing.saving.has(kept.digest):
            kept = self._written(pane, terminal, limit, writing)
        if kept is None or (kept.digest and not writing.saving.has(kept.digest)):
            return ""
        if kept.fault:
            writing.faults.append(kept.fault)
        return kept.digest

    def _written(self, pane: PaneId, terminal: Terminal, limit: int, writing: _PendingWrite) -> StoredText | None:
        """Store a pane's text; None if the pane was closed meanwhile."""
        changes, data, fault = terminal.save_version, terminal.saved(_filter(self.settings.secrets)), ""
        if not data:
            return None
        if not _fits(data, limit):
            data, fault = _newest(data, limit), f"of pane {pane} only the newest lines are saved: its text has more "
            fault += f"than {limit} KiB; raise [session] history_kib"
        kept = StoredText(terminal, changes, limit, writing.saving.keep(data) if data else "", fault)
        self._kept[pane] = kept
        self.skip_pauses.wait(PAUSE)
        return kept


@lru_cache(1)
def _filter(secrets: tuple[str, ...]) -> LineFilter:
    """Removes secrets from command lines; cached, as most lines repeat."""
    return lru_cache(_LINES_KNOWN)(SecretFilter(secrets).line)


def _fits(data: bytes, limit: int) -> bool:
    """Whether a text has at most `limit` KiB, compressed as in the store."""
    return len(data) <= limit << 10 or len(zlib.compress(data, 1)) <= limit << 10


def _newest(data: bytes, limit: int) -> bytes:
    """The newest lines of a text that fit; empty if none do."""
    save, lines = unpack(data), PORTABLE_LINES
    rows = save.portable.split(b"\r\n")
    while lines:
        cut = pack(replace(save, native=b"", portable=b"\r\n".join(rows[-lines:]), past=placeless(save.past)))
        if _fits(cut, limit):
            return cut
        lines //= 2
    return b""


def _capped(argv: Sequence[str]) -> tuple[str, ...]:
    """The first words of a command; without a limit, a program with a megabyte of them would hold up every save."""
    ends = accumulate(map(len, argv))
    return tuple(word for word, end in zip(argv, ends, strict=True) if end <= MOST_ARGUMENTS)
