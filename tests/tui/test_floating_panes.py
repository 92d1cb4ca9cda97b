"""A person floats panes, moves and resizes them by keys and by mouse; the screen shows what is over what."""

import os
from pathlib import Path

import pytest
from tests.tui.conftest import Open, Stage, Start
from tests.tui.render.test_two_ways_of_painting import DONE, END, LOOKS, MOVES, assert_repaint_changes_nothing, play

from fugue_tui.control.command_table import floating_panes, panes
from fugue_tui.geometry import Rect, Size
from fugue_tui.ids import PaneId

pytestmark = pytest.mark.slow

ONE, TWO, THREE = PaneId(1), PaneId(2), PaneId(3)


def popup(stage: Stage, *, cols: int, rows: int, x: int, y: int) -> None:
    """Open a popup that echoes what is typed."""
    stage.run(floating_panes.DisplayPopup(command=("cat",), cols=cols, rows=rows, x=x, y=y))


async def test_keys_float_a_pane_hide_all_and_show_the_scratch_shell(open_stage: Open) -> None:
    async with open_stage() as stage:
        await stage.prefix("%")
        await stage.prefix("e")
        assert stage.rects == {1: Rect(0, 0, 80, 23), 2: Rect(17, 5, 46, 12)}
        assert "┏━▶%2" in stage.text
        await stage.prefix("v")
        assert stage.rects == {1: Rect(0, 0, 80, 23)}
        assert stage.mux.focused == ONE
        await stage.prefix("v")
        assert stage.mux.focused == TWO
        await stage.prefix("e")
        assert stage.rects == {1: Rect(0, 1, 40, 22), 2: Rect(41, 1, 39, 22)}
        await stage.prefix("b")
        assert stage.mux.focused == THREE
        await stage.until_text("$", pane=3)
        await stage.press("e", "c", "h", "o", "space", "h", "i", "enter")
        await stage.until_text("\nhi", pane=3)
        await stage.prefix("b")
        assert 3 not in stage.rects
        await stage.prefix("c")
        await stage.prefix("b")
        assert "\nhi" in stage.pane_text(3)
        assert stage.mux.focused == THREE


@pytest.mark.parametrize("key", ["escape", "ctrl+c", "x"])
async def test_a_key_closes_a_popup_whose_program_has_ended(open_stage: Open, key: str) -> None:
    async with open_stage("cat") as stage:
        stage.run(floating_panes.DisplayPopup(command=("echo", "short")))
        await stage.until(lambda: TWO in stage.mux.exits and "Enter runs it again, Escape closes" in stage.text)
        assert "short" in stage.pane_text(2)
        await stage.press(key)
        await stage.until(lambda: TWO not in stage.mux.workspace.panes)


async def test_escape_leaves_a_tile_whose_program_has_ended(open_stage: Open) -> None:
    async with open_stage("cat") as stage:
        stage.run(panes.SplitPane(command=("sh", "-c", "exit 3"), focus=True))
        await stage.until(lambda: TWO in stage.mux.exits)
        await stage.press("escape")
        assert TWO in stage.mux.workspace.panes


async def test_a_frame_is_dragged_by_its_title_and_resized_by_its_borders(open_stage: Open) -> None:
    async with open_stage() as stage:
        popup(stage, cols=30, rows=10, x=10, y=5)
        await stage.pilot.pause()
        assert stage.rects[2] == Rect(11, 6, 28, 8)
        await stage.drag((15, 5), (20, 7), (25, 2))
        assert stage.rects[2] == Rect(21, 3, 28, 8)
        await stage.drag((49, 11), (55, 14))
        assert stage.rects[2] == Rect(21, 3, 34, 11)
        await stage.drag((20, 6), (10, 6))
        assert stage.rects[2] == Rect(11, 3, 44, 11)
        await stage.drag((15, 2), (79, 23))
        assert stage.rects[2] == Rect(35, 11, 44, 11)
        await stage.prefix("u")
        assert stage.rects[2] == Rect(11, 3, 44, 11)


async def test_a_click_focuses_what_is_seen_there_and_brings_it_to_the_front(open_stage: Open) -> None:
    async with open_stage() as stage:
        popup(stage, cols=30, rows=10, x=2, y=2)
        popup(stage, cols=30, rows=10, x=12, y=6)
        await stage.pilot.pause()
        assert stage.mux.focused == THREE
        await stage.pilot.click(offset=(5, 4))
        await stage.until(lambda: stage.mux.focused == TWO)
        assert stage.app.grid.model.solution.at(15, 8) == TWO
        await stage.pilot.click(offset=(70, 20))
        await stage.until(lambda: stage.mux.focused == ONE)
        await stage.pilot.click(offset=(39, 15))
        await stage.until(lambda: stage.mux.focused == THREE)


async def test_the_move_and_resize_modes_work_on_a_floating_pane(open_stage: Open) -> None:
    async with open_stage() as stage:
        popup(stage, cols=30, rows=10, x=10, y=5)
        await stage.prefix("W")
        await stage.press("l", "j")
        assert stage.rects[2] == Rect(15, 8, 28, 8)
        await stage.press("escape")
        await stage.prefix("+")
        await stage.press("l", "k")
        assert stage.rects[2] == Rect(15, 8, 29, 7)


async def test_a_pane_larger_than_the_screen_is_clamped_and_comes_back(open_stage: Open) -> None:
    async with open_stage() as stage:
        popup(stage, cols=70, rows=20, x=5, y=1)
        for size, rect in (
            ((40, 12), Rect(1, 1, 38, 9)),
            ((1, 1), Rect(0, 0, 1, 1)),
            ((80, 24), Rect(6, 2, 68, 18)),
        ):
            await stage.pilot.resize_terminal(*size)
            await stage.pilot.pause()
            assert stage.rects[2] == rect
            assert stage.terminal(2).size == rect.size


async def test_a_drag_of_a_tile_over_a_floating_pane_drops_it_nowhere(open_stage: Open) -> None:
    async with open_stage() as stage:
        await stage.prefix("%")
        popup(stage, cols=20, rows=8, x=5, y=8)
        await stage.pilot.pause()
        layout = stage.mux.window_of(ONE).layout
        await stage.drag((45, 0), (10, 10))
        assert stage.mux.window_of(ONE).layout == layout


async def test_the_rest_of_a_tile_is_drawn_below_a_floating_pane(open_stage: Open) -> None:
    async with open_stage("sh", "-c", "seq 1 40; exec cat") as stage:
        await stage.until_text("40")
        popup(stage, cols=30, rows=10, x=10, y=5)
        await stage.until(lambda: "┏━▶%2" in stage.text)
        rows = stage.text.splitlines()
        assert rows[5].startswith("24        ┏━▶%2 cat ")
        assert rows[6] == "25        ┃                            ┃"
        assert rows[4] == "23"


def test_output_below_and_in_a_floating_pane_is_painted_as_the_compositor_does(start: Start, tmp_path: Path) -> None:
    fifo, file = tmp_path / "log", tmp_path / "stream"
    os.mkfifo(fifo)
    file.write_bytes(LOOKS + MOVES + END)
    host = play(start, tmp_path, LOOKS, config=f"[terminal]\nshell = ['cat', '{fifo}', '{file}', '-']\n")
    host.send(b"\x02v")
    host.wait_text("%2 cat")
    with fifo.open("w") as log:
        for n in range(60):
            log.write(f"\x1b[3{n % 8}m{n} {'漢' if n % 5 == 0 else 'x' * (n % 50)}\x1b[m\n")
            log.flush()
            host.wait_text(f"{n} ")
            assert "┃" in host.text
        assert_repaint_changes_nothing(host)
    host.wait_until(lambda: host.text.count(DONE) == 2)
    assert_repaint_changes_nothing(host)
    host.resize(Size(60, 18))
    host.wait_text("%2 cat")
    assert_repaint_changes_nothing(host)
    host.send(b"\x02v")
    host.wait_until(lambda: "%2 cat" not in host.text)
    assert_repaint_changes_nothing(host)


def test_a_flood_below_a_floating_pane_never_shows_through_it(start: Start, tmp_path: Path) -> None:
    fifo = tmp_path / "log"
    os.mkfifo(fifo)
    host = start("cat", str(fifo), "-", config="[terminal]\nshell = ['cat']\n")
    host.wait_text("test", "1 cat")
    host.send(b"\x02v")
    host.wait_text("%2 cat")
    host.send("typed")
    host.wait_text("typed")
    inside = [line[17:63] for line in host.text.splitlines()[6:17]]
    with fifo.open("w") as log:
        for n in range(50):
            log.write(f"{n} {'#' * 77}\n" * 40)
            log.flush()
            host.wait_text(f"{n} #")
            assert [line[17:63] for line in host.text.splitlines()[6:17]] == inside
    host.send(" on")
    host.wait_text("typed on")
    assert_repaint_changes_nothing(host)


async def test_the_only_tile_says_why_it_does_not_float(open_stage: Open) -> None:
    async with open_stage() as stage:
        await stage.prefix("e")
        await stage.until(lambda: "%1 is the only tile" in stage.app.alerts.text)
        stage.run(panes.SplitPane())


async def test_the_tab_tells_the_program_of_the_floating_pane_that_has_the_focus(open_stage: Open) -> None:
    async with open_stage("cat") as stage:
        window = stage.mux.workspace.windows[0]
        stage.run(floating_panes.DisplayPopup(command=("sleep", "1000")))
        await stage.until(lambda: "sleep" in stage.text.splitlines()[-1])
        assert stage.mux.window_name(stage.mux.workspace.windows[0]) == "sleep"
        stage.run(panes.FocusPane(pane="%1"))
        await stage.until(lambda: "cat" in stage.text.splitlines()[-1] and "sleep" not in stage.text.splitlines()[-1])
        assert window.id == stage.mux.workspace.windows[0].id
