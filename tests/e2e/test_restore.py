"""After a crash or a reboot: the last workspace is offered, comes back with its layout and text, or is kept."""

import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.e2e.conftest import Launch, Running

from fugue_tui.geometry import Size
from fugue_tui.store.store import Store
from fugue_tui.terminal.pty import process

pytestmark = [pytest.mark.slow, pytest.mark.forked]


WIDE = Size(120, 30)
ASK = "Enter  brings it back"
ALWAYS = '[session]\nrestore = "always"\n'


def store() -> Store:
    """What is saved in this test."""
    return Store(os.environ["FUGUE_STATE"])


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is saved by anybody else."""
    monkeypatch.setenv("FUGUE_STATE", str(tmp_path / "state"))


def settled(running: Running, done: Callable[[], object]) -> None:
    """Wait until the workspace was saved since something is the case."""
    running.host.wait_until(done)
    running.ask("save-session", "marker", "--overwrite")
    windows = len(running.ask("get-status")["windows"]) + 1
    running.ask("create-window", "--name", "later", "--command", "cat")
    running.host.wait_until(lambda: any(entry.head.get("windows") == windows for entry in store().names("auto")))


def used(launch: Launch, **wanted: Any) -> Running:
    """A workspace in which somebody worked: a shell and a program beside it, and a window behind."""
    running = launch(size=WIDE, **wanted)
    running.ready()
    running.host.send("echo once' 'upon\r")
    running.host.wait_text("once upon")
    running.ask("split-pane", "--name", "log", "--command", "echo the log; exec cat")
    running.host.wait_text("the log")
    settled(running, lambda: "log" in running.host.text)
    return running


def killed(running: Running) -> list[int]:
    """Kill the workspace as a power cut does: the server, and everything in it."""
    sessions = running.sessions()
    members = [each.pid for session in process.session_members(sessions).values() for each in session]
    os.kill(running.server, signal.SIGKILL)
    for pid in members:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
    running.host.wait_exit()
    running.wait_gone(sessions)
    return sessions


def panes(running: Running) -> dict[str, Any]:
    """The panes by their ids."""
    return {each["id"]: each for each in running.ask("list-panes")["panes"]}


def test_a_workspace_of_a_killed_machine_is_restored_by_enter(launch: Launch) -> None:
    first = used(launch)
    before = first.ask("get-layout")
    killed(first)
    second = launch(size=WIDE)
    second.host.wait_text(ASK, "2 windows, 3 panes", "1 ", "2 later", "echo the log", "Escape  starts fresh")
    second.host.send("\r")
    second.host.wait_text("once upon", "the log", "restored, saved", "press Enter to run again: echo the log")
    found = panes(second)
    assert sorted(found) == ["%1", "%2", "%3"]
    assert found["%1"]["waits"] is None
    assert found["%2"]["waits"] == "echo the log; exec cat"
    assert found["%2"]["name"] == "log"
    assert second.ask("get-layout") == before
    second.host.send("echo al''ive\r")
    second.ask("focus-pane", "log")
    second.host.send("\r")
    second.host.wait_until(lambda: panes(second)["%2"]["waits"] is None)
    second.host.send("typed again\r")
    second.host.wait_text("typed again", "restored, saved", "alive")


@pytest.mark.parametrize("server", [False, True])
@pytest.mark.parametrize("painted", [False, True])
def test_what_is_typed_before_the_question_neither_answers_it_nor_reaches_the_new_shell(
    launch: Launch, *, server: bool, painted: bool
) -> None:
    killed(used(launch))
    second = launch(size=WIDE, server=server)
    if painted:
        second.host.wait_until(lambda: b"\x1b[?1049h" in second.host.received)
    second.host.send("echo typed' 'ahead\r")
    second.host.wait_text(ASK, "answer first: Enter or Escape")
    second.host.send("\r")
    second.host.wait_text("once upon", "the log", "restored, saved")
    assert sorted(panes(second)) == ["%1", "%2", "%3"]


def test_a_workspace_that_can_be_restored_is_listed_until_it_was_ended_on_purpose(launch: Launch) -> None:
    first = used(launch)
    killed(first)
    (line,) = first.shell("ls").stdout.splitlines()[1:]
    assert line.split()[:5] == ["e2e", "saved", "0", "2", "3"]
    (told,) = json.loads(first.shell("ls", "--json").stdout)["workspaces"]
    assert (told["name"], told["running"], told["panes"], told["socket"]) == ("e2e", False, 3, None)
    second = launch(size=WIDE)
    second.host.wait_text(ASK)
    assert [line.split()[1] for line in second.shell("ls").stdout.splitlines()[1:]] == ["running"]
    second.host.send("\r")
    second.host.wait_text("restored, saved")
    second.host.send("\x02:kill-server\r")
    second.host.wait_text("End the workspace")
    second.host.send("y")
    second.host.wait_exit()
    assert "no workspace runs, and none waits to come back" in second.shell("ls").stderr


def test_a_workspace_without_a_socket_is_listed_as_running(launch: Launch) -> None:
    running = launch(size=WIDE, config="[mcp]\nenabled = false\n")
    running.host.wait_until(lambda: store().names("auto"))
    (line,) = running.shell("ls").stdout.splitlines()[1:]
    assert line.split() == ["e2e", "running", "?", "1", "1", "?"]
    assert "e2e runs without a socket" in running.shell("doctor").stdout


def test_starting_fresh_keeps_the_last_save(launch: Launch) -> None:
    killed(used(launch))
    second = launch(size=WIDE)
    second.host.wait_text(ASK)
    second.host.send("\x1b")
    second.host.wait_text("the last workspace is kept")
    assert ASK not in second.host.text
    (kept,) = [entry.name for entry in store().names("named") if entry.name != "marker"]
    assert kept.startswith("e2e-before-2")
    assert list(panes(second)) == ["%4"]
    second.ask("restore-session")
    second.host.wait_until(lambda: len(panes(second)) == 4)
    assert {each["name"] for each in panes(second).values()} >= {"log"}


def test_nothing_is_saved_over_what_is_offered_until_that_is_answered(launch: Launch) -> None:
    killed(used(launch))
    generation = store().names("auto")[0].generation
    second = launch(size=WIDE)
    second.host.wait_text(ASK)
    second.ask("create-window", "--command", "cat")
    killed(second)
    assert store().names("auto")[0].generation == generation
    third = launch(size=WIDE)
    third.host.wait_text(ASK, "3 panes")


def test_what_was_left_on_purpose_is_not_offered(launch: Launch) -> None:
    first = used(launch)
    first.host.send(b"\x02:kill-server\r")
    first.host.wait_text("End the workspace")
    first.host.send(b"y")
    first.host.wait_exit()
    second = launch(size=WIDE)
    second.ready()
    second.host.wait_until(lambda: len(panes(second)) == 1)
    assert ASK not in second.host.text
    assert list(panes(second)) == ["%1"]
    second.host.wait_until(lambda: [entry for entry in store().names("named") if "-before-" in entry.name])
    assert "the last workspace is kept" not in second.host.text
    second.ask("restore-session")
    second.host.wait_until(lambda: len(panes(second)) == 4)


def test_what_was_left_on_purpose_stays_so_where_everything_else_is_restored(launch: Launch) -> None:
    first = used(launch, config=ALWAYS)
    first.host.send(b"\x02:kill-server\r")
    first.host.wait_text("End the workspace")
    first.host.send(b"y")
    first.host.wait_exit()
    second = launch(size=WIDE, config=ALWAYS)
    second.ready()
    second.host.wait_until(lambda: list(panes(second)) == ["%1"])


def test_what_is_always_wanted_is_restored_unasked(launch: Launch) -> None:
    killed(used(launch, config=ALWAYS))
    second = launch(size=WIDE, config=ALWAYS)
    second.host.wait_text("once upon", "the log", "restored, saved")
    assert ASK not in second.host.text
    assert sorted(panes(second)) == ["%1", "%2", "%3"]


def test_what_is_never_wanted_is_not_asked_for(launch: Launch) -> None:
    killed(used(launch))
    second = launch(size=WIDE, config='[session]\nrestore = "never"\n')
    second.ready()
    second.host.wait_until(lambda: len(panes(second)) == 1)
    assert ASK not in second.host.text


def test_a_start_with_a_program_asks_nothing_and_keeps_the_save(launch: Launch) -> None:
    killed(used(launch))
    second = launch("--", "sh", "-c", "echo my own; exec cat", size=WIDE)
    second.host.wait_text("my own")
    second.host.wait_text("the last workspace is kept")
    assert ASK not in second.host.text
    assert any(entry.name.startswith("e2e-before-") for entry in store().names("named"))


def test_an_agent_may_answer_for_the_user(launch: Launch) -> None:
    killed(used(launch))
    second = launch(size=WIDE)
    second.host.wait_text(ASK)
    second.ask("restore-session", "auto")
    second.host.wait_until(lambda: ASK not in second.host.text)
    assert {"%1", "%2", "%3"} <= set(panes(second))
    second.ask("create-window", "--command", "cat")
    assert second.log == ""


def test_a_shell_that_was_killed_with_the_server_is_back_where_it_was(launch: Launch, room: Path) -> None:
    first = launch(size=WIDE)
    first.ready()
    (room / "deep").mkdir()
    first.host.send(f"cd {room}/deep && echo mo''ved\r")
    first.host.wait_text("moved")
    settled(first, lambda: panes(first)["%1"]["cwd"] == str(room / "deep"))
    killed(first)
    second = launch(size=WIDE)
    second.host.wait_text(ASK)
    second.host.send("\r")
    second.host.wait_until(lambda: "%1" in panes(second) and panes(second)["%1"]["cwd"] == str(room / "deep"))


def damage(file: Path, how: str) -> None:
    """Spoil a file."""
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data[: len(data) // 2] if how == "cut" else data)
    if how == "link":
        file.unlink()
        file.symlink_to("/etc/passwd")


@pytest.mark.parametrize("how", ["flip", "cut", "link"])
def test_texts_that_are_damaged_are_left_out_and_reported(launch: Launch, tmp_path: Path, how: str) -> None:
    killed(used(launch))
    texts = [file for file in (tmp_path / "state" / "texts").iterdir() if not file.name.startswith(".")]
    for file in texts:
        damage(file, how)
    second = launch(size=WIDE)
    second.host.wait_text(ASK)
    second.host.send("\r")
    second.host.wait_text(f"{len(texts)} things are left out, the log has them all: %1")
    second.host.wait_text("its text was damaged and is left out", "press Enter to run again: echo the log")
    assert sorted(panes(second)) == ["%1", "%2", "%3"]
    assert second.log.count("not restored:") == len(texts)


def holds(file: Path, text: str) -> bool:
    """Whether a text is in a file; False for one that is being replaced."""
    try:
        return text in file.read_text()
    except FileNotFoundError:
        return False


@pytest.mark.parametrize("how", ["flip", "cut"])
def test_a_manifest_that_is_damaged_gives_way_to_the_one_before(launch: Launch, tmp_path: Path, how: str) -> None:
    first = used(launch)
    first.ask("rename-window", "--name", "saved once more")
    newest = tmp_path / "state" / "auto" / "e2e.json"
    first.host.wait_until(lambda: holds(newest, "saved once more"))
    killed(first)
    damage(newest, how)
    second = launch(size=WIDE)
    second.host.wait_text(ASK, "e2e.json.bad.1")
    second.host.send("\r")
    second.host.wait_text("once upon")


def test_a_workspace_of_which_nothing_can_be_read_starts_fresh_and_says_so(launch: Launch, tmp_path: Path) -> None:
    killed(used(launch))
    for file in (tmp_path / "state" / "auto").glob("e2e.json*"):
        damage(file, "cut")
    second = launch(size=WIDE)
    second.host.wait_text("the last workspace cannot be restored")
    assert list(panes(second)) == ["%1"]
    assert list((tmp_path / "state" / "auto").glob("*.bad.*"))


def test_a_workspace_that_is_killed_once_it_is_renamed_has_everything_under_its_new_name(launch: Launch) -> None:
    first = used(launch, config=ALWAYS)
    first.ask("add-task", "--title", "keep me")
    first.ask("rename-workspace", "--name", "ops")
    first.name = "ops"
    killed(first)
    assert [entry.name for entry in store().names("auto")] == ["ops"]
    second = launch(size=WIDE, config=ALWAYS, name="ops")
    second.ready()
    second.host.wait_text("once upon", "the log")
    assert [task["title"] for task in second.ask("list-tasks")["tasks"]] == ["keep me"]


def test_no_workspace_takes_the_name_of_one_that_waits_to_be_restored(launch: Launch) -> None:
    other = used(launch, name="dev")
    other.ask("add-task", "--title", "keep me")
    killed(other)
    running = launch("--", "cat", size=WIDE)
    running.ready()
    refused = running.shell("rename", running.name, "dev")
    assert (refused.returncode, "a workspace is saved as dev; fugue-tui dev restores it" in refused.stderr) == (1, True)
    assert running.shell("delete-saved", "--workspace", running.name, "dev", "--kind", "auto").returncode == 0
    assert running.shell("rename", running.name, "dev").returncode == 0
    running.name = "dev"
    assert running.ask("list-tasks")["tasks"] == []
