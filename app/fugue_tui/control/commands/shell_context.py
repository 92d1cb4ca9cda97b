"""Giving a running shell variables and aliases for a while, and taking them back."""

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

_PATIENCE: Final = 15.0
"""Seconds that a shell has to read what it is given."""
_AGAIN: Final = 2.0
"""Seconds until it is tried again to take back what has expired, while a person is at the prompt."""


@dataclass(slots=True)
class Lent:
    """What a shell has been given; changed on the main thread only."""

    terminal: Terminal
    context: ShellContext = field(default_factory=ShellContext)
    left: int | None = None
    """After how many more commands it is taken back; None for never."""
    guard: "_ContextExpiry | None" = None


@dataclass(frozen=True, slots=True)
class Injected:
    """What a shell has been given, or had taken back."""

    pane: str
    """The pane."""
    variables: tuple[str, ...]
    """The variables, by name."""
    aliases: tuple[str, ...]
    """The aliases, by name."""
    active: bool
    """Whether they are in force now."""
    expires_after: int | None
    """After how many more commands they are taken back; null for never."""
    exit_code: int | None
    """0 if the shell took everything; else what it said stands in the pane, and withdraw-context takes it back."""


class InjectContext(Command[Injected], name="inject-context", effect=Effect.INPUT, toolset=Toolset.RUNNING):
    """Set variables and aliases in the shell that runs in a pane, for the person's commands too, until they are taken
    back.

    The shell reads them from a private file, so values are not shown. withdraw-context, or the expiry, brings back what
    was there before. More for the same pane is added to what is there. bash, zsh, fish and sh; at the prompt only.
    """

    pane: str
    """The pane whose shell gets them: an id or a name; never your own."""
    env: Mapping[str, str] | None = None
    """Variables, exported."""
    aliases: Mapping[str, str] | None = None
    """Aliases, and what each stands for."""
    expires_after_commands: Annotated[int, Interval(ge=1, le=10_000)] | None = None
    """Take all of them back after so many more commands; omitted, when withdraw-context says so."""

    def run(self, mux: Multiplexer, origin: Origin) -> Deferred[Injected]:
        """Begin. Raises InvalidArgument, NotFound, Refused or TerminalGone."""
        pane = typed_pane(mux, self.pane, origin)
        new = ShellContext(self.env or {}, self.aliases or {}).checked()
        terminal = mux.terminal(pane)
        if self.expires_after_commands and not (terminal.shell.marks or terminal.shell.integrated):
            raise InvalidArgument(
                f"expires_after_commands: the shell in {pane} tells nothing of commands, so they cannot be counted: "
                "leave it out and use withdraw-context"
            )
        lent = _lent(mux, pane) or Lent(terminal)
        known = lent.context

        def taken(end: CommandEnd) -> Injected:
            lent.context = known.with_more(new)
            lent.left = self.expires_after_commands
            mux.lent[pane] = lent
            lent.guard = lent.guard or _ContextExpiry(mux, pane, lent)
            return _answer(pane, lent, end, active=True)

        return _read(mux, pane, lambda dialect: set_context(new, known, dialect), taken, polite=origin.is_agent)


class WithdrawContext(Command[Injected], name="withdraw-context", effect=Effect.INPUT, toolset=Toolset.RUNNING):
    """Take back what inject-context set in a pane's shell: variables and aliases are as they were before."""

    pane: str
    """The pane: an id or a name."""

    def run(self, mux: Multiplexer, origin: Origin) -> Deferred[Injected]:
        """Begin. Raises NotFound, Refused or TerminalGone."""
        pane = typed_pane(mux, self.pane, origin)
        lent = _lent(mux, pane)
        if lent is None:
            raise Refused(f"nothing is injected into {pane}; inject-context does that")
        return _withdraw(mux, pane, lent, polite=origin.is_agent)


class _ContextExpiry:
    """Counts the commands of a shell, and takes back what has expired. Main thread only."""

    def __init__(self, mux: Multiplexer, pane: PaneId, lent: Lent) -> None:
        self._mux, self._pane, self._lent = mux, pane, lent
        self._number = max((command.number for command in lent.terminal.shell.commands), default=0)
        self._withdrawing = False
        self._ear = PaneSubscription(mux, pane, self)

    def said(self, event: PaneEvent) -> None:
        """For the ear."""
        if self._lent.terminal.exit or self._mux.terminals.get(self._pane) is not self._lent.terminal:
            self.gone()
        elif isinstance(event, CommandFinished) and event.command.number > self._number and self._lent.left:
            self._lent.left -= 1
            if self._lent.left == 0:
                self._expire()

    def printed(self) -> None:
        """For the ear: what is printed does not matter."""

    def gone(self) -> None:
        """For the ear, and when all was taken back."""
        self._ear.close()
        if self._mux.lent.get(self._pane) is self._lent:
            del self._mux.lent[self._pane]

    def _expire(self) -> None:
        if self._mux.lent.get(self._pane) is not self._lent or self._withdrawing or self._lent.left != 0:
            return
        self._withdrawing = True
        try:
            later = _withdraw(self._mux, self._pane, self._lent, polite=True)
        except Refused:
            self._later()
            return
        later.on_done(lambda: self._tried(later))

    def _tried(self, later: Deferred[Injected]) -> None:
        if later.error is not None:
            self._later()

    def _later(self) -> None:
        """Somebody is at the prompt, or another program in front: try again in a while."""
        self._withdrawing = False
        after(self._mux, _AGAIN, self._expire)


def _lent(mux: Multiplexer, pane: PaneId) -> Lent | None:
    found = mux.lent.get(pane)
    return found if isinstance(found, Lent) and found.terminal is mux.terminals.get(pane) else None


def _withdraw(mux: Multiplexer, pane: PaneId, lent: Lent, *, polite: bool) -> Deferred[Injected]:
    known = lent.context

    def back(end: CommandEnd) -> Injected:
        lent.left = None
        if lent.guard is not None:
            lent.guard.gone()
        return _answer(pane, lent, end, active=False)

    return _read(mux, pane, lambda dialect: restore_context(known, dialect), back, polite=polite)


def _read(
    mux: Multiplexer,
    pane: PaneId,
    script: Callable[[Dialect], str],
    done: Callable[[CommandEnd], Injected],
    *,
    polite: bool,
) -> Deferred[Injected]:
    """Have a shell read a script at its next prompt."""
    execution = Execution(mux, pane, lambda dialect: ShellLine(script(dialect), by_file=True), polite=polite)
    later = Deferred[Injected](lambda: execution.cancel(interrupt=False))
    execution.on_over = lambda end: later.settle(done(end))
    execution.on_error = later.fail

    def expire() -> None:
        if not later.done:
            execution.cancel(interrupt=True)
            later.fail(
                TimedOut(f"the shell in {pane} did not take it in {_PATIENCE:.0f} s; read-pane shows what it does")
            )

    execution.join()
    after(mux, _PATIENCE, expire)
    return later


def _answer(pane: PaneId, lent: Lent, end: CommandEnd, *, active: bool) -> Injected:
    context = lent.context
    return Injected(str(pane), tuple(context.env), tuple(context.aliases), active, lent.left, end.exit_code)
