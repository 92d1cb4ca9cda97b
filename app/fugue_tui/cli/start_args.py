"""`fugue-tui [NAME]` and `fugue-tui serve [NAME]`: a workspace that runs is attached to, one that does not is started.

Few and cheap imports until it is clear that something has to be started.
"""

import os
from collections.abc import Callable

from fugue_tui import sockets
from fugue_tui.cli.args import Usage, options_of
from fugue_tui.errors import FugueError, NotRunning, UnknownCommand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fugue_tui.server_start import StartOptions

OPTIONS = ("--workspace", "--socket", "--config", "--engine", "--command", "--prefix")
FLAGS = ("--read-only", "--foreground")


class StartRequest:
    """What the words after `fugue-tui` ask for. Raises Usage if that makes no sense."""

    def __init__(self, arguments: list[str]) -> None:
        self.options, loose, self.program = options_of(arguments, OPTIONS, FLAGS)
        self.named = [*([self.options["--workspace"]] if "--workspace" in self.options else []), *loose]
        self.loose = loose[0] if loose else ""
        """The workspace's name if it might be a mistyped command."""
        if len(self.named) > 1:
            raise Usage(f"{self.named[1][:40]!a}: one word too many; a program to run comes after --")
        if self.program and "--command" in self.options:
            raise Usage("--command: give a line or a program after --, not both")
        if "--read-only" in self.options and self.command:
            raise Usage("--read-only: who only looks on starts no program")

    @property
    def workspace(self) -> str:
        """The workspace's name; empty if none was said."""
        return self.named[0] if self.named else ""

    @property
    def command(self) -> tuple[str, ...] | str:
        """What to run."""
        return self.options.get("--command") or tuple(self.program)

    def to_start(self) -> "StartOptions":
        """The same, for who starts it."""
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
    """Attach to the workspace that is meant, and start it first if it does not run; the exit status.

    With `refusal`, a word starts nothing that is not saved, and that says why: it may be a mistyped command."""
    if "--read-only" in asked.options:
        from fugue_tui.cli.workspace_commands import attach_as

        return attach_as(asked.options, asked.named)
    if "--foreground" not in asked.options and (status := _joined(asked)) is not None:
        return status
    if refusal is not None and asked.loose and "--foreground" not in asked.options and not _is_known(asked.loose):
        raise UnknownCommand(refusal(asked.loose))
    from fugue_tui import server_start as starting

    if "--foreground" in asked.options:
        return starting.show(asked.to_start())
    return starting.start(asked.to_start())


def _is_known(word: str) -> bool:
    """Whether a word names a workspace that can come back, or the one that is started without a name. Raises
    SocketError for what cannot be a name."""
    from fugue_tui.store.store import Store, state_dir

    name = sockets.check_name(word)
    if name == sockets.DEFAULT:
        return True
    try:
        return any(entry.name == name for entry in Store(state_dir()).names("auto"))
    except FugueError:
        return False


def serve(arguments: list[str]) -> int:
    """Be a workspace's server, with nobody attached, until it ends; the exit status."""
    asked = StartRequest(arguments)
    if wrong := {"--prefix", *FLAGS} & set(asked.options):
        raise Usage(f"serve: {min(wrong)}: is for terminals, and a server has none")
    from fugue_tui.server_start import serve

    return serve(asked.to_start())


def _joined(asked: StartRequest) -> int | None:
    """Attach to the workspace that is meant, if it runs where it would without any configuration."""
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
