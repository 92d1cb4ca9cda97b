"""The bottom line: tabs that fit, the active one always, the alert before the hint, and clicks that find their tab."""

import pytest
from msgspec.structs import replace
from textual.app import App, ComposeResult

from fugue_tui.ids import WindowId
from fugue_tui_widgets.status_bar import StatusBar, StatusContent, Tab
from fugue_tui_widgets.which_key import Hint, WhichKey


class Bar(App[None]):
    """A status bar and nothing else."""

    def __init__(self) -> None:
        super().__init__()
        self.clicked: list[WindowId] = []

    def compose(self) -> ComposeResult:
        yield StatusBar()
        yield WhichKey()

    def on_status_bar_tab_clicked(self, message: StatusBar.TabClicked) -> None:
        self.clicked.append(message.window)

    @property
    def text(self) -> str:
        """What the bar says."""
        bar = self.query_one(StatusBar)
        return bar.render_lines(bar.size.region)[0].text


def picture(active: int, count: int, hint: str = "the hint", alert: str = "") -> StatusContent:
    """A bar with some tabs."""
    tabs = tuple(Tab(WindowId(n), f"{n} tab", n == active, "!" if n == 2 else "") for n in range(1, count + 1))
    return StatusContent("name", "", tabs, hint, alert)


@pytest.mark.parametrize("active", [1, 5, 9])
async def test_tabs_fit_and_the_active_one_is_always_there(active: int) -> None:
    app = Bar()
    async with app.run_test(size=(30, 3)):
        app.query_one(StatusBar).show(picture(active, 9))
        assert f"[{active} tab]" in app.text
        assert len(app.text) == 30
        assert app.text.count("tab") >= 2


async def test_the_alert_takes_the_hints_place_and_is_cut_to_fit() -> None:
    app = Bar()
    async with app.run_test(size=(40, 3)):
        bar = app.query_one(StatusBar)
        bar.show(picture(1, 1))
        assert app.text.endswith(" the hint ")
        bar.show(picture(1, 1, alert="something went quite wrong in here"))
        assert "something went" in app.text
        assert app.text.endswith("…")
        assert "hint" not in app.text


async def test_a_message_goes_before_all_tabs_but_the_active_one() -> None:
    app = Bar()
    async with app.run_test(size=(60, 3)):
        bar = app.query_one(StatusBar)
        bar.show(picture(9, 9, alert="not saved: the disk is full"))
        assert "[9 tab]" in app.text
        assert app.text.endswith(" not saved: the disk is full ")
        bar.show(picture(9, 9))
        assert app.text.count("tab") == 7


@pytest.mark.parametrize(("cols", "alert"), [(44, ""), (80, ""), (70, "copied 3 characters")])
async def test_the_mode_is_shown_however_many_tabs_there_are(cols: int, alert: str) -> None:
    app = Bar()
    async with app.run_test(size=(cols, 3)):
        app.query_one(StatusBar).show(replace(picture(9, 12, "hint " * 14, alert), mode="history -12 · copy mode"))
        assert "[9 tab]" in app.text
        assert app.text.endswith(" history -12 · copy mode ")
        assert alert in app.text


async def test_a_click_selects_the_tab_under_the_pointer() -> None:
    app = Bar()
    async with app.run_test(size=(60, 3)) as pilot:
        app.query_one(StatusBar).show(picture(1, 3))
        await pilot.pause()
        await pilot.click(StatusBar, offset=(app.text.index("2 tab"), 0))
        await pilot.click(StatusBar, offset=(1, 0))
        await pilot.click(StatusBar, offset=(59, 0))
        assert app.clicked == [2]


@pytest.mark.parametrize("cols", [1, 3, 6])
async def test_the_narrowest_bar_is_drawn(cols: int) -> None:
    app = Bar()
    async with app.run_test(size=(cols, 1)):
        app.query_one(StatusBar).show(picture(2, 3, alert="alert"))
        assert len(app.text) == cols


async def test_the_panel_of_keys_shows_every_key_in_as_many_columns_as_fit() -> None:
    app = Bar()
    async with app.run_test(size=(100, 20)) as pilot:
        panel = app.query_one(WhichKey)
        panel.show([Hint(chr(97 + n), f"does {n}") for n in range(20)], 100, 20, "and then")
        await pilot.pause()
        assert panel.display
        assert panel.size.height < 8
        panel.hide()
        assert not panel.display


@pytest.mark.parametrize(("cols", "rows"), [(80, 24), (100, 24), (60, 20), (200, 12)])
async def test_no_key_is_left_out_where_the_panel_would_be_too_high(cols: int, rows: int) -> None:
    app = Bar()
    async with app.run_test(size=(cols, rows)) as pilot:
        panel = app.query_one(WhichKey)
        panel.show([Hint(f"alt+{n}", f"what key number {n} does") for n in range(50)], cols, rows, "and then")
        await pilot.pause()
        lines = panel.render_lines(panel.outer_size.region)
        assert panel.outer_size.height < rows
        assert [n for n in range(50) if not any(f"alt+{n} " in line.text for line in lines)] == []
