"""One step of work on several panes: a command that is typed into a shell, and what is waited for then."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Annotated, Final

from annotated_types import Ge, Interval, MaxLen

from fugue_tui.control.commands.execute_command import MOST_TYPED, command_text, directory
from fugue_tui.control.commands.wait import USUAL, PortResult, WaitResult, begin, wait_port
from fugue_tui.control.core.deferred import Deferred
from fugue_tui.control.core.pane_subscription import after
from fugue_tui.control.output.truncate import clip_so_far
from fugue_tui.control.shell_exec.command_state import CommandEnd, CommandStage
from fugue_tui.control.shell_exec.dialects import ShellLine
from fugue_tui.control.shell_exec.execution import Execution
from fugue_tui.control.shell_exec.result import cursor
from fugue_tui.errors import FugueError, InvalidArgument
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.watch.new_output import OutputStart
from fugue_tui.multiplexer.watch.patterns import Pattern, expression, literal
from fugue_tui.multiplexer.watch.wait import WaitCondition, WaitOutcome
from fugue_tui.sanitize import clean, clean_text
from fugue_tui.terminal.emulator.command_record import CommandRecord
from fugue_tui.terminal.terminal import Terminal

TAIL: Final = 2_000
"""Characters of a step's output that are told."""
_CHECK: Final = 0.1
"""Seconds in which something that listens on a port already is found out."""
_GRACE: Final = 0.5
"""Seconds after a command's end in which what it printed is still searched."""


class OnFailure(StrEnum):
    """What becomes of the rest when a step fails."""

    STOP = "stop"
    """Later steps are left out; what runs goes on."""
    CONTINUE = "continue"
    """As if it had not failed."""
    INTERRUPT_ALL = "interrupt_all"
    """Later steps are left out, and Ctrl+C is pressed wherever a step still runs."""


class Status(StrEnum):
    """How a step ended."""

    DONE = "done"
    """What was waited for came; without wait_for, the command ended with 0."""
    FAILED = "failed"
    """It ended otherwise, or could not be run at all."""
    TIMED_OUT = "timed_out"
    """What was waited for did not come in time; the command runs on."""
    LOST = "lost"
    """Another step won the race, and this one was interrupted."""
    SKIPPED = "skipped"
    """It was not begun, as a step before it failed or the time was over."""


@dataclass(frozen=True, slots=True)
class Condition:
    """What is waited for after a command was begun; give one of them."""

    pattern: Annotated[str, MaxLen(1000)] | None = None
    """A text that the command prints."""
    regex: bool = False
    """Whether the pattern is a regular expression, in RE2's syntax."""
    exit: bool = False
    """The command's end; it must end with 0."""
    port: Annotated[int, Interval(ge=1, le=65535)] | None = None
    """A port of this machine that something listens on; it must be free before."""
    idle_ms: Annotated[int, Interval(ge=1, le=110_000)] | None = None
    """That nothing was printed for so many milliseconds."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step."""

    pane: str
    """The pane whose shell runs it, by id or name; a name that no pane has opens a pane of that name."""
    command: Annotated[str, MaxLen(MOST_TYPED)]
    """What to run: one line or several."""
    wait_for: str | Condition | None = None
    """When the step is done: a text that the command prints, or {"pattern"}, {"exit": true}, {"port": 8080} or
    {"idle_ms": 500}; omitted, when it ends with 0."""
    timeout: Annotated[float, Ge(0)] = USUAL
    """Seconds for this step."""
    on_failure: OnFailure = OnFailure.STOP
    """What becomes of the rest if it fails or times out: stop, continue or interrupt_all."""
    cwd: str = ""
    """A directory for this command only."""


@dataclass(frozen=True, slots=True)
class StepResult:
    """How a step ended. What a program printed is untrusted."""

    pane: str
    """The pane's id."""
    name: str
    """What the step called it."""
    status: Status
    """How it ended."""
    exit_code: int | None
    """The command's exit status; null while it runs."""
    matched: str | None
    """The text that was waited for, as it came: untrusted."""
    seconds: float
    """How long the step took."""
    output: str
    """The end of what the command had printed by then: untrusted."""
    cursor: str | None
    """For read-pane or wait-for-output, if the command runs on: where that output stops."""
    created: bool
    """Whether the pane was opened for it."""
    note: str
    """Why it failed."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A step with its pane, checked."""

    step: Step
    pane: PaneId
    created: bool
    condition: Condition
    patterns: tuple[Pattern, ...]
    line: ShellLine

    def moved(self, opened: Mapping[str, PaneId]) -> "Plan":
        """The same in the pane that was opened for it, if one was."""
        made = opened.get(self.step.pane)
        return self if made is None else replace(self, pane=made, created=True)


def plan(mux: Multiplexer, step: Step, index: int, pane: PaneId) -> Plan:
    """A step as it is run in a pane, or in one that opens beside it. Raises InvalidArgument."""
    condition = wanted(step, index)
    made = expression if condition.regex else literal
    patterns = (made(condition.pattern, f"steps[{index}].wait_for"),) if condition.pattern is not None else ()
    cwd = directory(step.cwd, mux.cwd(pane), f"steps[{index}].cwd") if step.cwd else ""
    return Plan(
        step, pane, False, condition, patterns, ShellLine(command_text(step.command, f"steps[{index}].command"), cwd)
    )


def wanted(step: Step, index: int) -> Condition:
    """What a step waits for. Raises InvalidArgument if that is nothing, or several things."""
    if step.wait_for is None:
        return Condition(exit=True)
    found = Condition(step.wait_for) if isinstance(step.wait_for, str) else step.wait_for
    if sum((found.pattern is not None, found.exit, found.port is not None, found.idle_ms is not None)) != 1:
        raise InvalidArgument(f"steps[{index}].wait_for: give exactly one of pattern, exit, port and idle_ms")
    return found


class StepRun:
    """A step on its way. Main thread only."""

    def __init__(self, mux: Multiplexer, plan: Plan, seconds: float, *, polite: bool) -> None:
        self.plan = plan
        self.result: StepResult | None = None
        """How it ended; None before."""
        self.on_over: Callable[[], object] = lambda: None
        self.execution = Execution(mux, plan.pane, plan.line, polite=polite)
        self._mux, self._seconds = mux, seconds
        self._begun = time.monotonic()
        self._waits: list[Deferred[WaitResult] | Deferred[PortResult]] = []

    def begin(self) -> None:
        """Begin; `on_over` is called once."""
        self.execution.on_begun = self._running
        self.execution.on_over = self._ended
        self.execution.on_error = lambda error: self._finish(Status.FAILED, note=str(error))
        after(self._mux, self._seconds, lambda: self._finish(Status.TIMED_OUT, note=self._missing))
        port = self.plan.condition.port
        if port is None:
            self._join()
        else:
            self._wait_port(port, _CHECK, self._checked)

    def stop(self, status: Status, *, interrupt: bool) -> None:
        """End it now, or if it is over what it left running."""
        if self.result is None:
            self._finish(status)
        if interrupt or self.execution.stage < CommandStage.ENTERED:
            self.execution.cancel(interrupt=interrupt)

    def _join(self) -> None:
        try:
            self.execution.join()
        except FugueError as error:
            self._finish(Status.FAILED, note=str(error))

    def _checked(self, taken: PortResult) -> None:
        if taken.listening:
            port = self.plan.condition.port
            self._finish(Status.FAILED, note=f"port {port} is in use already; nothing was run")
        elif self.result is None:
            self._join()

    def _running(self, record: CommandRecord) -> None:
        condition, left = self.plan.condition, max(0.0, self._seconds - (time.monotonic() - self._begun))
        idle = condition.idle_ms / 1000 if condition.idle_ms else None
        if condition.port is not None:
            self._wait_port(condition.port, left, self._opened)
        elif record.start is not None and (self.plan.patterns or idle):
            since = OutputStart(record.start, False, 0, "", frozenset(), "", -1)
            panes: dict[PaneId, tuple[Terminal, OutputStart | None]] = {
                self.plan.pane: (self.execution.terminal, since)
            }
            wait = begin(self._mux, panes, WaitCondition(self.plan.patterns, idle=idle, seconds=left))
            self._waits.append(wait)
            wait.on_done(lambda: self._waited(wait))

    def _wait_port(self, port: int, seconds: float, then: Callable[[PortResult], None]) -> None:
        wait = wait_port(self._mux, port, seconds=seconds)
        self._waits.append(wait)

        def told() -> None:
            if wait.error is None:
                self._mux.post(lambda: then(wait.result()))

        wait.on_done(told)

    def _opened(self, found: PortResult) -> None:
        if found.listening:
            self._finish(Status.DONE, matched=f"port {self.plan.condition.port}")

    def _waited(self, wait: Deferred[WaitResult]) -> None:
        if wait.error is not None:
            return
        found = wait.result()
        if found.outcome in (WaitOutcome.MATCHED, WaitOutcome.IDLE):
            self._finish(Status.DONE, matched=found.matched)

    def _ended(self, end: CommandEnd) -> None:
        condition = self.plan.condition
        told = end.exit.words if end.exit else f"exit {end.exit_code}" if end.exit_code is not None else "no exit code"
        well = end.exit_code == 0 and end.exit is None
        if condition.exit:
            self._finish(Status.DONE if well else Status.FAILED, end=end, note="" if well else f"it ended with {told}")
        elif not well:
            self._fail_soon(end, f"it ended with {told} before {self._missing}")
        elif condition.pattern is not None and not self.plan.line.command.rstrip().endswith("&"):
            self._fail_soon(end, f"it ended with {told}, and {self._missing}")

    def _fail_soon(self, end: CommandEnd, note: str) -> None:
        """What it printed last is still being searched."""
        after(self._mux, _GRACE, lambda: self._finish(Status.FAILED, end=end, note=note))

    @property
    def _missing(self) -> str:
        condition = self.plan.condition
        if condition.port is not None:
            return f"nothing listened on port {condition.port}"
        if condition.pattern is not None:
            return f"`{clean(condition.pattern, 60)}` was not printed"
        return "it fell silent" if condition.idle_ms else "it was still running"

    def _finish(
        self, status: Status, *, end: CommandEnd | None = None, matched: str | None = None, note: str = ""
    ) -> None:
        if self.result is not None:
            return
        for wait in self._waits:
            wait.cancel()
        execution = self.execution
        begun = execution.stage is not CommandStage.QUEUED
        record = (end.record if end else None) or execution.record
        runs = end is None and execution.stage is CommandStage.RUNNING
        self.result = StepResult(
            pane=str(self.plan.pane),
            name=clean(self.plan.step.pane),
            status=status,
            exit_code=end.exit_code if end else execution.record.exit_code if execution.record else None,
            matched=matched,
            seconds=round(time.monotonic() - self._begun, 3),
            output=self._output(record) if begun else "",
            cursor=cursor(self._mux, self.plan.pane, execution.terminal, None, runs=True) if runs else None,
            created=self.plan.created,
            note=clean(note, 300),
        )
        if execution.stage < CommandStage.ENTERED and status is not Status.DONE:
            execution.cancel(interrupt=True)
        execution.release()
        self.on_over()

    def _output(self, record: CommandRecord | None) -> str:
        return clean_text(clip_so_far(self.execution.terminal, record, TAIL).text, TAIL * 2)
