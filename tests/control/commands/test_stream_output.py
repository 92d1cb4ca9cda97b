"""What `stream-output` answers, step by step; `tests/mcp/protocol/test_stream_output.py` has it as clients see it."""

from collections.abc import Callable

import pytest
from tests.control.wait_helpers import enter, sh
from tests.multiplexer.conftest import Room, agent

from fugue_tui.control.commands.read_pane import ReadPane
from fugue_tui.control.commands.stream_output import StreamEnd, StreamOutput


@pytest.fixture
def timers(room: Room, monkeypatch: pytest.MonkeyPatch) -> list[Callable[[], object]]:
    """What is to be called after a while, which the test does by itself."""
    timers: list[Callable[[], object]] = []

    def after(seconds: float, call: Callable[[], object]) -> Callable[[], None]:
        timers.append(call)
        return lambda: None

    monkeypatch.setattr(room.mux.wait_service, "after", after)
    return timers


def test_what_comes_while_the_time_runs_out_is_in_the_text_or_after_the_cursor(
    room: Room, timers: list[Callable[[], object]]
) -> None:
    pane = sh(room, "echo early; read x; echo late; read x; echo later; cat")
    later = StreamOutput(panes=(str(pane),)).run(room.mux, agent())
    enter(room, pane)
    room.until(lambda: "early" in room.text(pane), playing=False)
    timers[0]()
    enter(room, pane)
    room.until(lambda: "late" in room.text(pane), playing=False)
    streamed = room.awaited(later)
    enter(room, pane)
    room.shows(pane, "later")
    assert streamed.outcome is StreamEnd.TIMEOUT
    assert streamed.panes[0].text.split() == ["early", "late"]
    read = room.run(ReadPane(pane=str(pane), cursor=streamed.panes[0].cursor or ""))
    assert read.text.split() == ["later"]
