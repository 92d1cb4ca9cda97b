"""What was copied is chosen with a preview, filtered, deleted and pasted by keys."""

import time

import pytest
from tests.tui.conftest import RAW, Open, Stage, use_light_terminal
from tests.tui.test_snapshots import Picture
from tests.tui.test_snapshots import picture as picture

from fugue_tui.ids import PaneId
from fugue_tui.multiplexer.clipboard import Copied, CopySource
from fugue_tui_widgets.buffer_screen import BufferScreen
from fugue_tui_widgets.dialogs import Page

pytestmark = pytest.mark.slow

TEXTS = ("git commit -m 'one'", "def run(self):\n    return 1\n", "漢字 and more", "https://example.org/a")
AT = time.mktime((2026, 1, 2, 10, 30, 0, 0, 0, -1))


def fill(stage: Stage, *texts: str) -> None:
    """Copy texts."""
    for text in texts:
        stage.mux.clipboard.add(Copied(text, CopySource.SELECTION, PaneId(1), AT))
        stage.mux.clipboard.text = text


async def chooser(stage: Stage) -> None:
    """Open the list, with the second buffer chosen."""
    fill(stage, *TEXTS)
    await stage.prefix("=")
    await stage.until(lambda: isinstance(stage.app.screen, BufferScreen))
    await stage.press("j", "j")


@pytest.mark.parametrize(("cols", "rows"), [(120, 30), (80, 24), (40, 12)])
def test_the_list(picture: Picture, cols: int, rows: int) -> None:
    assert picture(chooser, cols, rows)


def test_the_list_in_a_light_theme(picture: Picture, monkeypatch: pytest.MonkeyPatch) -> None:
    from fugue_tui.config.model import Config, UiSettings

    use_light_terminal(monkeypatch)
    assert picture(chooser, 80, 24, Config(ui=UiSettings(theme="ansi-light", which_key_delay_ms=10_000)))


async def test_a_buffer_is_chosen_filtered_deleted_and_pasted(open_stage: Open) -> None:
    async with open_stage("sh", "-c", RAW + "printf ready; exec cat -v") as stage:
        await stage.until_text("ready")
        await stage.prefix("=")
        await stage.until(lambda: "nothing was copied yet" in stage.text)
        fill(stage, "alpha one", "beta two", "alpha three")
        await stage.prefix("=")
        await stage.until(lambda: isinstance(stage.app.screen, BufferScreen))
        await stage.press("slash", *"alpha")
        await stage.until(lambda: "beta" not in stage.text)
        await stage.press("enter", "d")
        await stage.until(lambda: "alpha three" not in stage.text)
        assert [each.text for each in stage.mux.clipboard.entries] == ["beta two", "alpha one"]
        await stage.press("enter")
        await stage.until_text("alpha one")
        await stage.prefix("]")
        await stage.until_text("alpha onebeta two")


async def test_the_newest_is_deleted_and_all_are_listed_by_keys(open_stage: Open) -> None:
    async with open_stage("sh", "-c", "printf ready; exec cat") as stage:
        await stage.until_text("ready")
        fill(stage, "alpha", "beta")
        await stage.prefix("-")
        await stage.until(lambda: "deleted buffer1 of 4 characters" in stage.text)
        await stage.prefix("#")
        await stage.until(lambda: isinstance(stage.app.screen, Page))
        assert "buffer0" in stage.text
        assert "alpha" in stage.text
        assert "beta" not in stage.text
