"""The list of tasks: add, list, claim, update, release, remove and export them."""

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import Annotated, Any, Final, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from fugue_tui.control.agents.task_markdown import markdown
from fugue_tui.control.agents.task_owners import (
    NOBODY,
    Caller,
    caller,
    check_change,
    claimable,
    concerned,
    gone,
    obstacle,
    owner_key,
    owner_words,
)
from fugue_tui.control.commands.wait import MAX_TIMEOUT
from fugue_tui.control.core import target
from fugue_tui.control.core.answers import TextAnswer
from fugue_tui.control.core.changes import until
from fugue_tui.control.core.command import Command, Confirmation, Effect, Origin, Toolset
from fugue_tui.control.core.deferred import Deferred, run_task
from fugue_tui.errors import NotFound, Refused, TimedOut
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.agents.mailboxes import pane_of
from fugue_tui.multiplexer.agents.tasks import (
    LONGEST_DETAIL,
    LONGEST_NOTE,
    LONGEST_TITLE,
    MOST,
    MOST_DEPENDENCIES,
    USER,
    Task,
    TaskState,
    listed,
    waits_for,
)
from fugue_tui.sanitize import clean, clean_text

BEGINNING: Final = 200
"""Characters of a detail in a list."""
Number = Annotated[int, Meta(ge=1)]
Title = Annotated[str, Meta(min_length=1, max_length=LONGEST_TITLE)]
Detail = Annotated[str, Meta(max_length=LONGEST_DETAIL)]
Note = Annotated[str, Meta(max_length=LONGEST_NOTE)]
Numbers = Annotated[tuple[Number, ...], Meta(max_length=MOST_DEPENDENCIES)]
Word = Annotated[str, Meta(min_length=1, max_length=100)]


class TaskInfo(Struct, frozen=True):
    """A task. Its words are untrusted."""

    number: int
    """Its number."""
    state: TaskState
    """open, claimed by its owner, done, failed or cancelled."""
    title: str
    """What is to be done: untrusted."""
    owner: str
    """Its owner: a pane with its name, or user; empty for none."""
    pane: str | None
    """The owner's pane; null if it is closed, or the owner is none."""
    gone: str
    """Why its owner cannot go on with it, so that others can claim it; empty otherwise."""
    depends_on: tuple[int, ...]
    """The tasks that have to be done first."""
    waits_for: tuple[int, ...]
    """Those of them that are not done."""
    claimable: bool
    """Whether you can claim it now."""
    team: str
    """The team that it is for; empty for all."""
    seconds: int
    """For how long it has had this state and owner."""
    by: str
    """Who added it."""
    changed_by: str
    """Who changed it last."""
    note: str
    """What became of it: untrusted."""
    detail: str
    """More about it: untrusted; in a list its beginning."""


class TaskList(Struct, frozen=True):
    """Tasks, by number."""

    tasks: tuple[TaskInfo, ...]
    """The tasks."""
    claimable: tuple[int, ...]
    """Those of all tasks that you can claim now, in the order in which claim-task takes them."""


class AddTask(Command[TaskInfo], name="add-task", effect=Effect.LAYOUT, toolset=Toolset.AGENTS, creates=True):
    """Add a task to the workspace's list, for agents to claim and for the user to see."""

    title: Title
    """What is to be done, in a line."""
    detail: Detail = ""
    """More about it; may have several lines."""
    owner: Word = NOBODY
    """The only one that may claim it: a pane's id or name, or user; nobody for any agent."""
    depends_on: Numbers = ()
    """The numbers of tasks that have to be done first."""
    team: Annotated[str, Meta(max_length=48)] | None = None
    """The team whose members may claim it; empty for all; omitted, your own."""

    def run(self, mux: Multiplexer, origin: Origin) -> Deferred[TaskInfo]:
        """The task. Raises NotFound, InvalidArgument, Refused or SaveError."""
        who, owner = caller(mux, origin, made=True), owner_key(mux, self.owner, origin)
        return run_task(_changed(mux, who, lambda: self._task(mux, who, owner)))

    def _task(self, mux: Multiplexer, who: Caller, owner: str) -> Task:
        now = time.time()
        return Task(
            number=mux.tasks.next_number,
            title=clean(self.title),
            created=now,
            by=who.words,
            changed=now,
            changed_by=who.words,
            since=now,
            source=who.key,
            detail=clean_text(self.detail).strip(),
            owner=owner,
            owner_words=owner_words(mux, owner),
            depends_on=_unique(self.depends_on),
            team=clean(who.team) if self.team is None else target.visible_word(self.team, "team"),
        )


class ListTasks(Command[TaskList], name="list-tasks", effect=Effect.READ, toolset=Toolset.AGENTS):
    """List the workspace's tasks: whose they are, what they wait for, and which you can claim now."""

    states: tuple[TaskState, ...] = ()
    """Only tasks in these states; omitted, all."""
    owner: str = ""
    """Only tasks of this owner: a pane's id or name, user or nobody."""
    team: str = ""
    """Only tasks of this team."""
    numbers: Numbers = ()
    """Only these, with all of their detail."""

    def run(self, mux: Multiplexer, origin: Origin) -> Deferred[TaskList]:
        """The tasks. Raises NotFound."""
        owner = owner_key(mux, self.owner, origin, made=False) if self.owner else None
        return run_task(self._list(mux, caller(mux, origin), owner))

    async def _list(self, mux: Multiplexer, who: Caller, owner: str | None) -> TaskList:
        await mux.tasks.loaded.wait()
        for number in self.numbers:
            mux.tasks.get(number)
        found = [each for each in mux.tasks.all.values() if self._wants(each, owner)]
        longest = LONGEST_DETAIL if self.numbers else BEGINNING
        return TaskList(
            tuple(task_info(mux, each, who, longest) for each in found),
            tuple(each.number for each in claimable(mux, who)),
        )

    def _wants(self, task: Task, owner: str | None) -> bool:
        return (
            (not self.states or task.state in self.states)
            and owner in (None, task.owner)
            and self.team in ("", task.team)
            and (not self.numbers or task.number in self.numbers)
        )


class ClaimTask(Command[TaskInfo], name="claim-task", effect=Effect.LAYOUT, toolset=Toolset.AGENTS, creates=True):
    """Claim a task, which no other agent can claim then: the one you name, or the oldest that you can claim. Say by
    update-task what becomes of it, or give it back by release-task."""

    number: Number | None = None
    """Its number; omitted, the oldest open one whose dependencies are done, or else one whose owner is gone."""
    wait: Annotated[float, Meta(ge=0, le=MAX_TIMEOUT)] = 0.0
    """Seconds to wait until one can be claimed; 0 does not wait."""

    def run(self, mux: Multiplexer, origin: Origin) -> Deferred[TaskInfo]:
        """The task. Raises NotFound or Refused if there is none, TimedOut if there was none while it waited, and
        SaveError."""
        who = caller(mux, origin, made=True)
        if not who.key:
            raise Refused("you are in no pane, so you can own no task; list-tasks and update-task work from there")
        return run_task(self._claim(mux, who))

    async def _claim(self, mux: Multiplexer, who: Caller) -> TaskInfo:
        tasks, loop = mux.tasks, asyncio.get_running_loop()
        end = loop.time() + self.wait
        while True:
            try:
                return await _changed(mux, who, lambda: self._task(mux, who))
            except (NotFound, Refused) as error:
                task = tasks.all.get(self.number) if self.number is not None else None
                if not self.wait or (self.number is not None and (task is None or task.state.finished)):
                    raise
                left = end - loop.time()
                announced = (tasks.on_change, mux.on_change, mux.on_event, mux.agents.on_found)
                if left <= 0 or not await until(lambda: bool(self._found(mux, who)), left, *announced):
                    raise TimedOut(f"after {self.wait:g} seconds, {error}") from None

    def _found(self, mux: Multiplexer, who: Caller) -> list[Task]:
        return [each for each in claimable(mux, who) if self.number in (None, each.number)]

    def _task(self, mux: Multiplexer, who: Caller) -> Task:
        pane = pane_of(mux.workspace, who.key) if who.key != USER else None
        if pane is None and who.key != USER:
            raise Refused("your pane was closed meanwhile")
        task = mux.tasks.get(self.number) if self.number is not None else next(iter(self._found(mux, who)), None)
        if task is None:
            raise NotFound(_none(mux))
        if reason := obstacle(mux, task, who):
            raise Refused(f"task {task.number} {reason}; list-tasks shows those that you can claim")
        program = mux.agents.programs.get(pane, "") if pane is not None else ""
        return replace(
            task, state=TaskState.CLAIMED, owner=who.key, owner_words=owner_words(mux, who.key), program=program
        )


class UpdateTask(
    Command[TaskInfo],
    name="update-task",
    effect=Effect.DESTROY,
    given=("force",),
    otherwise=Effect.LAYOUT,
    toolset=Toolset.AGENTS,
    repeatable=True,
):
    """Change a task: set that it is done or has failed and with what result, or edit it.

    Agents change all of those that they have added, and the state and note of those that they own; of others only with
    force, which asks the user.
    """

    number: Number
    """Its number."""
    state: Literal["open", "done", "failed", "cancelled"] | None = None
    """Its state; open gives it back. claim-task claims it."""
    note: Note | None = None
    """What became of it, such as a result or a branch."""
    title: Title | None = None
    """What is to be done, in a line."""
    detail: Detail | None = None
    """More about it."""
    depends_on: Numbers | None = None
    """The numbers of tasks that have to be done first, instead of those before."""
    owner: Word | None = None
    """The only one that may claim it: a pane's id or name, or user; nobody for any. A claimed one is reopened."""
    team: Annotated[str, Meta(max_length=48)] | None = None
    """The team whose members may claim it; empty for all."""
    force: bool = False
    """Change it although it is another's, about which the user is asked."""

    def targets(self, mux: Multiplexer, origin: Origin) -> tuple[PaneId, ...]:
        """With force, the panes of those whose task it is."""
        return concerned(mux, [mux.tasks.get(self.number)]) if self.force else ()

    def confirmation(self, mux: Multiplexer, origin: Origin) -> Confirmation | None:
        """Never asked of the user, who sees what it changes."""
        return None

    def run(self, mux: Multiplexer, origin: Origin) -> Deferred[TaskInfo]:
        """The task. Raises NotFound, InvalidArgument, Refused or SaveError."""
        who = caller(mux, origin)
        owner = owner_key(mux, self.owner, origin) if self.owner is not None else None
        return run_task(_changed(mux, who, lambda: self._task(mux, who, owner)))

    def _task(self, mux: Multiplexer, who: Caller, owner: str | None) -> Task:
        task = mux.tasks.get(self.number)
        if not self.force:
            content = (self.title, self.detail, self.depends_on, self.owner, self.team)
            check_change(task, who, content=any(each is not None for each in content))
        given: dict[str, Any] = {}
        if self.title is not None:
            given["title"] = clean(self.title)
        if self.detail is not None:
            given["detail"] = clean_text(self.detail).strip()
        if self.note is not None:
            given["note"] = clean_text(self.note).strip()
        if self.depends_on is not None:
            given["depends_on"] = _unique(self.depends_on)
        if self.team is not None:
            given["team"] = target.visible_word(self.team, "team")
        return replace(task, **given, **self._owned(mux, task, owner))

    def _owned(self, mux: Multiplexer, task: Task, owner: str | None) -> dict[str, Any]:
        """The state and the owner, where they change."""
        state = TaskState(self.state) if self.state is not None else task.state
        if owner is None and state is TaskState.OPEN and task.state is not TaskState.OPEN:
            owner = ""
        if owner is None or owner == task.owner:
            return {"state": state}
        state = TaskState.OPEN if state is TaskState.CLAIMED else state
        return {"state": state, "owner": owner, "owner_words": owner_words(mux, owner), "program": ""}


class ReleaseTask(
    Command[TaskInfo], name="release-task", effect=Effect.LAYOUT, toolset=Toolset.AGENTS, repeatable=True
):
    """Give a claimed task back, so that others can claim it: your own, or one whose owner is gone."""

    number: Number
    """Its number."""

    def run(self, mux: Multiplexer, origin: Origin) -> Deferred[TaskInfo]:
        """The task. Raises NotFound, Refused or SaveError."""
        who = caller(mux, origin)
        return run_task(_changed(mux, who, lambda: self._task(mux, who)))

    def _task(self, mux: Multiplexer, who: Caller) -> Task:
        task = mux.tasks.get(self.number)
        if task.state is not TaskState.CLAIMED:
            return task
        if not gone(mux, task):
            check_change(task, who, content=False)
        return replace(task, state=TaskState.OPEN, owner="", owner_words="", program="")


class RemovedTasks(Struct, frozen=True):
    """Tasks that were removed."""

    numbers: tuple[int, ...]
    """Their numbers, which no other task gets."""


class RemoveTask(
    Command[RemovedTasks], name="remove-task", effect=Effect.DESTROY, toolset=Toolset.AGENTS, repeatable=True
):
    """Remove tasks from the list. To keep them in it, set their state to cancelled instead."""

    numbers: Annotated[tuple[Number, ...], Meta(min_length=1, max_length=MOST)]
    """Their numbers: all are removed, or none."""

    def targets(self, mux: Multiplexer, origin: Origin) -> tuple[PaneId, ...]:
        """The panes of those who have added them, or work on them."""
        return concerned(mux, map(mux.tasks.get, self.numbers))

    def confirmation(self, mux: Multiplexer, origin: Origin) -> Confirmation | None:
        """Asked always. Raises NotFound."""
        first = mux.tasks.get(self.numbers[0])
        title = f" ({clean(first.title, 60)})" if len(self.numbers) == 1 else ""
        return Confirmation(f"Remove {listed(self.numbers)}{title}? What is removed does not come back.", self)

    def run(self, mux: Multiplexer, origin: Origin) -> Deferred[RemovedTasks]:
        """Their numbers. Raises NotFound, Refused or SaveError."""
        return run_task(self._remove(mux, caller(mux, origin).words))

    async def _remove(self, mux: Multiplexer, by: str) -> RemovedTasks:
        return RemovedTasks(tuple(each.number for each in await mux.tasks.remove(self.numbers, by)))


class ExportedTasks(TextAnswer, frozen=True, kw_only=True):
    """The list of tasks as Markdown."""

    @property
    def untrusted(self) -> str:
        """Agents have written it."""
        return "the list of tasks"


class ExportTasks(Command[ExportedTasks], name="export-tasks", effect=Effect.READ, plain=True, toolset=Toolset.AGENTS):
    """Export the list of tasks as Markdown, with check boxes, owners and dependencies."""

    team: str = ""
    """Only tasks of this team."""

    def run(self, mux: Multiplexer, origin: Origin) -> Deferred[ExportedTasks]:
        """The Markdown."""
        return run_task(self._export(mux))

    async def _export(self, mux: Multiplexer) -> ExportedTasks:
        await mux.tasks.loaded.wait()
        found = [each for each in mux.tasks.all.values() if self.team in ("", each.team)]
        owners = {each.number: owner_words(mux, each.owner, each.owner_words) for each in found}
        return ExportedTasks(text=markdown(found, owners))


def task_info(mux: Multiplexer, task: Task, who: Caller, longest: int = LONGEST_DETAIL) -> TaskInfo:
    """A task as somebody sees it, with so many characters of its detail."""
    pane = pane_of(mux.workspace, task.owner) if task.owner else None
    mine = task.state is TaskState.CLAIMED and task.owner == who.key
    return TaskInfo(
        number=task.number,
        state=task.state,
        title=clean(task.title),
        owner=clean(owner_words(mux, task.owner, task.owner_words)),
        pane=None if pane is None else str(pane),
        gone=gone(mux, task),
        depends_on=task.depends_on,
        waits_for=waits_for(mux.tasks.all, task),
        claimable=not mine and not obstacle(mux, task, who),
        team=clean(task.team),
        seconds=max(0, round(time.time() - task.since)),
        by=clean(task.by),
        changed_by=clean(task.changed_by),
        note=clean_text(task.note),
        detail=clean_text(task.detail, longest),
    )


async def _changed(mux: Multiplexer, who: Caller, make: Callable[[], Task]) -> TaskInfo:
    return task_info(mux, await mux.tasks.change(make, who.words), who)


def _unique(numbers: Sequence[int]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(numbers))


def _none(mux: Multiplexer) -> str:
    """Why no task can be claimed."""
    states = [each.state for each in mux.tasks.all.values()]
    opened, claimed = states.count(TaskState.OPEN), states.count(TaskState.CLAIMED)
    return (
        f"no task can be claimed: {opened} are open but wait for others or are not for you, {claimed} are claimed; "
        "list-tasks shows them, wait waits for one"
    )
