"""Pictures of floating panes, popups and stacks, accepted by a person."""

import pytest
from tests.tui.conftest import Stage
from tests.tui.test_snapshots import HELLO, Picture, four, said
from tests.tui.test_snapshots import picture as picture

from fugue_tui.control.command_table import floating_panes

pytestmark = pytest.mark.slow

SIZES = ((40, 12), (80, 24), (120, 36))


async def popup(stage: Stage, name: str, **place: float) -> None:
    """Open a popup that says hello."""
    command = floating_panes.DisplayPopup(command=("sh", "-c", HELLO), name=name, **place)  # pyright: ignore[reportArgumentType]
    opened = stage.run(command)
    await stage.until(lambda: said(stage, int(opened.id[1:])))


@pytest.mark.parametrize(("cols", "rows"), SIZES)
def test_a_popup(picture: Picture, cols: int, rows: int) -> None:
    async def script(stage: Stage) -> None:
        await popup(stage, "lazygit")

    assert picture(script, cols, rows, drawn=False)


@pytest.mark.parametrize(("cols", "rows"), SIZES)
def test_floating_panes_over_tiles(picture: Picture, cols: int, rows: int) -> None:
    async def script(stage: Stage) -> None:
        await four(stage)
        await popup(stage, "logs", cols=0.5, rows=0.4, x=0.1, y=0.1)
        await popup(stage, "漢字", cols=30, rows=8)
        await popup(stage, "front", cols=24, rows=6, x=0.6, y=0.6)

    assert picture(script, cols, rows, drawn=False)


def test_a_floating_pane_without_the_focus(picture: Picture) -> None:
    async def script(stage: Stage) -> None:
        await popup(stage, "logs", cols=30, rows=8)
        await stage.prefix(";")

    assert picture(script, drawn=False)


@pytest.mark.parametrize(("cols", "rows"), SIZES)
def test_a_stack_beside_a_pane(picture: Picture, cols: int, rows: int) -> None:
    async def script(stage: Stage) -> None:
        await four(stage)
        await stage.prefix("h")

    assert picture(script, cols, rows, drawn=False)
