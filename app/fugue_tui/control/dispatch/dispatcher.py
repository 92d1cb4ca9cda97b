"""Runs every command of every origin: check the policy, run, audit. Main thread only.

The user has priority: agents do not type into a pane while the user is typing there.
"""

from contextlib import ExitStack
from functools import partial
from typing import Any, Final, TypeVar

from fugue_tui.control.core import target
from fugue_tui.control.core.command import Command, Effect, Origin
from fugue_tui.control.core.deferred import Deferred, finished, is_deferred, reporter, run_task
from fugue_tui.control.dispatch.audit import Audit, AuditCall
from fugue_tui.control.dispatch.policy import Decision, Judgement, judge
from fugue_tui.control.dispatch.question import pin, question_of
from fugue_tui.errors import CommandError, Refused, TimedOut
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.access.current_call import Call, current_call
from fugue_tui.multiplexer.author import Kind

Result = TypeVar("Result")
_WHO: Final = {Kind.PROGRAM: "programs in panes", Kind.MONITOR: "the monitor"}
Approved = frozenset[tuple[str, tuple[PaneId, ...]]]
"""Effects on panes of others that the user has approved for a call."""


class Dispatcher:
    """Runs commands against one workspace, as the policy allows."""

    def __init__(self, mux: Multiplexer, audit: Audit | None = None) -> None:
        self.mux = mux
        self.audit = audit or Audit()
        self._pending: dict[Deferred[Any], AuditCall] = {}

    def run(self, command: Command[Result], origin: Origin) -> Result | Deferred[Result]:
        """Run a command; raises FugueError, and anything else that is raised is a bug.

        A deferred result is recorded at its start and when it is done; one that waits for the user's approval is
        deferred too."""
        call = self.audit.begin(self.mux, command, origin)
        try:
            asked = self._authorize(command, origin)
            call.decision = Decision.ASK if asked else Decision.ALLOW
            result = run_task(self._approved(command, origin, asked, call)) if asked else self._run(command, origin)
        except BaseException as error:
            call.end(error)
            raise
        if is_deferred(result):
            call.defer()
            self._follow(result, call)
        else:
            call.end(None, result)
        return result

    def leave(self) -> None:
        """Cancel all pending results, as the workspace is closing."""
        with ExitStack() as stack:  # An exception in one callback does not skip the others.
            for later in tuple(self._pending):
                stack.callback(self._complete, later)
                stack.callback(later.cancel, TimedOut("the workspace is being left"))

    def _run(
        self, command: Command[Result], origin: Origin, approved: Approved = frozenset()
    ) -> Result | Deferred[Result]:
        judged = not origin.kind.acts_for_user and command.effects - {Effect.READ}
        targets = command.targets(self.mux, origin) if judged else ()
        check = partial(_check, self.mux, command, origin, targets, approved) if judged else lambda: None
        call = current_call.set(Call(origin.author, origin.owner, (Effect.RUN, ()) in approved, check))
        try:
            return command.run(self.mux, origin)
        finally:
            current_call.reset(call)

    def _follow(self, later: Deferred[Any], call: AuditCall) -> None:
        self._pending[later] = call
        later.on_done(lambda: self.mux.post(lambda: self._complete(later)))

    def _complete(self, later: Deferred[Any]) -> None:
        if call := self._pending.pop(later, None):
            call.end(later.error, None if later.error else later.result())

    # Policy

    def _authorize(self, command: Command[Any], origin: Origin) -> list[Judgement]:
        """What the user must approve before a command may run; raises Refused for what no approval permits."""
        self.audit.require(origin)
        if origin.pane in self.mux.closed_panes:
            raise Refused(f"{command.verb}: your pane {origin.pane} was closed, and you end soon; stop now")
        judgements = judge(self.mux, command, origin)
        for each in judgements:
            if each.decision is Decision.REFUSE:
                who = _WHO.get(origin.kind, "agents")
                raise Refused(f"{command.verb}: {who} may not do this here: {each.reason}")
        if Effect.INPUT in command.effects and origin.is_agent and not getattr(command, "wait_for_user", 0):
            self._check_typing(command, origin)
        return [each for each in judgements if each.decision is Decision.ASK]

    async def _approved(self, command: Command[Any], origin: Origin, asked: list[Judgement], call: AuditCall) -> Any:
        """Run a command once the user has approved it, on the targets that it had when it was asked for."""
        mux = self.mux
        pinned = pin(mux, command, origin)
        targets = pinned.targets(mux, origin)
        terminals = {pane: mux.terminals.get(pane) for pane in targets}
        question = question_of(mux, pinned, origin, asked, call.words)
        reporter()("waits for the user's approval", None)

        def needs_approval() -> bool:
            try:
                return any(each.decision is not Decision.ALLOW for each in judge(mux, pinned, origin))
            except CommandError:
                return False  # Its target is gone, which `run` says.

        call.approve(await mux.approvals.ask(question, mux.permissions.ask_seconds, needs_approval))
        approved = frozenset((each.effect, each.panes) for each in asked)
        left = [each for each in self._authorize(pinned, origin) if (each.effect, each.panes) not in approved]
        if left:
            raise Refused(f"{command.verb}: the policy has changed while it waited for approval; call it again")
        if pinned.targets(mux, origin) != targets:
            raise Refused(f"{command.verb}: it would act on other panes now than when it was asked for; call it again")
        if any(mux.terminals.get(pane) is not terminal for pane, terminal in terminals.items()):
            raise Refused(f"{command.verb}: another program runs there now than when it was asked for; call it again")
        result = self._run(pinned, origin, approved)
        return await finished(result) if is_deferred(result) else result

    def _check_typing(self, command: Command[Any], origin: Origin) -> None:
        """Raise Refused while the user is typing in the pane, without a question in between."""
        pane = getattr(command, "pane", None)
        if isinstance(pane, str) and (refused := self.mux.lease.typing(target.pane(self.mux, pane, origin))):
            raise refused


def _check(
    mux: Multiplexer, command: Command[Any], origin: Origin, targets: tuple[PaneId, ...], approved: Approved
) -> None:
    """Raise Refused if a call may not type any more: a grant was revoked, or the policy is stricter."""
    for each in judge(mux, command, origin, targets):
        if each.decision is Decision.REFUSE or (
            each.decision is Decision.ASK and (each.effect, each.panes) not in approved
        ):
            raise Refused(f"{command.verb}: not allowed any more: {each.reason}")
