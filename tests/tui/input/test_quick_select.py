"""Letters pick what the pane shows: a small one copies, a capital opens or types."""

from pathlib import Path

import pytest
from tests.tui.conftest import Open, Stage

from fugue_tui.config.model import Config, UiSettings
from fugue_tui.ids import PaneId

pytestmark = pytest.mark.slow
SHOWN = "stty -echo; printf 'at https://example.com/a\\nin notes.md:3\\npid 12345\\nready'; exec cat"


async def pick(stage: Stage) -> None:
    await stage.prefix("y")
    await stage.until(lambda: "quick select" in stage.text)


def shown(stage: Stage) -> list[str]:
    stage.terminal().seen.refresh()
    return [stage.terminal().seen.row(y).text for y in range(4)]


async def test_a_letter_copies_what_it_labels(open_stage: Open) -> None:
    async with open_stage("sh", "-c", SHOWN) as stage:
        await stage.until_text("ready")
        await pick(stage)
        assert shown(stage) == ["at dttps://example.com/a", "in sotes.md:3", "pid a2345", "ready"]
        await stage.press("x")
        await stage.press("d")
        await stage.until(lambda: "copied 21 characters" in stage.text)
        assert stage.app.clipboard == "https://example.com/a"
        assert not stage.terminal().copy_mode.reads
        assert shown(stage)[0] == "at https://example.com/a"
        await stage.press("h", "i", "enter")
        await stage.until_text("readyhi")


async def test_a_capital_types_a_number_and_escape_leaves(open_stage: Open) -> None:
    async with open_stage("sh", "-c", SHOWN.replace("exec cat", "stty raw; exec cat")) as stage:
        await stage.until_text("ready")
        await pick(stage)
        await stage.press("escape")
        await stage.until(lambda: "quick select" not in stage.text)
        await pick(stage)
        await stage.press("A")
        await stage.until_text("ready12345")


async def test_a_capital_opens_a_file_at_its_line(
    open_stage: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VISUAL", "sh -c 'echo editing \"$@\"; read line' editor")
    monkeypatch.chdir(tmp_path)
    async with open_stage("sh", "-c", f"cd '{tmp_path}'; {SHOWN}") as stage:
        await stage.until_text("ready")
        await pick(stage)
        await stage.press("S")
        await stage.until(lambda: "no file" in stage.text)
        (tmp_path / "notes.md").write_text("notes")
        await pick(stage)
        await stage.press("S")
        await stage.until(lambda: "editing +3" in stage.pane_text(2).replace("\n", ""))
        assert f"{tmp_path}/notes.md" in stage.pane_text(2).replace("\n", "")
        await stage.press("enter")
        await stage.until(lambda: PaneId(2) not in stage.mux.terminals)


async def test_a_capital_opens_an_address_once_the_user_says_so(
    open_stage: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opener = tmp_path / "xdg-open"
    opener.write_text(f"#!/bin/sh\nprintf %s \"$1\" > '{tmp_path}/new' && mv '{tmp_path}/new' '{tmp_path}/opened'\n")
    opener.chmod(0o700)
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    async with open_stage("sh", "-c", SHOWN) as stage:
        await stage.until_text("ready")
        await pick(stage)
        await stage.press("D")
        await stage.until(lambda: "Open https://example.com/a?" in stage.text)
        await stage.press("n")
        await pick(stage)
        await stage.press("D")
        await stage.until(lambda: "Open https://example.com/a?" in stage.text)
        assert not (tmp_path / "opened").exists()
        await stage.press("y")
        await stage.until(lambda: "opened with xdg-open" in stage.text)
        assert (tmp_path / "opened").read_text() == "https://example.com/a"


async def test_labels_stay_with_their_text_in_copy_mode_and_under_output(open_stage: Open) -> None:
    async with open_stage("sh", "-c", SHOWN) as stage:
        await stage.until_text("ready")
        await stage.prefix("left_square_bracket", "slash", *"pid", "enter")
        await stage.until(lambda: "1/1" in stage.text)
        await pick(stage)
        stage.terminal().receive(memoryview(b"\r\nmore" * 100))
        await stage.until(lambda: shown(stage)[2] == "pid a2345")
        await stage.press("escape")
        await stage.until(lambda: "copy mode 1/1" in stage.text)
        await stage.press("q")
        await stage.prefix("y")
        await stage.until(lambda: "nothing here to pick" in stage.text)


@pytest.mark.parametrize(("cols", "rows"), [(1, 1), (8, 2), (40, 12)])
async def test_the_smallest_screens_take_it(open_stage: Open, cols: int, rows: int) -> None:
    config = Config(ui=UiSettings(which_key_delay_ms=10_000))
    async with open_stage("sh", "-c", SHOWN, cols=cols, rows=rows, config=config) as stage:
        await stage.until(lambda: stage.terminal().printed_at)
        for keys in (("y", "escape"), ("left_square_bracket", "slash", "a", "escape", "v", "R", "g", "G", "q")):
            await stage.prefix(*keys)
        assert not stage.terminal().copy_mode.reads
