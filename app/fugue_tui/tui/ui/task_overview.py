"""Opens the table of tasks, and keeps it up to date while it is open. Main thread only."""

import asyncio
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, cast

from fugue_tui.control.agents.task_owners import NOBODY, caller
from fugue_tui.control.commands.tasks import AddTask, RemoveTask, TaskInfo, UpdateTask, task_info
from fugue_tui.control.core.changes import until
from fugue_tui.control.core.command import USER
from fugue_tui.multiplexer.agents.tasks import TaskState
from fugue_tui.tui.app_context import AppContext

if TYPE_CHECKING:
    from fugue_tui_widgets.task_form import TaskDraft
    from fugue_tui_widgets.task_screen import TaskRow, TaskScreen

SECONDS: Final = 1.0
"""How often the times are updated."""
PAUSE: Final = 0.1
"""Minimum seconds between two updates."""
_GLYPHS: Final = {
    TaskState.OPEN: ("○", "-"),
    TaskState.CLAIMED: ("●", "*"),
    TaskState.DONE: ("✓", "+"),
    TaskState.FAILED: ("✗", "x"),
    TaskState.CANCELLED: ("–", "."),
}
"""The character for a state, and the one in ASCII."""


class TaskOverview:
    """The table of tasks."""

    def __init__(self, app: AppContext) -> None:
        self._app = app

    def open(self) -> None:
        """Show the table."""
        from fugue_tui_widgets.task_screen import TaskScreen

        screen = TaskScreen(self)
        task = asyncio.get_running_loop().create_task(self._follow(screen))

        def closed(_: None) -> None:
            task.cancel()

        self._app.push_screen(screen, closed)

    # What the user does

    def add(self, draft: "TaskDraft", done: Callable[[str], None]) -> None:
        """Add a task."""
        numbers = _numbers(draft.depends_on)
        if isinstance(numbers, str):
            done(numbers)
        else:
            command = AddTask(title=draft.title, detail=draft.detail, owner=draft.owner or NOBODY, depends_on=numbers)
            self._app.commands.run(command, then=lambda _: done(""), failed=done)

    def edit(self, number: int, old: "TaskDraft", new: "TaskDraft", done: Callable[[str], None]) -> None:
        """Change what differs of a task."""
        numbers = _numbers(new.depends_on)
        if isinstance(numbers, str):
            done(numbers)
            return
        given: dict[str, Any] = {
            "title": new.title,
            "detail": new.detail,
            "owner": new.owner or NOBODY,
            "depends_on": numbers,
        }
        changed = {name: value for name, value in given.items() if getattr(old, name) != getattr(new, name)}
        command = UpdateTask(number=number, **changed)
        self._app.commands.run(command, then=lambda _: done(""), failed=done)

    def set_state(self, number: int, state: str, done: Callable[[str], None]) -> None:
        """Give a task a state."""
        command = UpdateTask(number=number, state=cast("Any", state))
        self._app.commands.run(command, then=lambda _: done(""), failed=done)

    def remove(self, number: int, done: Callable[[str], None]) -> None:
        """Remove a task, once the user has confirmed it."""
        self._app.commands.confirm(RemoveTask(numbers=(number,)), then=lambda _: done(""), failed=done)

    def owners(self) -> Sequence[str]:
        """Who may own a task."""
        panes = self._app.mux.workspace.panes.values()
        return ["user", NOBODY, *(each.name for each in panes if each.name), *(str(each.id) for each in panes)]

    # What it shows

    async def _follow(self, screen: "TaskScreen") -> None:
        """Update the table whenever a task or its owner changes, and every second."""
        mux = self._app.mux
        changed = (mux.tasks.on_change, mux.on_change, mux.agents.on_found)
        await mux.tasks.loaded.wait()
        while True:
            screen.show(self._rows())
            await asyncio.sleep(PAUSE)
            await until(lambda: screen.differs(self._rows()), SECONDS, *changed)

    def _rows(self) -> "list[TaskRow]":
        mux = self._app.mux
        who = caller(mux, USER)
        return [self._row(task_info(mux, each, who)) for each in mux.tasks.all.values()]

    def _row(self, each: TaskInfo) -> "TaskRow":
        from fugue_tui.control.commands.show_agents import duration
        from fugue_tui_widgets.task_form import TaskDraft
        from fugue_tui_widgets.task_screen import TaskRow

        owner = "user" if each.owner == "user" else each.pane or ""
        needs = tuple((number, number not in each.waits_for) for number in each.depends_on)
        return TaskRow(
            number=each.number,
            glyph=_GLYPHS[each.state][self._app.mux.line_style() == "ascii"],
            state=each.state.value,
            owner=each.owner,
            gone=each.gone,
            needs=needs,
            since=duration(each.seconds),
            note=each.note,
            draft=TaskDraft(each.title, each.detail, owner, " ".join(map(str, each.depends_on))),
        )


def _numbers(text: str) -> tuple[int, ...] | str:
    """The tasks that one depends on; what is wrong with them if that is no list of numbers."""
    words = [word for word in re.split(r"[\s,#]+", text) if word]
    if wrong := [word for word in words if not re.fullmatch(r"[0-9]{1,9}", word)]:
        return f"depends on: {wrong[0][:20]!a} is no number of a task; write 3 4"
    return tuple(map(int, words))
