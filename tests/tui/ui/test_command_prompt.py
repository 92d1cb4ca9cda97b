"""The prompt for command lines: history, search, completion, and errors that keep the line."""

import os
import stat
from pathlib import Path

import pytest
from tests.tui.conftest import Open, Stage
from textual.widgets import Input

from fugue_tui.config.model import SessionSettings
from fugue_tui.store.paths import state_path
from fugue_tui.tui import command_history
from fugue_tui.tui.command_history import LINES, is_kept
from fugue_tui_widgets.command_prompt import CommandPrompt
from fugue_tui_widgets.dialogs import Page

SECRETS = SessionSettings().secrets


def line(stage: Stage) -> str:
    """What stands in the prompt."""
    return stage.app.screen.query_one(Input).value


async def opened(stage: Stage, *keys: str) -> None:
    """Open the prompt and press keys."""
    await stage.until(lambda: stage.app.on_panes)
    await stage.prefix("colon")
    await stage.until(lambda: isinstance(stage.app.screen, CommandPrompt))
    await stage.press(*keys)


async def test_an_error_is_shown_under_the_line_which_stays(open_stage: Open) -> None:
    async with open_stage() as stage:
        await opened(stage, *"split-pan", "enter")
        await stage.until(lambda: "did you mean split-pane?" in stage.text)
        assert line(stage) == "split-pan"
        await stage.press("e", "enter")
        await stage.until(lambda: len(stage.mux.terminals) == 2)
        await opened(stage, *"focus-pane %9", "enter")
        await stage.until(lambda: "no pane %9" in stage.text and isinstance(stage.app.screen, CommandPrompt))
        assert line(stage) == "focus-pane %9"


async def test_a_recording_is_described_in_words_and_no_recordings_as_none(open_stage: Open, tmp_path: Path) -> None:
    async with open_stage(cols=120) as stage:
        await opened(stage, *"list-recordings", "enter")
        await stage.until(lambda: isinstance(stage.app.screen, Page) and "none" in stage.text)
        await stage.press("escape")
        stage.app.commands.run_line(f"record-pane {tmp_path}/a.cast")
        await stage.until(lambda: "recording %1 until stop-recording, to /" in stage.text)
        stage.app.commands.run_line("stop-recording")
        await stage.until(lambda: "recorded; replay-recording plays /" in stage.text)


async def test_history_comes_back_by_up_and_search_and_after_a_restart(open_stage: Open) -> None:
    async with open_stage() as stage:
        for command in ("rename-pane one", "rename-window two", "zoom-pane"):
            await opened(stage)
            stage.app.screen.query_one(Input).value = command
            await stage.press("enter")
        await opened(stage, "x", "up", "up")
        assert line(stage) == "rename-window two"
        await stage.press("down", "down")
        assert line(stage) == "x"
        await stage.press("ctrl+u", *"pane", "ctrl+r")
        assert line(stage) == "zoom-pane"
        await stage.press("ctrl+r")
        assert line(stage) == "rename-pane one"
        await stage.press("ctrl+r")
        await stage.until(lambda: "no older line has 'pane'" in stage.text)
        await stage.press("escape")
        await stage.until(lambda: command_history.read()[-1:] == ["zoom-pane"])
    async with open_stage() as stage:
        await opened(stage, "up", "up", "up")
        assert line(stage) == "rename-pane one"


async def test_tab_completes_as_far_as_is_certain_and_then_goes_through_what_is_left(open_stage: Open) -> None:
    async with open_stage() as stage:
        await opened(stage, *"split-p", "tab", *"--dir", "tab", *"v", "tab")
        assert line(stage) == "split-pane --direction vertical "
        await stage.press("ctrl+u", *"select-layout ev", "tab")
        assert line(stage) == "select-layout even_"
        await stage.press("tab", "tab")
        assert line(stage) == "select-layout even_horizontal"
        await stage.press("tab")
        assert line(stage) == "select-layout even_vertical"
        await stage.press("ctrl+u", *"focus-pane ", "tab")
        assert "%1" in line(stage)


async def test_several_commands_are_run_in_order(open_stage: Open) -> None:
    async with open_stage() as stage:
        await opened(stage, *"split-pane ; rename-pane made", "enter")
        await stage.until(lambda: [each.name for each in stage.mux.workspace.panes.values()] == ["", "made"])


async def test_what_a_shell_command_printed_is_shown_on_a_page(open_stage: Open) -> None:
    async with open_stage() as stage:
        await opened(stage, *"run-shell 'echo a$((40+2)); exit 3'", "enter")
        await stage.until(lambda: isinstance(stage.app.screen, Page) and "a42" in stage.text)
        assert "run-shell: exit code 3" in stage.text
        await stage.press("escape")
        await opened(stage, *"run-shell false", "enter")
        await stage.until(lambda: "run-shell: exit code 1" in stage.text)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("split-pane", True),
        ("create-window --env A=1", False),
        ("create-window --env=A=1", False),
        ("send-text --token abc", False),
        ("split-pane -- mysql -phunter2", False),
        ("split-pane -- sh -c 'API_TOKEN=1 x'", False),
        ("split-pane -- gh ghp_0123456789abcdefghijklmn", False),
        (" split-pane", False),
        ("a\x1bb", False),
        ("x" * 2_000, False),
        ("", False),
    ],
)
def test_a_line_that_may_hold_a_secret_is_not_kept(text: str, kept: bool) -> None:
    assert is_kept(text, SECRETS) == kept


def test_the_file_is_private_bounded_and_without_duplicates() -> None:
    file = Path(state_path(), command_history.FILE)
    command_history.save("first")
    file.write_text("".join(f"line {at}\n" for at in range(LINES + 50)))
    command_history.save("line 100")
    lines = command_history.read()
    assert (len(lines), lines[-1], lines.count("line 100")) == (LINES, "line 100", 1)
    assert stat.S_IMODE(os.stat(file).st_mode) == 0o600


def test_a_history_that_cannot_be_read_is_an_empty_one(caplog: pytest.LogCaptureFixture) -> None:
    command_history.save("first")
    file = Path(state_path(), command_history.FILE)
    file.unlink()
    file.symlink_to("/etc/passwd")
    assert command_history.read() == []
    assert "no plain file" in caplog.text


async def test_a_path_with_a_blank_is_completed_and_quoted(open_stage: Open, tmp_path: Path) -> None:
    (tmp_path / "my files").mkdir()
    (tmp_path / "my files" / "a.txt").write_text("hello")
    async with open_stage() as stage:
        await opened(stage, *f"show-file {tmp_path}/my", "tab")
        assert line(stage) == f"show-file {tmp_path}/my\\ files/"
        await stage.press("tab")
        assert line(stage) == f"show-file {tmp_path}/my\\ files/a.txt "
