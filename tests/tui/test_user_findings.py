"""What people stumbled over on the screen while they lived in the workspace."""

from tests.tui.conftest import Open

from fugue_tui.geometry import Size
from fugue_tui.tui.ui import view_model


async def test_the_bar_says_that_an_untitled_pane_shows_its_history(open_stage: Open) -> None:
    async with open_stage("sh", "-c", "seq 100; exec cat") as stage:
        await stage.until_text("100")
        stage.view().scroll_back(10)
        await stage.until(lambda: "history -10" in stage.text)
        stage.view().scroll_back(-10)
        await stage.until(lambda: "history" not in stage.text)


async def test_a_row_too_few_for_titles_leaves_the_divider_whole(open_stage: Open) -> None:
    async with open_stage() as stage:
        await stage.prefix("percent_sign")
        await stage.until(lambda: len(stage.rects) == 2)
        stage.mux.resize(Size(5, 1))
        picture = view_model.grid_model(stage.mux)
        assert not picture.title_row
        assert not picture.titles


async def test_a_user_reads_a_list_as_a_table(open_stage: Open) -> None:
    async with open_stage() as stage:
        stage.app.commands.run_line("list-panes")
        await stage.until(lambda: "PROGRAM" in stage.text)
        assert "{" not in stage.text
