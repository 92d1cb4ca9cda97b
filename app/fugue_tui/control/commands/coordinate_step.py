"""One step of coordinate-panes: a command typed into a shell, and the condition that completes it."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Annotated, Final

from annotated_types import Ge, Interval, MaxLen

from fugue_tui.control.commands.execute_command import MAX_COMMAND, command_text, directory
from fugue_tui.control.commands.wait import DEFAULT_TIMEOUT, PortResult, WaitResult, begin, wait_port
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
"""Characters of a step's output in the result."""
_CHECK: Final = 0.1
"""Seconds to detect that the port is in use before the command is run."""
_GRACE: Final = 0.5
"""Seconds after a command's exit in which its last output is still searched."""


class OnFailure(StrEnum):
    """What happens to the other steps when one fails."""

    STOP = "stop"
    """Later steps are skipped; running ones go on."""
    CONTINUE = "continue"
    """Later steps run as if it had not failed."""
    INTERRUPT_ALL = "interrupt_all"
    """Later steps are skipped, and Ctrl+C is pressed wherever a step still runs."""


class Status(StrEnum):
    """How a step ended."""

    DONE = "done"
    """The condition was met; without wait_for, the command exited with 0."""
    FAILED = "failed"
    """The command exited otherwise, or could not be run."""
    TIMED_OUT = "timed_out"
    """The condition was not met in time; the command keeps running."""
    LOST = "lost"
    """Another step won the race, and this one was interrupted."""
    SKIPPED = "skipped"
    """It was not started, as a step before it failed or the time-out expired."""


@dataclass(frozen=True, slots=True)
class Condition:
    """The condition that completes a step; give exactly one field."""

    pattern: Annotated[str, MaxLen(1000)] | None = None
    """A text that the command prints."""
    regex: bool = False
    """Whether the pattern is a regular expression, in RE2's syntax."""
    exit: bool = False
    """The command's exit, which must be 0."""
    port: Annotated[int, Interval(ge=1, le=65535)] | None = None
    """A local TCP port that something listens on; it must be free before."""
    idle_ms: Annotated[int, Interval(ge=1, le=110_000)] | None = None
    """Milliseconds without output."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step."""

    pane: str
    """The pane whose shell runs it, by id or name; a pane is created for a name that none has."""
    command: Annotated[str, MaxLen(MAX_COMMAND)]
    """The command: one line or several."""
    wait_for: str | Condition | None = None
    """When the step is done: a text that the command prints, or {"pattern"}, {"exit": true}, {"port": 8080} or
    {"idle_ms": 500}; omitted, when it exits with 0."""
    timeout: Annotated[float, Ge(0)] = DEFAULT_TIMEOUT
    """Seconds for this step."""
    on_failure: OnFailure = OnFailure.STOP
    """What happens to the rest if it fails or times out: stop, continue or interrupt_all."""
    cwd: str = ""
    """A directory for this command only."""


@dataclass(frozen=True, slots=True)
class StepResult:
    """How a step ended. What a program printed is untrusted."""

    pane: str
    """The pane's id."""
    name: str
    """The pane as the step named it."""
    status: Status
    """How it ended."""
    exit_code: int | None
    """The command's exit status; null while it runs."""
    matched: str | None
    """The text that matched: untrusted."""
    seconds: float
    """How long the step took."""
    output: str
    """The end of the command's output so far: untrusted."""
    cursor: str | None
    """For read-pane or wait-for-output, if the command still runs: the end of that output."""
    created: bool
    """Whether the pane was created for it."""
    note: str
    """Why it failed."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A validated step with its pane."""

    step: Step
    pane: PaneId
    created: bool
    condition: Condition
    patterns: tuple[Pattern, ...]
    line: ShellLine

    def moved(self, opened: Mapping[str, PaneId]) -> "Plan":
        """The same in the pane that was created for it, if one was."""
        created = opened.get(self.step.pane)
        return self if created is None else replace(self, pane=created, created=True)


def plan(mux: Multiplexer, step: Step, index: int, pane: PaneId) -> Plan:
    """Validate a step for a pane, or for one to be created beside it. Raises InvalidArgument."""
    condition = condition_of(step, index)
    compile_pattern = expression if condition.regex else literal
    patterns = (
        (compile_pattern(condition.pattern, f"steps[{index}].wait_for"),) if condition.pattern is not None else ()
    )
    cwd = directory(step.cwd, mux.cwd(pane), f"steps[{index}].cwd") if step.cwd else ""
    return Plan(
        step, pane, False, condition, patterns, ShellLine(command_text(step.command, f"steps[{index}].command"), cwd)
    )


def condition_of(step: Step, index: int) -> Condition:
    """The condition of a step. Raises InvalidArgument unless exactly one field is given."""
    if step.wait_for is None:
        return Condition(exit=True)
    found = Condition(step.wait_for) if isinstance(step.wait_for, str) else step.wait_for
    if sum((found.pattern is not None, found.exit, found.port is not None, found.idle_ms is not None)) != 1:
        raise InvalidArgument(f"steps[{index}].wait_for: give exactly one of pattern, exit, port and idle_ms")
    return found


class StepRun:
    """A running step. Main thread only."""

    def __init__(self, mux: Multiplexer, plan: Plan, seconds: float, *, polite: bool) -> None:
        self.plan = plan
        self.result: StepResult | None = None
        """None until it has ended."""
        self.on_completed: Callable[[], object] = lambda: None
        self.execution = Execution(mux, plan.pane, plan.line, polite=polite)
        self._mux, self._seconds = mux, seconds
        self._started = time.monotonic()
        self._waits: list[Deferred[WaitResult] | Deferred[PortResult]] = []

    def begin(self) -> None:
        """Start it; `on_completed` is called once."""
        self.execution.on_begun = self._on_started
        self.execution.on_over = self._on_command_end
        self.execution.on_error = lambda error: self._finish(Status.FAILED, note=str(error))
        after(self._mux, self._seconds, lambda: self._finish(Status.TIMED_OUT, note=self._missing))
        port = self.plan.condition.port
        if port is None:
            self._join()
        else:
            self._wait_port(port, _CHECK, self._on_port_checked)

    def stop(self, status: Status, *, interrupt: bool) -> None:
        """End it now, and interrupt what it left running."""
        if self.result is None:
            self._finish(status)
        if interrupt or self.execution.stage < CommandStage.ENTERED:
            self.execution.cancel(interrupt=interrupt)

    def _join(self) -> None:
        try:
            self.execution.join()
        except FugueError as error:
            self._finish(Status.FAILED, note=str(error))

    def _on_port_checked(self, checked: PortResult) -> None:
        if checked.listening:
            port = self.plan.condition.port
            self._finish(Status.FAILED, note=f"port {port} is in use already; nothing was run")
        elif self.result is None:
            self._join()

    def _on_started(self, record: CommandRecord) -> None:
        condition, left = self.plan.condition, max(0.0, self._seconds - (time.monotonic() - self._started))
        idle = condition.idle_ms / 1000 if condition.idle_ms else None
        if condition.port is not None:
            self._wait_port(condition.port, left, self._on_port_open)
        elif record.start is not None and (self.plan.patterns or idle):
            since = OutputStart(record.start, False, 0, "", frozenset(), "", -1)
            panes: dict[PaneId, tuple[Terminal, OutputStart | None]] = {
                self.plan.pane: (self.execution.terminal, since)
            }
            wait = begin(self._mux, panes, WaitCondition(self.plan.patterns, idle=idle, seconds=left))
            self._waits.append(wait)
            wait.on_done(lambda: self._on_wait_end(wait))

    def _wait_port(self, port: int, seconds: float, then: Callable[[PortResult], None]) -> None:
        wait = wait_port(self._mux, port, seconds=seconds)
        self._waits.append(wait)

        def on_result() -> None:
            if wait.error is None:
                self._mux.post(lambda: then(wait.result()))

        wait.on_done(on_result)

    def _on_port_open(self, found: PortResult) -> None:
        if found.listening:
            self._finish(Status.DONE, matched=f"port {self.plan.condition.port}")

    def _on_wait_end(self, wait: Deferred[WaitResult]) -> None:
        if wait.error is not None:
            return
        found = wait.result()
        if found.outcome in (WaitOutcome.MATCHED, WaitOutcome.IDLE):
            self._finish(Status.DONE, matched=found.matched)

    def _on_command_end(self, end: CommandEnd) -> None:
        condition = self.plan.condition
        ending = (
            end.exit.words if end.exit else f"exit {end.exit_code}" if end.exit_code is not None else "no exit code"
        )
        ok = end.exit_code == 0 and end.exit is None
        if condition.exit:
            self._finish(Status.DONE if ok else Status.FAILED, end=end, note="" if ok else f"it ended with {ending}")
        elif not ok:
            self._fail_soon(end, f"it ended with {ending} before {self._missing}")
        elif condition.pattern is not None and not self.plan.line.command.rstrip().endswith("&"):
            self._fail_soon(end, f"it ended with {ending}, and {self._missing}")

    def _fail_soon(self, end: CommandEnd, note: str) -> None:
        """Fail after a grace period, in which its last output is still searched."""
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
            seconds=round(time.monotonic() - self._started, 3),
            output=self._output(record) if begun else "",
            cursor=cursor(self._mux, self.plan.pane, execution.terminal, None, runs=True) if runs else None,
            created=self.plan.created,
            note=clean(note, 300),
        )
        if execution.stage < CommandStage.ENTERED and status is not Status.DONE:
            execution.cancel(interrupt=True)
        execution.release()
        self.on_completed()

    def _output(self, record: CommandRecord | None) -> str:
        return clean_text(clip_so_far(self.execution.terminal, record, TAIL).text, TAIL * 2)
