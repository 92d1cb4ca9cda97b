"""The audit log: each request, its origin and outcome, and what was typed by whom; in memory and on disk.

Never recorded are the values of variables, what is typed where the terminal does not show it, and what the user types.
"""

import os
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import count
from typing import Any, Final

from fugue_tui.config.model import SessionSettings
from fugue_tui.control.core.command import Command, Origin
from fugue_tui.control.dispatch.audit_entry import LONGEST, AuditEntry, encode
from fugue_tui.control.dispatch.audit_redaction import Redaction, named_panes, result_panes, types_unseen
from fugue_tui.errors import FugueError, Refused
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.author import Author, Kind
from fugue_tui.multiplexer.watch.main_loop import call_later
from fugue_tui.sanitize import clean
from fugue_tui.store.append_log import AppendLog

KEPT: Final = 1000
"""Entries kept in memory."""
TYPED_SECONDS: Final = 1.0
"""Seconds of typing by one author in one pane that are one entry."""
CLOSE_SECONDS: Final = 2.0
_RETRY_MS: Final = 5000
"""Milliseconds after which an agent may retry that was refused because the log cannot be written."""


class AuditCall:
    """The recording of one call of a command."""

    def __init__(self, audit: "Audit", origin: Origin, words: str, panes: tuple[str, ...]) -> None:
        self.decision = "refuse"
        """The policy's decision."""
        self.words = words
        """The command as it is recorded, without secrets."""
        self._audit, self._origin, self._panes = audit, origin, panes
        self._started = time.monotonic()
        self._id = ""

    def defer(self) -> None:
        """Record the start of a call whose result is deferred."""
        self._id = self._audit.new_id()
        self._record("started", "", None)

    def approve(self, scope: str) -> None:
        """Record that the user has approved it, for how long."""
        self.decision = f"approved ({scope})"
        self._record("approved", "", None)

    def end(self, error: BaseException | None, result: object = None) -> None:
        """Record the end."""
        self._panes = tuple(dict.fromkeys((*self._panes, *result_panes(result))))
        self._record(*_outcome(error), time.monotonic() - self._started)

    def _record(self, outcome: str, reason: str, seconds: float | None) -> None:
        self._audit.record(
            self._origin, self.words, outcome, reason, seconds, id=self._id, panes=self._panes, decision=self.decision
        )


class Audit:
    """The audit log: the newest entries in memory, and all on disk if there is a `log`. Main thread only."""

    def __init__(
        self,
        log: AppendLog | None = None,
        secrets: Callable[[], Sequence[str]] = lambda: SessionSettings().secrets,
        later: Callable[[float, Callable[[], object]], object] = call_later,
    ) -> None:
        """`secrets` returns the session's patterns for the names of secrets; `later` calls after so many seconds."""
        self.required = False
        """Whether agents are refused while the log cannot be written."""
        self._log, self._secrets, self._later = log, secrets, later
        self._entries: deque[AuditEntry] = deque(maxlen=KEPT)
        self._redaction = Redaction(secrets())
        self._run, self._numbers = os.urandom(3).hex(), count(1)
        self._typed = Counter[tuple[PaneId, Author]]()

    def __iter__(self) -> Iterator[AuditEntry]:
        """The entries kept, oldest first."""
        return iter(tuple(self._entries))

    def begin(self, mux: Multiplexer, command: Command[Any], origin: Origin) -> AuditCall:
        """Begin to record a call; nothing is recorded before its start or its end."""
        panes = named_panes(mux, command, origin)
        words = self._current().words(command, LONGEST, hidden=origin.is_user or types_unseen(mux, command, panes))
        return AuditCall(self, origin, words, panes)

    def record(
        self,
        origin: Origin,
        words: str,
        outcome: str = "done",
        reason: str = "",
        seconds: float | None = None,
        *,
        id: str = "",
        panes: tuple[str, ...] = (),
        decision: str = "",
    ) -> None:
        """Record a request."""
        self._add(
            "call",
            **_who(origin),
            id=id,
            panes=panes,
            command=clean(words, LONGEST),
            decision=decision,
            outcome=outcome,
            reason=clean(self._current().reason(reason), LONGEST) if reason else "",
            seconds=None if seconds is None else round(seconds, 6),
        )

    def record_event(
        self,
        kind: str,
        origin: Origin | None,
        text: str,
        *,
        panes: tuple[str, ...] = (),
        decision: str = "",
        outcome: str = "",
        reason: str = "",
        **facts: object,
    ) -> None:
        """Record an event that is no call, such as an approval; the origin is None if it is unknown.

        `facts` are further details: JSON values, or what is written as text."""
        self._add(
            kind,
            **(_who(origin) if origin else {}),
            panes=panes,
            command=clean(self._current().reason(text), LONGEST),
            decision=decision,
            outcome=outcome,
            reason=clean(reason, LONGEST),
            facts={name: clean(each, LONGEST) if isinstance(each, str) else each for name, each in facts.items()}
            or None,
        )

    def typed(self, pane: PaneId, author: Author, count: int) -> None:
        """Count keys, texts and pastes; they are one entry per author, pane and second. Their text is not recorded."""
        if not self._typed:
            with suppress(RuntimeError):  # No loop runs: they are recorded at the end.
                self._later(TYPED_SECONDS, self._flush)
        self._typed[pane, author] += count

    def require(self, origin: Origin) -> None:
        """Raise Refused for an agent that cannot be recorded, if it must be."""
        if self.required and self._log is not None and self._log.fault and not origin.kind.acts_for_user:
            raise Refused(f"the audit log cannot be written ({self._log.fault})", retry_after_ms=_RETRY_MS)

    def move(self, workspace: str) -> None:
        """The workspace has another name."""
        if self._log is not None:
            self._log.move(workspace)

    def close(self) -> None:
        """Write what is left to the disk, for a bounded time."""
        self._flush()
        if self._log is not None:
            self._log.close(CLOSE_SECONDS)

    def new_id(self) -> str:
        """An id for the entries of one call, unique in the log."""
        return f"{self._run}-{next(self._numbers)}"

    def _flush(self) -> None:
        typed = self._typed.copy()
        self._typed.clear()
        for (pane, author), number in typed.items():
            self._add("typed", **_who(author), panes=(str(pane),), count=number)

    def _add(self, kind: str, **fields: Any) -> None:
        entry = AuditEntry(time=round(time.time(), 3), kind=kind, **fields)
        self._entries.append(entry)
        if self._log is not None:
            self._log.append(encode(entry))

    def _current(self) -> Redaction:
        if (patterns := self._secrets()) is not self._redaction.patterns:
            self._redaction = Redaction(patterns)
        return self._redaction


def gap(lost: int) -> bytes:
    """The entry for entries that were lost. Any thread."""
    return encode(AuditEntry(time=round(time.time(), 3), kind="gap", count=lost))


@lru_cache(maxsize=64)
def _who(who: Origin | Author) -> Mapping[str, Any]:
    return {
        "origin": "agent" if who.kind is Kind.CLIENT else str(who.kind),
        "interface": str(who.interface) if isinstance(who, Origin) else "",
        "pane": "" if who.pane is None else str(who.pane),
        "client": clean(who.client, LONGEST),
        "pid": who.pid,
    }


def _outcome(error: BaseException | None) -> tuple[str, str]:
    """The outcome and the reason to record."""
    match error:
        case None:
            return "done", ""
        case FugueError():
            return error.code, str(error)
        case _:
            return "internal", type(error).__name__
