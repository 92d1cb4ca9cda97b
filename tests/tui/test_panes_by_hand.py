"""A person splits, moves, sizes, names and closes panes by keys and by mouse."""

from tests.tui.conftest import Open


async def test_the_split_keys_open_panes_beside_and_below(open_stage: Open) -> None:
    async with open_stage() as stage:
        await stage.prefix("percent_sign")
        await stage.until(lambda: len(stage.rects) == 2)
        left, right = stage.rects[1], stage.rects[2]
        assert left.y == right.y
        assert right.x == left.right + 1
        await stage.prefix("quotation_mark")
        await stage.until(lambda: len(stage.rects) == 3)
        upper, lower = stage.rects[2], stage.rects[3]
        assert (upper.x, upper.cols) == (lower.x, lower.cols)
        assert lower.y == upper.bottom + 1
        assert stage.mux.focused == 3
