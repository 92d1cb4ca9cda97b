"""The table of tasks: it follows them, and its keys and the mouse add, edit, finish, reopen, remove and filter them."""

import pytest
from tests.multiplexer.conftest import agent
from tests.tui.conftest import Open, Stage
from tests.tui.test_snapshots import Picture
from tests.tui.test_snapshots import picture as picture
from textual.widgets import Input

from fugue_tui.control.command_table import panes
from fugue_tui.control.core.command import USER, Origin
from fugue_tui.control.core.deferred import is_deferred
from fugue_tui.control.core.new_pane import Direction
from fugue_tui.control.schema.command_line import command as parse
from fugue_tui.ids import PaneId
from fugue_tui.tui.ui.task_overview import TaskOverview
from fugue_tui_widgets.dialogs import Confirm
from fugue_tui_widgets.task_form import TaskDraft, TaskForm
from fugue_tui_widgets.task_screen import TaskRow, TaskScreen


async def say(stage: Stage, line: str, origin: Origin = USER) -> None:
    """Run a command line, and wait for its result."""
    result = stage.app.dispatcher.run(parse(line), origin)
    assert is_deferred(result)
    await stage.until(lambda: result.done)
    result.result()


async def three(stage: Stage) -> None:
    """Three tasks: one claimed by a pane, one that waits for it, one that is done."""
    stage.run(panes.SplitPane(direction=Direction.HORIZONTAL, command=("cat",), name="worker", cwd="/"))
    await say(stage, "add-task 'write the parser' --detail 'by hand'")
    await say(stage, "add-task 'test it' --depends-on 1")
    await say(stage, "add-task 'read the docs'")
    await say(stage, "claim-task 1", agent(PaneId(2)))
    await say(stage, "update-task 3 --state done --note 'see notes.md'")


async def opened(stage: Stage) -> TaskScreen:
    """The table, opened by its key."""
    await stage.prefix("t")
    await stage.until(lambda: isinstance(stage.app.screen, TaskScreen))
    screen = stage.app.screen
    assert isinstance(screen, TaskScreen)
    return screen


def line_of(stage: Stage, words: str) -> str:
    return next((line for line in stage.text.splitlines() if words in line), "")


async def test_it_shows_and_follows_the_tasks(open_stage: Open) -> None:
    async with open_stage(rows=20) as stage:
        await three(stage)
        await opened(stage)
        await stage.until(lambda: "3 tasks, 1 claimed, 1 done" in stage.text)
        assert "● 1 write the parser" in stage.text
        assert "%2 worker" in line_of(stage, "write the parser")
        assert "by hand" in stage.text
        await say(stage, "update-task 1 --state done", agent(PaneId(2)))
        await stage.until(lambda: "✓ 1 write the parser" in stage.text)
        await say(stage, "claim-task 2", agent(PaneId(2)))
        stage.run(panes.ClosePane(pane="%2"))
        await stage.until(lambda: "%2 worker?" in line_of(stage, "test it"))


async def test_the_first_task_of_an_empty_table_has_all_of_its_title(open_stage: Open) -> None:
    async with open_stage(rows=24) as stage:
        screen = TaskScreen(TaskOverview(stage.app))
        await stage.app.push_screen(screen)
        await stage.until(lambda: "There are no tasks" in stage.text)
        screen.show(ROWS[:1])
        await stage.until(lambda: "✓ 1 write the parser" in stage.text)


async def test_tasks_are_added_and_edited_by_keys(open_stage: Open) -> None:
    async with open_stage(rows=24) as stage:
        await opened(stage)
        await stage.until(lambda: "There are no tasks" in stage.text)
        await stage.press("a")
        await stage.until(lambda: isinstance(stage.app.screen, TaskForm))
        await stage.press(*"first", "tab", *"one", "enter", *"two", "ctrl+s")
        await stage.until(lambda: "○ 1 first" in stage.text and "two" in stage.text)
        assert stage.mux.tasks.get(1).detail == "one\ntwo"
        await stage.press("a", *"second", "tab", "tab", *"user", "tab", *"1", "enter")
        await stage.until(lambda: "○ 2 second" in stage.text)
        task = stage.mux.tasks.get(2)
        assert (task.owner, task.depends_on, task.by) == ("user", (1,), "the user")
        await stage.press("down", "enter", *" one", "tab", "tab", *["backspace"] * 4, "tab", "backspace", "enter")
        await stage.until(lambda: "second one" in stage.text)
        task = stage.mux.tasks.get(2)
        assert (task.title, task.owner, task.depends_on) == ("second one", "", ())
        await stage.press("escape")
        await stage.until(lambda: stage.app.on_panes)


async def test_what_cannot_be_saved_stays_in_the_form(open_stage: Open) -> None:
    async with open_stage(rows=24) as stage:
        await opened(stage)
        await stage.press("a", *"x", "tab", "tab", "tab", *"9", "enter")
        await stage.until(lambda: "there is no task 9" in stage.text)
        assert isinstance(stage.app.screen, TaskForm)
        await stage.press("backspace", *"b", "enter")
        await stage.until(lambda: "'b' is no number of a task" in stage.text)
        await stage.press("backspace", "enter")
        await stage.until(lambda: isinstance(stage.app.screen, TaskScreen) and "○ 1 x" in stage.text)
        await stage.press("a", "escape")
        await stage.until(lambda: isinstance(stage.app.screen, TaskScreen))
        assert len(stage.mux.tasks.all) == 1


async def test_keys_finish_reopen_remove_and_filter(open_stage: Open) -> None:
    async with open_stage(rows=20) as stage:
        await three(stage)
        await opened(stage)
        await stage.until(lambda: "3 tasks" in stage.text)
        await stage.press("d")
        await stage.until(lambda: "✓ 1 write" in stage.text)
        assert stage.mux.tasks.get(1).owner
        await stage.press("slash", *"parser")
        await stage.until(lambda: "test it" not in stage.text)
        assert any(line.strip("┃ ") == "parser" for line in stage.text.splitlines())
        await stage.press("enter", "o")
        await stage.until(lambda: "○ 1 write" in stage.text)
        assert stage.mux.tasks.get(1).owner == ""
        await stage.press("escape")
        await stage.until(lambda: "test it" in stage.text)
        await stage.press("j", "x")
        await stage.until(lambda: isinstance(stage.app.screen, TaskScreen) is False)
        assert isinstance(stage.app.screen, Confirm)
        assert "Remove task 2 (test it)?" in stage.text
        await stage.press("n")
        await stage.until(lambda: isinstance(stage.app.screen, TaskScreen))
        assert 2 in stage.mux.tasks.all
        await stage.press("k", "x", "y")
        await stage.until(lambda: "task 1 stays: task 2 depends on it" in stage.text)
        await stage.press("j", "x", "y")
        await stage.until(lambda: "2 tasks" in stage.text and "stays" not in stage.text)
        assert 2 not in stage.mux.tasks.all


async def test_the_mouse_chooses_opens_and_presses_keys(open_stage: Open) -> None:
    async with open_stage(rows=20) as stage:
        await three(stage)
        screen = await opened(stage)
        await stage.until(lambda: "3 tasks" in stage.text)

        async def click(words: str, times: int = 1) -> None:
            y, line = next((y, line) for y, line in enumerate(stage.text.splitlines()) if words in line)
            await stage.pilot.click(offset=(line.index(words) + 1, y), times=times)

        await click("test it")
        await stage.until(lambda: screen.chosen is not None and screen.chosen.number == 2)
        assert stage.app.screen is screen
        await click("d done")
        await stage.until(lambda: "✓ 2 test it" in stage.text)
        await click("a add")
        await stage.until(lambda: isinstance(stage.app.screen, TaskForm))
        assert stage.app.screen.query(Input).first().has_focus
        await click("Escape cancels")
        await stage.until(lambda: stage.app.screen is screen)
        await click("read the docs", times=2)
        await stage.until(lambda: isinstance(stage.app.screen, TaskForm))
        assert stage.app.screen.query(Input).first().value == "read the docs"
        await click("Escape cancels")
        await stage.until(lambda: stage.app.screen is screen)
        await click("/ filter")
        await stage.press(*"notes.md")
        await stage.until(lambda: "write the parser" not in stage.text and "read the docs" in stage.text)
        await click("Escape close")
        await stage.until(lambda: "write the parser" in stage.text)
        await click("Escape close")
        await stage.until(lambda: stage.app.on_panes)


async def test_the_palette_opens_it(open_stage: Open) -> None:
    async with open_stage(rows=20) as stage:
        await stage.prefix("p")
        await stage.press(*"show-tasks", "enter")
        await stage.until(lambda: isinstance(stage.app.screen, TaskScreen))


async def test_the_filter_does_not_look_at_times(open_stage: Open) -> None:
    async with open_stage(rows=20) as stage:
        screen = TaskScreen(TaskOverview(stage.app))
        screen.show(ROWS)
        await stage.app.push_screen(screen)
        await stage.until(lambda: "6 tasks" in stage.text)
        await stage.press("slash", *"2h")
        await stage.until(lambda: "0 shown" in stage.text)


async def test_hostile_words_are_shown_as_they_are(open_stage: Open) -> None:
    async with open_stage(rows=20) as stage:
        await say(stage, "add-task '[bold]x[/] [@click=app.quit]y[/]' --detail '[red]z\x1b[2J'")
        await opened(stage)
        await stage.until(lambda: "[bold]x[/] [@click=app.quit]y[/]" in stage.text)
        assert "[red]z" in stage.text


ROWS = [
    TaskRow(1, "✓", "done", "%2 worker", "", (), "2h", "branch parser", TaskDraft("write the parser", "", "%2")),
    TaskRow(2, "●", "claimed", "%2 worker", "", ((1, True),), "12m", "", TaskDraft("test it", "by hand")),
    TaskRow(3, "○", "open", "user", "", ((1, True), (2, False)), "2h", "", TaskDraft("read it all again", "", "user")),
    TaskRow(4, "●", "claimed", "%5 tester", "its pane is closed", (), "3s", "", TaskDraft("draw 漢字 " + "on " * 20)),
    TaskRow(5, "✗", "failed", "%3", "", (), "1d", "no key", TaskDraft("publish it")),
    TaskRow(12, "–", "cancelled", "", "", (), "40s", "", TaskDraft("ask somebody")),
]  # fmt: skip


@pytest.mark.parametrize(("cols", "rows"), [(80, 24), (40, 12)])
def test_the_table_of_tasks(picture: Picture, cols: int, rows: int) -> None:
    async def script(stage: Stage) -> None:
        screen = TaskScreen(TaskOverview(stage.app))
        screen.show(ROWS)
        await stage.app.push_screen(screen)
        await stage.until(lambda: "6 tasks" in stage.text)

    assert picture(script, cols, rows)


@pytest.mark.parametrize(("cols", "rows"), [(80, 24), (40, 12)])
def test_no_tasks(picture: Picture, cols: int, rows: int) -> None:
    async def script(stage: Stage) -> None:
        await opened(stage)
        await stage.until(lambda: "There are no tasks" in stage.text)

    assert picture(script, cols, rows)


@pytest.mark.parametrize(("cols", "rows"), [(80, 24), (40, 12)])
def test_the_form_of_a_task(picture: Picture, cols: int, rows: int) -> None:
    async def script(stage: Stage) -> None:
        draft = TaskDraft("test the parser", "by hand\nand by CI", "%2", "1 3")
        await stage.app.push_screen(TaskForm("task 4", draft, (), lambda draft, done: done("no pane %2")))
        await stage.press("ctrl+s")
        await stage.until(lambda: "no pane %2" in stage.text)

    assert picture(script, cols, rows)
