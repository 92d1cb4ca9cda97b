"""Where all doors meet: gate, run, record. Belongs to the main thread.

A person comes first: while a pane is leased to somebody who types in it, agents do not type there.
"""

import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, TypeVar

from fugue_tui.control.core import target
from fugue_tui.control.core.command import Command, Effect, Origin
from fugue_tui.control.core.deferred import Deferred, is_later
from fugue_tui.control.dispatch.audit import LONGEST, Audit
from fugue_tui.control.dispatch.policy import Decision, Policy
from fugue_tui.control.schema import command_line
from fugue_tui.errors import FugueError, Refused, TimedOut
from fugue_tui.multiplexer import Multiplexer

Result = TypeVar("Result")


class Dispatcher:
    """Runs commands against one workspace, for whoever may."""

    def __init__(self, mux: Multiplexer, policy: Policy | None = None, audit: Audit | None = None) -> None:
        self.mux = mux
        self.policy = policy or Policy()
        """Who may do what; may be replaced at any time."""
        self.audit = audit or Audit()
        self._open: dict[Deferred[Any], Callable[[BaseException | None], None]] = {}

    def run(self, command: Command[Result], origin: Origin) -> Result | Deferred[Result]:
        """Do it, or raise the FugueError that says why not; anything else that is raised is a bug.

        What comes later is recorded now and when it is over."""
        begun, said = time.monotonic(), command_line.beginning(command, LONGEST)

        def record(error: BaseException | None) -> None:
            self.audit.record(origin, said, *_ending(error), time.monotonic() - begun)

        try:
            self._gate(command, origin)
            result = command.run(self.mux, origin)
        except BaseException as error:
            record(error)
            raise
        if is_later(result):
            self.audit.record(origin, said, "started")
            self._follow(result, record)
        else:
            record(None)
        return result

    def leave(self) -> None:
        """The workspace is being left: cancel what is still to come."""
        with ExitStack() as stack:  # One that breaks keeps none of the others from being told.
            for later in tuple(self._open):
                stack.callback(self._over, later)
                stack.callback(later.cancel, TimedOut("the workspace is being left"))

    def _follow(self, later: Deferred[Any], record: Callable[[BaseException | None], None]) -> None:
        self._open[later] = record
        later.when_over(lambda: self.mux.post(lambda: self._over(later)))

    def _over(self, later: Deferred[Any]) -> None:
        if record := self._open.pop(later, None):
            record(later.error)

    def _gate(self, command: Command[Any], origin: Origin) -> None:
        effect = command.asks
        if self.policy.decide(origin, effect) is Decision.REFUSE:
            raise Refused(f"{command.verb}: agents may not do this here; [mcp] {effect} in the configuration allows it")
        if effect is Effect.INPUT and origin.is_agent:
            self._yield_to_person(command, origin)

    def _yield_to_person(self, command: Command[Any], origin: Origin) -> None:
        said = getattr(command, "pane", None)
        if not isinstance(said, str):
            return
        target.yield_to_person(self.mux, target.pane(self.mux, said, origin))


def _ending(error: BaseException | None) -> tuple[str, str]:
    """The outcome and the reason to record."""
    match error:
        case None:
            return "done", ""
        case FugueError():
            return error.code, str(error)
        case _:
            return "internal", type(error).__name__
