"""Send what a pane prints to a program or a file."""

import os
import shlex
import time
from enum import StrEnum
from typing import Annotated

from msgspec import Meta, Struct

from fugue_tui.control.commands.layout_files import callers_path
from fugue_tui.control.core import target
from fugue_tui.control.core.command import Command, Effect, Origin, StartedCommand, Toolset
from fugue_tui.errors import InvalidArgument, Refused
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.pane_pipes import Receiver
from fugue_tui.sanitize import clean, clean_path


class PipedPane(Struct, frozen=True):
    """Where the output of a pane goes."""

    pane: str
    """The pane's id."""
    to: str
    """The line or the file that gets its output; empty if nothing does any more."""


class PipeEnds(StrEnum):
    """Which ends of a line are connected with the pane."""

    OUTPUT = "output"
    """It reads what the pane prints."""
    INPUT = "input"
    """What it prints is typed into the pane."""
    BOTH = "both"


class PipePane(
    Command[PipedPane],
    name="pipe-pane",
    effect=Effect.RUN,
    also=Effect.INPUT,
    toolset=Toolset.RUNNING,
    creates=True,
):
    """Send what a pane prints from now on to a shell command, byte for byte, as pipe-pane of tmux does; without a
    command, stop that.

    A pane has one pipe: another one replaces it. It ends with the pane's program. A command that is too slow never
    delays the pane: beyond two megabytes output is left out, which the pane's title then counts.
    """

    line: Annotated[str, Meta(max_length=100_000)] = ""
    """The line for /bin/sh, which reads the output, such as `cat >> log`; omitted, an open pipe is stopped."""
    pane: str = target.ACTIVE
    """The pane: an id, a name, or active for your own."""
    toggle: bool = False
    """Whether an open pipe is stopped, and only without one the line is run (pipe-pane -o)."""
    connect: PipeEnds = PipeEnds.OUTPUT
    """output: the line reads what the pane prints (pipe-pane -O). input: what the line prints is typed into the pane
    (pipe-pane -I); both. Only the user and scripts may type so."""

    @property
    def effects(self) -> frozenset[Effect]:
        """It types only if the line's output is connected."""
        return frozenset((Effect.RUN,)) if self.connect is PipeEnds.OUTPUT else self.all_effects

    def targets(self, mux: Multiplexer, origin: Origin) -> tuple[PaneId, ...]:
        """The pane."""
        return (target.pane(mux, self.pane, origin),)

    def started(self, mux: Multiplexer, origin: Origin) -> tuple[StartedCommand, ...]:
        """The line, as a shell gets it."""
        return (StartedCommand(self.line, cwd=_directory(mux, self.pane, origin)),) if self.line else ()

    def run(self, mux: Multiplexer, origin: Origin) -> PipedPane:
        """What the pane is piped to now. Raises NotFound, Refused or InvalidArgument."""
        pane = target.pane(mux, self.pane, origin)
        if not self.line:
            return _stopped(mux, pane, required=True)
        if self.connect is not PipeEnds.OUTPUT and not origin.kind.acts_for_user:
            raise Refused("connect: only the user and scripts may type by a pipe; send-input types for agents")
        cwd = _directory(mux, self.pane, origin)
        reads, types = self.connect is not PipeEnds.INPUT, self.connect is not PipeEnds.OUTPUT
        return _opened(mux, pane, Receiver(self.line, "", cwd, reads, types), toggle=self.toggle)


class LogPane(Command[PipedPane], name="log-pane", effect=Effect.RUN, toolset=Toolset.RUNNING, creates=True):
    """Write what a pane prints from now on to a file, byte for byte; again, or with another pipe, stop that.

    The text has its colours and other sequences: `less -R` shows it. It is added to what the file holds; a new file is
    readable for you alone.
    """

    file: Annotated[str, Meta(max_length=4_000)] = ""
    """The file, relative to your directory; omitted, one in the home directory with the workspace, the pane and the
    time in its name."""
    pane: str = target.ACTIVE
    """The pane: an id, a name, or active for your own."""
    stop: bool = False
    """Whether to stop, and never to start."""

    def targets(self, mux: Multiplexer, origin: Origin) -> tuple[PaneId, ...]:
        """The pane."""
        return (target.pane(mux, self.pane, origin),)

    def started(self, mux: Multiplexer, origin: Origin) -> tuple[StartedCommand, ...]:
        """What a shell would run to write the file."""
        pane = target.pane(mux, self.pane, origin)
        stops = self.stop or (mux.pipes.of(pane) is not None and not self.file)
        path = shlex.quote(self._path(mux, pane, origin))
        return () if stops else (StartedCommand(f"cat >> {path}"),)

    def run(self, mux: Multiplexer, origin: Origin) -> PipedPane:
        """The file that is written now. Raises NotFound, Refused or InvalidArgument."""
        pane = target.pane(mux, self.pane, origin)
        if self.stop:
            return _stopped(mux, pane, required=True)
        return _opened(mux, pane, Receiver(path=self._path(mux, pane, origin)), toggle=not self.file)

    def _path(self, mux: Multiplexer, pane: PaneId, origin: Origin) -> str:
        if "\0" in self.file:
            raise InvalidArgument("file: no path has a NUL character")
        if self.file:
            return callers_path(mux, origin, self.file)
        stamp = time.strftime("%Y%m%d-%H%M%S")
        return os.path.expanduser(f"~/fugue-{mux.workspace.name}-{int(pane)}-{stamp}.log")


def _directory(mux: Multiplexer, pane: str, origin: Origin) -> str:
    return mux.cwd(target.pane(mux, pane, origin)) or os.getcwd()


def _opened(mux: Multiplexer, pane: PaneId, receiver: Receiver, *, toggle: bool) -> PipedPane:
    if toggle and mux.pipes.of(pane) is not None:
        return _stopped(mux, pane)
    mux.contents.check_program(pane)
    if pane in mux.restored_panes:
        raise Refused(f"the program in {pane} is not started yet; start-pane does that")
    if pane in mux.exits:
        raise Refused(f"the program in {pane} has ended; respawn-pane runs it again")
    try:
        mux.pipes.open(pane, mux.terminal(pane), receiver)
    except (OSError, ValueError) as error:
        where = clean_path(receiver.cwd if receiver.line else receiver.path)
        what = f"/bin/sh cannot be started in {where}" if receiver.line else where
        raise Refused(f"{what}: {getattr(error, 'strerror', None) or error}") from None
    return PipedPane(str(pane), clean(receiver.words, 4_000))


def _stopped(mux: Multiplexer, pane: PaneId, *, required: bool = False) -> PipedPane:
    if not mux.pipes.stop(pane) and required:
        raise Refused(f"nothing is piped from {pane}; give a line for the shell, or a file to log-pane")
    return PipedPane(str(pane), "")
