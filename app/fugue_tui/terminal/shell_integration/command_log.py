"""The commands of one terminal, from a shell's prompt marks (OSC 133: A prompt, B input, C output, D finished).

Any program can print marks. Once a shell that Fugue set up has printed one with its nonce, only such marks count. For
shells that print none, a command is typed together with its own marks C and D, each with a nonce made for that one
command, so that nothing it prints can end it. Every method requires the terminal's lock.
"""

import os
import re
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from fugue_tui.terminal.emulator.command_record import CommandRecord
from fugue_tui.terminal.emulator.events import CommandFinished, CommandStarted, PromptMark
from fugue_tui.terminal.emulator.locked_screen import passage
from fugue_tui.terminal.emulator.osc_command_line import LONGEST
from fugue_tui.terminal.emulator.protocol import Emulator
from fugue_tui.terminal.screen.pins import START, Pin, Point, TextExtract
from fugue_tui.terminal.screen.width import columns
from fugue_tui.terminal.shell_integration.saved_commands import repinned

KEPT: Final = 500
"""Commands that are remembered."""
PINNED: Final = 8
"""The newest commands, whose output can be read."""
EXPECTED: Final = 8
"""Nonces of typed commands that are remembered; their commands may still run."""
FIRST_ROWS: Final = 100
"""Rows of a long output's start that are kept in case they leave the scrollback before it ends."""

_REFUSAL: Final = "\nfish: "
"""How fish starts an error about a line, which may not have been drawn to its end."""
_CLEARS: Final = re.compile(rb"\x1b(?:\[(?:[23]J|H\x1b\[0?J|\?(?:[0-9]+;)*(?:1049|1047|47)(?:;[0-9]+)*([hl]))|c)")
"""Sequences that clear the screen, or enter and leave the alternate one."""
_ERASES: Final = (b"\x1b[3J", b"\x1bc")
"""Sequences that erase the scrollback too."""
_PIECE: Final = 1 << 10
"""Bytes fed at a time until the start of an output is kept."""
_OUTPUT_MARK: Final = b"\x1b]133;C"


class CommandLog:
    """The commands of one terminal."""

    def __init__(
        self,
        emulator: Emulator,
        nonce: str = "",
        cwd: Callable[[], str] = lambda: "",
        in_front: Callable[[int], bool] = lambda group: True,
    ) -> None:
        """`in_front` returns whether a process group, 0 for the terminal's own program, is in the foreground."""
        self._emulator = emulator
        self._nonce = nonce
        self._cwd = lambda: self.spelled(cwd())
        self._in_front = in_front
        self._records: deque[CommandRecord] = deque(maxlen=KEPT)
        self._number = 0
        self._shell = ""
        self._input: Pin | None = None
        self._prompt_pin: Pin | None = None
        self._typed: list[str] = []
        self._reported: str | None = None
        self._events: list[CommandStarted | CommandFinished] = []
        self._expected: dict[str, CommandRecord] = {}
        self._typed_into: dict[str, int] = {}
        self._typed_for = ("", "", False)
        self._first_rows: tuple[int, str] = (0, "")
        self._program_rows = ""
        self._newlines: tuple[int, int] = (0, 0)
        self.erased = 0
        """How often the scrollback was erased."""
        self.at_prompt: bool | None = None
        """Whether a shell waits for input; None if none ever marked its prompt."""
        self.trusted = False
        """Whether a shell that Fugue set up has printed a mark; from then on no other marks count."""
        self.cwd = ""
        """Where a shell that Fugue set up was at its newest prompt, as it spells that; empty if unknown."""

    def restore(self, records: Sequence[CommandRecord]) -> None:
        """Start with the commands of another log whose text the emulator contains; their numbers go on."""
        self._records.extend(repinned(self._emulator, record) for record in records)
        self._number = records[-1].number if records else 0

    # Queries

    def spelled(self, seen: str) -> str:
        """A directory as the shell that Fugue set up spells it, by its links. Needs no lock."""
        reported = self.cwd
        return reported if reported and (not seen or reported == seen or _is_same(reported, seen)) else seen

    @property
    def records(self) -> tuple[CommandRecord, ...]:
        """The remembered commands, oldest first."""
        return tuple(self._records)

    @property
    def history(self) -> tuple[CommandRecord, ...]:
        """Those that Fugue did not type for a purpose of its own."""
        return tuple(record for record in self._records if not record.own)

    @property
    def running(self) -> CommandRecord | None:
        """The command that runs now."""
        return self._records[-1] if self._records and self._records[-1].running else None

    @property
    def newest(self) -> CommandRecord | None:
        """The newest command; while a nested shell runs, the newest one typed into that."""
        last = next((record for record in reversed(self._records) if not record.own), None)
        known = [each for each in self._expected.values() if each.started and not each.own]
        nested = [each for each in known if last and each.number > last.number]
        return nested[-1] if nested and self.running else last

    def find(self, number: int) -> CommandRecord | None:
        """A command by its number, of a nested shell too; None if it is forgotten."""
        known = (*reversed(self._records), *self._expected.values())
        return next((record for record in known if record.number == number and record.started), None)

    @property
    def integrated(self) -> bool:
        """Whether the program is a shell that was set up to mark its prompts."""
        return bool(self._nonce)

    @property
    def at_input(self) -> bool:
        """Whether a shell waits for input and marked where that starts."""
        return bool(self.at_prompt) and self._input is not None

    def typed(self) -> str:
        """The text at the prompt; empty if there is no prompt, or its end was not marked."""
        return self._text_since(self._input) if self.at_prompt and self._input else ""

    def first_rows(self, command: CommandRecord) -> str:
        """The first rows of a command's output as VT text; empty unless it is the newest and its output is long."""
        number, text = self._first_rows
        return text if number == command.number else ""

    def newlines_before(self, command: CommandRecord) -> int | None:
        """Line feeds in the terminal's output before a command started; None unless it is the newest."""
        number, newlines = self._newlines
        return newlines if number == command.number else None

    def take_events(self) -> list[CommandStarted | CommandFinished]:
        """Starts and ends since the last call, in order."""
        events, self._events = self._events, []
        return events

    # Typed commands

    def expect(self, nonce: str, line: str, group: int = 0, *, own: bool = False) -> int:
        """Expect the marks of a command that is about to be typed into a process group's shell; its number."""
        self._number += 1
        line = line[:LONGEST].strip("\n")
        self._expected[nonce] = CommandRecord(self._number, line, "", 0.0, 0.0, trusted=True, own=own)
        self._typed_into[nonce] = group
        while len(self._expected) > EXPECTED:
            oldest = next(iter(self._expected))
            del self._expected[oldest], self._typed_into[oldest]
        return self._number

    def record_as(self, text: str, line: str, *, own: bool = False) -> None:
        """Record the text that is about to be typed as this command line."""
        self._typed_for = (text.strip(), line, own)

    def record_program(self, line: str) -> int:
        """Record all output until the program ends as that of one command; its number."""
        nonce = os.urandom(8).hex()
        number = self.expect(nonce, line)
        self._start_expected(nonce, self._expected[nonce], START)
        if self._program_rows:
            self._first_rows = (number, self._program_rows)
        return number

    # Prompt marks

    def on_mark(self, mark: PromptMark) -> None:
        """Process a mark that the program has just printed."""
        expected = self._expected.get(mark.nonce) if mark.nonce else None
        if expected is None:
            self._on_shell_mark(mark)
        elif mark.kind == "C" and not expected.started:
            self._start_expected(mark.nonce, expected)
        elif mark.kind == "D" and expected.started and expected.running:
            seen = self._in_front(self._typed_into[mark.nonce])
            self._finish_expected(mark.nonce, expected, mark.exit_code, unconfirmed=not seen)

    def accepts(self, mark: PromptMark) -> bool:
        """Whether a mark counts as the shell's own: any until the first of a shell that Fugue set up, then only those;
        while a typed command runs, only those."""
        if mark.nonce in self._expected:
            return False
        busy = self.trusted or any(record.started and record.running for record in self._expected.values())
        return not busy or self._is_ours(mark)

    def on_exit(self, exit_code: int | None) -> None:
        """The program exited, and with it what ran in it."""
        for nonce, record in tuple(self._expected.items()):
            if record.started and record.running:
                self._finish_expected(nonce, record, exit_code)
        if self.running:
            self._finish(exit_code, self._emulator.pin())
        if self.at_prompt is not None:
            self.at_prompt = False

    def lose_track(self) -> None:
        """The shell waits for input again without a mark: the command ended, with an unknown exit status."""
        if self.running:
            self._finish(None, self._emulator.pin())
        self._input, self._typed, self._reported = None, [], None

    def _is_ours(self, mark: PromptMark) -> bool:
        return bool(self._nonce) and mark.nonce == self._nonce

    def _on_shell_mark(self, mark: PromptMark) -> None:
        if not self.accepts(mark):
            return
        if self._is_ours(mark):
            self.cwd = self.cwd if mark.cwd is None else mark.cwd
            if not self.trusted:
                self._start_to_trust()
        if self._shell and mark.aid and mark.aid != self._shell and self.running:
            return
        match mark.kind:
            case "A":
                self._prompt(mark)
            case "B":
                self._input, self.at_prompt = self._emulator.pin(), True
            case "C":
                self._run(mark)
            case "D":
                self._end(mark)
            case _:
                self._reported = mark.line

    def _start_to_trust(self) -> None:
        if self.running:
            self._finish(None, self._emulator.pin())
        self.trusted, self._input, self._typed, self._reported = True, None, [], None

    def _prompt(self, mark: PromptMark) -> None:
        if mark.continues:
            if self._input:
                self._typed.append(self._text_since(self._input))
            self._input = None
            return
        if self.running:
            self._finish(mark.exit_code, self._emulator.pin(), unconfirmed=not self._in_front(0))
        self._input, self._typed, self._reported, self.at_prompt = None, [], None, True
        self._prompt_pin = self._emulator.pin()

    def _run(self, mark: PromptMark) -> None:
        if self.running:
            self._finish(None, self._emulator.pin())
        line = mark.line if mark.line is not None else self._reported
        if line is None:
            line = "\n".join([*self._typed, *([self._text_since(self._input)] if self._input else [])])
        self._start(line, self._emulator.pin())
        self._shell = mark.aid

    def _end(self, mark: PromptMark) -> None:
        if self.running:
            self._finish(mark.exit_code, self._stop(mark.eol), unconfirmed=not self._in_front(0))
        elif self.trusted and mark.exit_code:
            self._refuse(mark)
        self._input, self._typed = None, []

    def _refuse(self, mark: PromptMark) -> None:
        """Record a line that never ran, if the shell printed an error about it, such as a syntax error."""
        start = self._input if mark.line is None else self._input or self._prompt_pin
        point = start.found() if start else None
        if point is None:
            return
        text = self._since(point)
        end = text.find("\n") if mark.line is None else text.find(_REFUSAL)
        error = text[end + 1 :] if end >= 0 else ""
        line = "\n".join([*self._typed, text[:end]]) if mark.line is None else mark.line
        if line.strip() and error.strip():
            self._start(line, self._emulator.pin(Point(self._below(point, text[:end]))))
            self._finish(mark.exit_code, self._stop(mark.eol))

    # Records

    def _start(self, line: str, start: Pin) -> None:
        (text, meant, own), self._typed_for = self._typed_for, ("", "", False)
        given = bool(text) and text == line.strip()
        line = meant if given else line
        self._number += 1
        self._append(
            CommandRecord(
                self._number, line[:LONGEST].strip("\n"), self._cwd(), time.monotonic(), time.time(), self.trusted,
                own=own and given, start=start,
            )
        )  # fmt: skip
        self._input, self._typed, self._reported, self.at_prompt = None, [], None, False

    def _start_expected(self, nonce: str, expected: CommandRecord, point: Point | None = None) -> None:
        start = self._emulator.pin(point)
        record = replace(expected, cwd=self._cwd(), started=time.monotonic(), started_at=time.time(), start=start)
        self._expected[nonce] = record
        if self.running:  # It runs in a nested shell, as a part of a command that is known.
            self._events.append(CommandStarted(record))
        else:
            self._append(record)

    def _append(self, record: CommandRecord) -> None:
        self._records.append(record)
        if len(self._records) > PINNED:
            self._records[-PINNED - 1] = _unpinned(self._records[-PINNED - 1])
        self._events.append(CommandStarted(record))

    def _finish(self, exit_code: int | None, stop: Pin, *, unconfirmed: bool = False) -> None:
        self._records[-1] = record = _finished(self._records[-1], exit_code, stop, unconfirmed=unconfirmed)
        self._events.append(CommandFinished(record))

    def _finish_expected(
        self, nonce: str, expected: CommandRecord, exit_code: int | None, *, unconfirmed: bool = False
    ) -> None:
        record = _finished(expected, exit_code, self._emulator.pin(), unconfirmed=unconfirmed)
        self._expected = {each: known if known.running else _unpinned(known) for each, known in self._expected.items()}
        if self._records and self._records[-1].number == expected.number:
            self._records[-1], self._expected[nonce] = record, _unpinned(record)
        else:
            self._expected[nonce] = record
        self._events.append(CommandFinished(record))

    # Output

    def split(self, data: bytes, newlines: int) -> Iterator[bytes]:
        """Output in pieces, each to be fed before the next is taken: after a clear the running command's output starts
        at the top, and the first rows of a flood are kept before they leave the scrollback. `newlines` counts the line
        feeds before this output."""
        at, clears = 0, self._clears(data)
        flood = self._wants_first_rows and data.count(b"\n") > FIRST_ROWS
        clear = next(clears, None)
        while at < len(data):
            end = clear.end() if clear else len(data)
            whole = not (flood and self._wants_first_rows and end - at > _PIECE)
            yield data[at : end if whole else at + _PIECE]
            at = end if whole else at + _PIECE
            if clear and whole:
                self.erased += clear[0] in _ERASES
                self._unpin_cleared()
                self._restart_output()
                clear = next(clears, None)
            if self._wants_first_rows:
                self._keep_first_rows()
        self._note_newlines(data, newlines)

    def _clears(self, data: bytes) -> Iterator[re.Match[bytes]]:
        """The clears of the primary screen or the scrollback. Full-screen programs may clear theirs for every frame."""
        alternate = self._emulator.modes.alternate_screen
        for found in _CLEARS.finditer(data):
            if found[1]:
                alternate = found[1] == b"h"
            elif not alternate or found[0] in _ERASES:
                alternate = alternate and found[0] != b"\x1bc"
                yield found

    @property
    def _wants_first_rows(self) -> bool:
        """Whether the first rows of the current output, a command's or the program's own, are not kept yet."""
        runs = self._innermost
        return self._first_rows[0] != runs.number if runs else not self._number and not self._program_rows

    def _note_newlines(self, data: bytes, newlines: int) -> None:
        """Note the number of line feeds before the newest command, which may have started in this output."""
        newest = self._innermost or (self._records[-1] if self._records else None)
        if newest and self._newlines[0] != newest.number:
            self._newlines = (newest.number, newlines + data.count(b"\n", 0, max(0, data.rfind(_OUTPUT_MARK))))

    @property
    def _innermost(self) -> CommandRecord | None:
        """The command that runs now, in the nested shell if there is one."""
        return next((record for record in self._expected.values() if record.started and record.running), self.running)

    def _restart_output(self) -> None:
        """The running command's output was cleared: its start moves to the top of the screen."""
        runs = self._innermost
        if runs is None or self._emulator.modes.alternate_screen:
            return
        again = replace(runs, start=self._emulator.pin(Point(self._emulator.scrollback.lines)))
        self._expected = {
            nonce: again if each.number == runs.number else each for nonce, each in self._expected.items()
        }
        if self._records and self._records[-1].number == runs.number:
            self._records[-1] = again

    def _unpin_cleared(self) -> None:
        """Unpin the commands whose output was on the cleared screen or in the erased scrollback."""
        if self._emulator.modes.alternate_screen:
            return
        for at in range(max(0, len(self._records) - PINNED), len(self._records)):
            record = self._records[at]
            start = record.start.found() if record.start and not record.running else None
            if start and (start == START or start.line >= self._emulator.scrollback.lines):
                self._records[at] = _unpinned(record)

    def _keep_first_rows(self) -> None:
        """Keep the first rows of the current output, once there are enough."""
        runs = self._innermost
        start = START if runs is None else runs.start.found() if runs.start else None
        here = self._emulator.scrollback.lines + self._emulator.caret[1]
        if start is None or here < start.line + FIRST_ROWS:
            return
        text = self._emulator.between(start, Point(start.line + FIRST_ROWS), ansi=True)
        if runs is None:
            self._program_rows = text
        else:
            self._first_rows = (runs.number, text)

    def _below(self, point: Point, text: str) -> int:
        """The line below a text, of however many rows, that starts at a point."""
        rows = self._emulator.scrollback.lines + self._emulator.size.rows
        below = point.line + 1
        while below < rows and len(self._emulator.between(point, Point(below))) < len(text.rstrip()):
            below += 1
        return below

    def _text_since(self, start: Pin) -> str:
        point = start.found()
        return self._since(point) if point else ""

    def _since(self, point: Point) -> str:
        here = self._emulator.pin().found()
        return self._emulator.between(point, here) if here else ""

    def _stop(self, eol: str) -> Pin:
        """Where output stops: here, or before the mark with which zsh ends an unfinished line above; one row above,
        unless the pane has become narrower than zsh knows."""
        here = self._emulator.pin()
        point = here.found()
        if not eol or point is None or point.column:
            return here
        above = self._emulator.past(0)()[: max(0, point.line - self._emulator.scrollback.lines)]
        blank = next((count for count, row in enumerate(reversed(above)) if row.text or not row.wrapped), len(above))
        row = above[-1 - blank] if blank < len(above) else None
        if row is None or not row.wrapped or not row.text.endswith(eol):
            return here
        return self._emulator.pin(Point(point.line - 1 - blank, columns(row.text) - columns(eol)))


def _unpinned(record: CommandRecord) -> CommandRecord:
    """A command whose output is no longer readable."""
    return replace(record, start=None, stop=None)


def _finished(record: CommandRecord, exit_code: int | None, stop: Pin, *, unconfirmed: bool = False) -> CommandRecord:
    ended, ended_at = time.monotonic(), time.time()
    return replace(record, ended=ended, ended_at=ended_at, exit_code=exit_code, unconfirmed=unconfirmed, stop=stop)


def output(emulator: Emulator, record: CommandRecord, *, joined: bool = True, ansi: bool = False) -> TextExtract:
    """The output of a command, so far or in all; `missed` if not all of it is kept. Requires the terminal's lock."""
    if record.start is None:
        return TextExtract(missed=True)
    stop = record.stop or emulator.pin()
    first, last = record.start.found(), stop.found()
    if first and last and last < first:  # It cleared the screen.
        top = Point(emulator.scrollback.lines)
        return TextExtract(emulator.between(top, last, joined=joined, ansi=ansi), True, start=top, stop=last)
    return passage(emulator, record.start, stop, joined=joined, ansi=ansi)


def _is_same(one: str, other: str) -> bool:
    try:
        return os.path.samefile(one, other)
    except OSError:
        return False
