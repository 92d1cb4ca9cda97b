"""Real programs are read, compared and seen as they are: an editor, an interpreter, a pager."""

import shutil
import sys
from pathlib import Path

import pytest
from tests.multiplexer.conftest import Room

from fugue_tui.control.commands.diff_pane import DiffPane
from fugue_tui.control.commands.pane_info import GetPaneState, GetRunningProcess
from fugue_tui.control.commands.panes import CreatePane
from fugue_tui.control.commands.read_pane import ReadPane
from fugue_tui.control.commands.screenshot import PictureFormat, ScreenshotPane
from fugue_tui.control.commands.visual_diff import VisualDiff
from fugue_tui.ids import PaneId


def start(room: Room, *argv: str, shows: str, **env: str) -> PaneId:
    """A pane that runs a program, on the default engine."""
    room.launcher.engine = "ghostty"
    pane = PaneId(room.run(CreatePane(command=argv, env={"TERM": "xterm-256color", **env})).id[1:])
    room.shows(pane, shows)
    return pane


def at_prompt(room: Room, pane: PaneId) -> None:
    """Wait until the blank after the prompt is there too."""
    room.until(lambda: room.caret(pane)[0] == len(">>> "))


def test_an_interpreter_is_read_on_answer_by_answer(room: Room) -> None:
    pane = start(room, sys.executable, "-q", "-i", shows=">>>", PYTHON_BASIC_REPL="1", PYTHONSTARTUP="")
    at_prompt(room, pane)
    cursor = room.run(ReadPane()).cursor
    room.mux.terminals[pane].write(b"print('x' * 3, 6 * 7)\n")
    room.shows(pane, "xxx 42\n>>>")
    at_prompt(room, pane)
    first = room.run(ReadPane(cursor=cursor))
    assert first.text.splitlines() == ["print('x' * 3, 6 * 7)", "xxx 42", ">>>"]
    room.mux.terminals[pane].write(b"1/0\n")
    room.shows(pane, "ZeroDivisionError: division by zero\n>>>")
    second = room.run(ReadPane(cursor=first.cursor)).text.splitlines()
    assert (second[0], second[-2:]) == ("1/0", ["ZeroDivisionError: division by zero", ">>>"])


@pytest.mark.skipif(shutil.which("vim") is None, reason="needs vim")
def test_an_editor_is_compared_and_seen(room: Room, tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("first line\nsecond 漢字 line\n")
    pane = start(room, "vim", "-u", "NONE", "-N", "--not-a-term", str(file), shows="second 漢字 line")
    room.shows(pane, "~")
    state = room.run(GetPaneState())
    assert (state.alternate_screen, state.program) == (True, "vim")
    cursor = room.run(ReadPane()).cursor
    room.run(ScreenshotPane(name="before"))
    room.mux.terminals[pane].write(b"ggcwFIRST\x1b")
    room.shows(pane, "FIRST line")
    found = room.run(DiffPane(cursor=cursor))
    changed = {row.row: row for row in found.rows}
    assert (changed[0].before, changed[0].after) == ("first line", "FIRST line")
    assert 1 not in changed
    assert "row 1: “first line” became “FIRST line”" in room.run(VisualDiff(before="before")).text
    seen = room.run(ScreenshotPane(format=PictureFormat.TEXT)).text.splitlines()
    assert seen[:3] == ["FIRST line", "second 漢字 line", "~"]
    room.mux.terminals[pane].write(b":q!\n")
    room.ended(pane)


@pytest.mark.skipif(shutil.which("less") is None, reason="needs less")
def test_a_pager_is_read_as_its_screen(room: Room, tmp_path: Path) -> None:
    file = tmp_path / "long"
    file.write_text("".join(f"line {number}\n" for number in range(1, 200)))
    room.launcher.engine = "ghostty"
    pane = PaneId(room.run(CreatePane(command=("/bin/bash", "--norc", "-i"), env={"PS1": "$ "})).id[1:])
    room.shows(pane, "$")
    cursor = room.run(ReadPane()).cursor
    room.mux.terminals[pane].write(f"less '{file}'\n".encode())
    room.until(lambda: room.text(pane).startswith("line 1\n") and "line 20" in room.text(pane))
    inside = room.run(ReadPane(cursor=cursor))
    assert (inside.screen, inside.redrawn, inside.text.splitlines()[0]) == ("alternate", True, "line 1")
    assert room.run(GetRunningProcess()).name == "less"
    room.mux.terminals[pane].write(b" ")
    room.shows(pane, "line 40")
    room.mux.terminals[pane].write(b"q")
    room.until(lambda: not room.run(GetPaneState()).alternate_screen and room.text(pane).endswith("$"))
    outside = room.run(ReadPane(cursor=inside.cursor))
    assert outside.screen == "primary"
    assert "line 1" not in outside.text
    assert outside.text.splitlines()[-1] == "$"
