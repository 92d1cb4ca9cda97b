"""Runs one of tmux's commands, for programs that drive a tmux: the `tmux` of `fugue_tui.tmux_shim` calls it."""

import os
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Meta

from fugue_tui.control.core.answers import TextAnswer
from fugue_tui.control.core.command import Command, Effect, Origin, StartedCommand, Toolset
from fugue_tui.control.core.deferred import Deferred, finished, is_deferred, run_task
from fugue_tui.errors import InvalidArgument
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.sanitize import clean
from fugue_tui.terminal.pty import process
from fugue_tui.tmux_shim import install

if TYPE_CHECKING:
    from fugue_tui.control.tmux.call import Translation


class TmuxOutput(TextAnswer, frozen=True, kw_only=True):
    """What the command prints."""

    lines: int
    """The number of lines; 0 for no output, which one empty line is not."""
    exit_status: int = 0
    """The exit status of the caller: that of the program of a popup."""

    @property
    def aside(self) -> str:
        """Nothing: tmux prints no note."""
        return ""

    @property
    def untrusted(self) -> str:
        """Titles and text of programs are in it."""
        return "the programs in panes"


class RunTmuxCommand(
    Command[TmuxOutput], name="run-tmux-command", effect=Effect.DESTROY, also=Effect.RUN, toolset=Toolset.RUNNING
):
    """Run one of tmux's commands, such as split-window or list-panes, for programs that drive a tmux.

    It does here what tmux would do; a command that is unknown here fails with tmux's words.
    """

    command: Annotated[tuple[str, ...], Meta(min_length=1, max_length=1000)]
    """The command and its arguments, such as ["split-window", "-h"]."""

    base_index: Annotated[int, Meta(ge=0, le=1)] = 0
    """The index of the first window and pane: 0, as tmux has it, or 1, as the tabs have it."""

    @property
    def effects(self) -> frozenset[Effect]:
        """Those of tmux's command; an unknown one does nothing."""
        from fugue_tui.control.tmux.verbs import lookup

        try:
            return lookup(self.command[0]).effects
        except InvalidArgument:
            return frozenset((Effect.READ,))

    def targets(self, mux: Multiplexer, origin: Origin) -> tuple[PaneId, ...]:
        """Those of what it does here."""
        translation = self._translation(mux, origin)
        found = (each.targets(mux, origin) for each in translation.commands)
        return tuple(dict.fromkeys((*translation.targets, *(pane for panes in found for pane in panes))))

    def started(self, mux: Multiplexer, origin: Origin) -> tuple[StartedCommand, ...]:
        """Likewise."""
        translation = self._translation(mux, origin)
        found = (each.started(mux, origin) for each in translation.commands)
        return (*translation.started, *(started for each in found for started in each))

    def run(self, mux: Multiplexer, origin: Origin) -> TmuxOutput | Deferred[TmuxOutput]:
        """What it prints. Raises InvalidArgument or NotFound in tmux's words, or what a command here raises."""
        translation = self._translation(mux, origin)
        translation.act()
        results = [command.run(mux, origin) for command in translation.commands]
        if any(map(is_deferred, results)):
            return run_task(_finished(translation, results))
        return _output(translation, results)

    def _translation(self, mux: Multiplexer, origin: Origin) -> "Translation":
        from fugue_tui.control.tmux.call import Call
        from fugue_tui.control.tmux.targets import Targets
        from fugue_tui.control.tmux.verbs import lookup

        verb = lookup(self.command[0])
        if ";" in self.command:
            raise InvalidArgument(f"command {clean(verb.name)}: give one command at a time, without ;")
        arguments, environment = verb.arguments(self.command[1:]), partial(_environment, mux, origin)
        return verb.translate(Call(mux, origin, Targets(mux, origin, self.base_index), arguments, environment))


async def _finished(translation: "Translation", results: Sequence[Any]) -> TmuxOutput:
    """The output once what takes time is done."""
    return _output(translation, [await finished(each) if is_deferred(each) else each for each in results])


def _output(translation: "Translation", results: Sequence[Any]) -> TmuxOutput:
    translation.then(results)
    lines = translation.show(results)
    return TmuxOutput(text="\n".join(lines), lines=len(lines), exit_status=translation.status(results))


def _environment(mux: Multiplexer, origin: Origin) -> dict[str, str]:
    """The variables by which a program in a new pane finds the tmux commands here, with the caller's own PATH."""
    caller = (process.environ(origin.pid) or {}) if origin.pid else {}
    return install.environment(mux.socket, caller.get("PATH", "") or os.environ.get("PATH", os.defpath))
