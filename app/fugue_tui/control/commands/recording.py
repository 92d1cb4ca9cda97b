"""Record panes and windows to files, and play such files."""

import asyncio
import os
import shlex
import stat
import sys
import time
from collections.abc import Callable
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Annotated

from msgspec import Meta, Struct

from fugue_tui.control.commands.layout_files import callers_path
from fugue_tui.control.commands.panes import SplitPane
from fugue_tui.control.core import target
from fugue_tui.control.core.command import Command, Effect, Origin, StartedCommand, Toolset
from fugue_tui.control.core.deferred import Deferred, run_task
from fugue_tui.control.core.new_pane import Direction
from fugue_tui.control.core.results import OpenedPane
from fugue_tui.errors import NotFound, Refused
from fugue_tui.geometry import Size
from fugue_tui.ids import PaneId
from fugue_tui.layout.tree import panes
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.recording.recording_info import RecordingInfo
from fugue_tui.sanitize import clean, clean_path
from fugue_tui.workspace.model import OnExit
from fugue_tui.workspace.secret_filter import SecretFilter

if TYPE_CHECKING:
    from fugue_tui.multiplexer.recording.recorder import CastWriter
    from fugue_tui.recording.asciicast import CastHeader

Megabytes = Annotated[float, Meta(ge=0.1, le=100_000)]


class CastVersion(StrEnum):
    """The version of the asciicast format."""

    V3 = "v3"
    """Of asciinema 3."""
    V2 = "v2"
    """Of asciinema 2 and most players."""


class RecordPane(Command[RecordingInfo], name="record-pane", effect=Effect.RUN, toolset=Toolset.SEEING, creates=True):
    """Record a pane to a new file, which asciinema plays too, until stop-recording or until the pane is closed.

    Output that comes faster than it can be watched is recorded as what the screen shows. Commands, what agents type and
    what they ask are markers. The file holds what the pane prints, secrets too; only you can read it.
    """

    output: Annotated[str, Meta(min_length=1)]
    """The file, such as demo.cast; relative to the caller's directory."""
    pane: str = target.ACTIVE
    """The pane: an id, a name, or active for your own."""
    format: CastVersion = CastVersion.V3
    """v3, or v2 for older players."""
    input: bool = False
    """Record what is typed, too, but not where it is hidden, as at a password prompt. For the user alone."""
    megabytes: Megabytes = 64
    """The size of a file; a full one is kept as FILE.1, and another one begun."""
    older: Annotated[int, Meta(ge=0, le=99)] = 1
    """How many full files are kept."""

    def targets(self, mux: Multiplexer, origin: Origin) -> tuple[PaneId, ...]:
        """The recorded pane."""
        return (target.pane(mux, self.pane, origin),)

    def started(self, mux: Multiplexer, origin: Origin) -> tuple[StartedCommand, ...]:
        """What a shell would run to write the file."""
        return (_writing(callers_path(mux, origin, self.output)),)

    def run(self, mux: Multiplexer, origin: Origin) -> Deferred[RecordingInfo]:
        """Start it. Raises NotFound or Refused."""
        pane = target.pane(mux, self.pane, origin)
        mux.contents.check_program(pane)
        if self.input and not origin.kind.acts_for_user:
            raise Refused("only the user may record what is typed; leave out input")
        path = callers_path(mux, origin, self.output)
        header = partial(_pane_header, mux, pane)
        return run_task(self._start(mux, pane, path, header))

    async def _start(
        self, mux: Multiplexer, pane: PaneId, path: str, header: "Callable[[], CastHeader]"
    ) -> RecordingInfo:
        _check_free(mux, str(pane))
        writer = await _writer(path, header, self.format, self.megabytes, self.older)
        terminal = mux.terminals.get(pane)
        if terminal is None or mux.recordings.of(str(pane)) is not None:
            writer.discard()
            raise NotFound(f"{pane} was closed, or is recorded by another call")
        from fugue_tui.multiplexer.recording.pane_recorder import PaneRecorder

        without_secrets = SecretFilter(mux.secrets).line
        recorder = PaneRecorder(str(pane), terminal, writer, input=self.input, without_secrets=without_secrets)
        mux.recordings.start(recorder)
        return recorder.info


class RecordWindow(
    Command[RecordingInfo], name="record-window", effect=Effect.RUN, toolset=Toolset.SEEING, creates=True
):
    """Record a window with its dividers and titles to a new file, five frames a second, until stop-recording."""

    output: Annotated[str, Meta(min_length=1)]
    """The file, such as demo.cast; relative to the caller's directory."""
    window: str = target.ACTIVE
    """The window: an id, a name, or active."""
    format: CastVersion = CastVersion.V3
    """v3, or v2 for older players."""
    megabytes: Megabytes = 64
    """The size of a file; a full one is kept as FILE.1, and another one begun."""
    older: Annotated[int, Meta(ge=0, le=99)] = 1
    """How many full files are kept."""

    def targets(self, mux: Multiplexer, origin: Origin) -> tuple[PaneId, ...]:
        """The recorded panes."""
        return tuple(panes(target.window(mux, self.window, origin).layout))

    def started(self, mux: Multiplexer, origin: Origin) -> tuple[StartedCommand, ...]:
        """What a shell would run to write the file."""
        return (_writing(callers_path(mux, origin, self.output)),)

    def run(self, mux: Multiplexer, origin: Origin) -> Deferred[RecordingInfo]:
        """Start it. Raises NotFound or Refused."""
        return run_task(self._start(mux, origin, callers_path(mux, origin, self.output)))

    async def _start(self, mux: Multiplexer, origin: Origin, path: str) -> RecordingInfo:
        window = target.window(mux, self.window, origin)
        _check_free(mux, str(window.id))

        from fugue_tui.control.output.window_recorder import WindowRecorder
        from fugue_tui.recording.asciicast import CastHeader

        def header() -> CastHeader:
            return CastHeader(mux.layouts.area, int(time.time()), clean(mux.window_name(window)), "", "xterm-256color")

        writer = await _writer(path, header, self.format, self.megabytes, self.older)
        if window.id not in {each.id for each in mux.workspace.windows}:
            writer.discard()
            raise NotFound(f"{window.id} was closed meanwhile")
        recorder = WindowRecorder(mux, window.id, writer)
        mux.recordings.start(recorder)
        return recorder.info


class EndedRecordings(Struct, frozen=True):
    """The recordings that have ended; their files are complete."""

    recordings: tuple[RecordingInfo, ...]
    """Each, with its file."""


class StopRecording(
    Command[EndedRecordings], name="stop-recording", effect=Effect.RUN, toolset=Toolset.SEEING, repeatable=True
):
    """End the recording of a pane or window, or all of them."""

    target: str = target.ACTIVE
    """The pane or window: an id, a name, or active for your own pane, else its window."""
    all: bool = False
    """End every recording."""

    def targets(self, mux: Multiplexer, origin: Origin) -> tuple[PaneId, ...]:
        """The panes whose recordings end."""
        if self.all:
            return tuple(pane for window in mux.workspace.windows for pane in panes(window.layout))
        if self.target.startswith("@"):
            return tuple(panes(target.window(mux, self.target, origin).layout))
        return (target.pane(mux, self.target, origin),)

    def run(self, mux: Multiplexer, origin: Origin) -> Deferred[EndedRecordings]:
        """What they were. Raises NotFound."""
        sources = [each.source for each in mux.recordings.active()] if self.all else [self._source(mux, origin)]
        return run_task(_stopped(mux, sources))

    def _source(self, mux: Multiplexer, origin: Origin) -> str:
        if self.target.startswith("@"):
            sources = [str(target.window(mux, self.target, origin).id)]
        else:
            pane = target.pane(mux, self.target, origin)
            sources = [str(pane), str(mux.window_of(pane).id)]
        found = next((source for source in sources if mux.recordings.of(source)), None)
        if found is None:
            raise NotFound(f"{sources[0]} is not recorded; list-recordings shows what is")
        return found


class ActiveRecordings(Struct, frozen=True):
    """The recordings that are being made."""

    recordings: tuple[RecordingInfo, ...]
    """Each, with its file; the oldest first."""


class ListRecordings(Command[ActiveRecordings], name="list-recordings", effect=Effect.READ, toolset=Toolset.SEEING):
    """List the recordings that are being made."""

    def run(self, mux: Multiplexer, origin: Origin) -> ActiveRecordings:
        """The recordings, oldest first."""
        return ActiveRecordings(mux.recordings.active())


class ReplayRecording(
    Command[OpenedPane], name="replay-recording", effect=Effect.RUN, toolset=Toolset.SEEING, creates=True
):
    """Play a recording in a new pane; any asciicast, of asciinema too."""

    path: Annotated[str, Meta(min_length=1)]
    """The file; relative to the caller's directory."""
    pane: str = target.ACTIVE
    """The pane to split: an id, a name, or active for your own."""
    direction: Direction | None = None
    """horizontal or right: to the right. vertical or down: below. auto: along the longer side."""
    speed: Annotated[float, Meta(ge=0.1, le=100)] = 1
    """How fast, at first."""
    idle: Annotated[float, Meta(ge=0, le=3600)] = 2
    """Seconds that pauses are shortened to; 0 leaves them as they were."""

    def started(self, mux: Multiplexer, origin: Origin) -> tuple[StartedCommand, ...]:
        """The program that plays it."""
        return (StartedCommand(self._program(mux, origin)),)

    def run(self, mux: Multiplexer, origin: Origin) -> OpenedPane:
        """The new pane. Raises NotFound, Refused or SpawnFailed; no pane opens for a file that cannot be read."""
        _check_readable(callers_path(mux, origin, self.path))
        return SplitPane(
            pane=self.pane,
            direction=self.direction,
            command=self._program(mux, origin),
            name=os.path.basename(self.path),
            on_exit=OnExit.CLOSE,
        ).run(mux, origin)

    def _program(self, mux: Multiplexer, origin: Origin) -> tuple[str, ...]:
        path = callers_path(mux, origin, self.path)
        options = ("--speed", str(self.speed), "--idle", str(self.idle))
        # -P: the directory of the pane may have modules of its own.
        return (sys.executable, "-P", "-m", "fugue_tui", "replay", *options, "--", path)


async def _stopped(mux: Multiplexer, sources: list[str]) -> EndedRecordings:
    ended: list[RecordingInfo] = []
    for source in sources:
        complete = asyncio.get_running_loop().create_future()
        info = mux.recordings.stop(source, complete.set_result)
        if info is None:
            continue
        if fault := await complete:
            raise Refused(f"{info.path} is not complete: {fault}")
        ended.append(info)
    return EndedRecordings(tuple(ended))


def _check_readable(path: str) -> None:
    """Raises NotFound or Refused."""
    try:
        regular = stat.S_ISREG(os.stat(path).st_mode)
    except OSError as error:
        reason = (error.strerror or "cannot be read").lower()
        raise NotFound(f"{clean_path(path)}: {reason}; record-pane makes a recording") from None
    except ValueError:
        raise NotFound("path: no path has a NUL character") from None
    if not regular:
        raise Refused(f"{clean_path(path)}: is not a regular file; name the recording, such as a.cast")
    if not os.access(path, os.R_OK):
        raise Refused(f"{clean_path(path)}: permission denied; chmod u+r makes your own file readable")


def _writing(path: str) -> StartedCommand:
    return StartedCommand(f"cat > {shlex.quote(path)}")


def _check_free(mux: Multiplexer, source: str) -> None:
    if (active := mux.recordings.of(source)) is not None:
        raise Refused(f"{source} is recorded already, to {clean(active.path)}; stop-recording ends that")


def _pane_header(mux: Multiplexer, pane: PaneId) -> "CastHeader":
    from fugue_tui.recording.asciicast import CastHeader

    terminal, described = mux.terminals.get(pane), mux.workspace.panes.get(pane)
    size = terminal.size if terminal is not None else Size(80, 24)
    command = SecretFilter(mux.secrets).words(described.argv) if described is not None else ()
    title = clean((described.name if described is not None else "") or (terminal.title if terminal is not None else ""))
    return CastHeader(size, int(time.time()), title, clean(" ".join(command)), "xterm-256color")


async def _writer(
    path: str, header: "Callable[[], CastHeader]", version: CastVersion, megabytes: float, older: int
) -> "CastWriter":
    """Create the file. Raises Refused."""
    from fugue_tui.multiplexer.recording.recorder import CastWriter

    make = partial(CastWriter, path, header, version=int(version[1:]), largest=int(megabytes * (1 << 20)), older=older)
    try:
        return await asyncio.to_thread(make)
    except FileExistsError as error:
        raise Refused(f"{clean(error.filename)} exists already, and is not overwritten; give another name") from None
    except (OSError, ValueError) as error:
        raise Refused(f"{clean(path)} cannot be written: {getattr(error, 'strerror', error)}") from None
