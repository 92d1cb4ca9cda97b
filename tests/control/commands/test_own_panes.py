"""What a caller's own panes have printed before its first wait is not missed."""

from pathlib import Path
from typing import Any

import pytest
from tests.multiplexer.conftest import Room

from fugue_tui.control.commands.layouts import CreateLayout
from fugue_tui.control.core.command import Interface, Origin
from fugue_tui.control.schema.command_line import command as parse
from fugue_tui.ids import PaneId

AGENT = Origin(Interface.MCP, client="test", process="one")
OTHER = Origin(Interface.MCP, client="test", process="two")
READY = "echo READY; read answer; echo DONE; exec cat"


@pytest.fixture(autouse=True)
def plain_shell(monkeypatch: pytest.MonkeyPatch, room: Room) -> None:
    monkeypatch.setenv("SHELL", "/bin/sh")
    room.cat("here")


def wait(room: Room, pane: str, text: str, origin: Origin = AGENT, seconds: float = 30) -> Any:
    return room.say(f"wait-for-output {pane} --any-of {text} --timeout {seconds}", origin)


def test_a_wait_in_a_pane_of_ones_own_starts_at_its_birth(room: Room) -> None:
    opened = room.say(f"split-pane --command '{READY}'", AGENT)
    room.shows(PaneId(opened.id[1:]), "READY")
    assert wait(room, opened.id, "READY", OTHER, 0.1).outcome == "timeout"
    found = wait(room, opened.id, "READY")
    assert (found.outcome, found.matched_at_entry) == ("matched", True)
    assert wait(room, opened.id, "READY", seconds=0.1).outcome == "timeout"


@pytest.mark.parametrize("line", ["read-pane {}", "wait-for-output {} --idle-ms 1", "send-input --pane {} --key x"])
def test_a_later_wait_starts_where_its_caller_stopped(room: Room, line: str) -> None:
    opened = room.say(f"split-pane --command '{READY}'", AGENT)
    room.shows(PaneId(opened.id[1:]), "READY")
    room.say(line.format(opened.id), AGENT)
    assert wait(room, opened.id, "READY", seconds=0.1).outcome == "timeout"
    room.mux.terminals[PaneId(opened.id[1:])].write(b"\n")
    room.shows(PaneId(opened.id[1:]), "DONE")
    found = wait(room, opened.id, "DONE")
    assert (found.outcome, found.matched_at_entry) == ("matched", True)


def test_a_wait_after_a_command_does_not_find_its_output_again(room: Room) -> None:
    opened = room.say("split-pane --command 'PS1=\"$ \" exec bash --norc --noprofile'", AGENT)
    assert room.say(f"execute-command {opened.id} 'echo fo''und'", AGENT).text == "found"
    assert wait(room, opened.id, "found", seconds=0.1).outcome == "timeout"


def test_a_shell_that_a_line_of_another_becomes_is_waited_for(room: Room) -> None:
    line = 'sleep 0.4; PS1="$ " exec bash --norc --noprofile'
    opened = room.say(f"split-pane --command '{line}'", AGENT)
    assert room.say(f"execute-command {opened.id} 'echo one'", AGENT).text == "one"


def test_text_that_is_printed_during_the_wait_is_said_to_be_new(room: Room) -> None:
    pane = room.cat()
    room.mux.terminals[pane].write(b"old\n")
    cursor = room.say(f"read-pane {pane}").cursor
    later = parse(f"wait-for-output --any-of fresh --cursor {cursor}").run(room.mux, AGENT)
    watched = room.mux.wait_service._watched  # pyright: ignore[reportPrivateUsage]
    room.until(lambda: any(each._positions for each in watched.values()))  # pyright: ignore[reportPrivateUsage]
    room.mux.terminals[pane].write(b"fresh\n")
    found = room.awaited(later)
    assert (found.outcome, found.matched_at_entry) == ("matched", False)


@pytest.mark.parametrize("opens", ["split-pane", "create-pane"])
def test_what_opens_a_pane_returns_the_cursor_of_its_birth(room: Room, opens: str) -> None:
    opened = room.say(f"{opens} --command '{READY}'")
    check_birth(room, opened.id, opened.cursor)
    room.say(f"send-input --pane {opened.id} --text x --submit")
    room.shows(PaneId(opened.id[1:]), "DONE")
    again = room.say(f"respawn-pane {opened.id}")
    check_birth(room, again.id, again.cursor)


def test_a_layout_returns_the_cursors_of_the_panes_that_it_opened(room: Room, tmp_path: Path) -> None:
    applied = room.run(CreateLayout(window="active", preset="split_horizontal", pane_commands=({}, READY)))
    assert applied.panes[0].cursor is None
    check_birth(room, applied.panes[1].id, applied.panes[1].cursor)
    file = tmp_path / "two.toml"
    file.write_text(f"version = 1\n[[windows]]\npreset = 'single'\n[[windows.panes]]\ncommand = '{READY}'\n")
    room.mux.permissions = type(room.mux.permissions)(trust="full")
    loaded = room.say(f"load-layout {file}", AGENT)
    check_birth(room, loaded.panes[0].id, loaded.panes[0].cursor)


def check_birth(room: Room, pane: str, cursor: str | None) -> None:
    room.shows(PaneId(pane[1:]), "READY")
    found = room.say(f"wait-for-output --any-of READY --cursor {cursor}")
    assert (found.outcome, found.pane, found.matched_at_entry) == ("matched", pane, True)
    assert room.say(f"read-pane --cursor {cursor}").text.startswith("READY")
