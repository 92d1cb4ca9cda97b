"""Where all doors meet: gate, run, record. Belongs to the main thread.

A person comes first: while a pane is leased to somebody who types in it, agents do not type there.
"""

import shlex
from typing import Any, TypeVar

from fugue_tui.control import target, words
from fugue_tui.control.audit import Audit
from fugue_tui.control.command import Command, Effect, Origin
from fugue_tui.control.policy import Decision, Policy
from fugue_tui.errors import FugueError, Refused
from fugue_tui.multiplexer import Multiplexer

Result = TypeVar("Result")


class Dispatcher:
    """Runs commands against one workspace, for whoever may."""

    def __init__(self, mux: Multiplexer, policy: Policy | None = None, audit: Audit | None = None) -> None:
        self.mux = mux
        self.policy = policy or Policy()
        """Who may do what; may be replaced at any time."""
        self.audit = audit or Audit()

    def run(self, command: Command[Result], origin: Origin) -> Result:
        """Do it, or raise the FugueError that says why not; anything else that is raised is a bug."""
        said = shlex.join(words.format(command))
        try:
            self._gate(command, origin)
            result = command.run(self.mux, origin)
        except FugueError as error:
            self.audit.record(origin, said, error.code, str(error))
            raise
        except BaseException as error:
            self.audit.record(origin, said, "internal", type(error).__name__)
            raise
        self.audit.record(origin, said)
        return result

    def _gate(self, command: Command[Any], origin: Origin) -> None:
        effect = command.effect
        if self.policy.decide(origin, effect) is Decision.REFUSE:
            raise Refused(f"{command.verb}: agents may not do this here; [mcp] {effect} in the configuration allows it")
        if effect is Effect.INPUT and origin.is_agent:
            self._yield_to_person(command, origin)

    def _yield_to_person(self, command: Command[Any], origin: Origin) -> None:
        said = getattr(command, "pane", None)
        if not isinstance(said, str):
            return
        pane = target.pane(self.mux, said, origin)
        wait = self.mux.lease(pane)
        if wait is not None:
            raise Refused(f"a person is typing in {pane}; try again in {wait} ms", retry_after_ms=wait)
