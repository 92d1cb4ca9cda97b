"""Text is selected with the mouse and by keys, copied where it was selected, and let go again."""

import re
from base64 import b64decode

import pytest
from tests.tui.conftest import RAW, Open, Stage
from tests.tui.serving import Client, Serve, Serving, hello
from tests.tui.serving import serve as serve
from tests.tui.test_two_ways_of_painting import differing

from fugue_tui.config import Config, UiSettings
from fugue_tui.control.commands import panes
from fugue_tui.geometry import Size
from fugue_tui.terminal.pins import Place

TEXT = "stty -echo; echo 'one two three'; echo 'see /usr/share/doc.txt here'; echo 'last line'; printf ready; exec cat"
LINES = 'stty -echo; i=0; while [ $i -lt 200 ]; do i=$((i+1)); echo "line $i"; done; printf ready; exec cat'
MOUSE = RAW + "printf '\\033[?1002h\\033[?1006hone two three\\r\\nready'; exec od -An -tx1 -v -w1"


@pytest.fixture(autouse=True)
def patient_clicks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Clicks count together however slow the machine is."""
    monkeypatch.setattr("fugue_tui_widgets.pointing._AGAIN_SECONDS", 60.0)


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


@pytest.mark.parametrize("end", ["click", "escape"])
async def test_a_click_and_escape_let_go_and_the_program_does_not_hear_of_it(open_stage: Open, end: str) -> None:
    async with open_stage("sh", "-c", RAW + "printf 'one two\\r\\n'; exec od -An -tx1 -v -w1") as stage:
        await stage.until_text("one two")
        await stage.drag((0, 0), (2, 0))
        await stage.until(lambda: marked(stage) == ["one"])
        await (stage.drag((5, 5)) if end == "click" else stage.press("escape"))
        await stage.until(lambda: marked(stage) == [])
        assert stage.terminal().selected is None
        await stage.press("x")
        await stage.until_text(" 78")
        assert "1b" not in stage.pane_text()
        await stage.press("escape")
        await stage.until_text(" 1b")


async def test_typing_and_a_click_elsewhere_leave_it(open_stage: Open) -> None:
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


async def test_with_shift_it_selects_where_the_program_has_the_mouse(open_stage: Open) -> None:
    async with open_stage("sh", "-c", MOUSE, rows=40) as stage:
        await stage.until_text("ready")
        await stage.drag((0, 0), (2, 0), shift=True)
        await stage.until(lambda: stage.app.clipboard == "one")
        assert "1b" not in stage.pane_text()
        assert stage.terminal().selected_text == "one"
        await stage.drag((4, 0), (6, 0))
        await stage.until_text("1b")
        assert stage.app.clipboard == "one"
        assert stage.terminal().selected is None


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


async def test_a_drag_past_the_lower_edge_scrolls_on(open_stage: Open) -> None:
    async with open_stage("sh", "-c", LINES) as stage:
        await stage.until_text("ready")
        stage.view().scroll_back(100)
        await stage.until_text("line 80")
        await stage.hold((0, 5), (0, 10), (3, 23))
        await stage.until(lambda: stage.terminal().scrollback.offset <= 80)
        await stage.let_go((3, 23))
        offset = stage.terminal().scrollback.offset
        assert stage.terminal().selected_text.count("\n") == 100 - offset + 17


async def test_a_drag_along_the_first_row_does_not_scroll(open_stage: Open) -> None:
    async with open_stage("sh", "-c", LINES) as stage:
        await stage.until_text("ready")
        await stage.hold((0, 0), (3, 0))
        view = stage.view()
        assert view._drag is not None  # pyright: ignore[reportPrivateUsage]
        assert view._drag.timer is None  # pyright: ignore[reportPrivateUsage]
        await stage.drag((3, 0), (5, 0))
        await stage.until(lambda: stage.app.clipboard == "e 1")
        assert stage.terminal().scrollback.offset == 0


async def test_the_wheel_takes_a_drag_along(open_stage: Open) -> None:
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
        stage.app.copy_at(None, "before")
        await stage.drag((0, 10), (5, 12))
        assert stage.app.clipboard == "before"
        assert stage.terminal().selected is None


async def test_a_text_that_no_clipboard_takes_is_left_and_that_is_said(
    open_stage: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fugue_tui.tui.selecting.MOST_BYTES", 10)
    async with open_stage("sh", "-c", TEXT) as stage:
        await stage.until_text("ready")
        await stage.drag((0, 0), (12, 0))
        await stage.until(lambda: "13 bytes are more than" in stage.text)
        assert stage.app.clipboard == ""


async def test_copying_at_once_can_be_switched_off(open_stage: Open) -> None:
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
        assert stage.terminal().selected_text == "two three\nsee /us"
        await stage.until(lambda: marked(stage) == ["two thre", "e", "see /us"])


async def test_a_pane_that_closes_takes_its_selection_along(open_stage: Open) -> None:
    async with open_stage("sh", "-c", TEXT) as stage:
        await stage.until_text("ready")
        stage.run(panes.SplitPane(command=("sh", "-c", TEXT)))
        await stage.until_text("ready", pane=2)
        x = stage.rects[2].x
        await stage.drag((x, 1), (x + 2, 1))
        await stage.until(lambda: marked(stage, 2) == ["one"])
        stage.run(panes.ClosePane(pane="%2"))
        await stage.until(lambda: 2 not in stage.rects)
        assert all(terminal.selected is None for terminal in stage.mux.terminals.values())


# Keys


async def test_keys_move_a_cursor_select_and_copy(open_stage: Open) -> None:
    async with open_stage("sh", "-c", TEXT) as stage:
        await stage.until_text("ready")
        await stage.prefix("left_square_bracket")
        await stage.until(lambda: "reading back" in stage.text)
        cursor = stage.view().cursor
        assert cursor is not None
        assert (cursor.x, cursor.y) == (5, 3)
        await stage.press("k", "k", "0", "w", "v")
        await stage.until(lambda: "selecting" in stage.text)
        await stage.press("e")
        await stage.until(lambda: stage.terminal().selected_text == "/usr/share/doc.txt")
        await stage.press("j", "left", "h")
        assert stage.terminal().selected_text == "/usr/share/doc.txt here\nlast li"
        await stage.press("y")
        await stage.until(lambda: "copied 31 characters in 2 lines" in stage.text)
        assert stage.app.clipboard == "/usr/share/doc.txt here\nlast li"
        await stage.press("x", "enter")
        await stage.until_text("readyx")


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        ("gvw", "one t"),
        ("gv$", "one two three"),
        ("gwvb", "one t"),
        ("gwve", "two"),
        ("gV", "one two three"),
        ("gjVk", "one two three\nsee /usr/share/doc.txt here"),
        ("gvVj", "one two three\nsee /usr/share/doc.txt here"),
        ("gjl" + "v" + "0", "se"),
        ("G$v^", "ready"),
        ("HvL", "one two three\nsee /usr/share/doc.txt here\nlast line\nready"),
        ("gj$v^", "see /usr/share/doc.txt here"),
        ("gjvll", "see"),
        ("g$vhh", "ree"),
        ("gGvkk0", "see /usr/share/doc.txt here\nlast line\nr"),
        ("gvv", ""),
        ("gvee", "one two"),
        ("gjwvw", "/usr/share/doc.txt h"),
    ],
)
async def test_motions_are_those_of_vi(open_stage: Open, keys: str, text: str) -> None:
    async with open_stage("sh", "-c", TEXT) as stage:
        await stage.until_text("ready")
        await stage.prefix("left_square_bracket")
        await stage.press(
            *("dollar_sign" if key == "$" else "circumflex_accent" if key == "^" else key for key in keys)
        )
        assert stage.terminal().selected_text == text


async def test_the_cursor_goes_through_the_history_and_the_view_with_it(open_stage: Open) -> None:
    async with open_stage("sh", "-c", LINES) as stage:
        await stage.until_text("ready")
        await stage.prefix("left_square_bracket", "pageup")
        assert stage.terminal().scrollback.offset == 22
        await stage.press("V", *["up"] * 23)
        assert stage.terminal().scrollback.offset == 23
        assert stage.terminal().selected_text.split("\n") == [f"line {n}" for n in range(156, 180)][-24:]
        await stage.press("g")
        assert stage.terminal().selected_text.startswith("line 1\nline 2\n")
        await stage.press("enter")
        await stage.until(lambda: "copied" in stage.text)
        assert stage.terminal().scrollback.offset == 0
        assert stage.app.clipboard.count("\n") == 178


async def test_escape_drops_and_then_leaves_and_q_leaves_at_once(open_stage: Open) -> None:
    async with open_stage("sh", "-c", TEXT) as stage:
        await stage.until_text("ready")
        await stage.prefix("left_square_bracket", "g", "v", "l")
        assert stage.terminal().selected_text == "on"
        await stage.press("escape")
        assert stage.terminal().selected is None
        await stage.until(lambda: "reading back" in stage.text)
        await stage.press("y")
        await stage.until(lambda: "nothing is selected" in stage.text)
        await stage.press("escape")
        await stage.until(lambda: not stage.terminal().reads)
        await stage.prefix("left_square_bracket", "g", "space", "l", "q")
        assert stage.terminal().selected is None
        assert not stage.terminal().reads
        assert stage.app.clipboard == ""
        cursor = stage.view().cursor
        assert cursor is not None
        assert cursor.y == 3


async def test_reading_goes_on_in_the_pane_that_gets_the_focus(open_stage: Open) -> None:
    async with open_stage("sh", "-c", TEXT) as stage:
        await stage.until_text("ready")
        stage.run(panes.SplitPane(command=("sh", "-c", TEXT)))
        await stage.until_text("ready", pane=2)
        await stage.prefix("left_square_bracket", "k")
        stage.run(panes.FocusPane(pane="%1"))
        await stage.press("g", "v", "l")
        assert (stage.terminal(1).selected_text, stage.terminal(2).selected_text) == ("on", "")
        assert not stage.terminal(2).reads
        await stage.press("q")
        assert not stage.terminal(1).reads


async def test_the_cursor_follows_its_text_while_output_comes(open_stage: Open) -> None:
    async with open_stage("sh", "-c", LINES) as stage:
        await stage.until_text("ready")
        await stage.prefix("left_square_bracket", "k", "0", "v", "l", "l", "l")
        assert stage.terminal().selected_text == "line"
        stage.terminal().receive(memoryview(b"\r\nmore" * 10))
        await stage.press("j")
        selected = stage.terminal().selected
        assert selected is not None
        assert selected.first == Place(199, 0)
        assert stage.terminal().selected_text == "line 200\nread"


# Several terminals


def copied(client: Client) -> list[str]:
    """What a terminal was told to put on the clipboard."""
    return [b64decode(each).decode() for each in re.findall(rb"\x1b\]52;c;([^\x07]*)\x07", bytes(client.received))]


def mouse(button: int, x: int, y: int, *, up: bool = False) -> str:
    """What a terminal sends for the mouse at a cell, counted from 0."""
    return f"\x1b[<{button};{x + 1};{y + 1}{'m' if up else 'M'}"


def two(serve: Serve) -> tuple[Serving, Client, Client]:
    serving = serve("sh", "-c", TEXT, first=hello(Size(60, 20)))
    serving.shows(serving.first, "ready", "1 cat")
    other = serving.attach(Size(60, 20))
    serving.shows(other, "ready", "1 cat")
    serving.settle()
    return serving, serving.first, other


def test_it_is_shown_everywhere_and_copied_where_it_was_selected(serve: Serve) -> None:
    serving, first, other = two(serve)
    for client, x in ((other, 0), (first, 4)):
        client.send(mouse(0, x, 0) + mouse(32, x + 1, 0) + mouse(32, x + 2, 0) + mouse(0, x + 2, 0, up=True))
        serving.until(lambda client=client: copied(client))
        serving.shows(first, "copied 3 characters")
        serving.shows(other, "copied 3 characters")
    assert (copied(first), copied(other)) == (["two"], ["one"])
    for client in (first, other):
        serving.until(lambda client=client: reversed_text(client) == "two")
    assert differing(first.picture, other.picture) == []


def reversed_text(client: Client) -> str:
    """What is in reverse video in the pane's first rows."""
    return "".join(letter for row in client.grid[:3] for letter, style in row if style.inverse)


def test_keys_copy_at_the_terminal_where_they_are_pressed(serve: Serve) -> None:
    serving, first, other = two(serve)
    first.send("x")
    serving.settle()
    other.send("\x02[gvey")
    serving.until(lambda: copied(other))
    assert (copied(first), copied(other)) == ([], ["one"])


def test_a_terminal_with_a_picture_of_its_own_shows_it_too(serve: Serve) -> None:
    serving, first, other = two(serve)
    small = serving.attach(Size(40, 10), read_only=True)
    serving.shows(small, "one two")
    first.send(mouse(0, 0, 0) + mouse(32, 2, 0) + mouse(0, 2, 0, up=True))
    serving.until(lambda: reversed_text(small) == "one")
    first.send("\x1b")
    serving.until(lambda: reversed_text(small) == "" and reversed_text(first) == "" and reversed_text(other) == "")


def test_what_is_painted_while_selecting_is_what_a_repaint_paints(serve: Serve) -> None:
    serving = serve("sh", "-c", LINES, first=hello(Size(60, 20)))
    first = serving.first
    serving.shows(first, "ready", "1 cat")
    serving.settle()
    first.send(mouse(0, 3, 8) + mouse(32, 20, 9))
    first.send(mouse(64, 20, 9) * 3 + mouse(32, 2, 3) + mouse(65, 2, 3))
    first.send(mouse(32, 4, 5) + mouse(0, 4, 5, up=True))
    serving.until(lambda: copied(first))
    serving.settle()
    before = first.picture[:-1]
    assert any(style.inverse for row in first.grid for _, style in row)
    assert not first.cursor.visible
    first.emulator.feed(b"\x1b7\x1b[41m\x1b#8\x1b8")
    first.send("\x02r")
    serving.until(lambda: first.picture[:-1] == before)
    assert not first.cursor.visible
