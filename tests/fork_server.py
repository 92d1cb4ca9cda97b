"""A fork server: starts the program in processes that are forked from one that has loaded it.

For tests whose subject is not how the program starts: most of the time that a workspace takes goes into loading it. A
forked process has an environment, a directory, descriptors and, where wanted, a session and a terminal of its own, like
one that was started; only its modules are loaded already.
"""

import fcntl
import gc
import json
import os
import runpy
import select
import signal
import socket
import struct
import subprocess
import sys
import termios
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, Final

from fugue_tui.geometry import Size
from fugue_tui.terminal.pty.spawn import Exit, Program, Pty, environment

REPOSITORY = Path(__file__).parents[1]
_LOADED: Final = (
    *("fugue_tui.cli.main", "fugue_tui.cli.start_args", "fugue_tui.client.attach"),
    *("fugue_tui.tui.server_main", "fugue_tui.control.command_table", "fugue_tui.control.introspection"),
    *("fugue_tui.control.dispatch.dispatcher", "fugue_tui.control.dispatch.thread_gateway"),
    *("fugue_tui.terminal.ghostty.emulator", "fugue_tui.tui.app", "fugue_tui.tui.ui.restore_prompt"),
    *("fugue_tui_mcp.socket_server", "fugue_tui.server_start", "fugue_tui.daemonize", "fugue_tui.cli.attach_client"),
    *("fugue_tui.terminal.ghostty.declarations", "textual.drivers.headless_driver", "textual.layouts.factory"),
    *("textual.layouts.horizontal", "textual.layouts.stream", "textual.pilot", "textual.scrollbar"),
    *("encodings.utf_32_le", "tomllib"),
)
"""What a workspace imports while it starts."""
_MOVED: Final = 512
"""The least number of a descriptor while all below are closed."""
_NUMBER: Final = struct.Struct("i")
_LONGEST: Final = 1 << 18
"""The bytes of the longest request, most of which is the environment."""


class Forked:
    """A forked process, with what a `subprocess.Popen` has for one that was started."""

    def __init__(self, report: socket.socket) -> None:
        """`report` tells the number of the process, and at its end its status."""
        self._report = report
        self.returncode: int | None = None
        """Its exit status, minus the signal that killed it."""
        self.pid = _NUMBER.unpack(report.recv(_NUMBER.size))[0]

    def poll(self) -> int | None:
        """The exit status, once the process has ended."""
        with suppress(BlockingIOError):
            self._read(socket.MSG_DONTWAIT)
        return self.returncode

    def wait(self) -> int:
        """Wait for the process to end; its exit status."""
        self._read(0)
        assert self.returncode is not None
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send a signal, unless the process has ended."""
        if self.poll() is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def kill(self) -> None:
        """Kill the process, unless it has ended."""
        self.send_signal(signal.SIGKILL)

    def _read(self, flags: int) -> None:
        if self.returncode is None:
            self.returncode = _NUMBER.unpack(self._report.recv(_NUMBER.size, flags))[0]
            self._report.close()


class ForkedPty(Pty):
    """A forked process on a pseudo-terminal of its own."""

    __slots__ = ("_forked",)

    def __init__(self, server: "ForkServer", argv: Sequence[str], size: Size, env: Mapping[str, str]) -> None:
        """`argv` and `env` are those of `ForkServer.start`, on top of what every program in a terminal has."""
        main, inner = os.openpty()
        super().__init__(0, main, None)
        self.resize(size)
        self._forked = server.start(argv, environment(Program(env=env)), (inner, inner, inner), terminal=True)
        self.pid = self._forked.pid
        os.close(inner)
        os.set_blocking(main, False)

    def reap(self) -> Exit | None:
        """The exit; None while the program runs."""
        status = self._forked.poll()
        return None if status is None else Exit(None, -status) if status < 0 else Exit(status)


class ForkServer:
    """A process that has loaded the program, and forks on request; several processes may share one."""

    def __init__(self) -> None:
        self._control, theirs = socket.socketpair(type=socket.SOCK_SEQPACKET)
        env = {name: value for name, value in os.environ.items() if not name.startswith(("FUGUE", "TEXTUAL"))}
        env |= {"LC_ALL": "C.UTF-8", "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.fork_server", str(theirs.fileno())],
                pass_fds=(theirs.fileno(),), stdin=subprocess.DEVNULL, cwd=REPOSITORY, env=env, start_new_session=True,
            )  # fmt: skip

    def start(
        self,
        argv: Sequence[str],
        env: Mapping[str, str],
        streams: tuple[int, int, int],
        *,
        pass_fds: Collection[int] = (),
        terminal: bool = False,
        cwd: str = "",
    ) -> Forked:
        """Run `-c CODE WORD...` or `-m MODULE WORD...` as Python does, in a session of its own.

        `streams` are the standard ones; with `terminal` the first becomes the terminal of the session. Without `cwd`
        its directory is the repository.
        """
        ours, theirs = socket.socketpair()
        with theirs:
            asked = {"argv": argv, "env": dict(env), "numbers": [0, 1, 2, *pass_fds], "terminal": terminal, "cwd": cwd}
            socket.send_fds(self._control, [json.dumps(asked).encode()], [theirs.fileno(), *streams, *pass_fds])
        return Forked(ours)

    def run(self, argv: Sequence[str], env: Mapping[str, str], cwd: str = "") -> "subprocess.CompletedProcess[str]":
        """Run a process without input to its end, as `subprocess.run` does."""
        with open(os.devnull) as null, TemporaryFile("w+") as out, TemporaryFile("w+") as err:
            status = self.start(argv, env, (null.fileno(), out.fileno(), err.fileno()), cwd=cwd).wait()
            for file in (out, err):
                file.seek(0)
            return subprocess.CompletedProcess(argv, status, out.read(), err.read())

    def close(self) -> None:
        """End the fork server; what was forked goes on."""
        with self._control:
            self._control.shutdown(socket.SHUT_WR)
        self._process.wait()


def _serve(control: socket.socket) -> tuple[dict[str, Any], list[int]] | None:
    """Fork for every request until nobody can ask any more; in a forked process return what is asked of it."""
    reports: dict[int, socket.socket] = {}
    woken, waking = socket.socketpair()
    waking.setblocking(False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    signal.set_wakeup_fd(waking.fileno())
    while True:
        readable = select.select([control, woken], [], [])[0]
        if woken in readable:
            woken.recv(1 << 12)
            _report_ends(reports)
        if control not in readable:
            continue
        request, fds, _, _ = socket.recv_fds(control, _LONGEST, 16)
        if not request:
            return None
        pid = os.fork()
        if pid == 0:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            return json.loads(request), fds[1:]
        reports[pid] = socket.socket(fileno=fds[0])
        reports[pid].send(_NUMBER.pack(pid))
        for fd in fds[1:]:
            os.close(fd)


def _report_ends(reports: dict[int, socket.socket]) -> None:
    """Report the status of every process that has ended."""
    with suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            with reports.pop(ended[0]) as report, suppress(OSError):  # Whoever asked may not want to know.
                report.send(_NUMBER.pack(os.waitstatus_to_exitcode(ended[1])))


def _become(asked: dict[str, Any], fds: Sequence[int]) -> None:
    """Be the process that was asked for, in a process that was just forked."""
    moved = [fcntl.fcntl(fd, fcntl.F_DUPFD, _MOVED) for fd in fds]
    os.closerange(0, _MOVED)
    for fd, number in zip(moved, asked["numbers"], strict=True):
        os.dup2(fd, number)
        os.close(fd)
    os.setsid()
    if asked["terminal"]:
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    if asked["cwd"]:
        os.chdir(asked["cwd"])
    os.environ.clear()
    os.environ.update(asked["env"])
    sys.stdin, sys.stdout = os.fdopen(0, closefd=False), os.fdopen(1, "w", closefd=False)
    sys.stderr = os.fdopen(2, "w", buffering=1, closefd=False)
    kind, program, *words = asked["argv"]
    sys.argv[:] = [kind, *words]
    if kind == "-m":
        runpy.run_module(program, run_name="__main__", alter_sys=True)
    else:
        exec(program, {"__name__": "__main__"})


if __name__ == "__main__":
    for name in _LOADED:
        import_module(name)
    gc.collect()
    gc.freeze()  # Forked processes then share these objects until they change them.
    request = _serve(socket.socket(fileno=int(sys.argv[1])))
    if request is not None:
        _become(*request)
