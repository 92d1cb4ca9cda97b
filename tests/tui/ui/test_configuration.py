"""The theme and the configuration are within reach from inside."""

from pathlib import Path

import pytest
from tests.tui.conftest import Open
from textual.widgets import OptionList

from fugue_tui.config.model import Config, UiSettings
from fugue_tui.control.commands.panes import FocusPane
from fugue_tui.control.keymap import Action, binding
from fugue_tui.ids import PaneId

pytestmark = pytest.mark.slow


async def test_a_theme_is_chosen_from_a_list_and_holds_until_the_configuration_changes(open_stage: Open) -> None:
    async with open_stage() as stage:
        before = stage.app.theme
        stage.app.actions.run(binding(Action.CHOOSE_THEME))
        await stage.until(lambda: isinstance(stage.app.screen.focused, OptionList))
        await stage.press("j", "j", "j", "j", "enter")
        await stage.until(lambda: stage.app.theme == "ansi-light")
        assert 'theme = "ansi-light"' in stage.app.alerts.text
        stage.app.apply_config(Config(ui=UiSettings(theme="nord")), stage.app.keyboard.keymap)
        assert stage.app.theme == "nord" != before


async def test_the_configuration_opens_in_the_editor_and_explains_every_key_if_it_is_new(
    open_stage: Open, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "fugue" / "config.toml"
    monkeypatch.setenv("VISUAL", "tail -f")
    async with open_stage() as stage:
        monkeypatch.setattr(stage.app.server.config_applier, "file", file)
        stage.app.actions.run(binding(Action.EDIT_CONFIG))
        await stage.until(lambda: "configuration" in stage.text)
        await stage.until(lambda: file.exists())
        assert "[ui]" in file.read_text()
        before = file.read_text()
        stage.run(FocusPane(pane="%1"))
        stage.app.actions.run(binding(Action.EDIT_CONFIG))
        await stage.until(lambda: stage.mux.focused == PaneId(2))
        assert len(stage.mux.workspace.windows) == 2
        assert file.read_text() == before


async def test_a_configuration_that_cannot_be_written_is_reported(
    open_stage: Open, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "fugue").write_text("no directory")
    async with open_stage() as stage:
        monkeypatch.setattr(stage.app.server.config_applier, "file", tmp_path / "fugue" / "config.toml")
        stage.app.actions.run(binding(Action.EDIT_CONFIG))
        await stage.until(lambda: stage.app.alerts.failed)
