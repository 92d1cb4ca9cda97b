"""What `stream-output` answers, step by step; `tests/mcp/protocol/test_stream_output.py` has it as clients see it."""

import pytest
from tests.control.wait_helpers import enter, sh
from tests.multiplexer.conftest import Room, agent

from fugue_tui.control.commands.read_pane import ReadPane
from fugue_tui.control.commands.stream_output import StreamEnd, StreamOutput


def test_what_comes_while_the_time_runs_out_is_in_the_text_or_after_the_cursor(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    pane = sh(room, "echo early; read x; echo late; read x; echo later; cat")
    later = StreamOutput(panes=(str(pane),)).run(room.mux, agent())
    room.turn(0.0)
    enter(room, pane)
    room.until(lambda: "early" in room.text(pane), playing=False)
    clock = room.loop.time
    monkeypatch.setattr(room.loop, "time", lambda: clock() + 60)
    enter(room, pane)
    room.until(lambda: "late" in room.text(pane), playing=False)
    streamed = room.awaited(later)
    enter(room, pane)
    room.shows(pane, "later")
    assert streamed.outcome is StreamEnd.TIMEOUT
    assert streamed.panes[0].text.split() == ["early", "late"]
    read = room.run(ReadPane(pane=str(pane), cursor=streamed.panes[0].cursor or ""))
    assert read.text.split() == ["later"]
