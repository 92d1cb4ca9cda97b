"""The scrollback, or a command's output, is opened in the user's editor, from a file that nobody else sees."""

import os
import stat
from pathlib import Path

import pytest
from tests.tui.conftest import Open, Stage
from tests.tui.text_selection import LINES, TEXT

from fugue_tui.control.command_table import edit_scrollback
from fugue_tui.ids import PaneId

pytestmark = pytest.mark.slow
EDITOR = """#!/bin/sh
printf '%s' "$1" > path.new && mv path.new path
printf 'editing '
read line
"""


@pytest.fixture(autouse=True)
def editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An editor that tells which file it was given, and ends with Enter; where it tells that."""
    program = tmp_path / "an editor"
    program.write_text(EDITOR.replace("path", f"'{tmp_path}/path'").replace("path'.new", "path.new'"))
    program.chmod(0o700)
    monkeypatch.setenv("VISUAL", f"'{program}'")
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    return tmp_path / "path"


async def opened(stage: Stage, editor: Path) -> Path:
    """The file that is open in the editor."""
    await stage.until(lambda: "editing" in stage.pane_text(2) and editor.exists())
    return Path(editor.read_text())


async def test_the_scrollback_is_opened_and_its_file_removed_after(open_stage: Open, editor: Path) -> None:
    async with open_stage("sh", "-c", LINES) as stage:
        await stage.until_text("ready")
        stage.terminal().receive(memoryview("\r\n\x1b[31mred\x1b[m \u202e漢字".encode()))
        await stage.prefix("left_square_bracket", "g", "s")
        path = await opened(stage, editor)
        text = path.read_text()
        assert text.startswith("line 1\nline 2\n")
        assert text.endswith("ready\nred 漢字\n")
        assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
        assert path.parent == editor.parent
        await stage.until(lambda: "scrollback of %1" in stage.text)
        await stage.press("enter")
        await stage.until(lambda: PaneId(2) not in stage.mux.terminals)
        assert not path.exists()
        assert stage.mux.focused == PaneId(1)
        assert stage.terminal().copy_mode.reads


async def test_a_closed_editor_leaves_no_file(open_stage: Open, editor: Path) -> None:
    async with open_stage("sh", "-c", TEXT) as stage:
        await stage.until_text("ready")
        stage.run(edit_scrollback.EditScrollback())
        path = await opened(stage, editor)
        assert path.exists()
        await stage.prefix("x")
        await stage.press("y")
        await stage.until(lambda: not path.exists())


async def test_the_output_of_the_command_at_the_cursor_is_opened(open_stage: Open, editor: Path) -> None:
    prompt = r"\033]133;A\007$ \033]133;B\007"
    first = rf"{prompt}ls\n\033]133;C\007a.txt\nb.txt\n\033]133;D;0\007"
    shown = rf"{first}{prompt}echo\n\033]133;C\007last\n\033]133;D;0\007{prompt}"
    async with open_stage("sh", "-c", f"stty -echo; printf '{shown}ready'; exec cat") as stage:
        await stage.until_text("ready")
        await stage.prefix("left_square_bracket", "g", "S")
        assert (await opened(stage, editor)).read_text() == "a.txt\nb.txt\n"
        await stage.press("enter")
        await stage.until(lambda: PaneId(2) not in stage.mux.terminals)
        editor.unlink()
        stage.run(edit_scrollback.EditScrollback(last=True))
        await stage.until(lambda: "editing" in stage.pane_text(3) and editor.exists())
        assert Path(editor.read_text()).read_text() == "last\n"


async def test_page_up_after_the_prefix_is_copy_mode_a_page_up(open_stage: Open) -> None:
    async with open_stage("sh", "-c", LINES) as stage:
        await stage.until_text("ready")
        await stage.prefix("pageup")
        await stage.until(lambda: "copy mode" in stage.text)
        assert stage.terminal().scrollback.offset == 22
        await stage.prefix("pageup")
        assert stage.terminal().scrollback.offset == 44
