"""Tables as widgets: they scroll with their cursor, keep it on its row, and repaint only what changed."""

from collections.abc import Sequence
from typing import Any

import pytest
from msgspec.structs import replace
from textual.app import App, ComposeResult
from textual.geometry import Region

from fugue_tui.layout.table import Column, TableRow
from fugue_tui_widgets.table import Table

COLUMNS = (Column("", 0, toned=True), Column("name", 1), Column("says", 2))


def rows(count: int, words: str = "as before") -> list[TableRow]:
    return [TableRow(str(number), ("*", f"row {number}", words)) for number in range(count)]


class OneTable(App[None]):
    """An app with nothing but a table."""

    def __init__(self, shown: Sequence[TableRow]) -> None:
        super().__init__()
        self.table = Table(COLUMNS, opaque=True)
        self.shown = shown

    def compose(self) -> ComposeResult:
        yield self.table

    def on_mount(self) -> None:
        self.table.show(self.shown)

    @property
    def lines(self) -> list[str]:
        """What the table shows."""
        return [self.table.render_line(y).text.rstrip() for y in range(self.table.size.height)]


async def test_the_view_follows_the_cursor_below_the_titles() -> None:
    app = OneTable(rows(40))
    async with app.run_test(size=(40, 10)) as pilot:
        await pilot.pause()
        app.table.move(1_000)
        await pilot.pause()
        assert app.lines[0].split() == ["name", "says"]
        assert [line.split()[2] for line in app.lines[1:]] == [str(number) for number in range(31, 40)]
        app.table.move(-app.table.page)
        await pilot.pause()
        assert app.lines[1].split()[2] == "30"


async def test_a_click_chooses_the_row_that_is_seen_there() -> None:
    app = OneTable(rows(40))
    async with app.run_test(size=(40, 10)) as pilot:
        await pilot.pause()
        app.table.move(1_000)
        await pilot.pause()
        await pilot.click(offset=(5, 1))
        assert app.table.chosen is not None
        assert app.table.chosen.key == "31"
        await pilot.click(offset=(5, 0))
        assert app.table.chosen.key == "31", "the titles are no row"


async def test_the_cursor_stays_on_its_row_and_takes_the_place_of_one_that_is_gone() -> None:
    app = OneTable(rows(5))
    async with app.run_test(size=(40, 10)) as pilot:
        await pilot.pause()
        app.table.move(2)
        app.table.show(rows(5)[::-1])
        assert app.table.chosen == rows(5)[2]
        app.table.show([row for row in rows(5) if row.key != "2"])
        assert app.table.chosen == rows(5)[3]
        app.table.show(rows(1))
        assert app.table.chosen == rows(5)[0]
        app.table.show(())
        assert app.table.chosen is None
        await pilot.pause()
        assert app.lines[1:] == [""] * 9


async def test_only_the_cells_that_changed_are_repainted(monkeypatch: pytest.MonkeyPatch) -> None:
    app = OneTable(rows(5))
    async with app.run_test(size=(40, 10)) as pilot:
        await pilot.pause()
        repainted = list[Region]()

        def refresh(*regions: Region, **_: Any) -> Table:
            repainted.extend(regions or [Region(0, 0, 40, 10)])
            return app.table

        monkeypatch.setattr(app.table, "refresh", refresh)
        shown = rows(5)
        app.table.show(shown)
        assert repainted == []
        shown = [*shown[:3], replace(shown[3], cells=("*", "row 3", "now else")), shown[4]]
        app.table.show(shown)
        assert repainted == [Region(10, 4, 9, 1)]
        assert app.lines[4] == "*  row 3  now else"
        app.table.show([replace(shown[0], tone="done"), *shown[1:]])
        assert repainted[1:] == [Region(0, 1, 40, 1)]
