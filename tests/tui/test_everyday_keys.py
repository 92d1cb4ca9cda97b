"""What a user of tmux does every day: each key moves, sizes, arranges or names what it does in tmux."""

import os
from itertools import pairwise
from pathlib import Path

import pytest
from tests.tui.conftest import Open, Stage
from tests.tui.served_workspace import Serve
from tests.tui.served_workspace import serve as serve
from tests.tui.socket_clients import hello

from fugue_tui.control.command_table import panes
from fugue_tui.control.core.new_pane import Direction
from fugue_tui.geometry import Rect, Size

pytestmark = pytest.mark.slow


def split(stage: Stage, pane: str, direction: Direction) -> None:
    """Split a pane without the keys, and leave the focus."""
    stage.run(panes.SplitPane(pane=pane, direction=direction, command=("cat",), focus=False))


async def grid(stage: Stage) -> None:
    """Four panes in two columns, %1 and %3 above each other at the left, %2 and %4 at the right; %1 has the focus."""
    split(stage, "%1", Direction.HORIZONTAL)
    split(stage, "%1", Direction.VERTICAL)
    split(stage, "%2", Direction.VERTICAL)
    await stage.until(lambda: len(stage.rects) == 4)


async def moved(stage: Stage, *keys: str) -> list[int | None]:
    """The pane with the focus after each key that follows the prefix, and a program's key between them."""
    focused = list[int | None]()
    for key in keys:
        await stage.prefix(key)
        focused.append(stage.mux.focused)
        await stage.press("escape")
    return focused


async def test_the_focus_goes_to_each_side_to_the_next_pane_and_back(open_stage: Open) -> None:
    async with open_stage("cat") as stage:
        await grid(stage)
        assert await moved(stage, "right", "down", "left", "up") == [2, 4, 3, 1]
        assert await moved(stage, "o", "o", "o", "o") == [3, 2, 4, 1]
        assert await moved(stage, "right", "semicolon", "semicolon") == [2, 1, 2]


async def test_moving_the_focus_ends_the_zoom(open_stage: Open) -> None:
    async with open_stage("cat") as stage:
        await grid(stage)
        before = stage.rects
        await stage.prefix("z")
        await stage.until(lambda: list(stage.rects) == [1])
        await stage.prefix("right")
        await stage.until(lambda: stage.rects == before)
        assert stage.mux.focused == 2


async def test_ctrl_and_arrows_resize_by_one_cell_and_alt_and_arrows_by_five(open_stage: Open) -> None:
    async with open_stage("cat") as stage:
        await grid(stage)
        sizes = [stage.rects[1].size]
        for key in ("ctrl+right", "alt+left", "ctrl+down", "alt+up"):
            await stage.prefix(key)
            await stage.press("escape")
            sizes.append(stage.rects[1].size)
        steps = [(new.cols - old.cols, new.rows - old.rows) for old, new in pairwise(sizes)]
        assert steps == [(1, 0), (-5, 0), (0, 1), (0, -5)]


async def test_braces_swap_a_pane_and_ctrl_o_rotates_all(open_stage: Open) -> None:
    async with open_stage("cat") as stage:
        split(stage, "%1", Direction.HORIZONTAL)
        split(stage, "%2", Direction.HORIZONTAL)
        await stage.until(lambda: len(stage.rects) == 3)
        orders, focused = list[list[int]](), list[int | None]()
        for key in ("right_curly_bracket", "left_curly_bracket", "ctrl+o", "alt+o"):
            await stage.prefix(key)
            orders.append(sorted(stage.rects, key=lambda pane: stage.rects[pane].x))
            focused.append(stage.mux.focused)
        assert orders == [[2, 1, 3], [1, 2, 3], [2, 3, 1], [1, 2, 3]]
        assert focused == [1, 1, 2, 1]


async def test_space_goes_through_the_layouts_in_the_order_of_tmux(open_stage: Open) -> None:
    names = ("even-horizontal", "even-vertical", "main-horizontal", "main-vertical", "tiled")
    async with open_stage("cat") as stage:
        await grid(stage)
        named, pressed = list[dict[int, Rect]](), list[dict[int, Rect]]()
        for name in names:
            stage.app.commands.run_line(f"select-layout {name}")
            await stage.pilot.pause()
            named.append(stage.rects)
        for _ in names:
            await stage.prefix("space")
            await stage.pilot.pause()
            pressed.append(stage.rects)
        assert pressed == named


async def test_e_makes_panes_of_equal_size(open_stage: Open) -> None:
    async with open_stage("cat") as stage:
        split(stage, "%1", Direction.HORIZONTAL)
        split(stage, "%2", Direction.HORIZONTAL)
        await stage.until(lambda: len(stage.rects) == 3)
        assert max(rect.cols for rect in stage.rects.values()) > 30
        await stage.prefix("E")
        await stage.until(lambda: [rect.cols for rect in stage.rects.values()] == [26, 26, 26])


async def test_a_pane_that_ends_gives_its_room_back_to_the_one_it_was_split_from(open_stage: Open) -> None:
    async with open_stage() as stage:
        await stage.prefix("percent_sign")
        await stage.prefix("left")
        await stage.until(lambda: len(stage.rects) == 2 and stage.mux.focused == 1)
        before = stage.rects
        for key in ("percent_sign", "quotation_mark"):
            await stage.prefix(key)
            await stage.until(lambda: len(stage.rects) == 3)
            await stage.press(*"exit", "enter")
            await stage.until(lambda: stage.rects == before)
            assert stage.mux.focused == 1


async def test_windows_open_and_are_gone_through_within_their_session(open_stage: Open) -> None:
    async with open_stage("cat") as stage:
        stage.app.commands.run_line("create-session --name other --command cat")
        fronts = list[int | None]()
        for key in ("c", "c", "n", "n", "P", "l", "2"):
            await stage.prefix(key)
            await stage.pilot.pause()
            fronts.append(stage.mux.workspace.active)
        assert fronts == [3, 4, 2, 3, 2, 3, 3]
        assert "[2" in stage.text.split("\n")[-1]


async def test_a_session_is_named_by_a_key(open_stage: Open) -> None:
    async with open_stage("cat") as stage:
        await stage.prefix("dollar_sign")
        await stage.press("ctrl+u", *"web", "enter")
        await stage.until(lambda: {window.session for window in stage.mux.workspace.windows} == {"web"})


async def test_a_key_shows_information_about_this_pane(open_stage: Open) -> None:
    async with open_stage("cat") as stage:
        await stage.prefix("i")
        await stage.until(lambda: "%1" in stage.app.alerts.text and "cat" in stage.app.alerts.text)


async def test_what_runs_in_a_pane_is_ended_and_run_again_by_a_key(open_stage: Open) -> None:
    async with open_stage("sh", "-c", "echo run $$; exec cat") as stage:
        await stage.until_text("run")
        first = stage.terminal().pid
        await stage.prefix("R")
        if not stage.app.on_panes:
            await stage.press("y")
        await stage.until(lambda: stage.terminal().pid not in (None, first))
        await stage.until_text("run")


async def test_new_panes_and_windows_start_in_the_directory_of_the_pane(open_stage: Open, tmp_path: Path) -> None:
    there = tmp_path / "there"
    there.mkdir()
    async with open_stage("sh") as stage:
        stage.terminal().write(f"cd {there}\n".encode())
        shell = stage.terminal().pid
        await stage.until(lambda: os.readlink(f"/proc/{shell}/cwd") == str(there))
        for count, key in ((2, "percent_sign"), (3, "c")):
            await stage.prefix(key)
            await stage.until(lambda count=count: len(stage.mux.terminals) == count)
            pid = stage.terminal(count).pid
            await stage.until(lambda pid=pid: os.readlink(f"/proc/{pid}/cwd") == str(there))


def test_another_terminal_is_detached_by_a_list(serve: Serve) -> None:
    serving = serve("cat", first=hello(Size(100, 20)))
    other = serving.attach(Size(80, 20))
    serving.shows(other, "1 cat")
    serving.first.send("\x02D")
    serving.shows(serving.first, "80x20")
    row = next(row for row in serving.first.text.split("\n") if "80x20" in row)
    serving.first.send(row.strip("┃ ")[0])
    serving.until(lambda: not other.open)
    assert serving.first.open


def test_the_screen_is_painted_again_by_a_key(serve: Serve) -> None:
    serving = serve("sh", "-c", "printf '\\033[31mpainted'; exec cat", first=hello())
    serving.shows(serving.first, "painted", "1 cat")
    serving.settle()
    before = bytes(serving.first.received).count(b"painted")
    serving.first.send("\x02r")
    serving.until(lambda: bytes(serving.first.received).count(b"painted") > before)


def test_a_bell_reaches_the_host_terminal(serve: Serve) -> None:
    serving = serve("sh", "-c", "stty -echo; read x; printf '\\arung'; exec cat", first=hello())
    serving.shows(serving.first, "1 sh")
    serving.first.send("\r")
    serving.shows(serving.first, "rung")
    serving.until(lambda: b"\x07" in bytes(serving.first.received).replace(b"\x1b\\", b""))
