"""Text is selected with the mouse, copied where it was selected, and let go again."""

import pytest
from tests.tui.conftest import RAW, Open, Stage
from tests.tui.text_selection import LINES, TEXT
from tests.tui.text_selection import patient_clicks as patient_clicks

from fugue_tui.config.model import Config, UiSettings
from fugue_tui.control.command_table import panes

MOUSE = RAW + "printf '\\033[?1002h\\033[?1006hone two three\\r\\nready'; exec od -An -tx1 -v -w1"


def marked(stage: Stage, pane: int = 1) -> list[str]:
    """What a pane's widget draws in reverse video, row by row, without the cursor."""
    view = stage.view(pane)
    view.draws_cursor = False
    rows = [
        "".join(segment.text for segment in view.render_line(y) if segment.style and segment.style.reverse)
        for y in range(view.size.height)
    ]
    return [row.rstrip() for row in rows if row]


async def clicks(stage: Stage, at: tuple[int, int], count: int) -> None:
    for _ in range(count):
        await stage.drag(at)


# The mouse


async def test_a_drag_selects_text_and_copies_it(open_stage: Open) -> None:
    async with open_stage("sh", "-c", TEXT) as stage:
        await stage.until_text("ready")
        await stage.drag((4, 0), (8, 0), (6, 1))
        await stage.until(lambda: "copied 17 characters in 2 lines" in stage.text)
        assert stage.app.clipboard == "two three\nsee /us"
        await stage.until(lambda: marked(stage) == ["two three", "see /us"])


async def test_a_drag_may_go_backwards_and_is_no_click_in_the_program(open_stage: Open) -> None:
    async with open_stage("sh", "-c", TEXT) as stage:
        await stage.until_text("ready")
        await stage.drag((6, 0), (4, 0))
        await stage.until(lambda: stage.app.clipboard == "two")


async def test_a_double_click_selects_a_path_and_a_third_the_line(open_stage: Open) -> None:
    async with open_stage("sh", "-c", TEXT) as stage:
        await stage.until_text("ready")
        await clicks(stage, (10, 1), 2)
        await stage.until(lambda: stage.app.clipboard == "/usr/share/doc.txt")
        await stage.drag((10, 1))
        await stage.until(lambda: stage.app.clipboard == "see /usr/share/doc.txt here")
        await stage.drag((10, 1))
        await stage.until(lambda: marked(stage) == [])


async def test_a_double_click_that_is_dragged_selects_words(open_stage: Open) -> None:
    async with open_stage("sh", "-c", TEXT) as stage:
        await stage.until_text("ready")
        await stage.drag((5, 0))
        await stage.drag((5, 0), (9, 0))
        await stage.until(lambda: stage.app.clipboard == "two three")


@pytest.mark.slow
@pytest.mark.parametrize("end", ["click", "escape"])
async def test_a_click_and_escape_clear_the_selection_and_only_escape_reaches_the_program(
    open_stage: Open, end: str
) -> None:
    async with open_stage("sh", "-c", RAW + "printf 'one two\\r\\n'; exec od -An -tx1 -v -w1") as stage:
        await stage.until_text("one two")
        await stage.drag((0, 0), (2, 0))
        await stage.until(lambda: marked(stage) == ["one"])
        await (stage.drag((5, 5)) if end == "click" else stage.press("escape"))
        await stage.until(lambda: marked(stage) == [])
        assert stage.terminal().copy_mode.selected is None
        await stage.press("x")
        await stage.until_text(" 78")
        assert ("1b" in stage.pane_text()) is (end == "escape")


@pytest.mark.slow
async def test_typing_and_a_click_elsewhere_keep_the_selection(open_stage: Open) -> None:
    async with open_stage("sh", "-c", TEXT) as stage:
        await stage.until_text("ready")
        stage.run(panes.SplitPane(command=("cat",)))
        await stage.until(lambda: 2 in stage.rects)
        await stage.drag((0, 1), (2, 1))
        await stage.until(lambda: marked(stage) == ["one"])
        await stage.drag((60, 5))
        await stage.press("x")
        await stage.until_text("x", pane=2)
        assert marked(stage) == ["one"]


@pytest.mark.slow
async def test_there_is_one_selection_in_the_workspace(open_stage: Open) -> None:
    async with open_stage("sh", "-c", TEXT) as stage:
        await stage.until_text("ready")
        stage.run(panes.SplitPane(command=("sh", "-c", TEXT)))
        await stage.until_text("ready", pane=2)
        await stage.until(lambda: 2 in stage.rects)
        await stage.drag((0, 1), (2, 1))
        await stage.until(lambda: marked(stage) == ["one"])
        x = stage.rects[2].x
        await stage.drag((x, 1), (x + 2, 1))
        await stage.until(lambda: marked(stage, 2) == ["one"] and marked(stage) == [])


@pytest.mark.slow
async def test_with_shift_it_selects_where_the_program_has_the_mouse(open_stage: Open) -> None:
    async with open_stage("sh", "-c", MOUSE, rows=40) as stage:
        await stage.until_text("ready")
        await stage.drag((0, 0), (2, 0), shift=True)
        await stage.until(lambda: stage.app.clipboard == "one")
        assert "1b" not in stage.pane_text()
        assert stage.terminal().copy_mode.selected_text == "one"
        await stage.drag((4, 0), (6, 0))
        await stage.until_text("1b")
        assert stage.app.clipboard == "one"
        assert stage.terminal().copy_mode.selected is None


@pytest.mark.slow
async def test_a_drag_past_the_upper_edge_scrolls_into_the_history(open_stage: Open) -> None:
    async with open_stage("sh", "-c", LINES) as stage:
        await stage.until_text("ready")
        await stage.hold((0, 10), (0, 5), (3, 0))
        await stage.until(lambda: stage.terminal().scrollback.offset >= 40)
        await stage.let_go((3, 0))
        offset = stage.terminal().scrollback.offset
        await stage.until(lambda: stage.app.clipboard)
        selected = stage.app.clipboard.split("\n")
        assert selected[-2:] == ["line 188", "l"]
        assert len(selected) == offset + 11
        await stage.press("x")
        await stage.until(lambda: stage.terminal().scrollback.offset == 0)
        await stage.until(lambda: marked(stage)[-1:] == ["l"])


@pytest.mark.slow
async def test_a_drag_past_the_lower_edge_scrolls_on(open_stage: Open) -> None:
    async with open_stage("sh", "-c", LINES) as stage:
        await stage.until_text("ready")
        stage.view().scroll_back(100)
        await stage.until_text("line 80")
        await stage.hold((0, 5), (0, 10), (3, 23))
        await stage.until(lambda: stage.terminal().scrollback.offset <= 80)
        await stage.let_go((3, 23))
        offset = stage.terminal().scrollback.offset
        assert stage.terminal().copy_mode.selected_text.count("\n") == 100 - offset + 17


async def test_a_drag_along_the_first_row_does_not_scroll(open_stage: Open) -> None:
    async with open_stage("sh", "-c", LINES) as stage:
        await stage.until_text("ready")
        await stage.hold((0, 0), (3, 0))
        drag = stage.view()._mouse._drag  # pyright: ignore[reportPrivateUsage]
        assert drag is not None
        assert drag.timer is None
        await stage.drag((3, 0), (5, 0))
        await stage.until(lambda: stage.app.clipboard == "e 1")
        assert stage.terminal().scrollback.offset == 0


@pytest.mark.slow
async def test_the_wheel_scrolls_during_a_drag(open_stage: Open) -> None:
    async with open_stage("sh", "-c", LINES) as stage:
        await stage.until_text("ready")
        await stage.hold((0, 10), (0, 8))
        await stage.wheel(True, (0, 8))
        await stage.wheel(True, (0, 8))
        await stage.let_go((0, 8))
        await stage.until(lambda: stage.app.clipboard.count("\n") == 8)


async def test_output_that_writes_over_it_ends_it(open_stage: Open) -> None:
    async with open_stage("sh", "-c", TEXT) as stage:
        await stage.until_text("ready")
        await stage.drag((0, 0), (2, 0))
        await stage.until(lambda: marked(stage) == ["one"])
        stage.terminal().receive(memoryview(b" and more"))
        await stage.until_text("and more")
        assert marked(stage) == ["one"]
        stage.terminal().receive(memoryview(b"\x1b[1;2HNE"))
        await stage.until(lambda: marked(stage) == [])


async def test_blanks_are_not_copied_over_the_clipboard(open_stage: Open) -> None:
    async with open_stage("sh", "-c", TEXT) as stage:
        await stage.until_text("ready")
        stage.app.copy("before", None)
        await stage.drag((0, 10), (5, 12))
        assert stage.app.clipboard == "before"
        assert stage.terminal().copy_mode.selected is None


async def test_a_text_that_no_clipboard_takes_is_kept_for_pasting(
    open_stage: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fugue_tui.tui.input.clipboard.MOST_BYTES", 10)
    async with open_stage("sh", "-c", TEXT) as stage:
        await stage.until_text("ready")
        await stage.drag((0, 0), (12, 0))
        await stage.until(lambda: "copied 13 characters; ctrl+b ] pastes" in stage.text)
        assert stage.app.clipboard == "one two three"


async def test_copy_on_select_can_be_disabled(open_stage: Open) -> None:
    config = Config(ui=UiSettings(copy_on_select=False, which_key_delay_ms=10_000))
    async with open_stage("sh", "-c", TEXT, config=config) as stage:
        await stage.until_text("ready")
        await stage.drag((0, 0), (2, 0))
        await stage.until(lambda: marked(stage) == ["one"])
        assert stage.app.clipboard == ""
        await stage.prefix("left_square_bracket", "y")
        await stage.until(lambda: stage.app.clipboard == "one")


async def test_a_selection_keeps_its_text_when_the_pane_gets_another_size(open_stage: Open) -> None:
    async with open_stage("sh", "-c", TEXT) as stage:
        await stage.until_text("ready")
        await stage.drag((4, 0), (6, 1))
        await stage.until(lambda: marked(stage) == ["two three", "see /us"])
        await stage.pilot.resize_terminal(12, 20)
        await stage.until(lambda: stage.terminal().size.cols == 12)
        assert stage.terminal().copy_mode.selected_text == "two three\nsee /us"
        await stage.until(lambda: marked(stage) == ["two thre", "e", "see /us"])


@pytest.mark.slow
async def test_closing_a_pane_clears_its_selection(open_stage: Open) -> None:
    async with open_stage("sh", "-c", TEXT) as stage:
        await stage.until_text("ready")
        stage.run(panes.SplitPane(command=("sh", "-c", TEXT)))
        await stage.until_text("ready", pane=2)
        x = stage.rects[2].x
        await stage.drag((x, 1), (x + 2, 1))
        await stage.until(lambda: marked(stage, 2) == ["one"])
        stage.run(panes.ClosePane(pane="%2"))
        await stage.until(lambda: 2 not in stage.rects)
        assert all(terminal.copy_mode.selected is None for terminal in stage.mux.terminals.values())
