"""Processes are told apart by pid, group, session and parent, whatever they call themselves."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from subprocess import PIPE, Popen

import pytest
from tests.terminal.conftest import Eventually, Spawn

from fugue_tui.store.paths import state_dir
from fugue_tui.terminal.pty import process

NOBODY = 1 << 30


def test_the_foreground_program_is_named(spawn: Spawn, eventually: Eventually) -> None:
    pane = spawn("bash", "--norc", "-i")
    eventually(lambda: pane.terminal.foreground == "bash")
    pane.terminal.write(b"sleep 60\n")
    eventually(lambda: pane.terminal.foreground == "sleep")
    pane.terminal.interrupt(2)
    eventually(lambda: pane.terminal.foreground == "bash")
    pane.terminal.close()
    pane.wait_exit()
    assert pane.terminal.foreground == ""


def test_a_login_shell_is_named_without_its_dash() -> None:
    with subprocess.Popen(["-sh", "-c", "echo up; read line"], executable="/bin/sh", stdin=-1, stdout=-1) as shell:
        assert shell.stdout
        assert shell.stdin
        shell.stdout.readline()
        assert process.argv(shell.pid)[0] == "-sh"
        assert process.name(shell.pid) == "sh"
        shell.stdin.close()


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the kernel does not name a script")
@pytest.mark.parametrize("script", ["fugue-tui", "a-script-with-a-long-name"])
def test_a_script_that_is_run_by_its_name_has_that_name(tmp_path: Path, script: str) -> None:
    path = tmp_path / script
    path.write_text(f"#!{sys.executable}\nprint(flush=True); input()\n")
    path.chmod(0o700)
    with Popen([path], stdin=PIPE, stdout=PIPE) as running:
        assert running.stdin
        assert running.stdout
        running.stdout.readline()
        assert process.name(running.pid) == script
        running.stdin.close()


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a process cannot be renamed so")
@pytest.mark.parametrize(("comm", "name"), [("fugue: client", "fugue-tui"), ("worker", Path(sys.executable).name)])
def test_an_attached_terminal_is_named_by_its_command(comm: str, name: str) -> None:
    lines = f"from fugue_tui import daemonize; daemonize.call('{comm}'); print(flush=True); input()"
    with Popen([sys.executable, "-c", lines], stdin=PIPE, stdout=PIPE) as running:
        assert running.stdin
        assert running.stdout
        running.stdout.readline()
        assert process.name(running.pid) == name
        running.stdin.close()


def test_the_directory_follows_the_foreground_program(spawn: Spawn, tmp_path: Path, eventually: Eventually) -> None:
    pane = spawn("bash", "--norc", "-i", cwd="/usr")
    eventually(lambda: pane.terminal.cwd == "/usr")
    pane.terminal.write(f"cd '{tmp_path}'\n".encode())
    eventually(lambda: pane.terminal.cwd == str(tmp_path.resolve()))


def test_names_with_brackets_and_blanks_do_not_confuse(tmp_path: Path) -> None:
    path = tmp_path / "a) R 1 (b"
    shutil.copy("/bin/sleep", path)
    with subprocess.Popen([path, "60"], start_new_session=True) as sleeper:
        try:
            members = process.session_members([sleeper.pid])[sleeper.pid]
            assert members == [process.Process(sleeper.pid, os.getpid(), sleeper.pid, sleeper.pid)]
            assert process.name(sleeper.pid) == "a) R 1 (b"
        finally:
            sleeper.kill()


def test_a_session_counts_every_group_and_no_other_session(spawn: Spawn, eventually: Eventually) -> None:
    pane = spawn("bash", "--norc", "-i")
    pane.terminal.write(b"sleep 61 & sleep 62 | sleep 63 &\nsetsid sleep 0.5 &\necho re''ady\n")
    pane.wait_for("ready")
    session = pane.terminal.pid
    eventually(lambda: _names(session) == ["bash", "sleep", "sleep", "sleep"])
    groups = {member.group for member in process.session_members([session])[session]}
    assert len(groups) == 3
    assert NOBODY not in process.session_members([session, NOBODY])


def test_ancestors_lead_from_a_program_to_this_process(spawn: Spawn, eventually: Eventually) -> None:
    pane = spawn("bash", "-c", "sleep 60; true")
    eventually(lambda: process.children(pane.terminal.pid))
    (child,) = process.children(pane.terminal.pid)
    assert process.ancestors(child)[:3] == (child, pane.terminal.pid, os.getpid())
    assert process.ancestors(child)[-1] == 1


def test_the_arguments_of_several_processes_are_reported_as_they_are(eventually: Eventually) -> None:
    with subprocess.Popen(["sleep", "60"]) as sleeper:
        try:
            eventually(lambda: process.command_lines([sleeper.pid, NOBODY]) == {sleeper.pid: ("sleep", "60")})
        finally:
            sleeper.kill()


def test_nothing_is_known_of_a_process_that_does_not_exist() -> None:
    assert (process.name(NOBODY), process.argv(NOBODY), process.cwd(NOBODY)) == ("", (), "")
    assert process.children(NOBODY) == ()
    assert process.ancestors(NOBODY) == (NOBODY,)
    assert process.ancestors(None) == ()


@pytest.mark.skipif(shutil.which("ps") is None, reason="needs ps")
def test_without_proc_processes_are_read_from_ps(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with subprocess.Popen(["sleep", "60"], start_new_session=True) as sleeper:
        try:
            known = process.session_members([sleeper.pid])
            monkeypatch.setattr(process, "PROC", tmp_path)
            assert process.session_members([sleeper.pid]) == known
            assert process.ancestors(sleeper.pid)[:3] == (sleeper.pid, os.getpid(), os.getppid())
            assert process.cwd(sleeper.pid) == ""
            assert process.command_lines([sleeper.pid, NOBODY]) == {sleeper.pid: ("sleep", "60")}
            assert process.command_lines([]) == {}
        finally:
            sleeper.kill()


def _names(session: int) -> list[str]:
    return sorted(process.name(member.pid) for member in process.session_members([session]).get(session, []))


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("/usr/bin/python3", "/opt/bin/fugue-tui", "main"), True),
        (("python3", "-m", "fugue_tui", "serve"), True),
        (("fugue-tui",), True),
        (("vim", "docs/fugue-tui"), True),  # It counts as a workspace, which only makes what it starts an agent.
        (("python3", "script.py", "fugue_tui"), False),
        ((), False),
    ],
)
def test_a_workspace_is_known_by_what_it_was_started_as(
    words: tuple[str, ...], expected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def argv(pid: int) -> tuple[str, ...]:
        return words

    monkeypatch.setattr(process, "argv", argv)
    assert process.is_fugue(7) is expected


@pytest.mark.skipif(not process.has_proc(), reason="only Linux shows the files of a process")
def test_a_workspace_is_known_by_its_locks_also_once_they_are_removed(private_dir: Path) -> None:
    script = "import sys; file = open(sys.argv[1], 'w'); print(flush=True); sys.stdin.read()"
    named = Path(state_dir()) / "running" / "name"
    named.parent.mkdir(parents=True)
    for path, expected in ((private_dir / "x.sock.lock", True), (named, True), (private_dir / "x.lock", False)):
        with Popen([sys.executable, "-c", script, str(path)], stdin=PIPE, stdout=PIPE) as holder:
            assert holder.stdout is not None
            holder.stdout.readline()
            assert process.is_workspace(holder.pid) is expected
            path.unlink()
            assert process.is_workspace(holder.pid) is expected
            assert not process.is_fugue(holder.pid)
    assert not process.is_workspace(holder.pid)
