"""Nothing of a layout file runs before the user has trusted its version, whichever command loads it."""

from pathlib import Path
from typing import Any

import pytest
from tests.control.layout_files.layout_file_fixtures import approve_all, file_of, save
from tests.control.layout_files.layout_file_fixtures import home as home
from tests.multiplexer.conftest import Room

from fugue_tui.config.model import McpSettings
from fugue_tui.control.core.command import USER, Interface, Origin
from fugue_tui.control.core.deferred import Deferred
from fugue_tui.control.schema.command_line import command as parse
from fugue_tui.errors import Denied
from fugue_tui.multiplexer.access.approvals import DENIED_SECONDS, Request

AGENT = Origin(Interface.MCP, process="12@34", program="claude")
PALETTE, SCRIPT = Origin(Interface.PALETTE), Origin(Interface.CLI)


def started(room: Room, line: str, origin: Origin = USER) -> Deferred[Any]:
    """A command, once it has finished or waits for the user."""
    later: Any = parse(line).run(room.mux, origin)
    room.until(lambda: later.done or room.mux.approvals.waiting())
    return later


def asked(room: Room, line: str, origin: Origin = USER) -> tuple[Deferred[Any], Request]:
    later = started(room, line, origin)
    assert not later.done
    return later, room.mux.approvals.waiting()[0]


def is_unasked(room: Room, line: str, origin: Origin = USER) -> bool:
    return started(room, line, origin).done


@pytest.mark.parametrize("origin", [PALETTE, SCRIPT, AGENT])
def test_a_projects_file_runs_only_once_the_user_has_seen_all_its_programs(
    room: Room, home: Path, origin: Origin
) -> None:
    room.mux.permissions = McpSettings()
    room.cat()
    file = file_of(home, "preset = 'even_vertical'\npanes = [{command = 'cat'}, {command = 'touch ran; cat'}]")
    later, request = asked(room, "load-layout .", origin)
    question = request.question
    assert question.what.splitlines() == [
        f"1 window with 2 panes in {home}:", "  window (without a name)", "    cat", "    touch ran; cat",
    ]  # fmt: skip
    assert str(file) in question.grantee.words
    assert ("claude" in question.grantee.words) is (origin is AGENT)
    assert question.title == "a layout file asks"
    assert not (home / "ran").exists()
    assert len(room.open) == 1
    room.mux.approvals.approve(request.id)
    assert len(room.awaited(later).panes) == 2
    room.until((home / "ran").exists)
    assert is_unasked(room, "load-layout .", origin)


def test_what_the_user_denies_does_not_run_and_is_asked_again_later(room: Room, home: Path) -> None:
    room.cat()
    file_of(home, "pane = {command = 'cat'}")
    later, request = asked(room, "load-layout .")
    room.mux.approvals.deny(request.id)
    with pytest.raises(Denied):
        room.awaited(later)
    assert len(room.open) == 1
    room.now += DENIED_SECONDS
    asked(room, "load-layout .")


def test_a_file_that_changes_by_one_byte_is_asked_about_again(room: Room, home: Path) -> None:
    room.cat()
    file = file_of(home, "pane = {command = 'cat'}")
    later, _ = asked(room, "load-layout .")
    approve_all(room)
    room.awaited(later)
    file.write_text(file.read_text() + "\n")
    _, request = asked(room, "load-layout .")
    assert "has changed" in request.question.grantee.words


def test_what_the_user_has_written_by_hand_or_saved_is_not_asked_about(room: Room, home: Path, tmp_path: Path) -> None:
    room.cat()
    own = tmp_path / "config" / "layouts"
    own.mkdir(parents=True)
    (own / "mine.toml").write_text("[[windows]]\npane = {command = 'cat'}\n")
    assert is_unasked(room, "load-layout mine")
    save(room, "saved")
    assert is_unasked(room, "load-workspace saved")
    save(room, ".")
    assert is_unasked(room, "load-layout .")


@pytest.mark.parametrize("line", ["load-layout full-stack", "load-workspace full-stack"])
def test_what_an_agent_saved_among_the_users_layouts_is_asked_about(room: Room, home: Path, line: str) -> None:
    room.opened("create-pane --command 'touch ran; cat'")
    room.until((home / "ran").exists)
    (home / "ran").unlink()
    save(room, "full-stack", AGENT)
    _, request = asked(room, line)
    assert "touch ran; cat" in request.question.what
    assert "is new here" in request.question.grantee.words
    assert not (home / "ran").exists()
    save(room, "full-stack --overwrite")
    room.mux.approvals.deny(request.id)
    room.now += DENIED_SECONDS
    assert is_unasked(room, line)


def test_a_file_is_not_trusted_for_commands_that_were_replaced_when_it_was_shown(room: Room, home: Path) -> None:
    room.opened("create-pane --name main --command 'touch ran; cat'")
    save(room, "evil", AGENT)
    (home / "ran").unlink(missing_ok=True)
    harmless = """load-workspace evil --commands '{"main": "cat"}'"""
    later, request = asked(room, harmless)
    assert "touch ran" not in request.question.what
    room.mux.approvals.approve(request.id)
    room.awaited(later)
    for line in ("load-workspace evil", "load-layout evil"):
        later, request = asked(room, line)
        assert "touch ran; cat" in request.question.what
        room.mux.approvals.deny(request.id)
        room.until(lambda later=later: later.done)
        room.now += DENIED_SECONDS
    assert not (home / "ran").exists()


def test_shipped_layouts_and_agents_with_full_trust_are_not_asked_about(room: Room, home: Path) -> None:
    room.cat()
    assert is_unasked(room, "load-workspace monitoring")
    file_of(home, "pane = {command = 'cat'}")
    room.mux.permissions = McpSettings(trust="full")
    assert is_unasked(room, "load-layout .", AGENT)
    asked(room, "load-layout .", PALETTE)
