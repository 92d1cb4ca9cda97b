"""Results of MCP servers as widgets: a list of flat objects is a table, other JSON is a tree."""

from typing import Any, cast

import pytest
from rich.text import Text
from textual.app import App, ComposeResult
from textual.widgets import DataTable, Static, Tree

from fugue_tui_widgets.result_view import ROWS, ResultModel, ResultPart, ResultView

PEOPLE = [{"name": "Ann", "age": 41}, {"name": "Bob", "town": "Rome\x1b[2J\n"}]


class OneResult(App[None]):
    """An app with nothing but a result."""

    def __init__(self, value: Any) -> None:
        super().__init__()
        parts = [ResultPart("json", value=value)]
        self.view = ResultView(ResultModel("people", parts, {}, open_link=lambda uri: None, close=self.exit))

    def compose(self) -> ComposeResult:
        yield self.view

    @property
    def cells(self) -> list[list[str]]:
        """The texts of the table, its header first."""
        table = cast("DataTable[Text]", self.query_one("DataTable"))
        columns = [str(column.label) for column in table.ordered_columns]
        return [columns, *([str(cell) for cell in table.get_row_at(row)] for row in range(table.row_count))]


async def test_a_list_of_flat_objects_is_a_table_of_all_their_names() -> None:
    app = OneResult(PEOPLE)
    async with app.run_test():
        names, *rows = app.cells
        assert names == ["name", "age", "town"]
        assert rows[0][:2] == ["Ann", "41"]
        assert rows[1][0] == "Bob"
        assert rows[1][2].startswith("Rome")
        assert "\x1b" not in rows[1][2]
        assert "\n" not in rows[1][2]


async def test_a_table_that_is_all_of_an_object_has_its_name_above_it() -> None:
    app = OneResult({"people": PEOPLE})
    async with app.run_test():
        assert [str(note.content) for note in app.query(".note").results(Static)] == ["people"]
        assert len(app.cells) == 3


async def test_a_long_table_is_cut() -> None:
    app = OneResult([{"number": number} for number in range(ROWS + 5)])
    async with app.run_test():
        assert len(app.cells) == ROWS + 1


@pytest.mark.parametrize("value", [[], [1, 2], [{"tags": ["a"]}], [PEOPLE[0], 3], {"people": PEOPLE, "count": 2}, None])
async def test_other_json_is_a_tree(value: Any) -> None:
    app = OneResult(value)
    async with app.run_test():
        assert not app.query(DataTable)
        assert cast("Tree[None]", app.query_one("Tree")).root.is_expanded
