"""An ended pane says at its foot how it ended, and what the keys do."""

from tests.tui.conftest import Open

from fugue_tui.control.command_table import panes
from fugue_tui.ids import PaneId

FOOT = "exit 2: Enter runs it again, x closes"


async def test_a_lone_ended_pane_says_so_at_its_foot_and_its_text_stays(open_stage: Open) -> None:
    async with open_stage("sh", "-c", "echo building; exit 2") as stage:
        await stage.until(lambda: stage.view().render_line(stage.view().size.height - 1).text.rstrip().endswith(FOOT))
        await stage.until(lambda: "building" in stage.text)
        assert FOOT not in stage.pane_text()
        stage.view().scroll_back(1)
        await stage.pilot.pause()
        assert stage.view().render_line(stage.view().size.height - 1).text.rstrip().endswith(FOOT)


async def test_enter_runs_it_again_and_q_closes(open_stage: Open) -> None:
    async with open_stage() as stage:
        stage.run(panes.SplitPane(command=("sh", "-c", "read line; exit 2"), focus=True))
        await stage.until(lambda: len(stage.rects) == 2)
        await stage.press("enter")
        await stage.until(lambda: PaneId(2) in stage.mux.exits and "exit 2: Enter" in stage.text)
        await stage.press("enter")
        await stage.until(lambda: PaneId(2) not in stage.mux.exits)
        await stage.pilot.pause()
        assert "exit 2" not in stage.text
        await stage.press("enter")
        await stage.until(lambda: PaneId(2) in stage.mux.exits)
        await stage.press("q")
        await stage.until(lambda: PaneId(2) not in stage.mux.workspace.panes)


async def test_a_shorter_text_fits_a_narrow_pane(open_stage: Open) -> None:
    async with open_stage("sh", "-c", "exit 2", cols=20, rows=6) as stage:
        await stage.until(lambda: "exit 2: Enter, x" in stage.text)
