"""Starts programs on pseudo-terminals, and owns a started program's descriptors.

The only module that names ptyprocess. Reading, writing and waiting belong to the pump.
"""

import errno
import fcntl
import os
import pwd
import re
import shutil
import signal
import struct
import sys
import termios
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from types import TracebackType
from typing import Any, Final, NoReturn

from msgspec import Struct, field
from ptyprocess import PtyProcess  # pyright: ignore[reportMissingTypeStubs]

from fugue_tui import __version__
from fugue_tui.errors import SpawnFailed
from fugue_tui.geometry import Size
from fugue_tui.terminal.emulator.protocol import CELL_PIXELS
from fugue_tui.terminal.pty import orphans, posix_spawn
from fugue_tui.terminal.pty.secret_pipe import VARIABLE, SecretPipe

_FOREIGN: Final = frozenset(
    {
        *("TMUX", "TMUX_PANE", "STY", "WINDOW", "COLUMNS", "LINES", "TERM_PROGRAM_VERSION"),
        *("VTE_VERSION", "KITTY_WINDOW_ID", "ITERM_SESSION_ID", "LC_TERMINAL", "LC_TERMINAL_VERSION", "WT_SESSION"),
        *("FUGUE_PANE", "FUGUE_WORKSPACE", "FUGUE_SOCKET"),
        *("FUGUE_SHELL_MARKS", VARIABLE, "FUGUE_SHELL_ENV", "FUGUE_SHELL_ZDOTDIR"),
    }
)
"""Variables that identify another terminal or multiplexer than the one the program runs in."""
_LEAKS: Final = frozenset({"exec_err_pipe_read", "exec_err_pipe_write", "master_fd", "slave_fd"})
_IUTF8: Final = 0x4000
_FALLBACK_SHELL: Final = "/bin/sh"


def _no_changes() -> Mapping[str, str]:
    return {}


class Program(Struct, frozen=True):
    """What to run in a terminal."""

    argv: tuple[str, ...] = ()
    """Empty means the login shell."""
    cwd: str = ""
    """Empty means this process's own directory."""
    env: Mapping[str, str] = field(default_factory=_no_changes)
    """Set on top of the inherited environment, which is scrubbed of other terminals' variables."""
    unset: tuple[str, ...] = ()
    """Variables that are not inherited."""
    login: bool = False
    """Whether the program's own name for itself gets a dash, as a login shell's has; so it is with no `argv`."""
    secret: str = ""
    """What the program can read once from the path in `FUGUE_SHELL_NONCE`."""
    closes_descriptors: bool = True
    """Whether the program, a shell, can close the descriptor of that path; fish cannot."""


class Exit(Struct, frozen=True):
    """How a program exited; both None if another caller has reaped it."""

    code: int | None
    signal: int | None = None

    @property
    def words(self) -> str:
        """In words: `exit 3`, `killed by SIGTERM`."""
        if self.signal is not None:
            return f"killed by {_signal_name(self.signal)}"
        return "ended" if self.code is None else f"exit {self.code}"


class Pty:
    """A running program and the master side of its terminal; only the I/O loop closes it."""

    __slots__ = ("_secret", "cell", "fd", "pid", "pidfd")

    def __init__(
        self,
        pid: int,
        fd: int,
        pidfd: int | None,
        secret: SecretPipe | None = None,
        cell: tuple[int, int] = CELL_PIXELS,
    ) -> None:
        self.pid = pid
        self.fd = fd
        """The master; non-blocking, closed on exec."""
        self.pidfd = pidfd
        """Readable once the program has ended; None where the kernel has no such thing."""
        self._secret = secret
        self.cell = cell
        """Width and height of a cell in pixels, as the program is told with the next size."""

    @classmethod
    def spawn(cls, program: Program, size: Size, cell: tuple[int, int] = CELL_PIXELS) -> "Pty":
        """Start a program that leads its own session on a terminal of that size, with cells of so many pixels; raises
        SpawnFailed."""
        env = environment(program)
        directory = _directory(program.cwd)
        path, argv = _command(program.argv, env, directory)
        winsize = _winsize(size, cell)
        if program.login:
            argv = (f"-{os.path.basename(path)}", *argv[1:])
        with ExitStack() as undo:
            secret = _secret_pipe(program, env, undo)
            inherited = secret.inherited if secret else ()
            with orphans.lock:
                pid, fd = _spawn(path, argv, env, directory, winsize, inherited) or _fork(
                    path, _start(path, argv, env, directory, winsize, inherited), inherited
                )
                orphans.own.add(pid)
            if not inherited:
                undo.pop_all()
        try:
            os.set_blocking(fd, False)
            return cls(pid, fd, _pidfd(pid), secret, cell)
        except OSError as error:
            if secret:
                secret.close()
            os.close(fd)
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            orphans.own.discard(pid)
            raise SpawnFailed(f"cannot start {argv[0]}: {error.strerror}") from error

    def resize(self, size: Size) -> None:
        """Set the kernel's size, which signals the foreground programs if it differs."""
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, _winsize(size, self.cell))

    def reap(self) -> Exit | None:
        """The exit, once: None while the program runs. Waits for no other process."""
        try:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
        except ChildProcessError:
            orphans.own.discard(self.pid)
            return Exit(None)
        if pid == 0:
            return None
        orphans.own.discard(pid)
        return Exit(None, os.WTERMSIG(status)) if os.WIFSIGNALED(status) else Exit(os.WEXITSTATUS(status))

    def close(self) -> None:
        """Give back the descriptors."""
        os.close(self.fd)
        if self.pidfd is not None:
            os.close(self.pidfd)
        if self._secret is not None:
            self._secret.close()


def environment(program: Program) -> dict[str, str]:
    """The whole environment of a program's process."""
    dropped = _FOREIGN.union(program.unset)
    env = {key: value for key, value in os.environ.items() if key not in dropped and not key.startswith("ZELLIJ")}
    env |= {"TERM": "xterm-256color", "COLORTERM": "truecolor"}
    env |= {"TERM_PROGRAM": "fugue-tui", "TERM_PROGRAM_VERSION": __version__}
    if program.cwd:
        env["PWD"] = program.cwd
    return env | dict(program.env)


def login_shell(env: Mapping[str, str]) -> str:
    """The path of the user's shell: $SHELL, else the password database's, else /bin/sh."""
    for shell in (env.get("SHELL", ""), _passwd_shell()):
        if os.path.isabs(shell) and os.path.isfile(shell) and os.access(shell, os.X_OK):
            return shell
    return _FALLBACK_SHELL


def _passwd_shell() -> str:
    try:
        return pwd.getpwuid(os.getuid()).pw_shell
    except KeyError:
        return ""


def _directory(cwd: str) -> str:
    try:
        directory = os.path.abspath(os.path.expanduser(cwd)) if cwd else os.getcwd()
    except OSError:
        return "/"
    if not os.path.isdir(directory):
        raise SpawnFailed(f"no directory {cwd!r}; give one that exists")
    if not os.access(directory, os.X_OK):
        raise SpawnFailed(f"directory {cwd!r} may not be entered")
    return directory


def _command(argv: tuple[str, ...], env: Mapping[str, str], directory: str) -> tuple[str, tuple[str, ...]]:
    if not argv:
        shell = login_shell(env)
        return shell, (f"-{os.path.basename(shell)}",)
    if "/" not in argv[0]:
        found = shutil.which(argv[0], path=env.get("PATH", os.defpath))
        if found is None:
            raise SpawnFailed(f"no program {argv[0]!r} on PATH")
        return os.path.join(directory, found), argv
    path = os.path.join(directory, argv[0])
    if fault := _fault(path):
        raise SpawnFailed(f"cannot start {argv[0]!r}: {fault}")
    return path, argv


def _fault(path: str) -> str:
    if os.path.isdir(path):
        return "it is a directory"
    if not os.path.exists(path):
        return "there is no such file"
    return "" if os.access(path, os.X_OK) else "it is not executable"


class _Child(PtyProcess):
    """ptyprocess without what hurts: its close() sleeps, and its second setting of the size is a spurious SIGWINCH."""

    pid: int
    fd: int

    def close(self, force: bool = True) -> None:
        """Drop the descriptor and the process, which is only called for a child that could not be started."""
        if not self.closed:
            self.closed = True
            self.fileobj.close()
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)

    def release(self) -> tuple[int, int]:
        """The pid and a descriptor of the master that programs do not inherit; this object then owns nothing."""
        fd = os.dup(self.fd)
        self.closed = True
        self.fileobj.close()
        return self.pid, fd

    def setwinsize(self, rows: int, cols: int) -> None:
        """Nothing: the child has set the whole size, pixels too, before its exec."""


def _secret_pipe(program: Program, env: dict[str, str], undo: ExitStack) -> SecretPipe | None:
    """The pipe with the program's secret, which `env` then names and `undo` closes; None without a secret."""
    if not program.secret:
        return None
    try:
        pipe = SecretPipe(program.secret, inherited=program.closes_descriptors)
    except OSError as error:
        raise SpawnFailed(f"cannot start a shell: {error.strerror}") from error
    undo.callback(pipe.close)
    env[VARIABLE] = pipe.path
    return pipe


def _spawn(
    path: str, argv: tuple[str, ...], env: Mapping[str, str], directory: str, winsize: bytes, inherited: Sequence[int]
) -> tuple[int, int] | None:
    """The pid and the terminal's master; None if the program does not start so: a fork then says why."""
    if not posix_spawn.is_available():
        return None
    try:
        main, inner = os.openpty()
    except OSError:
        return None
    try:
        _prepare(inner, winsize)
        return posix_spawn.spawn(path, argv, env, directory, os.ttyname(inner), inherited), main
    except (OSError, ValueError):
        os.close(main)
        return None
    finally:
        os.close(inner)


def _prepare(tty: int, winsize: bytes) -> None:
    """Set a terminal's size, and that it erases whole characters of UTF-8."""
    fcntl.ioctl(tty, termios.TIOCSWINSZ, winsize)
    attributes = termios.tcgetattr(tty)
    attributes[0] |= _IUTF8
    termios.tcsetattr(tty, termios.TCSANOW, attributes)


def _fork(path: str, start: Callable[[], NoReturn], inherited: Sequence[int] = ()) -> tuple[int, int]:
    parent = os.getpid()
    try:
        with warnings.catch_warnings():
            # Python 3.12 warns of any fork beside threads; the child only makes system calls until its exec.
            warnings.simplefilter("ignore", DeprecationWarning)
            spawn: Callable[..., _Child] = _Child.spawn  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
            return spawn([path], preexec_fn=start, pass_fds=inherited).release()
    except (OSError, ValueError) as error:
        reason = _reason(path, error)
        _close_leaks(error.__traceback__)
        # The frames and the error hold one another, and with them the failed child's descriptor.
        error.__traceback__ = None
    finally:
        if os.getpid() != parent:
            os._exit(126)
    raise SpawnFailed(f"cannot start {path!r}: {reason}")


def _reason(path: str, error: OSError | ValueError) -> str:
    if isinstance(error, FileNotFoundError) and os.path.exists(path):
        return "the interpreter that its first line names is missing"
    if str(error) == "out of pty devices":
        return "no pseudo-terminal is left, or too many open files"
    code = re.match(r"\[Errno (\d+)\]", str(error))
    return os.strerror(int(code[1])).lower() if code else str(error)


def _close_leaks(trace: TracebackType | None) -> None:
    """Close what ptyprocess and the standard library's pty leave open when the fork itself fails."""
    while trace is not None:
        names: dict[str, Any] = trace.tb_frame.f_locals
        if "pid" not in names:
            for fd in _LEAKS.intersection(names):
                os.close(names[fd])
        trace = trace.tb_next


def _start(
    path: str, argv: tuple[str, ...], env: dict[str, str], directory: str, winsize: bytes, inherited: Sequence[int]
) -> Callable[[], NoReturn]:
    """What the child does between fork and exec: no locks, no threads, only system calls."""
    signals = sorted(signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP})

    def start() -> NoReturn:
        signal.set_wakeup_fd(-1)  # The size that is set next signals this process, which has no loop to wake.
        _prepare(0, winsize)
        for number in signals:
            if signal.getsignal(number) is signal.SIG_IGN:
                signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        for fd in inherited:
            os.set_inheritable(fd, True)
        os.chdir(directory)
        os.execve(path, argv, env)

    return start


def _winsize(size: Size, cell: tuple[int, int]) -> bytes:
    pixels = (min(size.cols * cell[0], 0xFFFF), min(size.rows * cell[1], 0xFFFF))
    return struct.pack("HHHH", size.rows, size.cols, *pixels)


def _pidfd(pid: int) -> int | None:
    if sys.platform != "linux":
        return None
    try:
        return os.pidfd_open(pid)
    except OSError as error:
        if error.errno in (errno.EMFILE, errno.ENFILE, errno.ENOMEM):
            raise
        return None


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
