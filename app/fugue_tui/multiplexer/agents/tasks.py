"""The tasks of a workspace: a small list that agents claim and people edit. Main thread only.

Changes are made one after the other, each checked against the list as it is then, and on disk before it counts: of two
claims of one task, one fails.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from fugue_tui.errors import InvalidArgument, NotFound, Refused
from fugue_tui.multiplexer.agents.load_gate import LoadGate
from fugue_tui.multiplexer.callbacks import CallbackList

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Coroutine

    from fugue_tui.multiplexer.agents.journal import Journal

USER: Final = "user"
"""The owner, or the source, that is the user."""
MOST: Final = 500
"""Tasks of a workspace."""
MOST_DEPENDENCIES: Final = 50
"""Tasks that one task may depend on."""
LONGEST_TITLE: Final = 200
LONGEST_DETAIL: Final = 4_000
LONGEST_NOTE: Final = 2_000
Result = TypeVar("Result")


class TaskState(StrEnum):
    """The state of a task."""

    OPEN = "open"
    """It has no owner yet."""
    CLAIMED = "claimed"
    """Its owner works on it."""
    DONE = "done"
    FAILED = "failed"
    """It was tried, and could not be done."""
    CANCELLED = "cancelled"
    """It is not wanted any more."""

    @property
    def finished(self) -> bool:
        """Whether no work on it is left."""
        return self not in (TaskState.OPEN, TaskState.CLAIMED)


class Task(Struct, frozen=True, omit_defaults=True):
    """One task. Times are in seconds since the epoch; its words are cleaned."""

    number: int
    title: str
    created: float
    by: str
    """Who added it, in words."""
    changed: float
    changed_by: str
    """Who changed it last, in words."""
    since: float
    """When its state or its owner changed last."""
    source: str = ""
    """Who added it: the mailbox key of a pane, or `USER`; empty for a client outside of panes."""
    detail: str = ""
    state: TaskState = TaskState.OPEN
    owner: str = ""
    """Whose it is: the mailbox key of a pane, or `USER`; empty for none. Only the owner may claim an open one."""
    owner_words: str = ""
    """The owner as it was called then."""
    program: str = ""
    """The agent that ran in the owner's pane when it claimed the task; empty for another program."""
    depends_on: tuple[int, ...] = ()
    """The numbers of the tasks that have to be done first."""
    team: str = ""
    """The team whose members may claim it; empty for all."""
    note: str = ""
    """What became of it."""


class Tasks:
    """The tasks of a workspace."""

    def __init__(self) -> None:
        self._tasks: dict[int, Task] = {}
        self.all: Mapping[int, Task] = MappingProxyType(self._tasks)
        """The tasks by their numbers, oldest first."""
        self.next_number = 1
        """The number of the next task; none is used twice."""
        self.loaded = LoadGate()
        """All changes wait for it."""
        self.journal: Journal | None = None
        """Keeps the tasks over restarts; None if nothing does."""
        self.on_change = CallbackList[[Task | None, Task | None]]()
        """A task was added, changed or removed: before, after; None for none."""
        self._lock: asyncio.Lock | None = None
        self._changes: set[asyncio.Task[Any]] = set()

    def get(self, number: int) -> Task:
        """The task with a number. Raises NotFound."""
        if (found := self._tasks.get(number)) is None:
            raise NotFound(f"no task {number}; list-tasks shows those that there are")
        return found

    async def change(self, make: Callable[[], Task], by: str) -> Task:
        """Put a task in place of the one with its number, or add it with `next_number`; on disk once this returns.

        `make` is called once all earlier changes are made. `by` is who does it, in words. Raises what `make` and
        `check` raise, and SaveError; nothing has changed then. A change that has begun is made even if the caller is
        cancelled."""
        return await self._in_turn(lambda: self._changed(make, by))

    async def remove(self, numbers: Iterable[int], by: str) -> list[Task]:
        """Remove tasks, all or none. Raises NotFound, Refused if unfinished tasks depend on one, and SaveError."""
        return await self._in_turn(lambda: self._removed(dict.fromkeys(numbers), by))

    async def _in_turn(self, change: "Callable[[], Coroutine[Any, Any, Result]]") -> Result:
        import asyncio

        async def run() -> Result:
            self._lock = self._lock or asyncio.Lock()
            async with self._lock:
                await self.loaded.wait()
                return await change()

        task = asyncio.get_running_loop().create_task(run())
        self._changes.add(task)
        task.add_done_callback(self._ended)
        return await asyncio.shield(task)

    def _ended(self, task: "asyncio.Task[Any]") -> None:
        self._changes.discard(task)
        if not task.cancelled():
            task.exception()  # The caller has it, unless it was cancelled.

    async def _changed(self, make: Callable[[], Task], by: str) -> Task:
        made = make()
        before, now = self._tasks.get(made.number), time.time()
        if made == before:
            return made
        check(self._tasks, made)
        moved = before is None or (before.state, before.owner) != (made.state, made.owner)
        made = replace(made, changed=now, changed_by=by, since=now if moved else made.since)
        await self._write(msgspec.to_builtins(made))
        self._tasks[made.number] = made
        self.next_number = max(self.next_number, made.number + 1)
        self.on_change(before, made)
        return made

    async def _removed(self, chosen: Iterable[int], by: str) -> list[Task]:
        tasks = [replace(self.get(number), changed_by=by) for number in chosen]
        numbers = {each.number for each in tasks}
        for task in tasks:
            left = [each for each in dependents(self._tasks, task.number) if each.number not in numbers]
            if waiting := [each.number for each in left if not each.state.finished]:
                verb = "depends" if len(waiting) == 1 else "depend"
                raise Refused(
                    f"task {task.number} stays: {listed(waiting)} {verb} on it; change that first, or cancel it"
                )
        await self._write({"removed": sorted(numbers)})
        self._drop(numbers)
        for task in tasks:
            self.on_change(task, None)
        return tasks

    def _drop(self, numbers: set[int]) -> None:
        for number in numbers:
            self._tasks.pop(number, None)
        for task in tuple(self._tasks.values()):
            if numbers.intersection(task.depends_on):
                left = tuple(each for each in task.depends_on if each not in numbers)
                self._tasks[task.number] = replace(task, depends_on=left)

    # Over restarts

    def load(self, records: Iterator[Mapping[str, Any]]) -> None:
        """Take over what a journal holds: of a task the last record counts. What it depends on and was lost is left
        out."""
        for record in records:
            try:
                self._take(record)
            except (msgspec.ValidationError, TypeError, ValueError):
                continue  # A newer version's, or damaged.
        self._tasks.update({number: self._tasks.pop(number) for number in sorted(self._tasks)})
        for task in tuple(self._tasks.values()):
            known = tuple(each for each in task.depends_on if each in self._tasks)
            sound = not cycle(self._tasks, task.number, known)
            self._tasks[task.number] = replace(task, depends_on=known if sound else ())

    def _take(self, record: Mapping[str, Any]) -> None:
        if "next" in record:
            self.next_number = max(self.next_number, int(record["next"]))
        elif "removed" in record:
            numbers = {int(each) for each in record["removed"]}
            self._drop(numbers)
            self.next_number = max((self.next_number, *(each + 1 for each in numbers)))
        else:
            task = msgspec.convert(record, Task)
            self._tasks[task.number] = task
            self.next_number = max(self.next_number, task.number + 1)

    def records(self) -> list[dict[str, Any]]:
        """All that is kept, for a journal."""
        return [{"next": self.next_number}, *(msgspec.to_builtins(each) for each in self._tasks.values())]

    async def _write(self, record: Mapping[str, Any]) -> None:
        if self.journal is not None:
            await self.journal.write(record)


def check(tasks: Mapping[int, Task], task: Task) -> None:
    """Raise InvalidArgument or Refused for a task that a list cannot have."""
    if not task.title:
        raise InvalidArgument("title: nothing printable is left of it; describe the task in a few words")
    for name, text, most in (
        ("title", task.title, LONGEST_TITLE),
        ("detail", task.detail, LONGEST_DETAIL),
        ("note", task.note, LONGEST_NOTE),
    ):
        if len(text) > most:
            raise InvalidArgument(f"{name}: {len(text)} characters are too many; {most} fit")
    if task.number not in tasks and len(tasks) >= MOST:
        raise Refused(f"the list has {MOST} tasks already; export-tasks writes them down, remove-task makes room")
    _check_dependencies(tasks, task)


def _check_dependencies(tasks: Mapping[int, Task], task: Task) -> None:
    if len(task.depends_on) > MOST_DEPENDENCIES:
        raise InvalidArgument(f"depends_on: {len(task.depends_on)} tasks are too many; {MOST_DEPENDENCIES} fit")
    unknown = [each for each in task.depends_on if each not in tasks and each != task.number]
    if unknown:
        raise InvalidArgument(f"depends_on: there is no task {unknown[0]}; list-tasks shows those that there are")
    if found := cycle(tasks, task.number, task.depends_on):
        raise InvalidArgument(
            f"depends_on: tasks would wait for each other: {' -> '.join(map(str, found))}; leave one of these out"
        )


def cycle(tasks: Mapping[int, Task], number: int, depends_on: Iterable[int]) -> list[int]:
    """The way from a task back to itself, if it depended on these; empty if there is none."""
    ways, seen = [[number, each] for each in depends_on], set[int]()
    while ways:
        way = ways.pop()
        if way[-1] == number:
            return way
        if way[-1] in tasks and way[-1] not in seen:
            seen.add(way[-1])
            ways += [[*way, each] for each in tasks[way[-1]].depends_on]
    return []


def dependents(tasks: Mapping[int, Task], number: int) -> list[Task]:
    """The tasks that depend on one."""
    return [each for each in tasks.values() if number in each.depends_on]


def waits_for(tasks: Mapping[int, Task], task: Task) -> tuple[int, ...]:
    """The numbers of the tasks that have to be done before a task is begun, and are not."""
    return tuple(each for each in task.depends_on if tasks[each].state is not TaskState.DONE)


def listed(numbers: Iterable[int]) -> str:
    """Numbers in a sentence: `task 3`, `tasks 3 and 4`, `tasks 3, 4 and 5`."""
    words = [str(each) for each in numbers]
    return f"task {words[0]}" if len(words) == 1 else f"tasks {', '.join(words[:-1])} and {words[-1]}"
