"""What is left on the disk of a workspace, however it ends."""

import os
import signal
from pathlib import Path
from typing import Any

import pytest
from tests.e2e.conftest import Launch, Running

from fugue_tui.geometry import Size
from fugue_tui.store.store import Store
from fugue_tui.terminal.emulator.save_format import unpack
from fugue_tui.workspace.save_codec import decode
from fugue_tui.workspace.save_model import SavedWorkspace

pytestmark = [pytest.mark.slow, pytest.mark.forked]


REMEMBERED = ("--", "sh", "-c", "echo to be remembered; exec cat")


def store() -> Store:
    return Store(os.environ["FUGUE_STATE"])


def saved(name: str = "e2e") -> SavedWorkspace:
    saved, faults = decode(store().get("auto", name).manifest)
    assert not faults
    return saved


def text() -> str:
    (seen,) = saved().seen.values()
    return unpack(store().text(seen.text)).portable.decode()


def remembered(launch: Launch, **wanted: Any) -> Running:
    running = launch(*REMEMBERED, **wanted)
    running.ready()
    running.host.wait_text("to be remembered")
    return running


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_what_a_signal_ends_is_saved_as_it_was_last(launch: Launch, number: int) -> None:
    running = remembered(launch)
    running.host.send(b"the last words\r")
    running.host.wait_text("the last words")
    os.kill(running.host.pid, number)
    running.host.wait_exit()
    assert "to be remembered" in text()
    assert "the last words" in text()


def test_a_killed_workspace_was_saved_soon_after_its_start(launch: Launch) -> None:
    running = remembered(launch)
    running.host.wait_until(lambda: store().names("auto"))
    os.kill(running.host.pid, signal.SIGKILL)
    running.host.wait_exit()
    assert "to be remembered" in text()


def test_a_workspace_whose_last_program_ended_leaves_nothing(launch: Launch) -> None:
    running = remembered(launch)
    running.host.wait_until(lambda: store().names("auto"))
    running.host.send(b"\x04")
    assert running.host.wait_exit().code == 0
    assert store().names("auto") == []


def test_nothing_is_saved_where_that_is_switched_off(launch: Launch) -> None:
    running = remembered(launch, config="[session]\nsave = false\n")
    assert running.ask("save-session", "by-hand")["panes"] == 1
    os.kill(running.host.pid, signal.SIGTERM)
    running.host.wait_exit()
    assert store().names("auto") == []
    assert [entry.name for entry in store().names("named")] == ["by-hand"]


def test_saving_by_hand_works_from_the_command_line(launch: Launch) -> None:
    running = remembered(launch)
    told = running.shell("save-session", "--workspace", "e2e", "before-lunch")
    assert "name: before-lunch" in told.stdout
    assert running.shell("save-session", "--workspace", "e2e", "before-lunch").returncode == 1
    assert [each["name"] for each in running.ask("list-saved", "session")["saved"]] == ["before-lunch"]
    assert running.ask("delete-saved", "before-lunch") == {"kind": "session", "name": "before-lunch"}


def test_a_place_that_cannot_be_written_is_told_and_the_workspace_continues(launch: Launch, room: Path) -> None:
    (room / "file").write_text("")
    running = remembered(launch, env={"FUGUE_STATE": str(room / "file")}, size=Size(120, 24))
    running.host.wait_text("not saved: ")
    running.host.send(b"it goes on\r")
    running.host.wait_text("it goes on")
    os.kill(running.host.pid, signal.SIGTERM)
    assert running.host.wait_exit().code == 143


def test_a_client_that_attaches_later_sees_save_errors_and_their_end(launch: Launch, room: Path) -> None:
    place = room / "file"
    place.write_text("")
    first = launch(*REMEMBERED, env={"FUGUE_STATE": str(place)}, size=Size(160, 24), server=True)
    first.host.wait_text("to be remembered", "not saved: ", "(not saved)")
    first.host.send(b"\x02d")
    first.host.wait_exit()
    again = first.again(size=Size(160, 24))
    again.wait_text("to be remembered", f"not saved: {place}: Not a directory; put a directory in its place")
    place.unlink()
    again.wait_text("the workspace is saved again")
    assert "(not saved)" not in again.text
    assert (place / "auto" / "e2e.json").exists()
