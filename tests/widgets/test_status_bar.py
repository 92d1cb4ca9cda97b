"""The bottom line: tabs that fit, the active one always, the alert before the hint, and clicks that find their tab."""

import pytest
from msgspec.structs import replace
from textual.app import App, ComposeResult

from fugue_tui.ids import WindowId
from fugue_tui_widgets.status_bar import HINT, TABS, Part, StatusBar, StatusContent, Tab
from fugue_tui_widgets.which_key import Hint, WhichKey


class Bar(App[None]):
    """A status bar and nothing else."""

    def __init__(self) -> None:
        super().__init__()
        self.clicked: list[WindowId] = []
        self.parts: list[str] = []

    def compose(self) -> ComposeResult:
        yield StatusBar()
        yield WhichKey()

    def on_status_bar_tab_clicked(self, message: StatusBar.TabClicked) -> None:
        self.clicked.append(message.window)

    def on_status_bar_part_clicked(self, message: StatusBar.PartClicked) -> None:
        self.parts.append(message.part)

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


@pytest.mark.parametrize("cols", [16, 20, 40, 80])
@pytest.mark.parametrize("alert", ["", "copied 3 characters, clipboard not confirmed"])
async def test_a_mode_is_seen_however_narrow_the_bar_is(cols: int, alert: str) -> None:
    app = Bar()
    content = replace(picture(5, 9, "hint " * 14, alert), mode="copy mode", help="ctrl+b ?")
    parts = (Part("clock", "12:34"), HINT, Part("host", "a-long-name-of-a-host"))
    async with app.run_test(size=(cols, 3)):
        bar = app.query_one(StatusBar)
        bar.show(replace(content, right=parts))
        assert " copy mode " in app.text
        assert len(app.text) == cols
        bar.show(replace(content, mode="", alert="", right=parts))
        assert " ctrl+b ? " in app.text
        if cols >= 20:
            assert "[5 tab]" in app.text


async def test_hidden_tabs_are_counted_on_both_sides_and_a_click_there_selects_the_next() -> None:
    app = Bar()
    async with app.run_test(size=(40, 3)) as pilot:
        bar = app.query_one(StatusBar)
        bar.show(picture(5, 9, hint=""))
        await pilot.pause()
        assert app.text.startswith(" name ‹4 [5 tab] 6 tab  7 tab  8 tab  1›")
        await pilot.click(StatusBar, offset=(app.text.index("‹4"), 0))
        await pilot.click(StatusBar, offset=(app.text.index("1›"), 0))
        assert app.clicked == [4, 9]
        bar.show(picture(1, 3, hint=""))
        assert "‹" not in app.text
        assert "›" not in app.text


async def test_parts_stand_in_their_order_and_the_last_are_dropped_first() -> None:
    app = Bar()
    parts = picture(1, 1)
    left, right = (Part("host", "host"), TABS, Part("clock", "12:34")), (Part("load", "0.5"), HINT, Part("x", "last"))
    async with app.run_test(size=(60, 3)) as pilot:
        bar = app.query_one(StatusBar)
        bar.show(replace(parts, left=left, right=right))
        await pilot.pause()
        assert app.text == " host [1 tab] 12:34 " + " " * 19 + " 0.5  the hint  last "
        for word in ("host", "12:34", "0.5", "last"):
            await pilot.click(StatusBar, offset=(app.text.index(word), 0))
        assert app.parts == ["host", "clock", "load", "x"]
    async with (narrow := Bar()).run_test(size=(22, 3)):
        narrow.query_one(StatusBar).show(replace(parts, left=left, right=right))
        assert "[1 tab]" in narrow.text
        assert "host" in narrow.text
        assert "last" not in narrow.text


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


def shown(panel: WhichKey) -> str:
    """What the panel says."""
    return "\n".join(line.text for line in panel.render_lines(panel.outer_size.region))


@pytest.mark.parametrize(("cols", "rows"), [(80, 24), (100, 24), (60, 30), (200, 12), (40, 12)])
async def test_every_key_is_on_a_page_with_all_its_words(cols: int, rows: int) -> None:
    app = Bar()
    async with app.run_test(size=(cols, rows)) as pilot:
        panel = app.query_one(WhichKey)
        hints = [Hint(f"alt+{n}", f"what key number {n} does") for n in range(50)]
        panel.show(hints, cols, rows, "and then")
        found = set[str]()
        for _ in range(9):
            await pilot.pause()
            assert panel.outer_size.height < rows
            found |= {hint.key for hint in hints if f" {hint.words} " in shown(panel)}
            panel.turn()
        assert found == {hint.key for hint in hints}


async def test_columns_that_fill_the_width_are_two_cells_apart() -> None:
    app = Bar()
    async with app.run_test(size=(26, 6)) as pilot:
        panel = app.query_one(WhichKey)
        panel.show([Hint(key, "does this") for key in "abcd"], 26, 6, "and then")
        await pilot.pause()
        assert " a does this  c does this" in shown(panel)


async def test_the_first_page_shows_the_most_important_keys_and_the_last_leads_back_to_it() -> None:
    app = Bar()
    async with app.run_test(size=(40, 12)) as pilot:
        panel = app.query_one(WhichKey)
        hints = [Hint(f"alt+{n}", f"what key {n} does", 0 if n in (7, 19) else 1) for n in range(20)]
        panel.show(hints, 40, 12, "and then")
        await pilot.pause()
        first = shown(panel)
        assert "alt+7  what key 7 does" in first
        assert "alt+19 what key 19 does" in first
        assert "alt+18" not in first
        assert "1 of 2" in first
        assert panel.turn()
        await pilot.pause()
        assert "alt+18" in shown(panel)
        assert panel.turn()
        await pilot.pause()
        assert shown(panel) == first


async def test_a_panel_of_one_page_has_no_other() -> None:
    app = Bar()
    async with app.run_test(size=(80, 12)):
        panel = app.query_one(WhichKey)
        panel.show([Hint("a", "does it")], 80, 12, "and then")
        assert not panel.turn()
