"""The commands and the prompt of the shell in one terminal."""

from fugue_tui.terminal.emulator.command_record import CommandRecord
from fugue_tui.terminal.emulator.locked_screen import ScreenLock
from fugue_tui.terminal.screen.pins import TextExtract
from fugue_tui.terminal.shell_integration.command_log import CommandLog, output


class ShellIntegration:
    """A terminal's command log, under the terminal's lock. Any thread."""

    def __init__(self, lock: ScreenLock, log: CommandLog) -> None:
        self._lock = lock
        self._log = log

    @property
    def commands(self) -> tuple[CommandRecord, ...]:
        """The commands that a shell with prompt marks ran, oldest first, the newest 500."""
        with self._lock:
            return self._log.records

    @property
    def history(self) -> tuple[CommandRecord, ...]:
        """The commands that users and agents ran, without those that Fugue typed for a purpose of its own."""
        with self._lock:
            return self._log.history

    @property
    def newest_command(self) -> CommandRecord | None:
        """The newest command, including a requested one in a nested shell; None if none is known."""
        with self._lock:
            return self._log.newest

    def ask(self, nonce: str, line: str, group: int, *, own: bool = False) -> int:
        """Expect a command that is typed, into the shell of a process group, with prompt marks that carry the nonce:
        `CommandStarted` and `CommandFinished` report it under the returned number; one of Fugue's `own` is in no
        history."""
        with self._lock:
            return self._log.expect(nonce, line, group, own=own)

    def given(self, text: str, line: str, *, own: bool = False) -> None:
        """Record the next command as `line` if it is typed as `text`; one of Fugue's `own` is in no history."""
        with self._lock:
            self._log.record_as(text, line, own=own)

    def record_program(self, line: str) -> int:
        """Record all output until the program exits as that of one command, under the returned number."""
        with self._lock:
            return self._log.record_program(line)

    def command(self, number: int) -> CommandRecord | None:
        """A command by its number, with the present start of its output; None if it is no longer kept."""
        with self._lock:
            return self._log.find(number)

    def lines_of(self, command: CommandRecord) -> int:
        """The lines that a command printed, if it is the newest; 0 if not."""
        with self._lock as screen:
            before = self._log.newlines_before(command)
            return 0 if before is None else screen.newlines - before

    def beginning(self, command: CommandRecord) -> str:
        """The first rows that a command printed, as VT text; empty unless it is the newest with a long output."""
        with self._lock:
            return self._log.first_rows(command)

    @property
    def cwd(self) -> str:
        """Where a shell that Fugue set up was at its newest prompt, as it spells that; empty for any other."""
        return self._log.cwd

    @property
    def at_prompt(self) -> bool | None:
        """Whether a shell waits for input; None if no shell ever marked its prompt."""
        return self._log.at_prompt

    @property
    def at_input(self) -> bool:
        """Whether a shell waits for input and has marked where the input starts."""
        return self._log.at_input

    def lose_track(self) -> None:
        """End the running command, whose shell shows another prompt without a mark."""
        with self._lock as screen:
            if not screen.closed:
                self._log.lose_track()

    @property
    def marks(self) -> bool:
        """Whether the program is a shell that was set up to mark its prompts, whether or not it has done so yet."""
        return self._log.integrated

    @property
    def integrated(self) -> bool:
        """Whether the marks come from a shell that Fugue set up, so that no program's output can forge them."""
        return self._log.trusted

    @property
    def typed(self) -> str:
        """The text at the shell's prompt that was not entered yet; empty if there is no prompt. Untrusted."""
        with self._lock as screen:
            return "" if screen.closed else self._log.typed()

    def output(self, command: CommandRecord, *, joined: bool = True, ansi: bool = False) -> TextExtract:
        """The output of a command of this terminal, so far or complete; kept for the newest few only."""
        with self._lock as screen:
            return TextExtract() if screen.closed else output(screen.emulator, command, joined=joined, ansi=ansi)
