"""Tabs of hidden windows are marked once for output, silence and the ends of long commands."""

from msgspec.structs import replace
from tests.tui.conftest import Open, Stage

from fugue_tui.control.command_table import monitor_window, windows
from fugue_tui.ids import PaneId, WindowId
from fugue_tui.terminal.emulator.command_record import CommandRecord
from fugue_tui.terminal.emulator.events import CommandFinished

ENDED = CommandRecord(1, "make", "", 0.0, 0.0, trusted=True, ended=12.0, ended_at=12.0, exit_code=0)


def mark(stage: Stage) -> tuple[str, str]:
    return stage.server.window_monitor.marks(stage.mux.workspace.windows[0])


async def hidden(stage: Stage) -> None:
    """The first window is not shown any more."""
    stage.run(windows.CreateWindow(command=("cat",)))
    await stage.pilot.pause()
    assert stage.mux.workspace.active == WindowId(2)


async def test_output_in_a_hidden_window_marks_its_tab_until_it_is_shown(open_stage: Open) -> None:
    async with open_stage() as stage:
        monitor = stage.server.window_monitor
        stage.run(monitor_window.MonitorWindow(activity=True))
        await hidden(stage)
        monitor.check()
        stage.terminal(1).receive(memoryview(b"new\n"))
        monitor.check()
        assert mark(stage) == ("#", "")
        await stage.until(lambda: "1 cat #" in stage.text and "has output" in stage.text)
        stage.run(windows.SelectWindow(window="@1"))
        assert mark(stage) == ("", "")
        stage.terminal(1).receive(memoryview(b"seen\n"))
        stage.run(windows.SelectWindow(window="@2"))
        monitor.check()
        assert mark(stage) == ("", "")


async def test_a_silence_marks_a_tab_and_output_begins_it_anew(open_stage: Open) -> None:
    async with open_stage() as stage:
        monitor, now = stage.server.window_monitor, [100.0]
        monitor.clock = lambda: now[0]
        stage.run(monitor_window.MonitorWindow(silence=30))
        await hidden(stage)
        monitor.check()
        now[0] += 29
        monitor.check()
        assert mark(stage) == ("", "")
        stage.terminal(1).receive(memoryview(b"late\n"))
        monitor.check()
        now[0] += 29
        monitor.check()
        assert mark(stage) == ("", "")
        now[0] += 1
        monitor.check()
        assert mark(stage) == ("~", "")


async def test_the_end_of_a_long_command_marks_a_hidden_window_with_its_outcome(open_stage: Open) -> None:
    async with open_stage() as stage:
        stage.mux.on_event(PaneId(1), CommandFinished(ENDED))
        assert mark(stage) == ("", "")
        await hidden(stage)
        stage.mux.on_event(PaneId(1), CommandFinished(replace(ENDED, ended=9.0)))
        assert mark(stage) == ("", "")
        stage.mux.on_event(PaneId(1), CommandFinished(ENDED))
        assert mark(stage) == ("✓", "done")
        await stage.until(lambda: "make in window" in stage.text)
        stage.mux.on_event(PaneId(1), CommandFinished(replace(ENDED, exit_code=2)))
        assert mark(stage) == ("✗", "error")
        stage.run(windows.SelectWindow(window="@1"))
        assert mark(stage) == ("", "")


async def test_many_marks_make_one_message(open_stage: Open) -> None:
    async with open_stage() as stage:
        monitor, now = stage.server.window_monitor, [100.0]
        monitor.clock = lambda: now[0]
        told = list[str]()
        stage.app.inform = lambda text, topic="": told.append(text)
        await hidden(stage)
        for _ in range(50):
            stage.mux.on_event(PaneId(1), CommandFinished(ENDED))
        assert len(told) == 1
        now[0] += 11
        stage.mux.on_event(PaneId(1), CommandFinished(ENDED))
        assert len(told) == 2
