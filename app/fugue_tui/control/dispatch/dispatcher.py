"""Runs every command of every origin: check the policy, run, audit. Main thread only.

The user has priority: agents do not type into a pane while the user is typing there.
"""

import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, TypeVar

from fugue_tui.control.core import target
from fugue_tui.control.core.command import Command, Effect, Origin
from fugue_tui.control.core.deferred import Deferred, is_deferred
from fugue_tui.control.dispatch.audit import LONGEST, Audit
from fugue_tui.control.dispatch.policy import Decision, Policy
from fugue_tui.control.schema import command_line
from fugue_tui.errors import FugueError, Refused, TimedOut
from fugue_tui.multiplexer import Multiplexer

Result = TypeVar("Result")


class Dispatcher:
    """Runs commands against one workspace, as the policy allows."""

    def __init__(self, mux: Multiplexer, policy: Policy | None = None, audit: Audit | None = None) -> None:
        self.mux = mux
        self.policy = policy or Policy()
        """May be replaced at any time."""
        self.audit = audit or Audit()
        self._pending: dict[Deferred[Any], Callable[[BaseException | None], None]] = {}

    def run(self, command: Command[Result], origin: Origin) -> Result | Deferred[Result]:
        """Run a command; raises FugueError, and anything else that is raised is a bug.

        A deferred result is recorded at its start and when it is done."""
        started, line = time.monotonic(), command_line.beginning(command, LONGEST)

        def record(error: BaseException | None) -> None:
            self.audit.record(origin, line, *_outcome(error), time.monotonic() - started)

        try:
            self._authorize(command, origin)
            result = command.run(self.mux, origin)
        except BaseException as error:
            record(error)
            raise
        if is_deferred(result):
            self.audit.record(origin, line, "started")
            self._follow(result, record)
        else:
            record(None)
        return result

    def leave(self) -> None:
        """Cancel all pending results, as the workspace is closing."""
        with ExitStack() as stack:  # An exception in one callback does not skip the others.
            for later in tuple(self._pending):
                stack.callback(self._complete, later)
                stack.callback(later.cancel, TimedOut("the workspace is being left"))

    def _follow(self, later: Deferred[Any], record: Callable[[BaseException | None], None]) -> None:
        self._pending[later] = record
        later.on_done(lambda: self.mux.post(lambda: self._complete(later)))

    def _complete(self, later: Deferred[Any]) -> None:
        if record := self._pending.pop(later, None):
            record(later.error)

    def _authorize(self, command: Command[Any], origin: Origin) -> None:
        effects = command.effects
        for effect in sorted(effects):
            if self.policy.decide(origin, effect) is Decision.REFUSE:
                who = "agents" if origin.is_agent else "programs in panes"
                way = f"[mcp] {effect} in the configuration allows it"
                raise Refused(f"{command.verb}: {who} may not do this here; {way}")
        if Effect.INPUT in effects and origin.is_agent:
            self._yield_to_user(command, origin)

    def _yield_to_user(self, command: Command[Any], origin: Origin) -> None:
        pane = getattr(command, "pane", None)
        if isinstance(pane, str):
            target.yield_to_user(self.mux, target.pane(self.mux, pane, origin))


def _outcome(error: BaseException | None) -> tuple[str, str]:
    """The outcome and the reason to record."""
    match error:
        case None:
            return "done", ""
        case FugueError():
            return error.code, str(error)
        case _:
            return "internal", type(error).__name__
