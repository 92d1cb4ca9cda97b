"""One step of coordinate-panes: a command typed into a shell, and the condition that completes it."""

import asyncio
import time
from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Final

from msgspec import Meta, Struct
from msgspec.structs import replace

from fugue_tui.control.commands.execute_command import MAX_COMMAND, command_text, directory
from fugue_tui.control.commands.wait import DEFAULT_TIMEOUT, OutputWait
from fugue_tui.control.core.deferred import spawn
from fugue_tui.control.output.truncate import clip_so_far
from fugue_tui.control.shell_exec.command_state import CommandEnd, CommandStage
from fugue_tui.control.shell_exec.dialects import ShellLine
from fugue_tui.control.shell_exec.execution import Execution
from fugue_tui.control.shell_exec.result import cursor
from fugue_tui.errors import InvalidArgument
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.author import Author
from fugue_tui.multiplexer.watch.new_output import OutputStart
from fugue_tui.multiplexer.watch.patterns import Pattern, expression, literal
from fugue_tui.multiplexer.watch.tcp_port import wait_for_port
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


class Condition(Struct, frozen=True):
    """The condition that completes a step; give exactly one field."""

    pattern: Annotated[str, Meta(max_length=1000)] | None = None
    """A text that the command prints."""
    regex: bool = False
    """Whether the pattern is a regular expression, in RE2's syntax."""
    exit: bool = False
    """The command's exit, which must be 0."""
    port: Annotated[int, Meta(ge=1, le=65535)] | None = None
    """A local TCP port that something listens on; it must be free before."""
    idle_ms: Annotated[int, Meta(ge=1, le=110_000)] | None = None
    """Milliseconds without output."""


class Step(Struct, frozen=True):
    """One step."""

    pane: str
    """The pane whose shell runs it, by id or name; a pane is created for a name that none has."""
    command: Annotated[str, Meta(max_length=MAX_COMMAND)]
    """The command: one line or several."""
    wait_for: str | Condition | None = None
    """When the step is done: a text that the command prints, or {"pattern"}, {"exit": true}, {"port": 8080} or
    {"idle_ms": 500}; omitted, when it exits with 0."""
    timeout: Annotated[float, Meta(ge=0)] = DEFAULT_TIMEOUT
    """Seconds for this step."""
    on_failure: OnFailure = OnFailure.STOP
    """What happens to the rest if it fails or times out: stop, continue or interrupt_all."""
    cwd: str = ""
    """A directory for this command only."""


class StepResult(Struct, frozen=True):
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


class Plan(Struct, frozen=True):
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


class _Ready(Struct, frozen=True):
    """Why a step is over."""

    status: Status
    note: str = ""
    end: CommandEnd | None = None
    """The end of the command; None while it runs."""
    matched: str | None = None


class StepRun:
    """A running step. Main thread only."""

    def __init__(
        self,
        mux: Multiplexer,
        plan: Plan,
        seconds: float,
        author: Author,
        wait_for_user: float,
        limit: float | None,
    ) -> None:
        """It is awaited for `seconds`; after `limit` its command is interrupted, even if it is ready."""
        self.plan = plan
        self.result: StepResult | None = None
        """None until it has ended."""
        self._execution = Execution(mux, plan.pane, plan.line, author, wait_for_user=wait_for_user)
        self._mux, self._seconds, self._limit = mux, seconds, limit
        self._started = time.monotonic()
        self.task = asyncio.create_task(self._run())
        """Done when the step has ended."""

    def stop(self, status: Status, *, interrupt: bool) -> None:
        """End it now, and interrupt what it left running."""
        self.task.cancel()
        self._finish(_Ready(status))
        if interrupt or self._execution.stage < CommandStage.ENTERED:
            self._execution.cancel(interrupt=interrupt)

    async def _run(self) -> None:
        try:
            async with asyncio.timeout(self._seconds):
                ready = await self._ready()
        except TimeoutError:
            ready = _Ready(Status.TIMED_OUT, self._missing)
        except Exception as error:  # noqa: BLE001  (reported in the result)
            ready = _Ready(Status.FAILED, str(error))
        self._finish(ready)

    async def _ready(self) -> _Ready:
        """Run the command until the condition is met, or cannot be any more."""
        port, execution = self.plan.condition.port, self._execution
        if port is not None and (await wait_for_port(port, seconds=_CHECK)).listening:
            return _Ready(Status.FAILED, f"port {port} is in use already; nothing was run")
        execution.start()
        if self._limit is not None:
            spawn(execution.interrupt_after(self._limit))
        await asyncio.wait((execution.started, execution.ended), return_when=asyncio.FIRST_COMPLETED)
        met = asyncio.create_task(self._met())
        try:
            await asyncio.wait((met, execution.ended), return_when=asyncio.FIRST_COMPLETED)
            if met.done():
                return _Ready(Status.DONE, matched=met.result())
            if execution.late:
                return _Ready(Status.TIMED_OUT, execution.late)
            end = execution.ended.result()
            if (failure := self._failure(end)) is None:
                return (
                    _Ready(Status.DONE, end=end) if self.plan.condition.exit else _Ready(Status.DONE, matched=await met)
                )
            if not self.plan.condition.exit:
                await asyncio.wait((met,), timeout=_GRACE)  # Its last output is still searched.
            return _Ready(Status.DONE, matched=met.result()) if met.done() else _Ready(Status.FAILED, failure, end)
        finally:
            met.cancel()

    async def _met(self) -> str | None:
        """Wait until the condition is met, for ever if it is not; the text that matched."""
        condition, record = self.plan.condition, self._execution.record
        if condition.port is not None and (await wait_for_port(condition.port, seconds=self._seconds)).listening:
            return f"port {condition.port}"
        idle = condition.idle_ms / 1000 if condition.idle_ms else None
        if record is not None and record.start is not None and (self.plan.patterns or idle):
            since = OutputStart(record.start, False, 0, "", frozenset(), "", -1)
            panes: dict[PaneId, tuple[Terminal, OutputStart | None]] = {
                self.plan.pane: (self._execution.terminal, since)
            }
            wait = OutputWait(self._mux, panes, WaitCondition(self.plan.patterns, idle=idle, seconds=self._seconds))
            found = await wait.result()
            if found.outcome in (WaitOutcome.MATCHED, WaitOutcome.IDLE):
                return found.matched
        return await asyncio.get_running_loop().create_future()

    def _failure(self, end: CommandEnd) -> str | None:
        """Why the step has failed with the end of its command; None if it has not."""
        condition = self.plan.condition
        ending = (
            end.exit.words if end.exit else f"exit {end.exit_code}" if end.exit_code is not None else "no exit code"
        )
        if end.exit_code != 0 or end.exit is not None:
            return f"it ended with {ending}" if condition.exit else f"it ended with {ending} before {self._missing}"
        if condition.pattern is not None and not self.plan.line.command.rstrip().endswith("&"):
            return f"it ended with {ending}, and {self._missing}"
        return None

    @property
    def _missing(self) -> str:
        condition = self.plan.condition
        if condition.port is not None:
            return f"nothing listened on port {condition.port}"
        if condition.pattern is not None:
            return f"`{clean(condition.pattern, 60)}` was not printed"
        return "it fell silent" if condition.idle_ms else "it was still running"

    def _finish(self, ready: _Ready) -> None:
        if self.result is not None:
            return
        end, execution = ready.end, self._execution
        record = (end.record if end else None) or execution.record
        runs = end is None and execution.stage is CommandStage.RUNNING
        self.result = StepResult(
            pane=str(self.plan.pane),
            name=clean(self.plan.step.pane),
            status=ready.status,
            exit_code=end.exit_code if end else execution.record.exit_code if execution.record else None,
            matched=ready.matched,
            seconds=round(time.monotonic() - self._started, 3),
            output=self._output(record) if record else "",
            cursor=cursor(self._mux, self.plan.pane, execution.terminal, None, runs=True) if runs else None,
            created=self.plan.created,
            note=clean(ready.note, 300),
        )
        if execution.stage < CommandStage.ENTERED and ready.status is not Status.DONE:
            execution.cancel(interrupt=True)
        execution.release()

    def _output(self, record: CommandRecord) -> str:
        return clean_text(clip_so_far(self._execution.terminal, record, TAIL).text, TAIL * 2)
