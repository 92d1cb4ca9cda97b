"""Steps in several panes: each begins when it may, and what came of it is told."""

import json
import shlex
import socket
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from tests.multiplexer.conftest import Room, agent

from fugue_tui.control.commands.coordinate import Coordinated, CoordinatePanes
from fugue_tui.control.commands.coordinate_step import Status
from fugue_tui.control.commands.execute_command import ExecuteCommand
from fugue_tui.control.core.deferred import Deferred, Progress, is_deferred
from fugue_tui.control.schema.command_schema import build
from fugue_tui.errors import InvalidArgument, NotFound, Refused
from fugue_tui.geometry import Size
from fugue_tui.ids import PaneId

pytestmark = pytest.mark.slow


SEED = """{"steps": [
    {"pane": "backend", "command": "cargo run", "wait_for": "Listening on 0.0.0.0:8080"},
    {"pane": "frontend", "command": "npm run dev", "wait_for": "Local:"},
    {"pane": "test", "command": "npm test"}
]}"""


@pytest.fixture(autouse=True)
def tools(monkeypatch: pytest.MonkeyPatch, room: Room, tmp_path: Path) -> None:
    """Programs that behave like a build tool, a server and a test runner; shells that are quick."""
    script = tmp_path / "cargo"
    script.write_text("#!/bin/sh\necho Compiling\nsleep 0.2\necho Listening on 0.0.0.0:8080\nexec sleep 60\n")
    npm = tmp_path / "npm"
    npm.write_text("#!/bin/sh\ncase $1 in\nrun) echo '  Local: http://localhost:5173/'; exec sleep 60;;\n"
                   "test) echo 3 passed; exit ${CODE:-0};;\nesac\n")  # fmt: skip
    for file in (script, npm):
        file.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setenv("HOME", str(tmp_path))
    room.launcher.engine, room.launcher.shell = "ghostty", ("bash", "--norc")
    room.clock = time.monotonic
    room.cat("own")


def begin(room: Room, **arguments: Any) -> Deferred[Coordinated]:
    later = build(CoordinatePanes, arguments).run(room.mux, agent(PaneId(1)))
    assert is_deferred(later)
    return later


def coordinate(room: Room, *steps: dict[str, Any], **arguments: Any) -> Coordinated:
    return room.awaited(begin(room, steps=list(steps), **arguments))


def statuses(found: Coordinated) -> list[str]:
    return [str(step.status) for step in found.steps]


def test_three_dependent_steps_start_a_backend_a_frontend_and_the_tests(room: Room) -> None:
    room.mux.resize(Size(140, 40))
    later = begin(room, **json.loads(SEED))
    told = list[Progress]()
    later.on_progress(told.append)
    found = room.awaited(later)
    assert (found.ok, statuses(found)) == (True, ["done", "done", "done"])
    backend, frontend, test = found.steps
    assert (backend.matched, backend.exit_code, backend.created) == ("Listening on 0.0.0.0:8080", None, True)
    assert backend.cursor is not None
    assert (frontend.matched, test.exit_code, test.output) == ("Local:", 0, "3 passed")
    assert [each.text for each in told] == [
        "1 of 3: backend is done",
        "2 of 3: frontend is done",
        "3 of 3: test is done",
    ]
    names = {pane.name: id for id, pane in room.mux.workspace.panes.items()}
    assert set(names) == {"own", "backend", "frontend", "test"}
    assert room.mux.terminal(names["backend"]).foreground == "sleep"
    widths = [room.mux.terminal(names[name]).size.cols for name in ("backend", "frontend", "test")]
    assert max(widths) - min(widths) <= 2
    assert room.mux.focused == PaneId(1)


def test_the_text_of_the_command_itself_is_no_match(room: Room) -> None:
    found = coordinate(room, {"pane": "a", "command": "sleep 0.3; echo rea''dy # ready", "wait_for": "ready"})
    assert found.ok
    assert found.steps[0].seconds >= 0.3


def test_a_failed_step_stops_the_rest_and_says_why(room: Room) -> None:
    first = {"pane": "a", "command": "echo broken; false"}
    found = coordinate(room, first, {"pane": "b", "command": "true"})
    assert (found.ok, statuses(found)) == (False, ["failed", "skipped"])
    assert (found.steps[0].exit_code, found.steps[0].output) == (1, "broken")
    assert (found.steps[0].note, found.steps[0].cursor) == ("it ended with exit 1", None)
    found = coordinate(room, {**first, "on_failure": "continue"}, {"pane": "b", "command": "true"})
    assert statuses(found) == ["failed", "done"]
    found = coordinate(room, {"pane": "a", "command": "echo x", "wait_for": "ready"})
    assert "`ready` was not printed" in found.steps[0].note


def test_a_step_times_out_and_its_command_runs_on(room: Room) -> None:
    found = coordinate(room, {"pane": "a", "command": "echo begun; sleep 60", "wait_for": "never", "timeout": 0.7})
    assert statuses(found) == ["timed_out"]
    assert (found.steps[0].output, found.steps[0].exit_code) == ("begun", None)
    assert room.mux.terminal(PaneId(2)).foreground == "sleep"
    with pytest.raises(Refused, match="sleep"):
        room.run(ExecuteCommand(pane="a", command="ls"), agent())


def test_a_failure_can_interrupt_all(room: Room) -> None:
    found = coordinate(
        room,
        {"pane": "server", "command": "echo up; sleep 60", "wait_for": "up"},
        {"pane": "b", "command": "false", "on_failure": "interrupt_all"},
        {"pane": "c", "command": "true"},
    )
    assert statuses(found) == ["done", "failed", "skipped"]
    server = PaneId(found.steps[0].pane[1:])
    room.until(lambda: room.mux.terminal(server).foreground == "bash")


def test_steps_wait_for_a_port_and_refuse_one_that_is_taken(room: Room) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        found = coordinate(room, {"pane": "a", "command": "true", "wait_for": {"port": port}})
        assert statuses(found) == ["failed"]
        assert found.steps[0].note == f"port {port} is in use already; nothing was run"
    script = f'import socket,time; s=socket.create_server(("127.0.0.1",{port})); time.sleep(60)'
    serve = shlex.join((sys.executable, "-c", script))
    found = coordinate(room, {"pane": "a", "command": serve, "wait_for": {"port": port}})
    assert statuses(found) == ["done"]


def test_steps_wait_for_silence_and_for_expressions(room: Room) -> None:
    found = coordinate(
        room,
        {"pane": "a", "command": "echo x; sleep 60", "wait_for": {"idle_ms": 300}},
        {"pane": "b", "command": "echo port 8081; sleep 60", "wait_for": {"pattern": "port \\d+$", "regex": True}},
        {"pane": "c", "command": "true", "wait_for": {"exit": True}},
    )
    assert statuses(found) == ["done"] * 3
    assert found.steps[1].matched == "port 8081"


def test_parallel_steps_begin_together(room: Room, tmp_path: Path) -> None:
    here = f"cd '{tmp_path}'; touch %s; until [ -e a ] && [ -e b ] && [ -e c ]; do sleep 0.05; done; echo %s"
    found = coordinate(room, *({"pane": name, "command": here % (name, name)} for name in "abc"), mode="parallel")
    assert [step.output for step in found.steps] == ["a", "b", "c"]


def test_a_race_has_one_winner_and_interrupts_the_others(room: Room) -> None:
    found = coordinate(
        room,
        {"pane": "slow", "command": "sleep 60"},
        {"pane": "fast", "command": "true"},
        {"pane": "wrong", "command": "false"},
        mode="race",
    )
    assert (found.ok, found.winner, found.steps[1].status) == (True, 1, Status.DONE)
    assert found.steps[0].status is Status.LOST
    room.until(lambda: room.mux.terminal(PaneId(found.steps[0].pane[1:])).foreground == "bash")


def test_of_two_that_are_ready_together_one_wins_and_continues(room: Room, tmp_path: Path) -> None:
    go = tmp_path / "go"
    command = f"until [ -e {go} ]; do sleep 0.01; done; echo RE''ADY; exec sleep 60"
    later = begin(room, steps=[{"pane": name, "command": command, "wait_for": "READY"} for name in "ab"], mode="race")
    room.until(lambda: sum(each.foreground == "sleep" for each in room.mux.terminals.values()) == 2)
    go.touch()
    found = room.awaited(later)
    assert sorted(statuses(found)) == ["done", "lost"]
    won = statuses(found).index("done")
    assert found.winner == won
    winner, loser = (room.mux.terminal(PaneId(found.steps[step].pane[1:])) for step in (won, 1 - won))
    room.until(lambda: loser.foreground != "sleep" or loser.exit is not None)
    assert winner.foreground == "sleep"


def test_a_queued_step_whose_pane_is_closed_has_failed_and_the_others_continue(room: Room) -> None:
    (held,) = coordinate(room, {"pane": "held", "command": "true"}).steps
    execute = build(ExecuteCommand, {"pane": held.pane, "command": "sleep 60"}).run(room.mux, agent(PaneId(1)))
    room.until(lambda: room.mux.terminal(PaneId(held.pane[1:])).foreground == "sleep")
    queued = {"pane": held.pane, "command": "echo hi", "on_failure": "continue"}
    later = begin(room, steps=[queued, {"pane": "other", "command": "echo ok"}], mode="parallel")
    room.say(f"close-pane {held.pane}")
    found = room.awaited(later)
    assert [step.name for step in found.steps] == [held.pane, "other"]
    assert statuses(found) == ["failed", "done"]
    assert is_deferred(execute)


def test_a_race_that_all_lose_has_no_winner(room: Room) -> None:
    found = coordinate(room, *({"pane": name, "command": "false"} for name in "ab"), mode="race")
    assert (found.ok, found.winner, statuses(found)) == (False, None, ["failed", "failed"])


def test_a_failure_among_parallel_steps_leaves_or_interrupts_the_others(room: Room) -> None:
    others = {"pane": "b", "command": "sleep 1; echo done"}
    found = coordinate(room, {"pane": "a", "command": "false"}, others, mode="parallel")
    assert (found.ok, statuses(found)) == (False, ["failed", "done"])
    found = coordinate(
        room, {"pane": "a", "command": "sleep 0.5; false", "on_failure": "interrupt_all"},
        {"pane": "b", "command": "sleep 60"}, mode="parallel",
    )  # fmt: skip
    assert statuses(found) == ["failed", "skipped"]
    room.until(lambda: room.mux.terminal(PaneId(3)).foreground == "bash")


def test_a_port_of_the_sixth_internet_protocol_is_waited_for(room: Room) -> None:
    try:
        with socket.create_server(("::1", 0), family=socket.AF_INET6) as free:
            port = free.getsockname()[1]
    except OSError:
        pytest.skip("no IPv6 here")
    serve = f's=socket.create_server(("::1",{port}),family=socket.AF_INET6)'
    command = shlex.join((sys.executable, "-c", f"import socket,time; {serve}; time.sleep(60)"))
    found = coordinate(room, {"pane": "a", "command": command, "wait_for": {"port": port}})
    assert (statuses(found), found.steps[0].matched) == (["done"], f"port {port}")


@pytest.mark.parametrize("mode", ["sequential", "parallel", "race"])
def test_cancelling_leaves_nothing_behind(room: Room, mode: str) -> None:
    old = room.opened("create-pane --name old -- bash --norc")
    steps = [{"pane": name, "command": "sleep 61"} for name in ("a", "b", "old")]
    later = begin(room, steps=steps, mode=mode)
    room.until(lambda: room.mux.terminal(PaneId(3)).foreground == "sleep")
    groups = [room.mux.terminal(PaneId(number)).foreground_group for number in (3, 4)]
    later.cancel()
    room.until(lambda: room.open == [PaneId(1), old], lambda: str(room.open))
    for group in groups:
        room.gone(group)
    room.until(lambda: room.mux.terminal(old).foreground == "bash")
    room.until(lambda: not room.mux.wait_service.busy)


def test_cancelling_can_leave_all_that_was_started(room: Room) -> None:
    steps = [{"pane": "a", "command": "sleep 60"}, {"pane": "b", "command": "true"}]
    later = begin(room, steps=steps, on_cancel="leave")
    room.until(lambda: room.mux.terminal(PaneId(2)).foreground == "sleep")
    later.cancel()
    assert room.mux.terminal(PaneId(2)).foreground == "sleep"
    assert not room.mux.terminal(PaneId(3)).shell.commands


def test_the_whole_is_bounded(room: Room) -> None:
    steps = [{"pane": name, "command": "sleep 60"} for name in "ab"]
    found = coordinate(room, *steps, timeout=1.0)
    assert statuses(found) == ["timed_out", "skipped"]


def test_two_steps_in_one_pane_queue(room: Room) -> None:
    steps = [{"pane": "a", "command": f"sleep 0.2; echo {number}"} for number in range(3)]
    found = coordinate(room, *steps, mode="parallel")
    assert [step.output for step in found.steps] == ["0", "1", "2"]
    assert len(room.open) == 2


def test_what_cannot_be_done_runs_nothing(room: Room) -> None:
    good = {"pane": "a", "command": "true"}
    bad: list[tuple[dict[str, Any], type[Exception]]] = [
        ({"pane": "%9", "command": "true"}, NotFound),
        ({"pane": "own", "command": "true"}, Refused),
        ({"pane": "b", "command": "true", "wait_for": {}}, InvalidArgument),
        ({"pane": "b", "command": "true", "wait_for": {"port": 1, "exit": True}}, InvalidArgument),
        ({"pane": "b", "command": "true", "wait_for": {"port": 0}}, InvalidArgument),
        ({"pane": "b", "command": "true", "wait_for": {"pattern": "(", "regex": True}}, InvalidArgument),
        ({"pane": "b", "command": "true", "cwd": "/there/is/none"}, InvalidArgument),
        ({"pane": "b", "command": "\n"}, InvalidArgument),
        ({"pane": "b", "command": "echo \x1b[31m"}, InvalidArgument),
    ]
    for step, error in bad:
        with pytest.raises(error) as told:
            coordinate(room, good, step)
        assert error is not InvalidArgument or "steps[1]" in str(told.value)
        assert room.open == [PaneId(1)]
    with pytest.raises(InvalidArgument):
        build(CoordinatePanes, {"steps": []})
