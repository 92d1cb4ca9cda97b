"""Detects whether a pane's foreground program is a shell at its prompt, a busy shell, or another program."""

import time
from typing import Final, NoReturn

from msgspec import Struct

from fugue_tui.control.shell_exec.command_state import QUIET
from fugue_tui.control.shell_exec.dialects import Dialect, dialect_of
from fugue_tui.errors import Refused, TerminalGone
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.sanitize import clean
from fugue_tui.shell_names import SHELLS, program_name
from fugue_tui.terminal.emulator.command_record import CommandRecord
from fugue_tui.terminal.pty import process
from fugue_tui.terminal.screen.pins import Point
from fugue_tui.terminal.shell_integration.inject import MARKS
from fugue_tui.terminal.terminal import Terminal

_RETRY: Final = 2_000
"""Milliseconds after which typed text may have been entered."""
_NAME: Final = 16
"""Characters of a program's name in an error."""
_LEADING: Final = 1.0
"""Seconds that a shell that runs a line has to become the shell that it ends in."""
STARTING: Final = 8.0
"""Seconds that a shell with prompt marks has for its start-up files."""


class Shell(Struct, frozen=True):
    """A shell at its prompt."""

    dialect: Dialect
    pid: int
    marks: bool
    """Whether it marks its prompts and commands, by Fugue's shell integration."""
    settled: bool = True
    """Whether its prompt seems complete."""
    lost_marks: bool = False
    """Whether it stopped marking its prompts."""


def running(mux: Multiplexer, pane: PaneId) -> Terminal:
    """The terminal of a pane with a running program. Raises NotFound or TerminalGone."""
    terminal = mux.terminal(pane)
    if exited := mux.exits.get(pane) or terminal.exit:
        raise TerminalGone(f"the program in {pane} has ended ({exited.words}); respawn-pane runs it again")
    mux.contents.check_program(pane)
    if pane in mux.restored_panes:
        raise TerminalGone(f"the program in {pane} waits to be run again; start-pane does that")
    return terminal


def shell_in(mux: Multiplexer, pane: PaneId, *, forced: bool = False, patient: bool = False) -> Shell | None:
    """The shell at its prompt in a pane; None if a prompt is expected soon, or possible if the caller is patient.
    `forced` accepts any program as a shell.

    Raises Refused naming the program that runs instead, NotFound or TerminalGone."""
    terminal = running(mux, pane)
    group = terminal.foreground_group
    argv = process.argv(group)
    dialect = dialect_of(argv) or (Dialect.SH if forced else None)
    if terminal.shell.integrated and not (forced and dialect and group != terminal.pid):
        return _marked_shell(terminal, pane, dialect, group, patient=patient)
    if not terminal.shell.integrated and terminal.shell.marks and (process.age(terminal.pid) or 0.0) < STARTING:
        return None
    if dialect is None:
        if patient and not argv:
            return None  # It is starting, or has just exited.
        if program_name(argv) in SHELLS and (process.age(group) or 0.0) < _LEADING:
            return None  # A shell that runs a line, such as one that ends in `exec bash`.
        _refuse(terminal, pane, group, None)
    if process.is_busy(group):
        return None  # It reads its start-up files, or runs a builtin.
    return _unmarked_shell(terminal, dialect, group)


def _marked_shell(
    terminal: Terminal, pane: PaneId, dialect: Dialect | None, group: int, *, patient: bool
) -> Shell | None:
    """The shell in a pane whose own shell marks its commands."""
    command = next((record for record in terminal.shell.commands[-1:] if record.running), None)
    own = group == terminal.pid
    if dialect and own and command is not None and _lacks_marks(group):
        return _unmarked_shell(terminal, dialect, group)  # It replaced the marked shell by exec.
    if dialect and own and not patient and is_at_unmarked_prompt(terminal, dialect):
        return Shell(dialect, group, marks=False, settled=bool(left_of_cursor(terminal)), lost_marks=True)
    if command is not None and (dialect is None or own):
        if patient and own:
            return None  # Its command may have ended, with the mark pending.
        _refuse(terminal, pane, group, command)
    if command is not None and dialect:
        return _unmarked_shell(terminal, dialect, group)  # It was started inside the marked shell.
    settled = dialect is Dialect.FISH or terminal.shell.at_input  # Fish cannot mark the end of its prompt.
    if not terminal.shell.at_prompt or dialect is None or group != terminal.pid:
        return None  # Its last mark may be pending.
    return Shell(dialect, group, marks=True, settled=settled)


def _unmarked_shell(terminal: Terminal, dialect: Dialect, group: int) -> Shell | None:
    """A shell without marks; None while it edits no line and has another process in its group, as while it reads its
    start-up files."""
    if dialect is not Dialect.SH and not terminal.edits_lines and process.in_group(group) - {group}:
        return None
    return Shell(dialect, group, marks=False, settled=bool(left_of_cursor(terminal)))


def is_at_unmarked_prompt(terminal: Terminal, dialect: Dialect) -> bool:
    """Whether a pane's own shell has edited a line for a while without a prompt mark, so that its marks were removed.
    False for fish, whose `read` edits lines the same way."""
    if terminal.shell.at_prompt or dialect is Dialect.FISH or time.monotonic() < terminal.printed_at + QUIET:
        return False
    return terminal.foreground_group == terminal.pid and terminal.edits_lines


def unsure(pane: PaneId) -> Refused:
    """The error for a shell without marks that may have text at its prompt."""
    return Refused(
        f"something seems to be typed at the prompt of {pane} and not entered; wait until it is, or "
        "have send-keys press Enter or C-c there first, or use another pane",
        retry_after_ms=_RETRY,
    )


def left_of_cursor(terminal: Terminal) -> str:
    """The text before the cursor on its row, such as a prompt."""
    with terminal.locked() as screen:
        if screen.closed:
            return ""
        here = screen.emulator.pin().found()
        return screen.emulator.between(Point(here.line), here) if here else ""


def _refuse(terminal: Terminal, pane: PaneId, group: int, command: CommandRecord | None) -> NoReturn:
    # No more than that: an error is read without the warning that output has.
    name = clean(process.comm(group).encode("ascii", "ignore").decode(), _NAME) or "a program"
    age = time.monotonic() - command.started if command else process.age(group)
    since = f" for {_span(age)}" if age is not None else ""
    whole = "full-screen program " if terminal.modes.alternate_screen else ""
    raise Refused(
        f"no shell waits for a command in {pane}: {whole}{name} runs there{since}; use send-input to type to it, "
        "wait-for-output to wait for it, interrupt-pane to end it, or another pane"
    )


def _span(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.0f} h"


def _lacks_marks(pid: int) -> bool:
    env = process.environ(pid)
    return env is not None and not env.get(MARKS)
