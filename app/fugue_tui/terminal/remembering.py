"""What a terminal knows of the commands that its shell ran."""

from abc import ABC

from fugue_tui.terminal.copy_mode.selecting import Selecting
from fugue_tui.terminal.emulator.command_record import CommandRecord
from fugue_tui.terminal.screen.pins import TextExtract
from fugue_tui.terminal.shell_integration.asked import AskedLog
from fugue_tui.terminal.shell_integration.command_log import output
from fugue_tui.terminal.shell_integration.saved_commands import Sift, frozen


class Remembering(Selecting, ABC):
    """A terminal that keeps account of commands, and can be saved with it."""

    _log: AskedLog

    @property
    def commands(self) -> tuple[CommandRecord, ...]:
        """The commands that a shell with marked prompts ran, oldest first, the newest 500. Any thread."""
        with self.lock:
            return self._log.records

    @property
    def newest_command(self) -> CommandRecord | None:
        """The newest command, in a shell inside another too if it was asked for; None if none is known. Any thread."""
        with self.lock:
            return self._log.newest

    def ask(self, nonce: str, line: str) -> int:
        """Expect a command that is typed with marks of its own, which carry the nonce: `CommandStarted` and
        `CommandFinished` tell of it under the number that is returned. Any thread."""
        with self.lock:
            return self._log.ask(nonce, line)

    def given(self, text: str, line: str) -> None:
        """Know a command that is about to be typed by another line than what is typed. Any thread."""
        with self.lock:
            self._log.given(text, line)

    def adopt(self, line: str) -> int:
        """Take all that the program prints until it ends for the output of one command, under the number that is
        returned. Any thread."""
        with self.lock:
            return self._log.adopt(line)

    def command(self, number: int) -> CommandRecord | None:
        """A command by its number, with where its output starts by now; None if it is forgotten. Any thread."""
        with self.lock:
            return self._log.found(number)

    @property
    def erased(self) -> int:
        """How often the program erased the history; places that were in it are at its beginning since."""
        return self._log.erased

    def lines_of(self, command: CommandRecord) -> int:
        """How many lines a command has printed, if it is the newest; 0 if not. Any thread."""
        with self.lock:
            before = self._log.began(command)
            return 0 if before is None else self.newlines - before

    def beginning(self, command: CommandRecord) -> str:
        """The first rows that a command printed, as VT text; empty unless it is the newest with a long output. Any
        thread."""
        with self.lock:
            return self._log.beginning(command)

    @property
    def at_prompt(self) -> bool | None:
        """Whether a shell waits for input; None if none ever marked its prompt. Any thread."""
        return self._log.at_prompt

    @property
    def at_input(self) -> bool:
        """Whether a shell waits for input and has told where that starts, behind its prompt. Any thread."""
        return self._log.at_input

    def lose_track(self) -> None:
        """Take the command that runs for over, as its shell waits for another and does not tell. Any thread."""
        with self.lock:
            if not self._closed:
                self._log.lose_track()

    @property
    def marks(self) -> bool:
        """Whether the program is a shell that was set up to mark its prompts, whether or not it has done so yet."""
        return self._log.expected

    @property
    def integrated(self) -> bool:
        """Whether the marks come from a shell that Fugue set up, so that no program's output can forge them."""
        return self._log.trusted

    @property
    def typed(self) -> str:
        """What stands at the shell's prompt and was not entered yet; empty if it is not at a prompt. Untrusted."""
        with self.lock:
            return "" if self._closed else self._log.typed()

    def output(self, command: CommandRecord, *, joined: bool = True, ansi: bool = False) -> TextExtract:
        """What a command of this terminal printed, so far or in all; only the newest few are still known. Any thread.

        `missed` says that not all of it is there."""
        with self.lock:
            return TextExtract() if self._closed else output(self.emulator, command, joined=joined, ansi=ansi)

    def saved(self, sift: Sift = str) -> bytes:
        """All that `remembered.recall` brings back; `sift` takes what is secret out of command lines. Empty once it is
        closed. Any thread; the lock is held for the engine's part only."""
        self.emulator.prepare()
        with self.lock:
            if self._closed:
                return b""
            make = self.emulator.freeze(frozen(self.emulator, self._log.records, sift))
        return make()
