"""Commands that were typed with marks of their own, for shells that mark nothing.

What is typed prints mark C before the command and D after it, each with a nonce that was made for this one command: so
nothing that the command prints can end it. Every method is for who holds the terminal's lock.
"""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from fugue_tui.terminal.commands import PINNED, CommandLog
from fugue_tui.terminal.emulator import Emulator
from fugue_tui.terminal.events import CommandFinished, CommandStarted, PromptMark
from fugue_tui.terminal.record import CommandRecord
from fugue_tui.terminal.shell_words import LONGEST

KEPT: Final = 8
"""Nonces that are remembered: those of commands that may still run."""


class AskedLog(CommandLog):
    """The commands of one terminal, whoever marks them."""

    def __init__(self, emulator: Emulator, nonce: str = "", cwd: Callable[[], str] = lambda: "") -> None:
        super().__init__(emulator, nonce, cwd)
        self._asked: dict[str, CommandRecord] = {}

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

    def _begin_asked(self, nonce: str, asked: CommandRecord) -> None:
        record = replace(
            asked, cwd=self._cwd(), started=time.monotonic(), started_at=time.time(), start=self._emulator.pin()
        )
        self._asked[nonce] = record
        if not self.running:  # Else it runs in a shell inside a command that is known, and is a part of that.
            self._records.append(record)
            if len(self._records) > PINNED:
                self._records[-PINNED - 1] = replace(self._records[-PINNED - 1], start=None, stop=None)
        self._events.append(CommandStarted(record))

    def _finish_asked(self, nonce: str, asked: CommandRecord, exit_code: int | None) -> None:
        stop = self._emulator.pin()
        record = replace(asked, ended=time.monotonic(), ended_at=time.time(), exit_code=exit_code, stop=stop)
        self._asked[nonce] = replace(record, start=None, stop=None)
        if self._records and self._records[-1].number == asked.number:
            self._records[-1] = record
        self._events.append(CommandFinished(record))
