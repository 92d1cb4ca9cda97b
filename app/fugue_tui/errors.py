"""Everything that can go wrong in a way a caller can understand.

    FugueError                 code: a stable word, printed by every interface
    |-- CommandError           the caller can mend this call
    |   |-- UnknownCommand
    |   |-- InvalidArgument
    |   |-- NotFound
    |   |-- Refused
    |   |   |-- Denied
    |   |   `-- Unanswered
    |   |-- TimedOut
    |   `-- Cancelled
    |-- TerminalError          the operating system refused
    |   |-- SpawnFailed
    |   |-- TerminalGone
    |   `-- InputFull
    |-- SocketError            a workspace's socket cannot be made or used
    |   |-- NotRunning
    |   `-- AlreadyRunning
    |-- ServerFailed           another MCP server cannot be started, or does not do what it was asked for
    |-- Unshowable             a file or an image cannot be shown
    |-- ConfigError            names file, key and reason
    `-- SaveError              a saved workspace cannot be read or written

A message names what, where, and a way out: `no pane %9; list-panes shows what is open`.
"""

from collections.abc import Mapping
from types import MappingProxyType


class FugueError(Exception):
    """A failure that is reported to the caller."""

    code = "error"
    """A stable word for programs; the message is for users and models."""
    data: Mapping[str, object] = MappingProxyType({})
    """Machine-readable details beside the code, such as `retry_after_ms`; JSON values."""


class CommandError(FugueError):
    """A call that the caller can correct."""

    code = "command_error"


class UnknownCommand(CommandError):
    """No command has that name."""

    code = "unknown_command"


class InvalidArgument(CommandError):
    """An argument is missing, unknown, of the wrong type or out of range."""

    code = "invalid_argument"


class NotFound(CommandError):
    """The pane, window or session does not exist."""

    code = "not_found"


class Refused(CommandError):
    """The policy or the state of the workspace does not allow this now; `retry_after_ms` is when to retry."""

    code = "refused"

    def __init__(self, message: str = "", *, retry_after_ms: int | None = None) -> None:
        super().__init__(message)
        if retry_after_ms is not None:
            self.data = MappingProxyType({"retry_after_ms": retry_after_ms})


class Denied(Refused):
    """The user was asked, and denied it."""

    code = "denied"


class Unanswered(Refused):
    """The user was asked, and did not answer in time."""

    code = "unanswered"


class TimedOut(CommandError):
    """The deadline passed before the work was done."""

    code = "timed_out"


class Cancelled(CommandError):
    """The caller cancelled the request."""

    code = "cancelled"


class TerminalError(FugueError):
    """A program could not be run or reached."""

    code = "terminal_error"


class SpawnFailed(TerminalError):
    """A program could not be started."""

    code = "spawn_failed"


class TerminalGone(TerminalError):
    """The program has exited or its terminal is closed."""

    code = "terminal_gone"


class InputFull(TerminalError):
    """The input queue of a program that does not read is full; nothing was sent."""

    code = "input_full"


class SocketError(FugueError):
    """A workspace's socket is unsafe, too long, or cannot be made."""

    code = "socket_error"


class NotRunning(SocketError):
    """No workspace listens on the socket."""

    code = "not_running"


class AlreadyRunning(SocketError):
    """A workspace of that name is running, at the socket `path`."""

    code = "already_running"

    def __init__(self, message: str, path: str = "") -> None:
        super().__init__(message)
        self.path = path


class ServerFailed(FugueError):
    """Another MCP server cannot be started or reached, or answered with an error."""

    code = "server_failed"


class Unshowable(FugueError):
    """A file or an image cannot be shown."""

    code = "unshowable"


class ConfigError(FugueError):
    """The configuration is invalid; `faults` has one line each, naming file, key and reason."""

    code = "config_error"

    def __init__(self, *faults: str) -> None:
        super().__init__("\n".join(faults))
        self.faults = faults


class SaveError(FugueError):
    """A saved workspace cannot be read or written."""

    code = "save_error"


class Switched(Exception):
    """No failure: the terminal of this process, which is as it was before, is to show another workspace."""

    def __init__(self, workspace: str, *, prefix: str = "", read_only: bool = False) -> None:
        """`prefix` and `read_only` are as the terminal was attached."""
        super().__init__(workspace)
        self.workspace, self.prefix, self.read_only = workspace, prefix, read_only
