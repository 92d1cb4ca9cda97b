"""Run a command in an open shell and return its exit code and output."""

import asyncio
import os
import time
from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Final

from msgspec import Meta

from fugue_tui.control.commands.wait import DEFAULT_TIMEOUT, MAX_TIMEOUT
from fugue_tui.control.core import target
from fugue_tui.control.core.command import Command, Effect, Origin, StartedCommand, Toolset
from fugue_tui.control.core.deferred import Deferred, is_given_up, run_task, spawn
from fugue_tui.control.core.own_position import note_position
from fugue_tui.control.core.send_input import typeable
from fugue_tui.control.output.last_command import CommandSource
from fugue_tui.control.output.truncate import TruncatedOutput, clip_so_far
from fugue_tui.control.shell_exec.command_state import CommandEnd, CommandStage
from fugue_tui.control.shell_exec.dialects import ShellLine, variables
from fugue_tui.control.shell_exec.execution import Execution
from fugue_tui.control.shell_exec.prompt_detection import running
from fugue_tui.control.shell_exec.result import (
    MOST_OUTPUT,
    SOME_OUTPUT,
    Analysis,
    CommandOutcome,
    Limit,
    OnCancel,
    cursor,
    output_limit,
)
from fugue_tui.errors import FugueError, InvalidArgument, Refused, TimedOut
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.watch.new_output import here
from fugue_tui.sanitize import clean_path
from fugue_tui.terminal.emulator.command_record import CommandRecord
from fugue_tui.terminal.pty import process
from fugue_tui.terminal.screen.pins import Point
from fugue_tui.validation.annotations import UNLISTED

MAX_COMMAND: Final = 200_000
"""Characters of a command."""
INTERRUPTED: Final = 130
"""The exit code of a command that Ctrl+C ended (128 + SIGINT)."""


class Method(StrEnum):
    """How a command's start and end are detected."""

    AUTO = "auto"
    """By the prompt marks of a shell that Fugue set up, else by markers typed with the command."""
    MARKER = "marker"
    """By markers typed with the command, whatever program is in the foreground."""


class ExecuteCommand(
    Command[CommandOutcome], name="execute-command", effect=Effect.INPUT, also=Effect.RUN, toolset=Toolset.DEFAULT
):
    """Run a command in a pane's shell, as if typed there, and return its exit code, output and duration.

    The shell must be at its prompt (bash, zsh, fish, sh); if another program is in the foreground, the call is refused
    with its name. Several lines, quotes and here-documents are fine. Calls to one pane queue; calls to several panes
    run in parallel. A time-out ends only the wait. The line starts with a space, which keeps it out of the history
    of many shells. To use a new pane, use run-command.
    """

    pane: str = target.ACTIVE
    """The pane whose shell runs it: an id or a name; never your own."""
    command: Annotated[str, Meta(max_length=MAX_COMMAND)]
    """The command: one line or several."""
    timeout: Annotated[float, Meta(ge=0)] = DEFAULT_TIMEOUT
    """Seconds to wait at most, including the queue; capped at 110."""
    cwd: str = ""
    """A directory for this command only."""
    env: Mapping[str, str] | None = None
    """Environment variables for this command only, which are neither shown nor in the history."""
    on_cancel: Annotated[OnCancel, UNLISTED] = OnCancel.INTERRUPT
    """What happens to the command if the call is cancelled: interrupt presses Ctrl+C, leave lets it run."""
    ansi: Annotated[bool, UNLISTED] = False
    """Whether the output keeps its colours."""
    limit: Limit = SOME_OUTPUT
    """Characters of output to return; longer output is cut in the middle."""
    parse: bool = False
    """Return the output as rows, as parse-output does; for agents, instead of the text."""
    intent: bool = False
    """Add its outcome, as detect-intent does: failed tests, places, next commands."""
    method: Annotated[Method, UNLISTED] = Method.AUTO
    """marker types the command even if no known shell is in the foreground, such as a shell behind ssh."""
    wait_for_user: target.WaitForUser = 0.0
    """Seconds to wait, at most 110, while the user types there; 0 refuses the call then."""

    def targets(self, mux: Multiplexer, origin: Origin) -> tuple[PaneId, ...]:
        """The pane."""
        return (typed_pane(mux, self.pane, origin),)

    def started(self, mux: Multiplexer, origin: Origin) -> tuple[StartedCommand, ...]:
        """The line, in its own directory or the shell's."""
        pane = typed_pane(mux, self.pane, origin)
        return (StartedCommand(self.command, shell_directory(mux, pane, self.cwd), self.env or {}),)

    def run(self, mux: Multiplexer, origin: Origin) -> Deferred[CommandOutcome]:
        """Queue the command. Raises InvalidArgument, NotFound, Refused or TerminalGone."""
        pane = typed_pane(mux, self.pane, origin)
        line = self._line(mux, pane)
        execution = Execution(
            mux, pane, line, origin.author, forced=self.method is Method.MARKER, wait_for_user=self.wait_for_user
        )
        limit = command_limit(mux, origin)
        pending = PendingExecution(execution, output_limit(self.limit, origin), ansi=self.ansi, seconds=limit)
        return run_task(self._outcome(pending))

    async def _outcome(self, pending: "PendingExecution") -> CommandOutcome:
        outcome = await pending.outcome(self.timeout, self.on_cancel)
        wanted = Analysis(self.parse, self.intent)
        return await wanted.added(outcome, self.command, pending.output, CommandSource.TRUSTED_MARKS)

    def _line(self, mux: Multiplexer, pane: PaneId) -> ShellLine:
        command = command_text(self.command)
        return ShellLine(command, directory(self.cwd, mux.cwd(pane)) if self.cwd else "", variables(self.env or {}))


def typed_pane(mux: Multiplexer, wanted: str, origin: Origin) -> PaneId:
    """The pane to type a command into. Raises Refused for the caller's own."""
    pane = target.typed_pane(mux, wanted, origin)
    if pane == origin.pane:
        raise Refused(
            f"{pane} is your own pane: the command would be typed into your own input; name another pane, or use "
            "run-command, which opens one"
        )
    running(mux, pane)
    return pane


def command_limit(mux: Multiplexer, origin: Origin) -> float | None:
    """Seconds after which a caller's command is interrupted; None for no limit."""
    limit = mux.permissions.security.command_timeout_ms
    return limit / 1000 if limit and origin.owner else None


def shell_directory(mux: Multiplexer, pane: PaneId, cwd: str) -> str:
    """The directory in which a line runs: its own, else that of the program in the foreground."""
    here = process.cwd(mux.terminal(pane).foreground_group) or mux.cwd(pane)
    return os.path.join(here, os.path.expanduser(cwd))


def command_text(command: str, where: str = "command") -> str:
    """A command as it is typed. Raises InvalidArgument if it is empty or cannot be typed."""
    found = typeable(command, where, r"have the shell produce it, as in $'\x1b' or printf '\033'").strip("\n")
    if not found.strip():
        raise InvalidArgument(f"{where}: there is nothing to run")
    return found


def directory(cwd: str, base: str, where: str = "cwd") -> str:
    """The absolute path of an existing directory. Raises InvalidArgument."""
    path = os.path.normpath(os.path.join(base, os.path.expanduser(cwd)))
    if "\0" in cwd or not os.path.isdir(path):
        raise InvalidArgument(f"{where}: {clean_path(cwd)} is not a directory")
    return path


class PendingExecution:
    """A queued command whose caller waits. Main thread only."""

    def __init__(self, execution: Execution, limit: int, *, ansi: bool, seconds: float | None = None) -> None:
        """After so many seconds the command is interrupted. Raises Refused if the queue is full."""
        self._execution, self._limit, self._ansi = execution, limit, ansi
        self._called_at = time.monotonic()
        self._record: CommandRecord | None = None
        execution.start()
        if seconds is not None:
            spawn(execution.interrupt_after(seconds))

    async def outcome(self, timeout: float, on_cancel: OnCancel) -> CommandOutcome:
        """Its result: at its end or after a time-out, which leaves a running command alone."""
        execution = self._execution
        try:
            await asyncio.wait((execution.ended,), timeout=min(timeout, MAX_TIMEOUT))
            if execution.late:
                return self._outcome(None)
            if execution.ended.done():
                return self._outcome(execution.ended.result())
            if execution.stage is CommandStage.RUNNING:
                return self._outcome(None)
            error = self._not_typed() if execution.stage < CommandStage.ENTERED else self._not_started()
            execution.cancel(interrupt=True)
            raise error
        except asyncio.CancelledError:
            execution.cancel(interrupt=is_given_up() and on_cancel is OnCancel.INTERRUPT)
            raise
        finally:
            execution.release()

    def output(self) -> str:
        """The whole output so far, without colours."""
        return clip_so_far(self._execution.terminal, self._record, MOST_OUTPUT).text

    def _not_started(self) -> FugueError:
        return TimedOut(
            f"the shell in {self._execution.pane} did not start the command, so Ctrl+C was pressed: it waits for more "
            "input, or is busy; read-pane shows what"
        )

    def _not_typed(self) -> FugueError:
        pane = self._execution.pane
        reason = (
            "other commands are queued before it" if self._execution.stage is CommandStage.QUEUED else "no prompt came"
        )
        return Refused(f"timed out before the command could be typed into {pane}: {reason}; nothing was run")

    def _outcome(self, end: CommandEnd | None) -> CommandOutcome:
        """The result; `end` is None after a time-out."""
        execution = self._execution
        record = end.record if end is not None else execution.record
        self._record = record
        found = clip_so_far(execution.terminal, record, self._limit, ansi=self._ansi)
        note_position(execution.mux, execution.pane, execution.terminal, here(execution.terminal))
        shell = execution.shell
        exit_code = end.exit_code if end is not None else None
        now = time.monotonic()
        return CommandOutcome(
            text=found.text,
            pane=str(execution.pane),
            exit_code=exit_code,
            timed_out=end is None,
            interrupted=bool(execution.late)
            or exit_code == INTERRUPTED
            or (end is not None and end.lost and exit_code is None),
            ended=end.exit.words if end is not None and end.exit else None,
            seconds=round((record.ended or now) - record.started if record else 0.0, 3),
            queued_ms=round((execution.typed_at - self._called_at) * 1000),
            cwd=clean_path((process.cwd(shell.pid) if shell else "") or execution.terminal.cwd),
            method=execution.method,
            truncated=bool(found.omitted),
            omitted_lines=found.omitted,
            cursor=self._cursor(found.rest, runs=end is None),
            kept=None,
            note=execution.late or _note(end, record, found, execution),
            uid=execution.shell_uid if execution.shell_uid != os.getuid() else None,
            ansi=self._ansi,
        )

    def _cursor(self, rest: Point | None, *, runs: bool) -> str | None:
        return cursor(self._execution.mux, self._execution.pane, self._execution.terminal, rest, runs=runs)


def _note(end: CommandEnd | None, record: CommandRecord | None, found: TruncatedOutput, execution: Execution) -> str:
    if found.hidden:
        return "a full-screen program covers the output; read-pane shows its screen"
    if end is None:
        return "it still runs; wait-for-output with the cursor waits further, interrupt-pane ends it"
    if record is not None and record.unconfirmed:
        return (
            "no exit code: another program than the shell was in the foreground when its end was reported, so that "
            "program may have reported it; it may still run"
        )
    if end.unmarked:
        return "no exit code: the shell no longer marks its prompt, as after PS1 or its hooks were replaced"
    if end.lost and end.exit_code is None:
        return "no exit code: the shell aborted it, as after Ctrl+C or a syntax error, or prints elsewhere"
    if end.lost:
        return "the shell that ran it has exited"
    return "the shell is at its prompt again and reported no command" if record is None and end.exit is None else ""
