"""Runs the tags that trusted panes print, as commands of the programs in those panes. Main thread only."""

import asyncio
import os
from collections import Counter
from typing import Any, Final

from fugue_tui.control.commands.send_keys import SendInput
from fugue_tui.control.core.command import Command, Interface, Origin
from fugue_tui.control.core.deferred import finished, is_deferred, spawn
from fugue_tui.control.dispatch.dispatcher import Dispatcher
from fugue_tui.control.sideband import replies
from fugue_tui.control.sideband.limits import SeenTags, TokenBucket
from fugue_tui.control.sideband.translate import command_of
from fugue_tui.errors import FugueError, InvalidArgument, Refused
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer.access.sideband import SHOWN_SECONDS
from fugue_tui.multiplexer.events.pane_events import Ended, PaneEvent, SidebandUsed, Started
from fugue_tui.multiplexer.watch.main_loop import call_later
from fugue_tui.sanitize import clean
from fugue_tui.sideband.tag import ParseError, Tag
from fugue_tui.terminal.emulator.events import EventsDropped
from fugue_tui.terminal.pty import process
from fugue_tui.workspace.model import Workspace

PANE_RATE: Final = (1.0, 10)
"""Tags a second of one pane, and at once."""
TOTAL_RATE: Final = (5.0, 30)
"""Tags a second of all panes, and at once."""
SPAWNED: Final = 8
"""Panes that tags of one pane may have open."""
DEEPEST: Final = 3
"""How many panes may have opened one another by tags."""
_OPENS: Final = frozenset(("spawn", "canvas"))
"""The tags that open a pane."""
_WORDS: Final = 200


class TagRunner:
    """Trusts panes, and runs what they print."""

    def __init__(self, dispatcher: Dispatcher) -> None:
        self._dispatcher, self._mux = dispatcher, dispatcher.mux
        self._access, self._clock = dispatcher.mux.sideband, dispatcher.mux.clock
        self._total = TokenBucket(*TOTAL_RATE, self._clock)
        self._pane_rates: dict[PaneId, TokenBucket] = {}
        self._seen: dict[PaneId, SeenTags] = {}
        self._parsed: dict[PaneId, tuple[object, str]] = {}
        """The panes whose output is parsed: their terminals and keys."""
        self._sizes: dict[PaneId, object] = {}
        self._refused = Counter[PaneId]()
        """The tags of each pane that came too fast and are not yet reported."""
        self._access.changed = self._refresh
        self._mux.agents.on_found.connect(self._refresh)
        self._mux.on_event.connect(self._on_event)
        self._mux.on_change.connect(self._on_change)
        self._mux.on_permissions.connect(self.refresh)

    # Trust

    def refresh(self) -> None:
        """Parse the output of the panes that are trusted now, and of no others."""
        for pane in tuple(self._mux.terminals):
            self._refresh(pane)

    def _refresh(self, pane: PaneId) -> None:
        terminal, record = self._mux.terminals.get(pane), self._mux.workspace.panes.get(pane)
        if terminal is None or record is None:
            return
        key = self._access.key(pane) if self._access.status(pane, record.name).parsed else ""
        before = self._parsed.get(pane)
        if key and before != (terminal, key):
            terminal.parse_tags(key)
            self._parsed[pane] = (terminal, key)
        elif not key and before is not None:
            del self._parsed[pane]
            terminal.parse_tags(None)

        grant = self._access.grants.get(pane)
        if key and grant is not None and grant.until is not None:
            call_later(max(0.0, grant.until - self._clock()) + 0.1, lambda: self._refresh(pane))

    def _on_event(self, pane: PaneId, event: PaneEvent) -> None:
        match event:
            case Tag():
                self._on_tag(pane, event)
            case ParseError(reason, source):
                self._audit(pane, f"{source} ", reason)
            case Ended() | Started():
                self._access.end_program(pane)
                self._refresh(pane)
            case EventsDropped(count) if pane in self._parsed:
                self._audit(pane, "fugue", f"{count} events came too fast, tags among them may be lost")
            case _:
                pass

    def _on_change(self, old: Workspace, new: Workspace) -> None:
        for pane in old.panes.keys() - new.panes.keys():
            self._access.end_pane(pane)
            for known in (self._pane_rates, self._seen, self._parsed, self._sizes):
                known.pop(pane, None)

    # Tags

    def _on_tag(self, pane: PaneId, tag: Tag) -> None:
        seen = self._seen.setdefault(pane, SeenTags(self._clock))
        size = self._mux.terminals[pane].size
        if self._sizes.setdefault(pane, size) != size:
            self._sizes[pane] = size
            seen.resized()
        if seen.repeats(tag):
            return
        rate = self._pane_rates.setdefault(pane, TokenBucket(*PANE_RATE, self._clock))
        if not rate.take() or not self._total.take():
            seen.forget(tag)
            self._refused[pane] += 1
            if self._refused[pane] == 1:
                call_later(1.0, lambda: self._report_refused(pane))
            return
        try:
            self._check(pane, tag)
            command = command_of(tag, pane)
            self._check_spawn(pane, tag)
        except FugueError as error:
            self._audit(pane, f"fugue:{tag.name}", str(error))
            self._show(pane, f"fugue:{tag.name} was refused: {error}")
            self._reply(pane, tag, None, error)
            return
        self._run(pane, tag, command)

    def _check(self, pane: PaneId, tag: Tag) -> None:
        """Raise Refused or InvalidArgument if a tag must not run."""
        status = self._access.status(pane, self._mux.workspace.panes[pane].name)
        if not status.parsed:
            raise Refused(f"fugue:{tag.name}: {status.reason}")
        key = tag.attributes.get("key", "")
        if key and key != self._access.key(pane):
            raise Refused(f"fugue:{tag.name}: the key is not that of {pane}; it is in FUGUE_SIDEBAND_KEY")
        if not key and self._access.settings.require_key:
            raise Refused(f"fugue:{tag.name}: [claude.communication] require_key = true, and the tag has no key")
        grant = self._access.grants.get(pane)
        replies.check(tag, may_type=grant is not None and grant.typing)

    def _check_spawn(self, pane: PaneId, tag: Tag) -> None:
        if tag.name not in _OPENS:
            return
        spawned = self._access.spawned
        if sum(opener == pane for opener in spawned.values()) >= SPAWNED:
            raise Refused(f"fugue:{tag.name}: {pane} has {SPAWNED} panes open by tags; close one")
        depth, each = 0, pane
        while each in spawned:
            depth, each = depth + 1, spawned[each]
        if depth >= DEEPEST:
            raise Refused(f"fugue:{tag.name}: {DEEPEST} panes have opened one another by tags; no more may")

    def _run(self, pane: PaneId, tag: Tag, command: Command[Any]) -> None:
        before = set(self._mux.workspace.panes)
        try:
            result = self._dispatcher.run(command, self._origin(pane))
        except FugueError as error:
            self._show(pane, f"fugue:{tag.name} was refused: {error}")
            self._reply(pane, tag, None, error)
            return
        if is_deferred(result):
            self._show(pane, f"fugue:{tag.name} waits")
            spawn(self._finish(pane, tag, result, before))
        else:
            self._done(pane, tag, result, before)

    async def _finish(self, pane: PaneId, tag: Tag, later: Any, before: set[PaneId]) -> None:
        try:
            result = await finished(later)
        except FugueError as error:
            self._show(pane, f"fugue:{tag.name} was refused: {error}")
            self._reply(pane, tag, None, error)
            return
        self._done(pane, tag, result, before)

    def _done(self, pane: PaneId, tag: Tag, result: object, before: set[PaneId]) -> None:
        if tag.name in _OPENS:
            opened = str(getattr(result, "id", ""))
            new = (each for each in self._mux.workspace.panes if str(each) == opened and each not in before)
            self._access.spawned.update(dict.fromkeys(new, pane))
        self._show(pane, f"fugue:{tag.name}", silent=tag.name == "notify")
        self._reply(pane, tag, result, None)

    def _origin(self, pane: PaneId) -> Origin:
        group = self._mux.terminals[pane].foreground_group
        return Origin(
            Interface.SIDEBAND,
            pane,
            pid=group or None,
            inside=True,
            process=f"{group}@{process.start_ticks(group)}" if group else "",
            program=clean(process.comm(group), 16) if group else "",
            executable=process.executable(group) if group else "",
        )

    # What is seen of tags

    def _reply(self, pane: PaneId, tag: Tag, result: object, error: BaseException | None) -> None:
        kind = tag.attributes.get("reply", "")
        grant = self._access.grants.get(pane)
        try:
            replies.check(tag, may_type=grant is not None and grant.typing)
        except InvalidArgument:
            return
        text = replies.answer(result, error)
        if kind == "type":
            self._type(pane, text)
        elif kind:
            path = self._access.reply_file(pane, tag.attributes["id"] if kind == "file" else "reply")
            spawn(self._write(pane, path, text))

    def _type(self, pane: PaneId, text: str) -> None:
        try:
            result = self._dispatcher.run(SendInput(pane=str(pane), text=text, submit=True), self._origin(pane))
        except FugueError as error:
            self._show(pane, f"the answer was not typed: {error}")
            return
        if is_deferred(result):
            spawn(self._typed(pane, result))

    async def _typed(self, pane: PaneId, later: Any) -> None:
        try:
            await finished(later)
        except FugueError as error:
            self._show(pane, f"the answer was not typed: {error}")

    async def _write(self, pane: PaneId, path: str, text: str) -> None:
        try:
            await asyncio.to_thread(replies.write, path, text)
        except (OSError, FugueError) as error:
            self._show(pane, f"the answer cannot be written to {os.path.basename(path)}: {error}")

    def _report_refused(self, pane: PaneId) -> None:
        count = self._refused.pop(pane, 0)
        self._audit(pane, "fugue", f"{count} tags came too fast")
        self._show(pane, f"{count} tags came too fast")

    def _audit(self, pane: PaneId, words: str, reason: str) -> None:
        if pane in self._mux.terminals:
            origin = Origin(Interface.SIDEBAND, pane, inside=True)
            self._dispatcher.audit.record(origin, clean(words, _WORDS), "refused", reason, decision="refuse")

    def _show(self, pane: PaneId, note: str, *, silent: bool = False) -> None:
        """Show in the pane's frame, and unless `silent` in the status bar, for a moment what a tag did."""
        if pane not in self._mux.workspace.panes:
            return
        self._access.notes[pane] = note = clean(note, _WORDS)
        self._mux.on_event(pane, SidebandUsed(note, silent=silent))
        call_later(SHOWN_SECONDS, lambda: self._hide(pane, note))

    def _hide(self, pane: PaneId, note: str) -> None:
        if self._access.notes.get(pane) is note:
            del self._access.notes[pane]
            self._mux.on_event(pane, SidebandUsed())
