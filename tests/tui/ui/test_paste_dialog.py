"""What was copied is shown in the form in which it is pasted, and is in the history."""

import pytest
from msgspec.structs import replace
from tests.tui.conftest import CALM, RAW, Open, Stage
from tests.tui.test_snapshots import Picture
from tests.tui.test_snapshots import picture as picture

from fugue_tui.config.model import TerminalSettings
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer.clipboard import CopySource
from fugue_tui.tui.input.clipboard import copy
from fugue_tui.tui.ui import pane_notifications
from fugue_tui_widgets.paste_dialog import PasteDialog

pytestmark = pytest.mark.slow

JSON = '{"name": "fugue", "panes": [1, 2], "empty": {}}'


async def shown(stage: Stage) -> None:
    """Copy JSON, and open the dialog."""
    copy(stage.app, JSON, stage.terminal(), None)
    await stage.prefix("V")
    await stage.until(lambda: isinstance(stage.app.screen, PasteDialog))


def test_the_text_before_and_after(picture: Picture) -> None:
    assert picture(shown)


def test_the_text_before_and_after_on_a_small_screen(picture: Picture) -> None:
    assert picture(shown, cols=40, rows=12)


async def test_enter_pastes_what_was_shown_and_escape_does_not(open_stage: Open) -> None:
    async with open_stage("sh", "-c", RAW + "printf ready; exec cat -v") as stage:
        await stage.until_text("ready")
        await shown(stage)
        stage.mux.clipboard.text = "copied since"
        await stage.press("escape")
        await shown(stage)
        stage.mux.clipboard.text = "copied since"
        await stage.press("enter")
        await stage.until_text('"panes": [^M    1,')
        assert "since" not in stage.pane_text()
        assert stage.pane_text().count("name") == 1


async def test_what_is_copied_is_kept_with_its_pane_but_not_while_input_is_hidden(
    open_stage: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pane_notifications, "_PAUSE", 0.0)
    hidden, seen = (f"printf '\\033]52;c;{text}\\007'" for text in ("aGlkZGVu", "c2Vlbg=="))
    line = f"stty -echo; {hidden}; read a; stty echo; {seen}; exec cat"
    config = replace(CALM, terminal=TerminalSettings(clipboard="on"))
    async with open_stage("sh", "-c", line, config=config) as stage:
        clipboard = stage.mux.clipboard
        await stage.until(lambda: clipboard.text == "hidden")
        copy(stage.app, "selected", stage.terminal(), None)
        assert clipboard.entries == ()
        await stage.press("enter")
        await stage.until(lambda: clipboard.text == "seen")
        copy(stage.app, "selected", stage.terminal(), None)
        assert [(each.text, each.source, each.pane) for each in clipboard.entries] == [
            ("selected", CopySource.SELECTION, PaneId(1)),
            ("seen", CopySource.PROGRAM, PaneId(1)),
        ]
