"""Keeps what a shell's marks tell about the commands it ran (OSC 133: A prompt, B input, C output, D ended).

Anything that prints can print marks. Once a shell has shown that it is one that Fugue set up, by the nonce in its
marks, only such marks count. Every method is for who holds the terminal's lock.
"""

import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from fugue_tui.terminal.emulator.command_record import CommandRecord
from fugue_tui.terminal.emulator.events import CommandFinished, CommandStarted, PromptMark
from fugue_tui.terminal.emulator.locked_screen import passage
from fugue_tui.terminal.emulator.osc_command_line import LONGEST
from fugue_tui.terminal.emulator.protocol import Emulator
from fugue_tui.terminal.screen.pins import Pin, Point, TextExtract
from fugue_tui.terminal.screen.width import columns
from fugue_tui.terminal.shell_integration.saved_commands import repinned

KEPT: Final = 500
"""Commands that are remembered."""
PINNED: Final = 8
"""The newest commands, whose output can be read."""

_COMPLAINT: Final = "\nfish: "
"""How fish begins to say why it refuses a line, which may not have been drawn to its end."""


class CommandLog:
    """The commands of one terminal."""

    def __init__(self, emulator: Emulator, nonce: str = "", cwd: Callable[[], str] = lambda: "") -> None:
        self._emulator = emulator
        self._nonce = nonce
        self._cwd = cwd
        self._records: deque[CommandRecord] = deque(maxlen=KEPT)
        self._number = 0
        self._shell = ""
        self._input: Pin | None = None
        self._prompt_pin: Pin | None = None
        self._typed: list[str] = []
        self._told: str | None = None
        self._events: list[CommandStarted | CommandFinished] = []
        self.at_prompt: bool | None = None
        """Whether a shell waits for input; None if none ever marked its prompt."""
        self.trusted = False
        """Whether a shell that Fugue set up was heard; from then on no other marks count."""

    def take_over(self, records: Sequence[CommandRecord]) -> None:
        """Begin with the commands of another log, of which the emulator still has the text; their numbers go on."""
        self._records.extend(repinned(self._emulator, record) for record in records)
        self._number = records[-1].number if records else 0

    @property
    def records(self) -> tuple[CommandRecord, ...]:
        """What is remembered, oldest first."""
        return tuple(self._records)

    @property
    def running(self) -> CommandRecord | None:
        """The command that runs now."""
        return self._records[-1] if self._records and self._records[-1].running else None

    def take_events(self) -> list[CommandStarted | CommandFinished]:
        """What began and ended since the last call, in order."""
        events, self._events = self._events, []
        return events

    def typed(self) -> str:
        """What stands at the prompt now; empty if there is none, or nobody marked where input starts."""
        return self._text_since(self._input) if self.at_prompt and self._input else ""

    def heard(self, mark: PromptMark) -> None:
        """Take in a mark that the program has just printed."""
        if not self.trusted and self._is_ours(mark):
            self._begin_to_trust()
        if not self.believes(mark) or (self._shell and mark.aid and mark.aid != self._shell and self.running):
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
                self._told = mark.line

    def believes(self, mark: PromptMark) -> bool:
        """Whether a mark counts: any until the first of a shell that Fugue set up, then only those."""
        return not self.trusted or self._is_ours(mark)

    def _is_ours(self, mark: PromptMark) -> bool:
        return bool(self._nonce) and mark.nonce == self._nonce

    def ended(self, exit_code: int | None) -> None:
        """The shell itself is over, and with it what ran."""
        if self.running:
            self._finish(exit_code, self._emulator.pin())
        if self.at_prompt is not None:
            self.at_prompt = False

    def lose_track(self) -> None:
        """The shell waits for input again without having told so: what ran is over, and nobody knows how it ended."""
        if self.running:
            self._finish(None, self._emulator.pin())
        self._input, self._typed, self._told = None, [], None

    def _begin_to_trust(self) -> None:
        if self.running:
            self._finish(None, self._emulator.pin())
        self.trusted, self._input, self._typed, self._told = True, None, [], None

    def _prompt(self, mark: PromptMark) -> None:
        if mark.continues:
            if self._input:
                self._typed.append(self._text_since(self._input))
            self._input = None
            return
        if self.running:
            self._finish(mark.exit_code, self._emulator.pin())
        self._input, self._typed, self._told, self.at_prompt = None, [], None, True
        self._prompt_pin = self._emulator.pin()

    def _run(self, mark: PromptMark) -> None:
        if self.running:
            self._finish(None, self._emulator.pin())
        line = mark.line if mark.line is not None else self._told
        if line is None:
            line = "\n".join([*self._typed, *([self._text_since(self._input)] if self._input else [])])
        self._begin(line, self._emulator.pin())
        self._shell = mark.aid

    def _begin(self, line: str, start: Pin) -> None:
        self._number += 1
        cwd = self._cwd()
        record = CommandRecord(
            self._number, line[:LONGEST].strip("\n"), cwd, time.monotonic(), time.time(), self.trusted, start=start
        )
        self._records.append(record)
        self._input, self._typed, self._told, self.at_prompt = None, [], None, False
        if len(self._records) > PINNED:
            self._records[-PINNED - 1] = replace(self._records[-PINNED - 1], start=None, stop=None)
        self._events.append(CommandStarted(record))

    def _end(self, mark: PromptMark) -> None:
        if self.running:
            self._finish(mark.exit_code, self._stop(mark.eol))
        elif self.trusted and mark.exit_code:
            self._refuse(mark)
        self._input, self._typed = None, []

    def _refuse(self, mark: PromptMark) -> None:
        """What was typed never ran. If the shell printed something about it, such as a syntax error, it counts."""
        start = self._input if mark.line is None else self._input or self._prompt_pin
        place = start.found() if start else None
        if place is None:
            return
        text = self._since(place)
        end = text.find("\n") if mark.line is None else text.find(_COMPLAINT)
        said = text[end + 1 :] if end >= 0 else ""
        line = "\n".join([*self._typed, text[:end]]) if mark.line is None else mark.line
        if line.strip() and said.strip():
            self._begin(line, self._emulator.pin(Point(self._below(place, text[:end]))))
            self._finish(mark.exit_code, self._stop(mark.eol))

    def _below(self, place: Point, text: str) -> int:
        """The line below a text, of however many rows, that begins at a place."""
        rows = self._emulator.scrollback.lines + self._emulator.size.rows
        below = place.line + 1
        while below < rows and len(self._emulator.between(place, Point(below))) < len(text.rstrip()):
            below += 1
        return below

    def _finish(self, exit_code: int | None, stop: Pin) -> None:
        record = replace(
            self._records[-1], ended=time.monotonic(), ended_at=time.time(), exit_code=exit_code, stop=stop
        )
        self._records[-1] = record
        self._events.append(CommandFinished(record))

    def _text_since(self, start: Pin) -> str:
        place = start.found()
        return self._since(place) if place else ""

    def _since(self, place: Point) -> str:
        here = self._emulator.pin().found()
        return self._emulator.between(place, here) if here else ""

    def _stop(self, eol: str) -> Pin:
        """Where output stops: here, or before what zsh printed on the row above to show that a line had no end."""
        here = self._emulator.pin()
        place = here.found()
        if not eol or place is None or place.column:
            return here
        y = place.line - self._emulator.scrollback.lines - 1
        row = self._emulator.past(0)()[y] if y >= 0 else None
        if row is None or not row.wrapped or not row.text.endswith(eol):
            return here
        return self._emulator.pin(Point(place.line - 1, columns(row.text) - columns(eol)))


def output(emulator: Emulator, record: CommandRecord, *, joined: bool = True, ansi: bool = False) -> TextExtract:
    """What a command printed, so far or in all; `missed` if not all of it is kept. For who holds the lock."""
    if record.start is None:
        return TextExtract(missed=True)
    stop = record.stop or emulator.pin()
    first, last = record.start.found(), stop.found()
    if first and last and last < first:  # It cleared the screen, so its text starts at the top.
        top = Point(emulator.scrollback.lines)
        return TextExtract(emulator.between(top, last, joined=joined, ansi=ansi), True, start=top, stop=last)
    return passage(emulator, record.start, stop, joined=joined, ansi=ansi)
