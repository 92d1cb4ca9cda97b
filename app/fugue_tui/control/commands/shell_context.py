"""Set variables, aliases and functions in a running shell, and restore the old ones later."""

import asyncio
from collections.abc import Callable, Mapping
from functools import partial
from typing import Annotated, Final

from msgspec import Meta, Struct, field

from fugue_tui.control.commands.execute_command import typed_pane
from fugue_tui.control.core import target
from fugue_tui.control.core.command import Command, Effect, Origin, StartedCommand, Toolset
from fugue_tui.control.core.deferred import Deferred, run_task, spawn
from fugue_tui.control.core.pane_updates import PaneUpdates
from fugue_tui.control.output.truncate import clip_so_far
from fugue_tui.control.shell_exec.command_state import CommandEnd
from fugue_tui.control.shell_exec.context_scripts import ShellContext, existing, restore_context, set_context
from fugue_tui.control.shell_exec.dialects import Dialect, ShellLine
from fugue_tui.control.shell_exec.execution import Execution
from fugue_tui.errors import FugueError, InvalidArgument, Refused, TimedOut
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.author import Author, Kind
from fugue_tui.terminal.emulator.command_record import CommandRecord
from fugue_tui.terminal.emulator.events import CommandFinished
from fugue_tui.terminal.pty import process
from fugue_tui.terminal.terminal import Terminal

_READ_TIMEOUT: Final = 15.0
"""Seconds for a shell to read the script."""
_RETRY_DELAY: Final = 2.0
"""Seconds until an expired context is withdrawn again, if the user is typing at the prompt."""
_MESSAGE: Final = 10_000
"""Characters of what the script prints."""
_CLIENT_CHECK: Final = 2.0
"""Seconds between two checks whether the clients of a context are still there."""


class InjectedContext(Struct):
    """The context set in a shell. Main thread only."""

    terminal: Terminal
    author: Author
    context: ShellContext = field(default_factory=ShellContext)
    left: int | None = None
    """Commands left until it is withdrawn; None for no expiry."""
    clients: set[Origin] = field(default_factory=set[Origin])
    """The clients that set it; it is withdrawn when all of them are gone."""


class Injected(Struct, frozen=True):
    """The context set in a shell, or withdrawn from it."""

    pane: str
    """The pane's id."""
    variables: tuple[str, ...]
    """The variables, by name."""
    aliases: tuple[str, ...]
    """The aliases, by name."""
    functions: tuple[str, ...]
    """The functions, by name."""
    active: bool
    """Whether they are set now."""
    expires_after: int | None
    """Commands left until they are withdrawn; null for no expiry."""
    exit_code: int | None
    """0 if the shell accepted everything; else its error is in the pane, and withdraw-context undoes it."""


class InjectContext(
    Command[Injected], name="inject-context", effect=Effect.INPUT, also=Effect.RUN, toolset=Toolset.RUNNING
):
    """Set variables, aliases and functions in a pane's shell, for the user's commands too, until they are withdrawn.

    The shell reads them from a private file, so values are not shown, and the pane shows that it has them.
    withdraw-context, the expiry, or the end of the MCP client restores the old values. Further calls for a pane add to
    its context. Variables that decide what is loaded, how shells start or what prompts run, such as PATH, are refused,
    and so are aliases and functions with the name of a command that the shell has. bash, zsh, fish and sh; at the
    prompt only.
    """

    pane: str
    """The pane of the shell: an id or a name; never your own."""
    env: Mapping[str, str] | None = None
    """Variables to export."""
    aliases: Mapping[str, str] | None = None
    """Aliases and their commands."""
    functions: Mapping[str, str] | None = None
    """Functions and their bodies, one line or several, in the language of the shell."""
    expires_after_commands: Annotated[int, Meta(ge=1, le=10_000)] | None = None
    """Withdraw all of them after so many more commands; omitted, only withdraw-context does."""
    wait_for_user: target.WaitForUser = 0.0
    """Seconds to wait, at most 110, while the user types there; 0 refuses the call then."""

    def targets(self, mux: Multiplexer, origin: Origin) -> tuple[PaneId, ...]:
        """The pane."""
        return (typed_pane(mux, self.pane, origin),)

    def started(self, mux: Multiplexer, origin: Origin) -> tuple[StartedCommand, ...]:
        """The aliases and functions, as what they stand for will run, and like variables change what other commands
        do."""
        lines = {**(self.aliases or {}), **(self.functions or {})}
        changed = StartedCommand("", env={**(self.env or {}), **lines})
        return (changed, *(StartedCommand(line) for line in lines.values()))

    def run(self, mux: Multiplexer, origin: Origin) -> Deferred[Injected]:
        """Queue the script. Raises InvalidArgument, NotFound, Refused or TerminalGone."""
        pane = typed_pane(mux, self.pane, origin)
        new = ShellContext(self.env or {}, self.aliases or {}, self.functions or {}).checked()
        terminal = mux.terminal(pane)
        if self.expires_after_commands and not (terminal.shell.marks or terminal.shell.integrated):
            raise InvalidArgument(
                f"expires_after_commands: the shell in {pane} does not report commands, so they cannot be counted: "
                "leave it out and use withdraw-context"
            )
        injected = _injected(mux, pane) or InjectedContext(terminal, origin.author)
        known = injected.context
        if twice := new.named_twice(known):
            raise InvalidArgument(f"functions: {twice} is an alias already, which comes first; choose another name")

        def on_set(end: CommandEnd) -> Injected:
            if name := existing(clip_so_far(terminal, end.record, _MESSAGE).text):
                where = "functions" if name in new.functions else "aliases"
                raise Refused(f"{where}: {name} is a command in the shell of {pane} already; choose another name")
            injected.context = known.with_more(new)
            injected.left = self.expires_after_commands
            injected.clients.add(origin)
            if mux.injected_contexts.get(pane) is not injected:
                mux.inject(pane, injected)
                number = max((command.number for command in terminal.shell.commands), default=0)
                spawn(_count_commands(mux, pane, injected, number))
            return _answer(pane, injected, end, active=True)

        execution = _queued(mux, pane, partial(set_context, new, known), origin.author, self.wait_for_user)
        return run_task(_read(execution, on_set, self.wait_for_user))


class WithdrawContext(Command[Injected], name="withdraw-context", effect=Effect.INPUT, toolset=Toolset.RUNNING):
    """Undo inject-context in a pane's shell: variables get their old values back, aliases and functions go."""

    pane: str = target.ACTIVE
    """The pane: an id or a name."""
    wait_for_user: target.WaitForUser = 0.0
    """Seconds to wait, at most 110, while the user types there; 0 refuses the call then."""

    def targets(self, mux: Multiplexer, origin: Origin) -> tuple[PaneId, ...]:
        """The pane."""
        return (typed_pane(mux, self.pane, origin),)

    def run(self, mux: Multiplexer, origin: Origin) -> Deferred[Injected]:
        """Queue the script. Raises NotFound, Refused or TerminalGone."""
        pane = typed_pane(mux, self.pane, origin)
        injected = _injected(mux, pane)
        if injected is None:
            raise Refused(f"nothing is injected into {pane}; inject-context does that")
        execution = _queued(mux, pane, partial(restore_context, injected.context), origin.author, self.wait_for_user)
        return run_task(_withdrawn(execution, mux, injected, self.wait_for_user))


async def _count_commands(mux: Multiplexer, pane: PaneId, injected: InjectedContext, number: int) -> None:
    """Count the commands after a given one; withdraw the context once it has expired or its clients are gone."""
    try:
        with PaneUpdates(mux, pane) as updates:
            while _is_in_use(mux, pane, injected):
                update = await updates.next(_CLIENT_CHECK)
                if not any(_is_there(mux, client) for client in injected.clients):
                    injected.left = 0
                if isinstance(update, CommandFinished) and _counts(update.command, number) and injected.left:
                    injected.left -= 1
                while injected.left == 0 and _is_in_use(mux, pane, injected):
                    await _withdraw_expired(mux, pane, injected)
    finally:
        if mux.injected_contexts.get(pane) is injected:
            mux.inject(pane, None)


def _counts(command: CommandRecord, number: int) -> bool:
    """Whether a command makes a context expire: one of the user's or an agent's, after a given one."""
    return command.number > number and not command.own


def _is_there(mux: Multiplexer, client: Origin) -> bool:
    """Whether a client may withdraw its context itself: an MCP client lives, or the pane of another is open."""
    if client.is_agent:
        return client.pid is None or process.exists(client.pid)
    return client.pane is None or client.pane in mux.workspace.panes


async def _withdraw_expired(mux: Multiplexer, pane: PaneId, injected: InjectedContext) -> None:
    try:
        author = injected.author if injected.author.yields else Author(Kind.PROGRAM)
        await _withdrawn(_queued(mux, pane, partial(restore_context, injected.context), author), mux, injected)
    except FugueError:  # The user is typing, or another program is in the foreground.
        await asyncio.sleep(_RETRY_DELAY)


def _is_in_use(mux: Multiplexer, pane: PaneId, injected: InjectedContext) -> bool:
    return _injected(mux, pane) is injected and injected.terminal.exit is None


def _injected(mux: Multiplexer, pane: PaneId) -> InjectedContext | None:
    found = mux.injected_contexts.get(pane)
    return found if isinstance(found, InjectedContext) and found.terminal is mux.terminals.get(pane) else None


async def _withdrawn(
    execution: Execution, mux: Multiplexer, injected: InjectedContext, wait_for_user: float = 0.0
) -> Injected:
    """Wait until a context is withdrawn."""

    def end(end: CommandEnd) -> Injected:
        injected.left = None
        if mux.injected_contexts.get(execution.pane) is injected:
            mux.inject(execution.pane, None)
        return _answer(execution.pane, injected, end, active=False)

    return await _read(execution, end, wait_for_user)


def _queued(
    mux: Multiplexer, pane: PaneId, script: Callable[[Dialect], str], author: Author, wait_for_user: float = 0.0
) -> Execution:
    """Have a shell read a script at its next prompt. Raises Refused if the queue is full."""
    execution = Execution(
        mux,
        pane,
        lambda dialect: ShellLine(script(dialect), by_file=True, own="inject-context"),
        author,
        wait_for_user=wait_for_user,
    )
    execution.start()
    return execution


async def _read(execution: Execution, done: Callable[[CommandEnd], Injected], wait_for_user: float) -> Injected:
    """What `done` makes of the end of a script, before the next command of the pane begins."""
    try:
        await asyncio.wait((execution.ended,), timeout=_READ_TIMEOUT + wait_for_user)
        if execution.ended.done():
            return done(execution.ended.result())
        execution.cancel(interrupt=True)
        raise TimedOut(
            f"the shell in {execution.pane} did not read it in {_READ_TIMEOUT:.0f} s; read-pane shows what it does"
        )
    except asyncio.CancelledError:
        execution.cancel(interrupt=False)
        raise
    finally:
        execution.release()


def _answer(pane: PaneId, injected: InjectedContext, end: CommandEnd, *, active: bool) -> Injected:
    context = injected.context
    names = (tuple(context.env), tuple(context.aliases), tuple(context.functions))
    return Injected(str(pane), *names, active, injected.left, end.exit_code)
