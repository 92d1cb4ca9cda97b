"""What the user types and chooses is legible in every theme."""

from typing import Any

import pytest
from tests.tui import conftest
from tests.tui.conftest import Open
from textual.geometry import Region
from textual.widgets import Input, OptionList

from fugue_tui.config.model import Config, UiSettings
from fugue_tui.imaging.palette import Colour
from fugue_tui.tui.ui.themes import TEXT, HostColours, contrast
from fugue_tui_widgets.finder_screen import FinderScreen

SOLARIZED = (0, 43, 54)


def themed(theme: Any) -> Config:
    return Config(ui=UiSettings(theme=theme))


@pytest.mark.parametrize("background", [(0, 0, 0), (255, 255, 255), (0, 43, 54), (253, 246, 227)])
@pytest.mark.parametrize("theme", ["auto", "ansi-dark", "ansi-light"])
async def test_the_cursor_is_seen_and_the_example_is_legible_in_every_line_of_text(
    open_stage: Open, monkeypatch: pytest.MonkeyPatch, background: Colour, theme: str
) -> None:
    monkeypatch.setattr(conftest, "HOST", HostColours(background=background))
    async with open_stage(config=themed(theme)) as stage:
        await stage.prefix("g")
        await stage.until(lambda: isinstance(stage.app.screen, FinderScreen))
        entry = stage.app.screen.query_one(Input)
        cursor = entry.get_component_rich_style("input--cursor")
        assert cursor.reverse
        assert cursor.color == cursor.bgcolor
        example = entry.get_component_rich_style("input--placeholder")
        assert example.italic
        assert not example.dim
        if theme == "auto":
            assert example.color is not None
            assert example.color.triplet is not None
            assert contrast(example.color.triplet, background) >= TEXT


@pytest.mark.parametrize("theme", ["ansi-dark", "ansi-light"])
async def test_the_chosen_row_is_not_bold_in_sixteen_colours_as_bold_black_is_grey_on_many_terminals(
    open_stage: Open, theme: str
) -> None:
    async with open_stage(config=themed(theme)) as stage:
        await stage.prefix("p")
        await stage.until(lambda: "new window" in stage.text)
        [row] = stage.app.screen.query_one(OptionList).render_lines(Region(0, 0, 40, 1))
        chosen = [each.style for each in row if each.style is not None and "split" in each.text]
        assert [bool(style.bold) for style in chosen] == [False]


async def test_the_lines_between_the_groups_of_a_menu_are_seen(
    open_stage: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conftest, "HOST", HostColours(background=SOLARIZED))
    async with open_stage() as stage:
        await stage.prefix("greater_than_sign")
        await stage.until(lambda: "rename" in stage.text)
        line = stage.app.screen.query_one(OptionList).get_component_rich_style("option-list--separator")
        assert line.color is not None
        assert line.color.triplet is not None
        assert contrast(line.color.triplet, SOLARIZED) >= 3.0
