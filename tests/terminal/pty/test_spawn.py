"""Programs start on terminals as they should, and what cannot start says why."""

import errno
import importlib.metadata
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.terminal.conftest import Spawn

import fugue_tui
from fugue_tui.errors import SpawnFailed
from fugue_tui.geometry import Size
from fugue_tui.terminal.pty import posix_spawn
from fugue_tui.terminal.pty import spawn as pty_spawn
from fugue_tui.terminal.pty.spawn import Exit, Program, Pty, environment, login_shell

SIZE = Size(101, 37)


@pytest.fixture(params=["posix_spawn", "fork"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """How the C library starts programs, and how Python does where the C library cannot."""
    if request.param == "fork":
        monkeypatch.setattr(posix_spawn, "is_available", lambda: False)
    elif posix_spawn.is_available():
        monkeypatch.delattr(pty_spawn, "_fork")
    else:
        pytest.skip("the C library starts no programs in other directories")


both_ways = pytest.mark.usefixtures("way")


@both_ways
def test_the_size_is_set_before_the_first_byte(spawn: Spawn) -> None:
    pane = spawn("stty", "size", size=SIZE)
    assert pane.wait_exit() == Exit(0)
    assert pane.text == "37 101\r\n"


@both_ways
def test_setting_the_size_again_after_the_start_would_be_a_spurious_signal(spawn: Spawn) -> None:
    pane = spawn("trap 'echo WINCH' WINCH; read line; echo got", size=SIZE)
    pane.terminal.write(b"\n")
    pane.wait_exit()
    assert "got" in pane.text
    assert "WINCH" not in pane.text


@both_ways
def test_no_arguments_mean_the_login_shell(spawn: Spawn, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    shell = tmp_path / "mysh"
    shell.symlink_to("/bin/sh")
    monkeypatch.setenv("SHELL", str(shell))
    monkeypatch.setenv("HOME", str(tmp_path))
    pane = spawn()
    pane.terminal.write(b"echo [$0]; exit 3\n")
    assert pane.wait_exit() == Exit(3)
    assert "[-mysh]" in pane.text


@pytest.mark.parametrize("shell", ["", "relative/sh", "/nonexistent/sh", "/etc/passwd", "/tmp"])
def test_a_shell_that_cannot_run_is_passed_over(shell: str) -> None:
    assert os.access(login_shell({"SHELL": shell}), os.X_OK)


def test_the_environment_names_this_terminal_and_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TMUX", "TMUX_PANE", "STY", "WINDOW", "ZELLIJ", "ZELLIJ_PANE_ID", "COLUMNS", "LINES", "FUGUE_PANE"):
        monkeypatch.setenv(name, "outer")
    monkeypatch.setenv("KEPT", "yes")
    env = environment(Program(cwd="/usr", env={"FUGUE_SOCKET": "/s", "KEPT_TOO": "1"}))
    assert "outer" not in env.values()
    assert env["KEPT"] == "yes"
    assert (env["TERM"], env["COLORTERM"], env["TERM_PROGRAM"]) == ("xterm-256color", "truecolor", "fugue-tui")
    assert (env["FUGUE_SOCKET"], env["KEPT_TOO"], env["PWD"]) == ("/s", "1", "/usr")
    assert env["TERM_PROGRAM_VERSION"] == fugue_tui.__version__ == importlib.metadata.version("fugue-tui")


@both_ways
def test_a_program_starts_in_its_directory_with_its_environment(spawn: Spawn, tmp_path: Path) -> None:
    pane = spawn('echo "$PWD" "$(pwd -P)" "$FUGUE_PANE"', cwd=str(tmp_path), env={"FUGUE_PANE": "%7"})
    pane.wait_exit()
    assert pane.text == f"{tmp_path} {tmp_path.resolve()} %7\r\n"


@both_ways
def test_a_relative_program_is_looked_for_in_its_directory(spawn: Spawn, tmp_path: Path) -> None:
    _script(tmp_path / "run", "#!/bin/sh\necho here\n")
    pane = spawn("./run", cwd=str(tmp_path))
    assert pane.wait_exit() == Exit(0)
    assert pane.text == "here\r\n"


@both_ways
def test_the_terminal_driver_has_iutf8_set(spawn: Spawn) -> None:
    pane = spawn("stty", "-a")
    pane.wait_exit()
    assert " iutf8" in f" {pane.text}"
    assert "-iutf8" not in pane.text


def test_what_cannot_start_says_why_and_leaves_nothing(
    tmp_path: Path, open_files: Callable[[], int], zombies: Callable[[], int]
) -> None:
    plain, lost, blank = tmp_path / "plain", tmp_path / "lost", tmp_path / "blank"
    plain.write_text("text")
    _script(lost, "#!/nonexistent/interpreter\n")
    _script(blank, "no first line\n")
    faults = {
        ("/nonexistent/x",): "no such file",
        ("nonexistent-program",): "not on PATH|no program",
        (str(tmp_path),): "is a directory",
        (str(plain),): "not executable",
        (str(lost),): "interpreter",
        (str(blank),): "exec format error",
        ("sh", "a\0b"): "null byte",
    }
    before = open_files()
    for argv, words in faults.items():
        with pytest.raises(SpawnFailed, match=words):
            Pty.spawn(Program(argv), SIZE)
    assert open_files() == before
    assert zombies() == 0


def test_a_missing_directory_is_named() -> None:
    with pytest.raises(SpawnFailed, match="/nonexistent/folder"):
        Pty.spawn(Program(("true",), cwd="/nonexistent/folder"), SIZE)


@both_ways
def test_a_program_inherits_its_terminal_and_nothing_else(spawn: Spawn) -> None:
    with open("/dev/null") as stream:
        os.set_inheritable(stream.fileno(), True)
        others = [spawn("cat") for _ in range(4)]
        pane = spawn("ls", "-l", "/proc/self/fd")
        pane.wait_exit()
    lines = [line for line in pane.text.splitlines() if "->" in line]
    assert [line.split()[-3] for line in lines] == ["0", "1", "2", "3"]
    assert all("/dev/pts/" in line for line in lines[:3])
    assert "/proc/" in lines[3]
    assert all(other.terminal.foreground == "cat" for other in others)


@both_ways
def test_a_program_leads_the_session_and_the_foreground_of_its_terminal(spawn: Spawn) -> None:
    pane = spawn(
        "read -r pid name state parent group session tty front rest </proc/$$/stat; "
        "echo $((pid - group)) $((pid - session)) $((pid - front)) >/dev/tty"
    )
    assert pane.wait_exit() == Exit(0)
    assert pane.text == "0 0 0\r\n"


@both_ways
def test_ignored_and_blocked_signals_are_not_inherited(spawn: Spawn) -> None:
    old = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        pane = spawn("grep", "^Sig[BI]", "/proc/self/status")
        pane.wait_exit()
    finally:
        signal.signal(signal.SIGHUP, old)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    named = (1 << 31) - 1  # Signals 32 and 33 are the C library's own.
    assert [int(line.split()[1], 16) & named for line in pane.text.splitlines()] == [0, 0]


def test_exits_are_described_in_words() -> None:
    assert Exit(3).words == "exit 3"
    assert Exit(None, 15).words == "killed by SIGTERM"
    assert Exit(None, 55).words == "killed by signal 55"
    assert Exit(None).words == "ended"


def test_running_out_of_descriptors_fails_that_spawn_only_and_leaks_nothing() -> None:
    _run("""
        import os, resource
        from fugue_tui.errors import SpawnFailed
        from fugue_tui.geometry import Size
        from fugue_tui.terminal.pty.spawn import Program, Pty
        resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
        ptys, refused = [], 0
        start = len(os.listdir("/proc/self/fd"))
        while refused < 8:
            try:
                ptys.append(Pty.spawn(Program(("cat",)), Size(80, 24)))
            except SpawnFailed as error:
                assert "too many open files" in str(error).lower(), error
                refused += 1
        for pty in ptys:
            pty.close()
            os.waitpid(pty.pid, 0)
        assert len(ptys) > 20, len(ptys)
        assert len(os.listdir("/proc/self/fd")) == start
        try:
            print(os.waitpid(-1, os.WNOHANG))
            raise SystemExit("a child is left")
        except ChildProcessError:
            Pty.spawn(Program(("cat",)), Size(80, 24))
    """)


@pytest.mark.skipif(os.getuid() != 0, reason="a limit on processes does not bind this user's other processes otherwise")
def test_a_fork_that_fails_is_a_failed_spawn_without_a_leak() -> None:
    _run("""
        import os, resource
        from fugue_tui.errors import SpawnFailed
        from fugue_tui.geometry import Size
        from fugue_tui.terminal.pty.spawn import Program, Pty
        os.setgid(54321); os.setuid(54321)
        resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
        start = len(os.listdir("/proc/self/fd"))
        for _ in range(3):
            try:
                Pty.spawn(Program(("/bin/true",), cwd="/"), Size(80, 24))
                raise SystemExit("it started")
            except SpawnFailed as error:
                assert "temporarily unavailable" in str(error), error
        assert len(os.listdir("/proc/self/fd")) == start
    """)


def test_a_spawn_without_room_for_its_watch_leaves_no_process(
    monkeypatch: pytest.MonkeyPatch, open_files: Callable[[], int], zombies: Callable[[], int]
) -> None:
    def refuse(pid: int) -> int:
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(os, "pidfd_open", refuse)
    before = open_files()
    with pytest.raises(SpawnFailed, match="Too many open files"):
        Pty.spawn(Program(("cat",)), SIZE)
    assert zombies() == 0
    assert open_files() == before


def _script(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o755)


def _run(script: str) -> None:
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr + done.stdout
