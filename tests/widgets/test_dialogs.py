"""Every dialog has a way out by Escape, Ctrl+C and the mouse, and shows all of its text on 40x12."""

from typing import Any

import pytest
from textual.app import App
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.events import Paste
from textual.screen import ModalScreen
from textual.widgets import OptionList, TextArea

from fugue_tui_widgets.approval_dialog import ApprovalDialog
from fugue_tui_widgets.buffer_screen import BufferRow, BufferScreen
from fugue_tui_widgets.dialogs import Answer, Ask, Choose, Confirm, Page
from fugue_tui_widgets.help_screen import HelpEntry, HelpScreen, HelpSection
from fugue_tui_widgets.paste_dialog import PasteDialog
from fugue_tui_widgets.restore_dialog import RestoreDialog
from fugue_tui_widgets.task_form import TaskDraft, TaskForm

DIALOGS = {
    "confirm": lambda: Confirm("End the workspace main with 5 running programs?"),
    "ask": lambda: Ask("name of this window", "bash"),
    "page": lambda: Page("messages", Content("one\ntwo")),
    "choose": lambda: Choose("windows", [("@1", "one"), ("@2", "two")], "@2"),
    "buffers": lambda: BufferScreen([BufferRow("buffer0", "12:00", "text", "text")], lambda _: ()),
    "task": lambda: TaskForm("new task", TaskDraft(), (), lambda draft, done: None),
    "help": lambda: HelpScreen(["help"], [[HelpSection("Panes", [HelpEntry("x", "close")])]]),
    "paste": lambda: PasteDialog("Paste?", "before", "after"),
    "restore": lambda: RestoreDialog("saved yesterday", [("1 work", "vim, bash")] * 9, guard=0.0),
    "approval": lambda: ApprovalDialog("claude wants to type", "rm x", [("once", "Yes")], guard=0.0),
}
LEFT = {"confirm": False, "paste": False, "restore": False}
"""What a dialog answers that is left; None for the others."""


class Asking(App[None]):
    """Shows one dialog, and keeps its answer."""

    def __init__(self, dialog: ModalScreen[Any]) -> None:
        super().__init__()
        self.dialog, self.answers = dialog, list[Any]()

    async def on_mount(self) -> None:
        await self.push_screen(self.dialog, self.answers.append)


@pytest.mark.parametrize("key", ["escape", "ctrl+c"])
@pytest.mark.parametrize("name", DIALOGS)
async def test_escape_and_ctrl_c_leave(name: str, key: str) -> None:
    app = Asking(DIALOGS[name]())
    async with app.run_test(size=(40, 12)) as pilot:
        await pilot.press(key)
        await pilot.pause()
        assert app.answers == [LEFT.get(name)]


@pytest.mark.parametrize("cols", [40, 100])
async def test_what_is_typed_instead_of_an_answer_about_a_restore_is_refused_in_words(cols: int) -> None:
    app = Asking(RestoreDialog("saved yesterday", [("1 work", "vim, bash")], guard=0.0))
    async with app.run_test(size=(cols, 12)) as pilot:
        frame = app.screen.query_one(Vertical)
        await pilot.press("down", "k")
        assert not frame.border_subtitle
        await pilot.press("l")
        assert frame.border_subtitle == "answer first: Enter or Escape"
        assert len(frame.border_subtitle) < frame.size.width
        assert app.answers == []


async def test_a_paste_instead_of_an_answer_about_a_restore_is_refused_in_words() -> None:
    app = Asking(RestoreDialog("saved yesterday", [("1 work", "vim, bash")], guard=0.0))
    async with app.run_test(size=(80, 24)) as pilot:
        app.screen.post_message(Paste("ls\n"))
        await pilot.pause()
        assert app.screen.query_one(Vertical).border_subtitle == "answer first: Enter or Escape"
        assert app.answers == []


@pytest.mark.parametrize("name", ["confirm", "ask", "page", "choose", "help", "paste"])
async def test_a_click_beside_a_dialog_leaves_it(name: str) -> None:
    app = Asking(DIALOGS[name]())
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.click(offset=(0, 0))
        await pilot.pause()
        assert app.answers == [LEFT.get(name)]


@pytest.mark.parametrize("name", ["confirm", "paste", "restore"])
@pytest.mark.parametrize("answer", [True, False])
async def test_answers_can_be_clicked(name: str, answer: bool) -> None:
    app = Asking(DIALOGS[name]())
    async with app.run_test(size=(40, 12)) as pilot:
        found = next(each for each in app.screen.query(Answer) if each.answer is answer)
        await pilot.click(found)
        await pilot.pause()
        assert app.answers == [answer]


async def test_a_choice_can_be_clicked() -> None:
    app = Asking(DIALOGS["choose"]())
    async with app.run_test(size=(40, 12)) as pilot:
        await pilot.click(OptionList, offset=(3, 1))
        await pilot.pause()
        assert app.answers == ["@1"]


@pytest.mark.parametrize("name", DIALOGS)
async def test_a_dialog_is_whole_on_a_small_screen(name: str) -> None:
    app = Asking(DIALOGS[name]())
    async with app.run_test(size=(40, 12)) as pilot:
        await pilot.pause()
        screen = app.screen.region
        frames = [*app.screen.query(Vertical), *app.screen.query(VerticalScroll), *app.screen.query(OptionList)]
        assert all(frame.region in screen for frame in frames)
        assert all(each.region in screen and each.region.height == 1 for each in app.screen.query(Answer))


@pytest.mark.parametrize("name", DIALOGS)
async def test_scroll_bars_are_one_cell_wide(name: str) -> None:
    app = Asking(DIALOGS[name]())
    async with app.run_test() as pilot:
        await pilot.pause()
        scrolled = [*app.screen.query(VerticalScroll), *app.screen.query(OptionList), *app.screen.query(TextArea)]
        assert {each.styles.scrollbar_size_vertical for each in scrolled} <= {1}


TEXTS = {
    "paste": lambda: PasteDialog("Paste into the shell of %1?", "$ ls\n$ pwd", "ls\npwd"),
    "restore": lambda: RestoreDialog("saved yesterday", [("1 work", "vim, bash")] * 3, ["no htop"]),
    "approval": lambda: ApprovalDialog("claude wants to run", "make " * 19, [("once", "Yes, once")]),
}


@pytest.mark.parametrize("name", TEXTS)
async def test_a_text_that_has_room_on_a_small_screen_has_no_scroll_bar(name: str) -> None:
    app = Asking(TEXTS[name]())
    async with app.run_test(size=(40, 12)) as pilot:
        await pilot.pause()
        assert not any(part.show_vertical_scrollbar for part in app.screen.query(VerticalScroll))
        assert app.screen.query(Vertical).first().region in app.screen.region


async def test_a_short_text_leaves_its_rows_to_a_long_one() -> None:
    lines = "\n".join(map(str, range(11)))
    for before, after in ((lines, "one"), ("one", lines)):
        app = Asking(PasteDialog("Paste?", before, after))
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.pause()
            assert [part.size.height for part in app.screen.query(VerticalScroll)] == [
                len(text.splitlines()) for text in (before, after)
            ]


async def test_a_key_is_apart_from_what_it_answers() -> None:
    app = Asking(DIALOGS["confirm"]())
    async with app.run_test() as pilot:
        await pilot.pause()
        assert [str(answer.content) for answer in app.screen.query(Answer)] == [" y  yes", " n  no"]
