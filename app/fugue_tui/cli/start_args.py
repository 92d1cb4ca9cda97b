"""`fugue-tui [NAME]` and `fugue-tui serve [NAME]`: attach to a workspace, starting it if it does not run.

Few and cheap imports until a workspace has to be started.
"""

import os
from collections.abc import Callable

from fugue_tui import sockets
from fugue_tui.cli.args import Usage, options_of
from fugue_tui.errors import NotRunning, UnknownCommand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fugue_tui.server_start import StartOptions

OPTIONS = ("--workspace", "--socket", "--config", "--engine", "--command", "--prefix", "--directory")
FLAGS = ("--read-only", "--foreground", "--detached")


class StartRequest:
    """The arguments after `fugue-tui`. Raises Usage if they are malformed."""

    def __init__(self, arguments: list[str]) -> None:
        self.options, positional, self.program = options_of(arguments, OPTIONS, FLAGS)
        self.named = [*([self.options["--workspace"]] if "--workspace" in self.options else []), *positional]
        self.positional = positional[0] if positional else ""
        """The positional name, which may be a mistyped command."""
        if len(self.named) > 1:
            raise Usage(f"{self.named[1][:40]!a}: unexpected argument; a program to run comes after --")
        if self.program and "--command" in self.options:
            raise Usage("--command: give a line or a program after --, not both")
        if "--read-only" in self.options and self.command:
            raise Usage("--read-only: a read-only client starts no program")

    @property
    def workspace(self) -> str:
        """The workspace's name; empty if none was given."""
        return self.named[0] if self.named else ""

    @property
    def command(self) -> tuple[str, ...] | str:
        """What to run; empty for the default."""
        return self.options.get("--command") or tuple(self.program)

    def to_start(self) -> "StartOptions":
        """The options to start a workspace with."""
        from fugue_tui.server_start import StartOptions

        return StartOptions(
            workspace=self.workspace,
            socket=self.options.get("--socket", ""),
            config=self.options.get("--config", ""),
            command=self.command,
            engine=self.options.get("--engine", ""),
            prefix=self.options.get("--prefix", ""),
        )


def start(asked: StartRequest, refusal: Callable[[str], str] | None = None) -> int:
    """Attach to the requested workspace, starting it first if it does not run; the exit status.

    With `refusal`, a positional name starts only a saved workspace, as it may be a mistyped command; `refusal` returns
    the error text.
    """
    if "--directory" in asked.options:
        _enter(asked.options["--directory"])
    if "--detached" in asked.options:
        return _start_detached(asked)
    if "--read-only" in asked.options:
        from fugue_tui.cli.workspace_commands import attach_as

        return attach_as(asked.options, asked.named)
    if "--foreground" not in asked.options and (status := _joined(asked)) is not None:
        return status
    if (
        refusal is not None
        and asked.positional
        and "--foreground" not in asked.options
        and not _is_known(asked.positional)
    ):
        raise UnknownCommand(refusal(asked.positional))
    from fugue_tui import server_start as starting

    if "--foreground" in asked.options:
        return starting.show(asked.to_start())
    return starting.start(asked.to_start())


def _enter(directory: str) -> None:
    """Make a directory the current one, in which the first pane starts. Raises Usage."""
    try:
        os.chdir(os.path.expanduser(directory))
    except OSError as error:
        raise Usage(f"--directory: {directory[:200]!a}: {error.strerror}") from None


def _start_detached(asked: StartRequest) -> int:
    """Start a workspace's server in the background, and return once it runs. Raises AlreadyRunning or FugueError."""
    from fugue_tui import server_start as starting

    return starting.start_detached(asked.to_start())


def _is_known(word: str) -> bool:
    """Whether a word names a saved workspace, or the default one. Raises SocketError for an invalid name."""
    from fugue_tui.store.paths import ran_before

    name = sockets.check_name(word)
    return name == sockets.DEFAULT or ran_before(name)


def serve(arguments: list[str]) -> int:
    """Run a workspace's server with no client attached, until it ends; the exit status."""
    asked = StartRequest(arguments)
    if wrong := {"--prefix", *FLAGS} & set(asked.options):
        raise Usage(f"serve: {min(wrong)}: is for terminals, and a server has none")
    from fugue_tui.server_start import serve

    return serve(asked.to_start())


def _joined(asked: StartRequest) -> int | None:
    """Attach to the requested workspace if it runs at its default socket; None if it does not run."""
    path, name = asked.options.get("--socket", ""), asked.workspace
    path = sockets.check_path(path) if path else sockets.path_of(name or sockets.DEFAULT)
    if not os.path.lexists(path):
        return None
    from fugue_tui.cli.attach_client import here, join

    wanted = name or ("" if "--socket" in asked.options else sockets.DEFAULT)
    try:
        return join(path, here(prefix=asked.options.get("--prefix", "")), wanted, asked.command)
    except NotRunning:
        return None  # It has just ended, or was killed; its name can be claimed.
