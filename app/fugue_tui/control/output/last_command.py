"""The output of a pane's last command: by the shell's prompt marks, else by recognising prompts in the text."""

import shlex
from collections.abc import Callable, Sequence
from enum import StrEnum
from functools import partial
from typing import Final

from msgspec import Struct

from fugue_tui.control.output.truncate import ends_of
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.output_analysis.command_line import stages, word_set
from fugue_tui.output_analysis.prompts import command_at_prompt, last_command
from fugue_tui.shell_names import SHELLS, is_interactive
from fugue_tui.terminal.emulator.command_record import CommandRecord
from fugue_tui.terminal.emulator.locked_screen import LockedScreen
from fugue_tui.terminal.emulator.protocol import Emulator
from fugue_tui.terminal.screen.pins import Point
from fugue_tui.terminal.terminal import Terminal

MOST_ROWS: Final = 20_000
"""Rows of output that are read at most."""
_BACK: Final = 2_000
"""Rows that are searched for a prompt without marks."""
_NESTING: Final = SHELLS | word_set("chroot login mosh nsenter ssh su")
"""Programs that run commands which the outer shell does not mark."""


class CommandSource(StrEnum):
    """How the command of a text was determined."""

    TRUSTED_MARKS = "trusted_marks"
    """Prompt marks by Fugue's shell integration."""
    MARKS = "marks"
    """Prompt marks by a program in the pane; any program could print them."""
    PROGRAM = "program"
    """The pane was opened to run that one command."""
    GUESS = "guess"
    """Prompts that were recognised above and below."""
    NOTHING = "nothing"
    """No prompt was found: the text is the whole screen, or was given by the caller."""


class CommandOutput(Struct, frozen=True):
    """The output of a command."""

    output: str
    command: str = ""
    """Empty if unknown."""
    exit_code: int | None = None
    """None while it runs, or if unknown."""
    over: bool = False
    """Whether it has ended, even with an unknown exit code."""
    known_by: CommandSource = CommandSource.NOTHING
    missed: bool = False
    """Whether its beginning was pruned, or left out of a long output."""


def printed(mux: Multiplexer, pane: PaneId, *, end: bool = False) -> Callable[[], CommandOutput]:
    """A function that reads the last command's output, on any thread; of a long output the beginning, or the `end`.
    Raises NotFound."""
    terminal = mux.terminal(pane)
    line = _line(mux.workspace.panes[pane].argv)
    ended = mux.exits.get(pane)
    exit_code = None if ended is None else ended.code if ended.signal is None else -ended.signal
    return partial(_read, terminal, line, exit_code, end=end)


def newest(terminal: Terminal) -> CommandRecord | None:
    """The newest marked command; None if there is none, or an unmarked one was run since. Any thread."""
    last = terminal.shell.newest_command
    if last is None:
        return None
    return None if not last.running and not terminal.shell.at_prompt and _is_followed(terminal, last) else last


def _is_followed(terminal: Terminal, record: CommandRecord) -> bool:
    """Whether a prompt with another command is below a command's output."""
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
    """The output of a marked command; None if it is not kept any more."""
    known_by = CommandSource.TRUSTED_MARKS if record.trusted else CommandSource.MARKS
    with terminal.locked() as screen:
        if screen.closed or record.start is None:
            return None
        ends = ends_of(screen.emulator, record)
        if ends is not None:
            text, cut = _text(screen.emulator, ends.start, ends.stop, end=end)
            found = CommandOutput(
                text, record.line, record.confirmed_exit_code, not record.running, known_by, ends.lost or cut
            )
        elif record.running:
            found = CommandOutput(_screen(screen), record.line, known_by=known_by)
        else:
            return None
    return _inner(found) if record.running else found


def _inner(found: CommandOutput) -> CommandOutput:
    """The last command in a shell that runs inside the marked one."""
    program = next((stage.program for stage in reversed(stages(found.command))), "")
    if program not in _NESTING:
        return found
    command, text, over = last_command(found.output)
    return CommandOutput(text, command, None, over, CommandSource.GUESS) if command else found


def _guessed(terminal: Terminal) -> CommandOutput:
    """The text below the last prompt with a command, or the whole screen if there is none."""
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
    """The text without input at a prompt that was not entered yet: the cursor is still on its line."""
    above, _, last = text.rstrip("\n").rpartition("\n")
    row = emulator.scrollback.lines + emulator.caret[1]
    pending = command_at_prompt(last) if emulator.between(Point(row), Point(row + 1)).strip() else None
    return f"{above}\n{last[: -len(pending)]}" if pending else text


def _text(emulator: Emulator, start: Point, stop: Point, *, end: bool) -> tuple[str, bool]:
    """The text between two points, and whether a part of it is left out. The caller holds the lock."""
    cut = stop.line - start.line > MOST_ROWS
    if cut and end:
        start = Point(stop.line - MOST_ROWS)
    return emulator.between(start, min(stop, Point(start.line + MOST_ROWS))), cut


def _screen(screen: LockedScreen) -> str:
    return screen.emulator.between(Point(screen.emulator.scrollback.lines), screen.end)


def _line(argv: Sequence[str]) -> str:
    """The command line that a pane was opened with; empty for an interactive shell."""
    line = argv[2] if len(argv) > 2 and argv[1] == "-c" else shlex.join(argv)
    started = stages(line)
    return "" if len(started) == 1 and is_interactive(started[0].words) else line
