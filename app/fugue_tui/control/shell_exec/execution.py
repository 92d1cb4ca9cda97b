"""One command typed at a shell's prompt, from the wait for the prompt to the command's end. Main thread only.

Start and end are reported by the shell's own marks, or by marks that are typed with the command.
"""

from collections.abc import Callable
from dataclasses import replace

from fugue_tui.control.core.pane_subscription import SilenceTimer, after
from fugue_tui.control.shell_exec.command_state import QUIET, CommandEnd, CommandStage
from fugue_tui.control.shell_exec.dialects import Dialect, ShellLine
from fugue_tui.control.shell_exec.prompt_detection import is_at_unmarked_prompt
from fugue_tui.control.shell_exec.prompt_driver import AGAIN, PromptDriver
from fugue_tui.errors import InvalidArgument
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.events.pane_events import Ended, PaneEvent
from fugue_tui.terminal.emulator.command_record import CommandRecord
from fugue_tui.terminal.emulator.events import CommandFinished, CommandStarted, PromptMark
from fugue_tui.terminal.pty import process


class Execution(PromptDriver):
    """A command that runs in a pane. Set the callbacks before it begins."""

    def __init__(
        self,
        mux: Multiplexer,
        pane: PaneId,
        line: ShellLine | Callable[[Dialect], ShellLine],
        *,
        forced: bool = False,
        polite: bool = True,
    ):
        super().__init__(mux, pane, line, forced=forced, polite=polite)
        self._more = 0
        self._silence = SilenceTimer(mux, QUIET, self._fell_silent)
        self._stopping = SilenceTimer(mux, AGAIN, self._fell_silent)
        self._looked_at = -1.0

    def said(self, event: PaneEvent) -> None:
        """Handle an event of the pane."""
        match event:
            case PromptMark() if self.stage is CommandStage.ENTERED:
                self._prompted(event)
            case CommandStarted(record):
                self._begun(record)
            case CommandFinished(record):
                self._finished(record)
            case Ended(exit) if self.stage >= CommandStage.ENTERED:
                self._over(CommandEnd(self.record, exit.code, exit))
            case _:
                super().said(event)

    def _prompted(self, mark: PromptMark) -> None:
        if mark.continues:
            self._more += 1
            if self._typed and self._more > self._typed.prompts:
                after(self.mux, AGAIN, self._incomplete)  # The user's own PS0 is marked the same way.
        elif mark.kind == "B":
            after(self.mux, QUIET, self._prompt_without_command)

    def _incomplete(self) -> None:
        if self.stage is CommandStage.ENTERED:
            self._give_up(
                InvalidArgument(
                    "command: the shell waits for more input (an open quotation or bracket, or a backslash at its "
                    "end); nothing was run"
                )
            )

    def _prompt_without_command(self) -> None:
        fresh = self.terminal.shell.at_prompt and not self.terminal.shell.typed.strip()
        if self.stage is CommandStage.ENTERED and fresh and not self.marked:
            self._over(CommandEnd(None, None))

    def _begun(self, record: CommandRecord) -> None:
        ours = record.number == self._number if self.marked else record.number > self._number
        if self.stage in (CommandStage.TYPED, CommandStage.ENTERED) and ours:
            self.stage, self.record = CommandStage.RUNNING, record
            self._silence.restart()  # Output before this was not counted.
            if not self.begun.done():
                self.begun.set_result(record)

    def _finished(self, record: CommandRecord) -> None:
        if self._outer and record.number == self._outer.number and self.marked:
            self._over(CommandEnd(self.record, record.exit_code, lost=True))
        if self.stage is not CommandStage.RUNNING or self.record is None or record.number < self.record.number:
            return
        if record.number != self.record.number:
            if self.marked:
                return
            # The shell ran several typed lines one by one and marked each.
            record = replace(record, start=self.record.start, started=self.record.started)
        self.record = record
        if self._leaves(record):
            after(self.mux, QUIET, lambda: self._over(CommandEnd(record, record.exit_code)))
        elif record.exit_code is not None or self.terminal.exit or self.terminal.shell.at_prompt:
            self._over(CommandEnd(record, record.exit_code, self.terminal.exit))

    def _leaves(self, record: CommandRecord) -> bool:
        """Whether the shell may be exiting: fish marks the end of the command before it exits."""
        fish = self.shell is not None and self.shell.dialect is Dialect.FISH and not self.marked
        leaves = isinstance(self.line, ShellLine) and "exit" in self.line.command
        return fish and leaves and not (self.terminal.exit or self.terminal.shell.at_prompt)

    def printed(self) -> None:
        """Handle new output."""
        super().printed()
        if self.stage is CommandStage.RUNNING or (self.marked and self.stage is CommandStage.ENTERED):
            (self._stopping if self.interrupted else self._silence).restart()

    def _fell_silent(self) -> None:
        """Check whether the shell abandoned the command or exited without a mark."""
        if self.stage not in (CommandStage.ENTERED, CommandStage.RUNNING) or self._typed is None or self.shell is None:
            return
        if not self.marked:
            self._look_for_unmarked_prompt(self.shell.dialect)
            return
        gone = not process.argv(self.shell.pid) and not process.name(self.shell.pid)
        if gone or (self._typed.at_prompt_again(self.terminal, self.shell) and self._is_sure()):
            self._over(CommandEnd(self.record, None, lost=True))

    def _look_for_unmarked_prompt(self, dialect: Dialect) -> None:
        """Check whether the command removed the shell's prompt marks, as a start-up file that is read again does."""
        if self._typed is None or self._typed.edits or not is_at_unmarked_prompt(self.terminal, dialect):
            return
        if self._is_sure():
            self.terminal.shell.lose_track()
            found = self.terminal.shell.command(self.record.number) if self.record else None
            self._over(CommandEnd(found or self.record, None, unmarked=True))

    def _is_sure(self) -> bool:
        """Whether this is the second check without output in between; after the first, more may be pending."""
        sure = self._looked_at == self.terminal.printed_at
        if not sure:
            self._looked_at = self.terminal.printed_at
            (self._stopping if self.interrupted else self._silence).restart()
        return sure

    def _over(self, end: CommandEnd) -> None:
        if self.stage is not CommandStage.OVER:
            self._close()
            if not self.ended.done():
                self.ended.set_result(end)
