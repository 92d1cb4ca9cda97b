"""What panes show can be read as plain text, and what is going on can be told."""

from typing import Any

import pytest
from tests.multiplexer.conftest import Room, agent

from fugue_tui.control.commands.read_pane import ReadPane, Source
from fugue_tui.control.commands.status import CellPosition, GetStatus
from fugue_tui.control.core.command import USER, Origin
from fugue_tui.control.schema.command_schema import payload
from fugue_tui.errors import NotFound
from fugue_tui.geometry import Size
from fugue_tui.ids import PaneId


def showing(room: Room, script: str) -> PaneId:
    """A pane whose program prints something and then `ready`."""
    pane = room.opened(f'create-pane --command "{script}; printf ready; exec cat"')
    room.shows(pane, "ready")
    return pane


def read(room: Room, origin: Origin = USER, **fields: Any) -> str:
    """The text of a reading."""
    return room.run(ReadPane(**fields), origin).text


def test_the_screen_is_read_without_blank_lines_at_its_end(room: Room) -> None:
    showing(room, "printf 'one\\n\\ntwo\\n'")
    assert read(room) == "one\n\ntwo\nready"


def test_a_number_of_lines_is_counted_from_the_end(room: Room) -> None:
    showing(room, "seq 1 100")
    assert read(room).splitlines()[:1] == ["78"]
    assert len(read(room).splitlines()) == 24
    assert read(room, lines=3) == "99\n100\nready"
    assert read(room, lines=3, offset=2) == "97\n98\n99"
    assert read(room, lines=500).splitlines()[0] == "78"


def test_the_blank_rows_at_the_end_do_not_count(room: Room) -> None:
    showing(room, "seq 1 5")
    assert read(room, lines=2) == "5\nready"
    assert read(room, lines=2, offset=2) == "3\n4"
    assert read(room, source=Source.SCROLLBACK, lines=3) == "4\n5\nready"


def test_the_scrollback_is_read_page_by_page(room: Room) -> None:
    showing(room, "seq 1 400")
    assert read(room, source=Source.SCROLLBACK).splitlines()[0] == "202"
    pages = [read(room, source=Source.SCROLLBACK, lines=150, offset=offset) for offset in (0, 150, 300, 450)]
    whole = "\n".join(reversed([page for page in pages if page])).splitlines()
    assert whole == [*map(str, range(1, 401)), "ready"]


def test_wrapped_lines_are_joined(room: Room) -> None:
    showing(room, "printf '%0200d\\n' 7")
    assert read(room).splitlines()[0] == "7".zfill(200)


def test_colours_and_control_characters_are_not_read(room: Room) -> None:
    showing(room, "printf '\\033[31mred\\033[0m \\342\\200\\256x\\342\\200\\213y\\n'")
    text = read(room)
    assert text.splitlines()[0] == "red xy"


def test_reading_ignores_where_a_user_has_scrolled_to(room: Room) -> None:
    pane = showing(room, "seq 1 100")
    before = read(room)
    room.mux.terminals[pane].scroll(30)
    assert read(room) == before
    assert room.say(f"get-status {pane}").state.scrolled == 30


def test_an_empty_pane_reads_as_nothing(room: Room) -> None:
    room.cat()
    assert read(room) == ""
    assert read(room, source=Source.SCROLLBACK, offset=10_000) == ""


def test_an_agent_reads_its_own_pane_unless_it_names_one(room: Room) -> None:
    first = showing(room, "echo mine")
    second = showing(room, "echo yours")
    assert read(room, agent(first)).startswith("mine")
    assert read(room, agent(first), pane=str(second)).startswith("yours")
    room.say(f"close-pane {first}")
    with pytest.raises(NotFound, match=f"your own pane {first} is closed"):
        read(room, agent(first))


def test_the_status_tells_what_is_open(room: Room) -> None:
    first = room.cat("one")
    second = room.cat()
    status = room.run(GetStatus(), agent(first))
    assert (status.workspace, status.focus, status.you) == ("test", str(second), str(first))
    assert (status.engine, status.lacks, status.area) == ("ghostty", (), Size(81, 24))
    assert status.version
    assert [pane.name for pane in status.panes] == ["one", ""]
    assert [window.panes for window in status.windows] == [("%1", "%2")]
    assert [session.windows for session in status.sessions] == [("@1",)]
    assert status.state is None
    assert payload(GetStatus, status)


def test_the_status_tells_what_the_fallback_engine_lacks(room: Room) -> None:
    room.launcher.engine = "pyte"
    first = room.cat()
    status = room.run(GetStatus(), agent(first))
    assert (status.engine, bool(status.lacks)) == ("pyte", True)


def test_the_status_of_an_empty_workspace_is_a_status_too(room: Room) -> None:
    status = room.run(GetStatus())
    assert (status.focus, status.engine, status.panes) == (None, "", ())


def test_the_status_of_a_pane_tells_its_terminal(room: Room) -> None:
    room.cat()
    pane = showing(room, "printf '\\033[?2004h\\033[?1h\\033[?1000h\\a'; seq 1 100")
    room.until(lambda: room.mux.pane_reports[pane].bells)
    status = room.run(GetStatus(pane=str(pane)))
    state = status.state
    assert [info.id for info in status.panes] == [str(pane)]
    assert state is not None
    assert (state.size, state.running, state.exit_code, state.bells) == (Size(40, 24), True, None, 1)
    assert state.cursor == CellPosition(5, 23)
    assert state.modes == ("application_cursor", "bracketed_paste", "mouse")
    assert state.scrollback == 77
    assert status.panes[0].pid == room.mux.terminals[pane].pid
    room.until(lambda: room.run(GetStatus(pane=str(pane))).panes[0].program == "cat")


def test_the_status_of_a_pane_whose_program_is_over_tells_how_it_ended(room: Room) -> None:
    room.cat()
    failed = room.opened("split-pane --command 'exit 3'")
    killed = room.opened("split-pane --command 'kill -TERM $$'")
    room.ended(failed)
    room.ended(killed)
    status = room.run(GetStatus(pane=str(failed)))
    assert status.state is not None
    assert (status.state.running, status.state.exit_code, status.panes[0].exit) == (False, 3, "exit 3")
    assert room.run(GetStatus(pane=str(killed))).panes[0].exit == "killed by SIGTERM"


def test_a_marked_prompt_tells_whether_a_shell_waits_and_how_its_last_command_ended(room: Room) -> None:
    pane = showing(room, "printf '\\033]133;A\\a\\033]133;B\\a\\033]133;C\\a\\033]133;D;4\\a\\033]133;A\\a'")
    room.until(lambda: room.mux.pane_reports[pane].at_prompt and room.mux.pane_reports[pane].last_status == 4)
    state = room.run(GetStatus(pane="active")).state
    assert state is not None
    assert (state.at_prompt, state.last_status) == (True, 4)


def test_a_notification_is_reported_as_clean_text(room: Room) -> None:
    pane = showing(room, "printf '\\033]777;notify;Build;all \\302\\233done\\033\\\\'")
    room.until(lambda: room.mux.pane_reports[pane].notice)
    state = room.run(GetStatus(pane="active")).state
    assert state is not None
    assert state.notice.startswith("Build: all")
    assert state.notice.isprintable()


@pytest.mark.parametrize("engine", ["ghostty", "pyte"])
def test_the_cursor_is_reported_in_a_pane_that_was_never_drawn(room: Room, engine: str) -> None:
    room.cat()
    room.launcher.engine = engine
    pane = showing(room, "seq 1 100; printf '\\033[5;7H'")
    terminal = room.mux.terminals[pane]
    room.until(lambda: room.caret(pane) == (11, 4))
    terminal.scroll(20)
    state = room.run(GetStatus(pane=str(pane))).state
    assert state is not None
    assert state.cursor == CellPosition(11, 4)
