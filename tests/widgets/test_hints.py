"""Frames name as many keys as fit, the way out among the first, and what is cut ends in an ellipsis."""

from typing import Any

import pytest
from textual.app import App, ComposeResult
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Label, Static

from fugue_tui.geometry import Rect
from fugue_tui_widgets.buffer_screen import BufferRow, BufferScreen
from fugue_tui_widgets.command_prompt import CommandPrompt
from fugue_tui_widgets.dialogs import fitting, hint_lines
from fugue_tui_widgets.drag_screen import DragScreen, Drop
from fugue_tui_widgets.help_screen import HelpColumns, HelpEntry, HelpScreen, HelpSection
from fugue_tui_widgets.restore_dialog import RestoreDialog
from fugue_tui_widgets.row_list import ListRow, RowList

BUFFERS = [BufferRow("buffer0", "12:00", "text", "text")]
ZOOM = [HelpSection("Panes", [HelpEntry("zoom-pane", "Zoom a pane to fill its window, or unzoom it.")])]


class Showing(App[None]):
    """Shows one dialog."""

    def __init__(self, dialog: ModalScreen[Any]) -> None:
        super().__init__()
        self.dialog = dialog

    async def on_mount(self) -> None:
        await self.push_screen(self.dialog)

    @property
    def titles(self) -> str:
        frame = self.dialog.query_one(Vertical)
        return f"{frame.border_title}\n{frame.border_subtitle}"


@pytest.mark.parametrize(
    ("width", "shown"), [(0, ""), (5, "Enter"), (13, "Enter"), (14, "Enter · Escape"), (99, "Enter · Escape · 漢字")]
)
def test_the_first_hints_that_fit_are_shown(width: int, shown: str) -> None:
    assert fitting(("Enter", "Escape", "漢字"), width) == shown


@pytest.mark.parametrize(
    ("width", "lines"),
    [
        (0, [["Enter"], ["Escape"], ["漢字"]]),
        (14, [["Enter", "Escape"], ["漢字"]]),
        (21, [["Enter", "Escape", "漢字"]]),
    ],
)
def test_no_hint_is_cut_in_two_by_the_end_of_a_line(width: int, lines: list[list[str]]) -> None:
    assert hint_lines(("Enter", "Escape", "漢字"), width) == lines


@pytest.mark.parametrize(
    ("dialog", "narrow", "wide"),
    [
        (lambda: BufferScreen(BUFFERS, lambda _: ()), "Escape closes", "/ filters"),
        (lambda: HelpScreen(["help: keys after ctrl+b", "commands after ctrl+b :"], [ZOOM]), "ctrl+b", "commands"),
        (lambda: CommandPrompt([], lambda _: (0, ()), lambda _: ""), "history", "Escape cancels"),
    ],
)
async def test_frames_name_more_keys_as_a_screen_grows(dialog: Any, narrow: str, wide: str) -> None:
    app = Showing(dialog())
    async with app.run_test(size=(40, 12)) as pilot:
        await pilot.pause()
        assert narrow in app.titles
        assert wide not in app.titles
        await pilot.resize_terminal(100, 30)
        await pilot.pause()
        assert wide in app.titles
        await pilot.resize_terminal(40, 12)
        await pilot.pause()
        assert wide not in app.titles


async def test_the_little_that_a_search_of_the_help_finds_has_the_whole_width() -> None:
    app = Showing(HelpScreen(["help"], [ZOOM]))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        body = app.screen.query_one(HelpColumns)
        rows = [body.render_line(y).text for y in range(body.size.height)]
        assert any("Zoom a pane to fill its window, or unzoom it." in row for row in rows)


@pytest.mark.parametrize(("cols", "label"), [(80, "%1 hello: swap with %3 · Escape cancels"), (40, "swap with %3")])
async def test_a_drag_names_the_way_out_however_narrow_the_screen_is(cols: int, label: str) -> None:
    drop = Drop(Rect(0, 2, 10, 5), "swap with %3", ())
    app = Showing(DragScreen("%1 hello", (3, 3), lambda _x, _y: drop))
    async with app.run_test(size=(cols, 12)) as pilot:
        await pilot.pause()
        shown = str(app.screen.query_one(Label).content)
        assert shown.startswith(label)
        assert shown.endswith("Escape cancels")
        assert len(shown) <= cols - 2


@pytest.mark.parametrize(("cols", "line"), [(40, "1 work  vim, bash"), (80, "1 work            vim, bash")])
async def test_programs_to_be_restored_are_in_a_column_where_there_is_room(cols: int, line: str) -> None:
    app = Showing(RestoreDialog("saved", [("1 work", "vim, bash"), ("2 a long name 123", "top")]))
    async with app.run_test(size=(cols, 24)) as pilot:
        await pilot.pause()
        assert str(app.screen.query_one("VerticalScroll Static", Static).content).startswith(line)


class Rows(App[None]):
    def compose(self) -> ComposeResult:
        yield RowList()


async def test_a_row_that_is_cut_ends_in_an_ellipsis() -> None:
    app = Rows()
    async with app.run_test(size=(20, 4)) as pilot:
        rows = app.query_one(RowList)
        rows.show([ListRow("", (("a heading that is far too long", "heading"),)), ListRow("a", (("x" * 20, ""),))])
        await pilot.pause()
        assert rows.render_line(0).text == "a heading that is f…"
        assert rows.render_line(1).text == "x" * 20
