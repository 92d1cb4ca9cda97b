"""`[mcp.security]`: what agents may start and type, whatever else they are allowed."""

import os
import shutil
import time
from pathlib import Path
from typing import Any, cast

import pytest
from msgspec.structs import replace
from tests.multiplexer.conftest import Room

from fugue_tui.config.model import McpSettings, SecuritySettings, parse
from fugue_tui.control.commands.coordinate import CoordinatePanes
from fugue_tui.control.commands.coordinate_step import Status, Step
from fugue_tui.control.commands.execute_command import ExecuteCommand
from fugue_tui.control.commands.layouts import CreateLayout
from fugue_tui.control.commands.panes import CreatePane, RespawnPane
from fugue_tui.control.commands.run_command import RunCommand
from fugue_tui.control.commands.run_shell import RunShell
from fugue_tui.control.commands.send_keys import InputStep, SendInput
from fugue_tui.control.commands.shell_context import InjectContext
from fugue_tui.control.core.command import USER, Command, Interface, Origin
from fugue_tui.control.core.deferred import Deferred
from fugue_tui.control.dispatch.dispatcher import Dispatcher
from fugue_tui.control.dispatch.policy import Decision, judge, loosened, tightened
from fugue_tui.errors import Refused
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer.access.command_rules import danger
from fugue_tui.multiplexer.access.grants import Scope
from fugue_tui.shell_names import is_interactive
from fugue_tui.terminal.pty import process

CLIENT = Origin(Interface.MCP, process="12@34", program="claude", executable="/usr/bin/claude")
pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def plain_shell(monkeypatch: pytest.MonkeyPatch, room: Room) -> None:
    monkeypatch.setenv("SHELL", "/bin/dash")
    room.cat("here")


def limit(room: Room, *, trust: Any = "full", **keys: Any) -> None:
    room.mux.permissions = McpSettings(trust=trust, security=SecuritySettings(**keys))


def decision(room: Room, command: Command[Any], origin: Origin = CLIENT) -> Decision:
    order = (Decision.ALLOW, Decision.ASK, Decision.REFUSE)
    return max((each.decision for each in judge(room.mux, command, origin)), key=order.index, default=Decision.ALLOW)


def outcome(room: Room, command: Command[Any], origin: Origin) -> Any:
    """The result of a call."""
    later: Any = Dispatcher(room.mux).run(command, origin)
    return room.awaited(cast("Deferred[Any]", later))


@pytest.mark.parametrize(
    ("command", "allowed"),
    [
        ("git status", True),
        ("git log | cat; cat x && git diff", True),
        ("(git status)", True),
        (("git", "status"), True),
        ((shutil.which("cat") or "", "x"), True),
        ("rm x", False),
        (("rm", "x"), False),
        ("git status; rm x", False),
        ("git status\nrm x", False),
        ("git $(rm x)", False),
        ("git `rm x`", False),
        ('git "$(rm x)"', False),
        ("git status & rm x", False),
        ("cat x || (rm x)", False),
        ("./git status", False),
        ("/tmp/git status", False),
        ("$cmd x", False),
        ("g?t x", False),
        ("PATH=/tmp git status", False),
        ("PATH=/tmp", False),
        ("git <<x\nx", False),
        ("for i in a; do git; done", False),
        ("git {a,b}", False),
        (("sh", "-c", "git status"), False),
        (("/bin/dash", "-c", "git status"), True),
        (("/bin/dash", "-c", "rm x"), False),
        (("/bin/dash",), False),
    ],
)
def test_only_listed_programs_are_started(room: Room, command: Any, allowed: bool) -> None:
    limit(room, allowed_commands=("git", "cat"))
    expected = Decision.ALLOW if allowed else Decision.REFUSE
    assert decision(room, RunCommand(command=command)) is expected
    assert decision(room, CreatePane(command=command)) is expected
    assert decision(room, RespawnPane(pane="here", command=command)) is expected
    layout = {"pane": {"command": list(command) if not isinstance(command, str) else command}}
    assert decision(room, CreateLayout(layout=layout)) is expected
    if not allowed:
        with pytest.raises(Refused, match="allowed_commands"):
            Dispatcher(room.mux).run(RunCommand(command=command), CLIENT)
    assert decision(room, RunCommand(command=command), USER) is Decision.ALLOW


def test_what_starts_a_program_without_naming_it_is_checked_when_it_starts(room: Room) -> None:
    pane = room.opened("create-pane --name theirs --command 'sleep 100'")
    limit(room, allowed_commands=("git",))
    with pytest.raises(Refused, match="allowed_commands lacks sleep"):
        Dispatcher(room.mux).run(RespawnPane(pane=str(pane)), CLIENT)
    assert Dispatcher(room.mux).run(RespawnPane(pane=str(pane)), USER) is not None
    assert Dispatcher(room.mux).run(CreatePane(), CLIENT) is not None  # A shell that waits.


def test_variables_may_not_change_what_a_listed_program_does(room: Room) -> None:
    limit(room, allowed_commands=("git",))
    env = {"PATH": "/tmp"}
    for command in (
        RunCommand(command="git x", env=env),
        CreatePane(env=env),
        CreateLayout(layout={"pane": {"env": env}}),
        InjectContext(pane="shell", env=env),
        InjectContext(pane="shell", aliases={"git": "rm"}),
    ):
        if isinstance(command, InjectContext):
            room.mux.permissions = McpSettings()
            if not any(each.name == "shell" for each in room.mux.workspace.panes.values()):
                room.opened("create-pane --name shell")
            limit(room, allowed_commands=("git",))
        assert decision(room, command) is Decision.REFUSE
    assert decision(room, RunCommand(command="git x")) is Decision.ALLOW


def test_lines_that_are_typed_into_a_shell_are_checked(room: Room) -> None:
    pane = room.opened("create-pane --name shell")
    room.until(lambda: is_interactive(process.argv(room.mux.terminal(pane).foreground_group)))
    shell = str(pane)
    limit(room, allowed_commands=("git",))
    for line, expected in (("git x", Decision.ALLOW), ("git x; rm y", Decision.REFUSE)):
        steps = (Step(pane=shell, command="git a"), Step(pane="other", command=line))
        assert decision(room, ExecuteCommand(pane=shell, command=line)) is expected
        assert decision(room, CoordinatePanes(steps=steps)) is expected
        assert decision(room, SendInput(pane=shell, text=line, submit=True)) is expected
        assert decision(room, SendInput(pane=shell, text=f"{line}\n")) is expected
        assert decision(room, SendInput(pane=shell, text=line, keys=("C-m",))) is expected
        parts = tuple(InputStep(text=part) for part in (line[:3], line[3:]))
        assert decision(room, SendInput(pane=shell, steps=(*parts, InputStep(key="Enter")))) is expected
        assert decision(room, SendInput(pane=shell, steps=(InputStep(key="C-u"), *parts), submit=True)) is expected
        assert decision(room, SendInput(pane="here", text=line, submit=True)) is Decision.ALLOW  # No shell.
    assert decision(room, ExecuteCommand(pane=shell, command="git", env={"A": "b"})) is Decision.REFUSE


@pytest.mark.parametrize("argv", [(), ("/usr/bin/python3", "-m", "fugue_tui")])
def test_lines_are_checked_before_the_shell_of_a_pane_has_started(
    room: Room, monkeypatch: pytest.MonkeyPatch, argv: tuple[str, ...]
) -> None:
    pane = room.opened("create-pane --name shell")
    room.until(lambda: room.mux.terminal(pane).foreground_group == room.mux.terminal(pane).pid)
    limit(room, allowed_commands=("git",))

    def unknown(_pid: int) -> tuple[str, ...]:
        return argv  # No process, or one that has not called exec yet.

    monkeypatch.setattr(process, "argv", unknown)
    assert decision(room, SendInput(pane=str(pane), text="git x", submit=True)) is Decision.ALLOW
    assert decision(room, SendInput(pane=str(pane), text="rm y", submit=True)) is Decision.REFUSE


@pytest.mark.parametrize(
    ("command", "asks"),
    [
        ("rm -rf /", True),
        ("rm -v -rf --no-preserve-root /", True),
        ("/bin/rm -rf /", True),
        ("sudo rm -rf /", True),
        ("r''m '-rf' \"/\"", True),
        ("true && (rm -rf /)", True),
        ("echo $(rm -rf /)", True),
        ("rm -rf $DIR", True),
        ("$X", True),
        ("cat <<x\nx", True),
        (("rm", "-rf", "/"), True),
        (("sh", "-c", "rm -rf /"), True),
        ("bash -lc 'rm -rf /'", True),
        ("sudo sh -c \"bash -c 'rm -rf /'\"", True),
        ("eval rm -rf '/'", True),
        ('eval "$X"', True),
        ("rm -rf /tmp/x", False),
        ("echo 'rm -rf /'", False),
        ("echo rm; ls -rf /", False),
        ("/ -rf rm", False),
        ("term -rf /", False),
        ("rm /", False),
        ("echo $x", False),
    ],
)
def test_what_matches_a_dangerous_pattern_always_asks(room: Room, command: Any, asks: bool) -> None:
    limit(room, dangerous_patterns=(("rm", "-rf", "/"),))
    own = Origin(Interface.MCP, PaneId(1), inside=True)
    for origin in (CLIENT, own):
        assert decision(room, RunCommand(command=command), origin) is (Decision.ASK if asks else Decision.ALLOW)
    assert decision(room, RunCommand(command=command), USER) is Decision.ALLOW


def test_the_user_is_asked_each_time_and_can_approve_it_once(room: Room) -> None:
    limit(room, dangerous_patterns=(("touch", "x"),))
    dispatcher = Dispatcher(room.mux)
    for _ in range(2):
        later: Deferred[Any] = dispatcher.run(RunCommand(command="touch x y; echo ran", cwd="/proc"), CLIENT)  # pyright: ignore
        room.until(lambda: bool(room.mux.approvals.waiting()))
        (request,) = room.mux.approvals.waiting()
        assert request.question.scopes == (Scope.ONCE,)
        room.mux.approvals.approve(request.id)
        assert "ran" in room.awaited(later).text


@pytest.mark.parametrize(
    "line",
    [
        "find . -exec sh -c true \\; -exec sh -c 'rm -rf /' \\;",
        "bash -x -c 'rm -rf /'",
        "bash --norc -c 'rm -rf /'",
        "bash -o pipefail -ec 'rm -rf /'",
    ],
)
def test_every_line_that_a_command_gives_to_a_shell_is_looked_at(line: str) -> None:
    security = SecuritySettings(dangerous_patterns=(("rm", "-rf", "/"),))
    assert danger(security, line) == "it matches [mcp.security] dangerous_patterns: rm -rf /"
    assert danger(security, line.replace("rm", "ls")) == ""


@pytest.mark.parametrize("options", [14, 15, 16, 17, 40])
def test_a_line_after_many_options_is_looked_at_or_not_run(options: int) -> None:
    security = SecuritySettings(dangerous_patterns=(("rm", "-rf", "/"),))
    assert danger(security, f"bash {'-x ' * options}-c 'rm -rf /'")


@pytest.mark.slow
@pytest.mark.parametrize("words", [("a",) * 300_000, ("sh", "-x", "-bash") * 100_000, ("sh", "-c", ":") * 100_000])
def test_looking_for_dangerous_patterns_takes_linear_time(words: tuple[str, ...]) -> None:
    start = time.process_time()
    assert danger(SecuritySettings(dangerous_patterns=(("rm", "-rf", "/"),)), words) == ""
    assert time.process_time() - start < 10


def test_a_dangerous_program_that_no_one_named_is_not_started(room: Room) -> None:
    pane = room.opened("create-pane --command 'sleep 100'")
    limit(room, dangerous_patterns=(("sleep",),))
    with pytest.raises(Refused, match="dangerous_patterns: sleep"):
        Dispatcher(room.mux).run(RespawnPane(pane=str(pane)), CLIENT)


def test_programs_start_and_lines_run_in_the_listed_directories_alone(room: Room, tmp_path: Path) -> None:
    inner, outer = tmp_path / "inner", tmp_path / "inner-not"
    (inner / "deep").mkdir(parents=True)
    outer.mkdir()
    (inner / "link").symlink_to(outer)
    (tmp_path / "in").symlink_to(inner)
    limit(room, allowed_directories=(str(tmp_path / "in"),))
    dispatcher = Dispatcher(room.mux)
    for cwd in (inner / "link", outer, inner / "..", f"{inner}/deep/../..", "/", "", "~"):
        with pytest.raises(Refused, match="allowed_directories"):
            dispatcher.run(CreatePane(cwd=str(cwd)), CLIENT)
    ran: Any = outcome(room, RunCommand(command="pwd", cwd=str(tmp_path / "in" / "deep")), CLIENT)
    assert ran.text == os.path.realpath(inner / "deep")
    shell = str(room.opened(f"create-pane --name shell --cwd {inner}"))
    for cwd, expected in (
        ("", Decision.ALLOW),
        ("deep", Decision.ALLOW),
        ("link", Decision.REFUSE),
        ("..", Decision.REFUSE),
    ):
        assert decision(room, ExecuteCommand(pane=shell, command="ls", cwd=cwd)) is expected
        assert decision(room, CoordinatePanes(steps=(Step(pane=shell, command="ls", cwd=cwd),))) is expected
    away = str(room.opened("create-pane --name away --cwd /"))
    assert decision(room, ExecuteCommand(pane=away, command="ls")) is Decision.REFUSE
    assert decision(room, SendInput(pane=away, text="ls", submit=True)) is Decision.REFUSE


def test_a_path_that_no_directory_can_have_is_refused_without_a_look_at_its_parts(room: Room) -> None:
    limit(room, allowed_directories=("/",))
    for command in (RunShell(line="true", cwd="a/" * 2_100), CreatePane(command="true", cwd="a/" * 2_100)):
        with pytest.raises(Refused, match="longer than a path can be"):
            Dispatcher(room.mux).run(command, CLIENT)


def test_a_command_of_an_agent_is_interrupted_after_the_limit_and_the_users_is_not(room: Room) -> None:
    shell = str(room.opened("create-pane --name shell"))
    limit(room, command_timeout_ms=300)
    typed: Any = outcome(room, ExecuteCommand(pane=shell, command="sleep 60"), CLIENT)
    assert typed.interrupted
    assert "command_timeout_ms" in typed.note
    ran: Any = outcome(room, RunCommand(command=("sleep", "60")), CLIENT)
    assert (ran.timed_out, ran.interrupted) == (False, True)
    own: Any = outcome(room, RunCommand(command=("sleep", "0.6")), USER)
    assert own.exit_code == 0


def test_a_wait_that_ends_early_does_not_lift_the_limit(room: Room) -> None:
    shell = room.opened("create-pane --name shell")
    limit(room, command_timeout_ms=400)
    line = "sleep 60; echo late=$?"
    first: Any = outcome(room, ExecuteCommand(pane=str(shell), command=line, timeout=0.2), CLIENT)
    assert first.timed_out
    second: Any = outcome(room, RunCommand(command=("sleep", "60"), timeout=0.1, name="late"), CLIENT)
    assert second.timed_out
    late = PaneId(second.pane[1:])
    room.until(lambda: late in room.mux.exits)
    room.until(lambda: room.mux.terminal(shell).foreground_group == room.mux.terminal(shell).pid)


def test_a_step_of_an_agent_is_interrupted_after_the_limit_also_once_it_is_ready(room: Room) -> None:
    panes = [room.opened(f"create-pane --name {name}") for name in ("server", "client")]
    limit(room, command_timeout_ms=400)
    steps = (
        Step(pane=str(panes[0]), command="echo is-on; sleep 60", wait_for="is-on"),
        Step(pane=str(panes[1]), command="sleep 60"),
    )
    found: Any = outcome(room, CoordinatePanes(steps=steps), CLIENT)
    ready, late = found.steps
    assert (ready.status, late.status) == (Status.DONE, Status.TIMED_OUT)
    assert "command_timeout_ms" in late.note
    for pane in panes:
        room.until(lambda pane=pane: room.mux.terminal(pane).foreground_group == room.mux.terminal(pane).pid)


OLD = SecuritySettings(("git", "make"), (("rm",),), ("/a",), 1_000)


@pytest.mark.parametrize(
    ("changes", "looser"),
    [
        ({}, []),
        ({"allowed_commands": ("git",)}, []),
        ({"allowed_commands": ("git", "make", "rm")}, ["allowed_commands"]),
        ({"allowed_commands": ()}, ["allowed_commands"]),
        ({"dangerous_patterns": (("rm",), ("dd",))}, []),
        ({"dangerous_patterns": (("dd",),)}, ["dangerous_patterns"]),
        ({"allowed_directories": ("/a", "/b")}, ["allowed_directories"]),
        ({"allowed_directories": ()}, ["allowed_directories"]),
        ({"command_timeout_ms": 500}, []),
        ({"command_timeout_ms": 2_000}, ["command_timeout_ms"]),
        ({"command_timeout_ms": 0}, ["command_timeout_ms"]),
    ],
)
def test_a_limit_is_loosened_only_with_the_users_approval(changes: dict[str, Any], looser: list[str]) -> None:
    old, new = McpSettings(security=OLD), McpSettings(security=replace(OLD, **changes))
    assert [line.split()[1] for line in loosened(old, new)] == looser
    kept = replace(new.security, **{name: getattr(OLD, name) for name in looser})
    assert tightened(old, new).security == kept
    assert loosened(McpSettings(), new) == ()


@pytest.mark.parametrize(
    "line",
    [
        "allowed_commands = ['bin/x']",
        "allowed_commands = ['']",
        "dangerous_patterns = [[]]",
        "dangerous_patterns = [['/bin/rm']]",
        "dangerous_patterns = ['rm -rf']",
        "allowed_directories = ['here']",
        "command_timeout_ms = -1",
    ],
)
def test_limits_that_would_not_do_what_they_say_are_faults(line: str) -> None:
    found = parse(f"[mcp.security]\n{line}\n")
    assert len(found.faults) == 1
    assert "mcp.security" in found.faults[0]
