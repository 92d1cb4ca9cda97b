"""What a pane's last command printed: by its shell's marks where there are any, else by the look of its prompts."""

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import Final

from fugue_tui.control.output.truncate import ends_of
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.output_analysis.command_line import stages
from fugue_tui.output_analysis.prompts import last_command, typed
from fugue_tui.output_analysis.word_set import word_set
from fugue_tui.shell_names import SHELLS, is_interactive
from fugue_tui.terminal.emulator.command_record import CommandRecord
from fugue_tui.terminal.emulator.locked import LockedScreen
from fugue_tui.terminal.emulator.protocol import Emulator
from fugue_tui.terminal.screen.pins import Point
from fugue_tui.terminal.terminal import Terminal

MOST_ROWS: Final = 20_000
"""Rows of an output that are read."""
_BACK: Final = 2_000
"""Rows that are looked through for a prompt where no shell marks it."""
_WITHIN: Final = SHELLS | word_set("chroot login mosh nsenter ssh su")
"""Programs in which commands are run that the shell around them does not know of."""


class CommandSource(StrEnum):
    """How it is known which command printed a text."""

    TRUSTED_MARKS = "trusted_marks"
    """The shell marks its commands, and Fugue set it up to."""
    MARKS = "marks"
    """What runs in the pane marks commands; any program could."""
    PROGRAM = "program"
    """The pane was opened for that one command."""
    GUESS = "guess"
    """By the look of the prompts above and below."""
    NOTHING = "nothing"
    """No prompt was found: it is all that the screen shows, or a text that was given."""


@dataclass(frozen=True, slots=True)
class CommandOutput:
    """What a command printed."""

    output: str
    command: str = ""
    """Empty if it is not known."""
    exit_code: int | None = None
    """None while it runs, or if it is not known."""
    over: bool = False
    """Whether it has ended, if its exit code is not known."""
    known_by: CommandSource = CommandSource.NOTHING
    missed: bool = False
    """Whether its beginning is not kept any more, or left out as there is too much."""


def printed(mux: Multiplexer, pane: PaneId, *, end: bool = False) -> Callable[[], CommandOutput]:
    """What reads, on any thread, what a pane's last command printed: of very much its beginning, or else its `end`.
    Raises NotFound."""
    terminal = mux.terminal(pane)
    line = _line(mux.workspace.panes[pane].argv)
    ended = mux.exits.get(pane)
    exit_code = None if ended is None else ended.code if ended.signal is None else -ended.signal
    return partial(_read, terminal, line, exit_code, end=end)


def newest(terminal: Terminal) -> CommandRecord | None:
    """The newest command that is known by marks; None if there is none, or another was run since that was not marked.
    Any thread."""
    last = terminal.shell.newest_command
    if last is None:
        return None
    return None if not last.running and not terminal.shell.at_prompt and _is_followed(terminal, last) else last


def _is_followed(terminal: Terminal, record: CommandRecord) -> bool:
    """Whether a prompt with another command stands below what a command printed."""
    with terminal.locked() as screen:
        stop = record.stop.found() if record.stop and not screen.closed else None
        below = _without_entry(screen.emulator, screen.emulator.between(stop, screen.end)) if stop else ""
    return bool(last_command(below.lstrip("\n"))[0])


def _read(terminal: Terminal, line: str, exit_code: int | None, *, end: bool) -> CommandOutput:
    record = newest(terminal)
    if record is not None and (found := _recorded(terminal, record, end=end)):
        return found
    if not line:
        return _guessed(terminal)
    with terminal.locked() as screen:
        text, cut = _text(screen.emulator, Point(0), screen.end, end=end)
    return CommandOutput(text, line, exit_code, known_by=CommandSource.PROGRAM, missed=cut)


def _recorded(terminal: Terminal, record: CommandRecord, *, end: bool) -> CommandOutput | None:
    """What a command that is known by marks printed; None if that is not known any more."""
    known_by = CommandSource.TRUSTED_MARKS if record.trusted else CommandSource.MARKS
    with terminal.locked() as screen:
        if screen.closed or record.start is None:
            return None
        ends = ends_of(screen.emulator, record)
        if ends is not None:
            text, cut = _text(screen.emulator, ends.start, ends.stop, end=end)
            found = CommandOutput(text, record.line, record.exit_code, not record.running, known_by, ends.lost or cut)
        elif record.running:
            found = CommandOutput(_screen(screen), record.line, known_by=known_by)
        else:
            return None
    return _inner(found) if record.running else found


def _inner(found: CommandOutput) -> CommandOutput:
    """The last command in a shell that was started inside the one that tells of its commands."""
    program = next((stage.program for stage in reversed(stages(found.command))), "")
    if program not in _WITHIN:
        return found
    command, text, over = last_command(found.output)
    return CommandOutput(text, command, None, over, CommandSource.GUESS) if command else found


def _guessed(terminal: Terminal) -> CommandOutput:
    """What stands under the last prompt that a command was typed at, or all of the screen if there is none."""
    with terminal.locked() as screen:
        if screen.closed:
            return CommandOutput("")
        emulator, shown, stop = screen.emulator, _screen(screen), screen.end
        back = Point(max(0, stop.line - _BACK))
        text = shown if emulator.modes.alternate_screen else emulator.between(back, stop)
        text = _without_entry(emulator, text)
    command, under, over = last_command(text)
    if command:
        return CommandOutput(under, command, None, over, CommandSource.GUESS)
    return CommandOutput(shown, over=over)


def _without_entry(emulator: Emulator, text: str) -> str:
    """The text without what stands at a prompt and was not entered: the cursor is still on its line."""
    above, _, last = text.rstrip("\n").rpartition("\n")
    row = emulator.scrollback.lines + emulator.caret[1]
    said = typed(last) if emulator.between(Point(row), Point(row + 1)).strip() else None
    return f"{above}\n{last[: -len(said)]}" if said else text


def _text(emulator: Emulator, start: Point, stop: Point, *, end: bool) -> tuple[str, bool]:
    """The text between two places, and whether a part of it is left out. For who holds the lock."""
    cut = stop.line - start.line > MOST_ROWS
    if cut and end:
        start = Point(stop.line - MOST_ROWS)
    return emulator.between(start, min(stop, Point(start.line + MOST_ROWS))), cut


def _screen(screen: LockedScreen) -> str:
    return screen.emulator.between(Point(screen.emulator.scrollback.lines), screen.end)


def _line(argv: Sequence[str]) -> str:
    """The command line that a pane was opened for; empty if it is a shell to work in."""
    line = argv[2] if len(argv) > 2 and argv[1] == "-c" else shlex.join(argv)
    started = stages(line)
    return "" if len(started) == 1 and is_interactive(started[0].words) else line
