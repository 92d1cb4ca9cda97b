"""Run commands in several panes, in sequence or in parallel, each until it is ready."""

import asyncio
import re
import time
from collections.abc import Sequence
from contextlib import suppress
from enum import StrEnum
from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import replace

from fugue_tui.control.commands.coordinate_step import OnFailure, Plan, Status, Step, StepResult, StepRun, plan
from fugue_tui.control.commands.execute_command import command_limit, shell_directory, typed_pane
from fugue_tui.control.commands.panes import SplitPane
from fugue_tui.control.commands.wait import MAX_TIMEOUT
from fugue_tui.control.core import target
from fugue_tui.control.core.command import Command, Effect, Origin, StartedCommand, Toolset
from fugue_tui.control.core.deferred import Deferred, is_given_up, reporter, run_task
from fugue_tui.control.core.new_pane import Direction
from fugue_tui.control.shell_exec.result import OnCancel
from fugue_tui.errors import NotFound, Refused
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.author import Author
from fugue_tui.workspace import edit
from fugue_tui.workspace.model import OnExit


class Mode(StrEnum):
    """How steps are scheduled."""

    SEQUENTIAL = "sequential"
    """Each starts when the one before it is done."""
    PARALLEL = "parallel"
    """All start at once."""
    RACE = "race"
    """All start at once; the first to be done wins, and the others are interrupted."""


class Coordinated(Struct, frozen=True):
    """How the steps ended."""

    ok: bool
    """Whether all are done; in a race, whether one is."""
    steps: tuple[StepResult, ...]
    """Each step, in the given order."""
    winner: int | None
    """In a race, which step was done first, counted from 0."""
    seconds: float
    """How long all of it took."""

    @property
    def exit_status(self) -> int:
        """0 if ok."""
        return int(not self.ok)

    @property
    def aside(self) -> str:
        """Why steps failed, which the table does not show."""
        return "\n".join(f"{each.name}: {each.note}" for each in self.steps if each.note)


class CoordinatePanes(
    Command[Coordinated],
    name="coordinate-panes",
    effect=Effect.INPUT,
    also=Effect.RUN,
    toolset=Toolset.RUNNING,
    creates=True,
):
    """Run commands in several panes in one call, each until it is ready: start the backend, wait until it listens,
    start the frontend, then run the tests.

    Each step types a command into a pane's shell and waits for a text, a port, silence, or the command's exit. Servers
    keep running after their steps are done. Panes that do not exist are created.
    """

    steps: Annotated[tuple[Step, ...], Meta(min_length=1, max_length=16)]
    """The steps: {"pane": "backend", "command": "cargo run", "wait_for": "Listening on 0.0.0.0:8080"}."""
    mode: Mode = Mode.SEQUENTIAL
    """sequential: one after another. parallel: all at once. race: the first to be done wins."""
    timeout: Annotated[float, Meta(ge=0, le=MAX_TIMEOUT)] = MAX_TIMEOUT
    """Seconds for all steps together."""
    on_cancel: OnCancel = OnCancel.INTERRUPT
    """What happens to running steps if the call is cancelled: interrupt presses Ctrl+C and closes the panes that were
    created for it, leave lets them run."""
    wait_for_user: target.WaitForUser = 0.0
    """Seconds for which a step waits, at most 110, while the user types in its pane; 0 fails the step then."""

    def targets(self, mux: Multiplexer, origin: Origin) -> tuple[PaneId, ...]:
        """The panes of the steps that exist."""
        return tuple(pane for step in self.steps if (pane := _known(mux, step.pane, origin)) is not None)

    def started(self, mux: Multiplexer, origin: Origin) -> tuple[StartedCommand, ...]:
        """The lines of the steps; those in panes that exist with their directories."""
        return tuple(
            StartedCommand(step.command, shell_directory(mux, pane, step.cwd) if pane is not None else step.cwd)
            for step in self.steps
            for pane in (_known(mux, step.pane, origin),)
        )

    def run(self, mux: Multiplexer, origin: Origin) -> Deferred[Coordinated]:
        """Start the steps. Raises InvalidArgument, NotFound, Refused or SpawnFailed before anything is run."""
        known = {step.pane: pane for step in self.steps if (pane := _known(mux, step.pane, origin)) is not None}
        new = [name for name in dict.fromkeys(step.pane for step in self.steps) if name not in known]
        source = target.pane(mux, target.ACTIVE, origin) if new else PaneId(0)
        drafts = [plan(mux, step, index, known.get(step.pane, source)) for index, step in enumerate(self.steps)]
        opened = _open(mux, new, origin)
        plans = [draft.moved(opened) for draft in drafts]
        return run_task(_StepScheduler(mux, plans, self, origin.author, command_limit(mux, origin)).run())


def _known(mux: Multiplexer, name: str, origin: Origin) -> PaneId | None:
    """The pane that a step names; None if it must be created. Raises InvalidArgument, NotFound or Refused."""
    try:
        return typed_pane(mux, name, origin)
    except NotFound:
        if re.fullmatch(r"[%@:]?\d+", name.strip()) or target.named(name) != name:
            raise
        return None


def _open(mux: Multiplexer, names: Sequence[str], origin: Origin) -> dict[str, PaneId]:
    """Create panes with shells in a row below the caller's pane."""
    opened: dict[str, PaneId] = {}
    source, direction, share = target.ACTIVE, Direction.VERTICAL, 0.5
    for left, name in zip(range(len(names), 0, -1), names, strict=True):
        made = SplitPane(
            pane=source, direction=direction, size=min(0.9, max(0.1, share)), name=name, focus=False,
            on_exit=OnExit.KEEP,
        ).run(mux, origin)  # fmt: skip
        opened[name] = PaneId(made.id[1:])
        source, direction, share = made.id, Direction.HORIZONTAL, (left - 1) / left
    return opened


class _StepScheduler:
    """Runs the steps of one call. Main thread only."""

    def __init__(
        self, mux: Multiplexer, plans: list[Plan], request: CoordinatePanes, author: Author, limit: float | None
    ) -> None:
        self._mux, self._plans, self._request, self._author, self._limit = mux, plans, request, author, limit
        self._started = time.monotonic()
        self._runs: list[StepRun] = []
        self._stopped = False

    async def run(self) -> Coordinated:
        """Run the steps, one after the other or all at once."""
        self._report = reporter()
        try:
            count = 1 if self._request.mode is Mode.SEQUENTIAL else len(self._plans)
            pending = {self._start().task for _ in range(count)}
            while pending:
                done, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
                for run in self._runs:
                    if run.task in done and run.result is not None:
                        self._on_completed(run, run.result)
                if not (pending or self._stopped or self._expired or len(self._runs) == len(self._plans)):
                    pending = {self._start().task}
            return self._result()
        except asyncio.CancelledError:
            self._cancel()
            raise

    def _start(self) -> StepRun:
        """Start the next step."""
        planned = self._plans[len(self._runs)]
        left = self._started + self._request.timeout - time.monotonic()
        seconds = max(0.0, min(planned.step.timeout, left))
        self._runs.append(StepRun(self._mux, planned, seconds, self._author, self._request.wait_for_user, self._limit))
        return self._runs[-1]

    def _on_completed(self, run: StepRun, result: StepResult) -> None:
        done = sum(each.result is not None for each in self._runs)
        text = f"{done} of {len(self._plans)}: {result.name} is {result.status}"
        self._report(text, done / len(self._plans))
        if self._request.mode is Mode.RACE and result.status is Status.DONE:
            self._end_all(Status.LOST, but=run)
        elif result.status in (Status.FAILED, Status.TIMED_OUT):
            self._on_failure(run)

    @property
    def _expired(self) -> bool:
        return time.monotonic() >= self._started + self._request.timeout

    def _on_failure(self, run: StepRun) -> None:
        if run.plan.step.on_failure is OnFailure.INTERRUPT_ALL:
            self._stopped = True
            self._end_all(Status.SKIPPED)
        elif run.plan.step.on_failure is OnFailure.STOP and self._request.mode is not Mode.RACE:
            self._stopped = self._request.mode is Mode.SEQUENTIAL

    def _end_all(self, status: Status, *, but: StepRun | None = None) -> None:
        for each in self._runs:
            if each is not but:
                if status is Status.LOST and each.result is not None and each.result.status is Status.DONE:
                    each.result = replace(each.result, status=status)  # It was ready at the same time as the winner.
                each.stop(status, interrupt=True)

    def _cancel(self) -> None:
        interrupt = is_given_up() and self._request.on_cancel is OnCancel.INTERRUPT
        for each in self._runs:
            each.stop(Status.SKIPPED, interrupt=interrupt)
        for pane in dict.fromkeys(each.pane for each in self._plans if each.created and interrupt):
            self._close(pane)

    def _close(self, pane: PaneId) -> None:
        """Close a pane that the cancelled call created, unless the user has it focused or uses it."""
        mux = self._mux
        if pane in mux.workspace.panes and len(mux.workspace.panes) > 1 and mux.focused != pane:
            with suppress(Refused):
                mux.assign(edit.remove_pane(mux.workspace, pane))

    def _result(self) -> Coordinated:
        results = [run.result or _skipped(run.plan) for run in self._runs]
        results += [_skipped(each) for each in self._plans[len(results) :]]
        done = [result.status is Status.DONE for result in results]
        race = self._request.mode is Mode.RACE
        return Coordinated(
            ok=any(done) if race else all(done),
            steps=tuple(results),
            winner=done.index(True) if race and any(done) else None,
            seconds=round(time.monotonic() - self._started, 3),
        )


def _skipped(planned: Plan) -> StepResult:
    return StepResult(
        pane=str(planned.pane), name=planned.step.pane, status=Status.SKIPPED, exit_code=None, matched=None,
        seconds=0.0, output="", cursor=None, created=planned.created, note="",
    )  # fmt: skip
