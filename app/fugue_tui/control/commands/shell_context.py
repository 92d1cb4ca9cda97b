"""Set variables and aliases in a running shell, and restore the old ones later."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Final

from annotated_types import Interval

from fugue_tui.control.commands.execute_command import typed_pane
from fugue_tui.control.core.command import Command, Effect, Origin, Toolset
from fugue_tui.control.core.deferred import Deferred
from fugue_tui.control.core.pane_subscription import PaneSubscription, after
from fugue_tui.control.shell_exec.command_state import CommandEnd
from fugue_tui.control.shell_exec.context_scripts import ShellContext, restore_context, set_context
from fugue_tui.control.shell_exec.dialects import Dialect, ShellLine
from fugue_tui.control.shell_exec.execution import Execution
from fugue_tui.errors import InvalidArgument, Refused, TimedOut
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.events.pane_events import PaneEvent
from fugue_tui.terminal.emulator.events import CommandFinished
from fugue_tui.terminal.terminal import Terminal

_READ_TIMEOUT: Final = 15.0
"""Seconds for a shell to read the script."""
_RETRY_DELAY: Final = 2.0
"""Seconds until an expired context is withdrawn again, if the user is typing at the prompt."""


@dataclass(slots=True)
class InjectedContext:
    """The context set in a shell. Main thread only."""

    terminal: Terminal
    context: ShellContext = field(default_factory=ShellContext)
    left: int | None = None
    """Commands left until it is withdrawn; None for no expiry."""
    expiry: "_ContextExpiry | None" = None


@dataclass(frozen=True, slots=True)
class Injected:
    """The context set in a shell, or withdrawn from it."""

    pane: str
    """The pane's id."""
    variables: tuple[str, ...]
    """The variables, by name."""
    aliases: tuple[str, ...]
    """The aliases, by name."""
    active: bool
    """Whether they are set now."""
    expires_after: int | None
    """Commands left until they are withdrawn; null for no expiry."""
    exit_code: int | None
    """0 if the shell accepted everything; else its error is in the pane, and withdraw-context undoes it."""


class InjectContext(Command[Injected], name="inject-context", effect=Effect.INPUT, toolset=Toolset.RUNNING):
    """Set variables and aliases in a pane's shell, for the user's commands too, until they are withdrawn.

    The shell reads them from a private file, so values are not shown. withdraw-context, or the expiry, restores the
    old values. Further calls for a pane add to its context. bash, zsh, fish and sh; at the prompt only.
    """

    pane: str
    """The pane of the shell: an id or a name; never your own."""
    env: Mapping[str, str] | None = None
    """Variables to export."""
    aliases: Mapping[str, str] | None = None
    """Aliases and their commands."""
    expires_after_commands: Annotated[int, Interval(ge=1, le=10_000)] | None = None
    """Withdraw all of them after so many more commands; omitted, only withdraw-context does."""

    def run(self, mux: Multiplexer, origin: Origin) -> Deferred[Injected]:
        """Queue the script. Raises InvalidArgument, NotFound, Refused or TerminalGone."""
        pane = typed_pane(mux, self.pane, origin)
        new = ShellContext(self.env or {}, self.aliases or {}).checked()
        terminal = mux.terminal(pane)
        if self.expires_after_commands and not (terminal.shell.marks or terminal.shell.integrated):
            raise InvalidArgument(
                f"expires_after_commands: the shell in {pane} does not report commands, so they cannot be counted: "
                "leave it out and use withdraw-context"
            )
        injected = _injected(mux, pane) or InjectedContext(terminal)
        known = injected.context

        def on_set(end: CommandEnd) -> Injected:
            injected.context = known.with_more(new)
            injected.left = self.expires_after_commands
            mux.lent[pane] = injected
            injected.expiry = injected.expiry or _ContextExpiry(mux, pane, injected)
            return _answer(pane, injected, end, active=True)

        return _read(mux, pane, lambda dialect: set_context(new, known, dialect), on_set, polite=origin.is_agent)


class WithdrawContext(Command[Injected], name="withdraw-context", effect=Effect.INPUT, toolset=Toolset.RUNNING):
    """Undo inject-context in a pane's shell: variables and aliases get their old values back."""

    pane: str
    """The pane: an id or a name."""

    def run(self, mux: Multiplexer, origin: Origin) -> Deferred[Injected]:
        """Queue the script. Raises NotFound, Refused or TerminalGone."""
        pane = typed_pane(mux, self.pane, origin)
        injected = _injected(mux, pane)
        if injected is None:
            raise Refused(f"nothing is injected into {pane}; inject-context does that")
        return _withdraw(mux, pane, injected, polite=origin.is_agent)


class _ContextExpiry:
    """Counts the commands of a shell, and withdraws an expired context. Main thread only."""

    def __init__(self, mux: Multiplexer, pane: PaneId, injected: InjectedContext) -> None:
        self._mux, self._pane, self._injected = mux, pane, injected
        self._number = max((command.number for command in injected.terminal.shell.commands), default=0)
        self._withdrawing = False
        self._subscription = PaneSubscription(mux, pane, self)

    def said(self, event: PaneEvent) -> None:
        """For the subscription."""
        if self._injected.terminal.exit or self._mux.terminals.get(self._pane) is not self._injected.terminal:
            self.gone()
        elif isinstance(event, CommandFinished) and event.command.number > self._number and self._injected.left:
            self._injected.left -= 1
            if self._injected.left == 0:
                self._expire()

    def printed(self) -> None:
        """For the subscription: output is ignored."""

    def gone(self) -> None:
        """For the subscription, and after a withdrawal."""
        self._subscription.close()
        if self._mux.lent.get(self._pane) is self._injected:
            del self._mux.lent[self._pane]

    def _expire(self) -> None:
        if self._mux.lent.get(self._pane) is not self._injected or self._withdrawing or self._injected.left != 0:
            return
        self._withdrawing = True
        try:
            deferred = _withdraw(self._mux, self._pane, self._injected, polite=True)
        except Refused:
            self._retry()
            return
        deferred.on_done(lambda: self._on_withdrawn(deferred))

    def _on_withdrawn(self, deferred: Deferred[Injected]) -> None:
        if deferred.error is not None:
            self._retry()

    def _retry(self) -> None:
        """The user is typing, or another program is in the foreground: retry later."""
        self._withdrawing = False
        after(self._mux, _RETRY_DELAY, self._expire)


def _injected(mux: Multiplexer, pane: PaneId) -> InjectedContext | None:
    found = mux.lent.get(pane)
    return found if isinstance(found, InjectedContext) and found.terminal is mux.terminals.get(pane) else None


def _withdraw(mux: Multiplexer, pane: PaneId, injected: InjectedContext, *, polite: bool) -> Deferred[Injected]:
    known = injected.context

    def on_withdrawn(end: CommandEnd) -> Injected:
        injected.left = None
        if injected.expiry is not None:
            injected.expiry.gone()
        return _answer(pane, injected, end, active=False)

    return _read(mux, pane, lambda dialect: restore_context(known, dialect), on_withdrawn, polite=polite)


def _read(
    mux: Multiplexer,
    pane: PaneId,
    script: Callable[[Dialect], str],
    done: Callable[[CommandEnd], Injected],
    *,
    polite: bool,
) -> Deferred[Injected]:
    """Make a shell read a script at its next prompt."""
    execution = Execution(mux, pane, lambda dialect: ShellLine(script(dialect), by_file=True), polite=polite)
    deferred = Deferred[Injected](lambda: execution.cancel(interrupt=False))
    execution.on_over = lambda end: deferred.settle(done(end))
    execution.on_error = deferred.fail

    def expire() -> None:
        if not deferred.done:
            execution.cancel(interrupt=True)
            deferred.fail(
                TimedOut(f"the shell in {pane} did not read it in {_READ_TIMEOUT:.0f} s; read-pane shows what it does")
            )

    execution.join()
    after(mux, _READ_TIMEOUT, expire)
    return deferred


def _answer(pane: PaneId, injected: InjectedContext, end: CommandEnd, *, active: bool) -> Injected:
    context = injected.context
    return Injected(str(pane), tuple(context.env), tuple(context.aliases), active, injected.left, end.exit_code)
