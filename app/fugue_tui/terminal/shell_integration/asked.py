"""Commands that were typed with marks of their own, for shells that mark nothing, and what is kept of any that runs.

What is typed prints mark C before the command and D after it, each with a nonce that was made for this one command: so
nothing that the command prints can end it. Every method is for who holds the terminal's lock.
"""

import re
import secrets
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from fugue_tui.terminal.emulator.command_record import CommandRecord
from fugue_tui.terminal.emulator.events import CommandFinished, CommandStarted, PromptMark
from fugue_tui.terminal.emulator.osc_command_line import LONGEST
from fugue_tui.terminal.emulator.protocol import Emulator
from fugue_tui.terminal.screen.pins import START, Pin, Point
from fugue_tui.terminal.shell_integration.command_log import PINNED, CommandLog

KEPT: Final = 8
"""Nonces that are remembered: those of commands that may still run."""
BEGINNING: Final = 100
"""Rows of a long output that are kept, should they leave the history before it ends."""

_CLEARS: Final = re.compile(rb"\x1b(?:\[(?:[23]J|H\x1b\[0?J|\?(?:[0-9]+;)*(?:1049|1047|47)(?:;[0-9]+)*([hl]))|c)")
"""What clears the screen, and what brings the alternate one and takes it away."""

_ERASES: Final = (b"\x1b[3J", b"\x1bc")
_PIECE: Final = 1 << 10
"""Bytes that are fed at a time until the beginning is kept."""
_BEGINS: Final = b"\x1b]133;C"


class AskedLog(CommandLog):
    """The commands of one terminal, whoever marks them."""

    def __init__(self, emulator: Emulator, nonce: str = "", cwd: Callable[[], str] = lambda: "") -> None:
        super().__init__(emulator, nonce, cwd)
        self._asked: dict[str, CommandRecord] = {}
        self._beginning: tuple[int, str] = (0, "")
        self._first_rows = ""
        self._began: tuple[int, int] = (0, 0)
        self.erased = 0
        """How often the history was erased."""
        self._given = ("", "")

    @property
    def expected(self) -> bool:
        """Whether the program is a shell that was set up to mark its prompts."""
        return bool(self._nonce)

    @property
    def at_input(self) -> bool:
        """Whether a shell waits for input and has told where that starts."""
        return bool(self.at_prompt) and self._input is not None

    def ask(self, nonce: str, line: str) -> int:
        """Expect the marks of a command that is about to be typed; the number that it has."""
        self._number += 1
        self._asked[nonce] = CommandRecord(self._number, line[:LONGEST].strip("\n"), "", 0.0, 0.0, trusted=True)
        while len(self._asked) > KEPT:
            del self._asked[next(iter(self._asked))]
        return self._number

    def given(self, text: str, line: str) -> None:
        """What is about to be typed stands for a command: it is known by that one."""
        self._given = (text.strip(), line)

    def _begin(self, line: str, start: Pin) -> None:
        (text, meant), self._given = self._given, ("", "")
        super()._begin(meant if text and text == line.strip() else line, start)

    def beginning(self, command: CommandRecord) -> str:
        """The first rows of what a command printed, as VT text; empty unless it is the newest with a long output."""
        number, text = self._beginning
        return text if number == command.number else ""

    def found(self, number: int) -> CommandRecord | None:
        """A command by its number, one inside another too; None if it is forgotten."""
        known = (*reversed(self._records), *self._asked.values())
        return next((record for record in known if record.number == number and record.started), None)

    @property
    def newest(self) -> CommandRecord | None:
        """The newest command; while a shell inside another runs, that is one of the inner one if it was asked for."""
        last = self._records[-1] if self._records else None
        inner = [each for each in self._asked.values() if each.started and last and each.number > last.number]
        return inner[-1] if inner and self.running else last

    def adopt(self, line: str) -> int:
        """Take all that the program prints until it ends for the output of one command; the number that it has."""
        nonce = secrets.token_hex(8)
        number = self.ask(nonce, line)
        self._begin_asked(nonce, self._asked[nonce], START)
        if self._first_rows:
            self._beginning = (number, self._first_rows)
        return number

    def began(self, command: CommandRecord) -> int | None:
        """How many line feeds there had been when a command began; None unless it is the newest."""
        number, newlines = self._began
        return newlines if number == command.number else None

    def parted(self, data: bytes, newlines: int) -> Iterator[bytes]:
        """Output in pieces to be fed one by one: a command that clears the screen prints from its top on, and of a
        flood the beginning is kept before it leaves the history. `newlines` is how many line feeds there were before.
        """
        at, clears = 0, self._clears(data)
        flood = self._wants_beginning and data.count(b"\n") > BEGINNING
        clear = next(clears, None)
        while at < len(data):
            end = clear.end() if clear else len(data)
            whole = not (flood and self._wants_beginning and end - at > _PIECE)
            yield data[at : end if whole else at + _PIECE]
            at = end if whole else at + _PIECE
            if clear and whole:
                self.erased += clear[0] in _ERASES
                self._forget_cleared()
                self._start_over()
                clear = next(clears, None)
            if self._wants_beginning:
                self._keep_beginning()
        self._note_beginning(data, newlines)

    def _clears(self, data: bytes) -> Iterator[re.Match[bytes]]:
        """What clears the primary screen or the history. Full-screen programs may clear theirs for every frame."""
        covered = self._emulator.modes.alternate_screen
        for found in _CLEARS.finditer(data):
            if found[1]:
                covered = found[1] == b"h"
            elif not covered or found[0] in _ERASES:
                covered = covered and found[0] != b"\x1bc"
                yield found

    @property
    def _wants_beginning(self) -> bool:
        """Whether the beginning of what is printed now was not kept yet: a command's, or the program's own."""
        runs = self._innermost
        return self._beginning[0] != runs.number if runs else not self._number and not self._first_rows

    def _note_beginning(self, data: bytes, newlines: int) -> None:
        """Note how many line feeds there were when the newest command began, in this output."""
        newest = self._innermost or (self._records[-1] if self._records else None)
        if newest and self._began[0] != newest.number:
            self._began = (newest.number, newlines + data.count(b"\n", 0, max(0, data.rfind(_BEGINS))))

    @property
    def _innermost(self) -> CommandRecord | None:
        """The command that runs now, in a shell inside another if there is one."""
        return next((record for record in self._asked.values() if record.started and record.running), self.running)

    def _start_over(self) -> None:
        """What the command that runs has printed so far is cleared away."""
        runs = self._innermost
        if runs is None or self._emulator.modes.alternate_screen:
            return
        again = replace(runs, start=self._emulator.pin(Point(self._emulator.scrollback.lines)))
        self._asked = {nonce: again if each.number == runs.number else each for nonce, each in self._asked.items()}
        if self._records and self._records[-1].number == runs.number:
            self._records[-1] = again

    def _forget_cleared(self) -> None:
        """Commands whose output was on the screen that was cleared, or in the history that was erased, have none."""
        if self._emulator.modes.alternate_screen:
            return
        for at in range(max(0, len(self._records) - PINNED), len(self._records)):
            record = self._records[at]
            start = record.start.found() if record.start and not record.running else None
            if start and (start == START or start.line >= self._emulator.scrollback.lines):
                self._records[at] = replace(record, start=None, stop=None)

    def _keep_beginning(self) -> None:
        """Keep the first rows of what is printed, if it is long enough."""
        runs = self._innermost
        start = START if runs is None else runs.start.found() if runs.start else None
        here = self._emulator.scrollback.lines + self._emulator.caret[1]
        if start is None or here < start.line + BEGINNING:
            return
        text = self._emulator.between(start, Point(start.line + BEGINNING), ansi=True)
        if runs is None:
            self._first_rows = text
        else:
            self._beginning = (runs.number, text)

    def heard(self, mark: PromptMark) -> None:
        """Take in a mark that the program has just printed."""
        asked = self._asked.get(mark.nonce) if mark.nonce else None
        if asked is None:
            if self.believes(mark):
                super().heard(mark)
        elif mark.kind == "C" and not asked.started:
            self._begin_asked(mark.nonce, asked)
        elif mark.kind == "D" and asked.started and asked.running:
            self._finish_asked(mark.nonce, asked, mark.exit_code)

    def believes(self, mark: PromptMark) -> bool:
        """Whether a mark tells of the shell itself; while a command runs that was asked for, none does but a known
        shell's."""
        if mark.nonce in self._asked:
            return False
        busy = any(record.started and record.running for record in self._asked.values())
        return super().believes(mark) and (self.trusted or self._is_ours(mark) or not busy)

    def ended(self, exit_code: int | None) -> None:
        """The shell itself is over, and with it what ran."""
        for nonce, record in tuple(self._asked.items()):
            if record.started and record.running:
                self._finish_asked(nonce, record, exit_code)
        super().ended(exit_code)

    def _begin_asked(self, nonce: str, asked: CommandRecord, place: Point | None = None) -> None:
        start = self._emulator.pin(place)
        record = replace(asked, cwd=self._cwd(), started=time.monotonic(), started_at=time.time(), start=start)
        self._asked[nonce] = record
        if not self.running:  # Else it runs in a shell inside a command that is known, and is a part of that.
            self._records.append(record)
            if len(self._records) > PINNED:
                self._records[-PINNED - 1] = replace(self._records[-PINNED - 1], start=None, stop=None)
        self._events.append(CommandStarted(record))

    def _finish_asked(self, nonce: str, asked: CommandRecord, exit_code: int | None) -> None:
        stop = self._emulator.pin()
        record = replace(asked, ended=time.monotonic(), ended_at=time.time(), exit_code=exit_code, stop=stop)
        self._asked = {each: _unpinned(known) for each, known in self._asked.items()}
        if self._records and self._records[-1].number == asked.number:
            self._records[-1], self._asked[nonce] = record, _unpinned(record)
        else:
            self._asked[nonce] = record
        self._events.append(CommandFinished(record))


def _unpinned(record: CommandRecord) -> CommandRecord:
    """A command whose output is not needed any more, unless it still runs."""
    return record if record.running else replace(record, start=None, stop=None)
