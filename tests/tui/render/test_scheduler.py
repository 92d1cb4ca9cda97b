"""The focused pane is painted at once and alone; the others share their frames, and wait longer behind a dialog."""

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from types import SimpleNamespace

import pytest
from tests.tui.conftest import Open, Stage

from fugue_tui.control.command_table import panes
from fugue_tui.control.commands.show_agents import ShowAgents
from fugue_tui.ids import PaneId
from fugue_tui.tui.app import FugueApp
from fugue_tui.tui.render import scheduler
from fugue_tui.tui.render.scheduler import RenderScheduler
from fugue_tui_widgets.table_view import TableScreen
from fugue_tui_widgets.terminal_view import TerminalView

ONE, TWO, THREE = PaneId(1), PaneId(2), PaneId(3)


class Painted:
    """The panes as they are painted, by a clock that stands still."""

    def __init__(self, stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
        self.stage, self.order, self.now = stage, list[PaneId](), time.monotonic() + 60
        self._frames: RenderScheduler = stage.app._frames  # pyright: ignore[reportPrivateUsage]
        monkeypatch.setattr(scheduler, "time", SimpleNamespace(monotonic=lambda: self.now))
        monkeypatch.setattr(RenderScheduler, "_idle", property(lambda frames: False))
        monkeypatch.setattr(TerminalView, "redraw", lambda view: self._paint(view))  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]

    def _paint(self, view: TerminalView) -> set[int]:
        self.order.append(next(pane for pane, each in self.stage.app.grid.views.items() if each is view))
        return set()

    def want(self, *wanted: PaneId) -> list[PaneId]:
        """The panes painted once these have changed."""
        self.order.clear()
        for pane in wanted:
            self._frames.want(pane)
        return list(self.order)

    def settle(self) -> None:
        """Paint what had changed before, the focused pane and then the others, and let all pauses pass."""
        for _ in range(3):
            self.later(1)

    def press(self) -> None:
        """A key for the focused pane."""
        self._frames.render_soon(self.stage.mux.focused)

    def later(self, seconds: float) -> list[PaneId]:
        """The panes painted so much later."""
        self.order.clear()
        self.now += seconds
        self._frames.schedule()
        return sorted(self.order)


async def three_panes(stage: Stage) -> None:
    for _ in range(2):
        stage.run(panes.SplitPane(command=("cat",), focus=False))
    await stage.until(lambda: len(stage.app.grid.views) == 3 and stage.app.settled)
    assert stage.mux.focused == ONE


@asynccontextmanager
async def three_painted_panes(open_stage: Open, monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[Painted]:
    """With nothing left to paint."""
    async with open_stage() as stage:
        await three_panes(stage)
        painted = Painted(stage, monkeypatch)
        painted.settle()
        yield painted


async def test_the_focused_pane_waits_for_no_other(open_stage: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    async with three_painted_panes(open_stage, monkeypatch) as painted:
        assert painted.want(TWO) == []
        assert painted.later(0.001) == [TWO]
        assert painted.want(THREE, TWO) == []
        assert painted.want(ONE) == [ONE]
        assert painted.later(0.02) == []
        assert painted.want(ONE) == [ONE]
        assert painted.later(0.05) == [TWO, THREE]


async def test_after_a_key_the_others_wait_for_the_focused_pane(
    open_stage: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with three_painted_panes(open_stage, monkeypatch) as painted:
        painted.press()
        assert painted.want(TWO) == []
        assert painted.want(ONE) == [ONE]
        assert TWO in painted.later(0.001)
        painted.settle()
        painted.press()
        assert painted.want(THREE) == []
        assert THREE in painted.later(0.01)


async def test_keys_that_are_held_down_leave_time_for_the_other_panes(
    open_stage: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with three_painted_panes(open_stage, monkeypatch) as painted:
        painted.press()
        assert painted.want(TWO) == []
        for _ in range(3):
            assert painted.later(0.002) == []
            painted.press()
        assert TWO in painted.later(0.003)


async def test_what_has_changed_around_the_panes_is_painted_after_the_echo_of_a_key(
    open_stage: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_stage() as stage:
        held = list[float]()

        def paint(app: FugueApp, screen: object) -> bool:
            held.append(app.status_updates.held_seconds)
            return False

        monkeypatch.setattr(FugueApp, "paint_regions", paint)
        stage.app._frames.held_until = asyncio.get_running_loop().time() + 0.1  # pyright: ignore[reportPrivateUsage]
        stage.app.base.refresh()
        await stage.until(lambda: bool(held))
        assert held[0] <= 0


async def test_keys_as_frequent_as_frames_do_not_keep_the_rest_from_being_painted(
    open_stage: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_stage() as stage:
        screen, loop, frames, painted = stage.app.base, asyncio.get_running_loop(), stage.app._frames, list[float]()  # pyright: ignore[reportPrivateUsage]
        timer, ticks = screen._update_timer, list[float]()  # pyright: ignore[reportPrivateUsage]
        update = screen._on_timer_update  # pyright: ignore[reportPrivateUsage]

        def paint(app: FugueApp, screen: object) -> bool:
            painted.append(loop.time())
            return False

        def press_and_update() -> None:
            ticks.append(loop.time())
            frames.held_until = loop.time() + 0.004
            update()

        monkeypatch.setattr(FugueApp, "paint_regions", paint)
        monkeypatch.setattr(timer, "_callback", press_and_update)
        screen.refresh()
        await stage.until(lambda: bool(painted) or len(ticks) > 20)
        assert len(ticks) <= 20


async def test_panes_behind_a_dialog_wait_for_its_pace(open_stage: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_stage() as stage:
        await three_panes(stage)
        stage.run(ShowAgents())
        await stage.until(lambda: isinstance(stage.app.screen, TableScreen))
        painted = Painted(stage, monkeypatch)
        painted.later(0)
        painted.later(TableScreen.BEHIND_SECONDS)
        assert painted.want(ONE) == []
        assert painted.later(0) == [ONE]
        assert painted.want(ONE, TWO) == []
        assert painted.later(TableScreen.BEHIND_SECONDS - 0.1) == []
        assert painted.later(0.2) == [ONE, TWO]
        assert painted.want(THREE) == []
        stage.app.pop_screen()
        assert painted.later(0.05) == [THREE]
        assert painted.want(ONE) == [ONE]


async def test_another_pane_is_painted_once_the_keys_that_have_come_are_read(
    open_stage: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with three_painted_panes(open_stage, monkeypatch) as painted:
        assert painted.want(TWO) == []
        painted.press()
        assert painted.later(0) == []
        assert painted.want(ONE) == [ONE]
        assert painted.later(0.001) == [TWO]
