"""Running a command in a shell that is open, and telling how it ended and what it printed."""

import os
import time
from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Final

from annotated_types import Ge, MaxLen

from fugue_tui.control.commands.send_keys import typeable
from fugue_tui.control.commands.wait import LONGEST, USUAL
from fugue_tui.control.core import target
from fugue_tui.control.core.command import Command, Effect, Origin, Toolset
from fugue_tui.control.core.deferred import Deferred
from fugue_tui.control.core.pane_subscription import after
from fugue_tui.control.output.truncate import TruncatedOutput, clip_so_far
from fugue_tui.control.shell_exec.command_state import CommandEnd, CommandStage
from fugue_tui.control.shell_exec.dialects import ShellLine, variables
from fugue_tui.control.shell_exec.execution import Execution
from fugue_tui.control.shell_exec.prompt_detection import running
from fugue_tui.control.shell_exec.result import SOME_OUTPUT, CommandOutcome, Limit, OnCancel, cursor, output_limit
from fugue_tui.errors import FugueError, InvalidArgument, Refused, TimedOut
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.sanitize import clean
from fugue_tui.terminal.emulator.command_record import CommandRecord
from fugue_tui.terminal.pty import process
from fugue_tui.terminal.screen.pins import Point

MOST_TYPED: Final = 200_000
"""Characters of a command."""
INTERRUPTED: Final = 130
"""What shells say of a command that Ctrl+C ended."""


class Method(StrEnum):
    """How begin and end of a command are told."""

    AUTO = "auto"
    """By the shell's own marks where Fugue set it up, else by marks that are typed along."""
    MARKER = "marker"
    """By marks that are typed along, whatever program is in front."""


class ExecuteCommand(Command[CommandOutcome], name="execute-command", effect=Effect.INPUT, toolset=Toolset.DEFAULT):
    """Run a command in a pane's shell, as if typed there, and tell its exit code, its output and how long it took.

    The shell must wait at its prompt (bash, zsh, fish, sh); where another program is in front the call is refused and
    says which. Several lines, quotes and here-documents are fine. Calls to one pane queue, calls to several run
    together. A time-out ends only the waiting. A line that starts with a blank keeps out of the history of those who
    set their shell to that, so one is put first. To run something in a pane of its own, use run-command.
    """

    pane: str = target.ACTIVE
    """The pane whose shell runs it: an id or a name; never your own."""
    command: Annotated[str, MaxLen(MOST_TYPED)]
    """What to run: one line or several."""
    timeout: Annotated[float, Ge(0)] = USUAL
    """Seconds to wait at most, the queue included; more than 110 are taken as 110."""
    cwd: str = ""
    """A directory for this command only; it runs in a subshell then, where that is possible."""
    env: Mapping[str, str] | None = None
    """Variables for this command only, in the same way."""
    on_cancel: OnCancel = OnCancel.INTERRUPT
    """What becomes of the command if you cancel the call: interrupt presses Ctrl+C, leave lets it run."""
    ansi: bool = False
    """Whether the output comes with its colours."""
    limit: Limit = SOME_OUTPUT
    """Characters of output to give; of more, the beginning and the end."""
    method: Method = Method.AUTO
    """marker forces a command on a program that is not known as a shell, such as a shell behind ssh."""

    def run(self, mux: Multiplexer, origin: Origin) -> Deferred[CommandOutcome]:
        """Get in line and begin. Raises InvalidArgument, NotFound, Refused or TerminalGone."""
        pane = typed_pane(mux, self.pane, origin)
        line = self._line(mux, pane)
        execution = Execution(mux, pane, line, forced=self.method is Method.MARKER, polite=origin.is_agent)
        return Running(execution, output_limit(self.limit, origin), ansi=self.ansi).begin(self.timeout, self.on_cancel)

    def _line(self, mux: Multiplexer, pane: PaneId) -> ShellLine:
        command = command_text(self.command)
        return ShellLine(command, directory(self.cwd, mux.cwd(pane)) if self.cwd else "", variables(self.env or {}))


def typed_pane(mux: Multiplexer, wanted: str, origin: Origin) -> PaneId:
    """The pane in which a command is to be typed. Raises Refused for the caller's own."""
    pane = target.typed_pane(mux, wanted, origin)
    if pane == origin.pane:
        raise Refused(
            f"{pane} is your own pane: the command would be typed into you; name another pane, or use run-command, "
            "which opens one"
        )
    running(mux, pane)
    return pane


def command_text(command: str, where: str = "command") -> str:
    """A command as it is typed. Raises InvalidArgument if there is nothing, or something that cannot be typed."""
    found = typeable(command, where, r"have the shell make it, as in $'\x1b' or printf '\033'").strip("\n")
    if not found.strip():
        raise InvalidArgument(f"{where}: there is nothing to run")
    return found


def directory(cwd: str, base: str, where: str = "cwd") -> str:
    """A directory that is there. Raises InvalidArgument."""
    path = os.path.normpath(os.path.join(base, os.path.expanduser(cwd)))
    if "\0" in cwd or not os.path.isdir(path):
        raise InvalidArgument(f"{where}: {clean(cwd)} is no directory")
    return path


class Running:
    """A command whose caller waits for it. Main thread only."""

    def __init__(self, execution: Execution, limit: int, *, ansi: bool) -> None:
        self.execution, self._limit, self._ansi = execution, limit, ansi
        self._called = time.monotonic()
        self.later: Deferred[CommandOutcome] = Deferred()

    def begin(self, timeout: float, on_cancel: OnCancel) -> Deferred[CommandOutcome]:
        """Get in line. Raises Refused if that is too long."""
        execution, mux = self.execution, self.execution.mux
        execution.on_over = lambda end: self.later.settle(self._told(end))
        execution.on_error = self.later.fail
        self.later.on_cancel = lambda: execution.cancel(interrupt=on_cancel is OnCancel.INTERRUPT)
        execution.join()
        self.later.on_done(after(mux, min(timeout, LONGEST), self._expire))
        return self.later

    def _expire(self) -> None:
        if self.later.done:
            return
        stage = self.execution.stage
        if stage < CommandStage.ENTERED:
            error = self._never_typed()
            self.execution.cancel(interrupt=True)
            self.later.fail(error)
            return
        if stage is CommandStage.ENTERED:
            self.execution.cancel(interrupt=True)
            self.later.fail(self._never_begun())
            return
        self.later.settle(self._told(None))
        self.execution.release()

    def _never_begun(self) -> FugueError:
        return TimedOut(
            f"the shell in {self.execution.pane} did not begin to run what was typed, so Ctrl+C was pressed: it waits "
            "for more of the command, or does something else; read-pane shows what"
        )

    def _never_typed(self) -> FugueError:
        pane = self.execution.pane
        ahead = (
            "other commands are in line before it" if self.execution.stage is CommandStage.QUEUED else "no prompt came"
        )
        return Refused(f"the time was over before the command could be typed into {pane}: {ahead}; nothing was run")

    def _told(self, end: CommandEnd | None) -> CommandOutcome:
        """The answer: `end` is None if the time is over."""
        execution = self.execution
        record = end.record if end is not None else execution.record
        found = clip_so_far(execution.terminal, record, self._limit, ansi=self._ansi)
        shell = execution.shell
        exit_code = end.exit_code if end is not None else None
        now = time.monotonic()
        return CommandOutcome(
            text=found.text,
            pane=str(execution.pane),
            exit_code=exit_code,
            timed_out=end is None,
            interrupted=exit_code == INTERRUPTED or (end is not None and end.lost and exit_code is None),
            ended=end.exit.words if end is not None and end.exit else None,
            seconds=round((record.ended or now) - record.started if record else 0.0, 3),
            queued_ms=round((execution.typed_at - self._called) * 1000),
            cwd=clean(process.cwd(shell.pid) if shell else "") or clean(execution.terminal.cwd),
            method=execution.method,
            truncated=bool(found.omitted),
            omitted_lines=found.omitted,
            cursor=self._cursor(found.rest, runs=end is None),
            kept=None,
            note=_note(end, record, found, execution),
            ansi=self._ansi,
        )

    def _cursor(self, rest: Point | None, *, runs: bool) -> str | None:
        return cursor(self.execution.mux, self.execution.pane, self.execution.terminal, rest, runs=runs)


def _note(end: CommandEnd | None, record: CommandRecord | None, found: TruncatedOutput, execution: Execution) -> str:
    if found.hidden:
        return "a full-screen program covers the output; read-pane shows its screen"
    if end is None:
        return "it still runs; wait-for-output with the cursor waits on, interrupt-pane ends it"
    if end.unmarked:
        return "the shell told no exit code: it marks its prompt no longer, as where PS1 or its hooks were set anew"
    if end.lost and end.exit_code is None:
        return "the shell gave it up, as after Ctrl+C or a syntax error, or prints elsewhere, and told no exit code"
    if end.lost:
        return "the shell that ran it is over"
    return "the shell is at its prompt again and told of no command" if record is None and end.exit is None else ""
