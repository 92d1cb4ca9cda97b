"""One command typed at a shell's prompt, from the wait for its turn to the command's end. Main thread only.

The text is sent first; Enter follows once the shell has echoed the text, where that can be observed. Start and end are
reported by the shell's own marks, or by marks that are typed with the command.
"""

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Final

from msgspec.structs import replace

from fugue_tui.control.core.deferred import spawn
from fugue_tui.control.core.pane_updates import PaneClosed, PaneUpdate, PaneUpdates, Printed
from fugue_tui.control.shell_exec.command_state import ECHO, GRACE, PROMPT, QUIET, CommandEnd, CommandStage, EndChecks
from fugue_tui.control.shell_exec.dialects import Dialect, ShellLine
from fugue_tui.control.shell_exec.prompt_detection import Shell, is_at_unmarked_prompt, shell_in, unsure
from fugue_tui.control.shell_exec.typed_line import TypedLine, is_behind_other, is_within, shows, typed
from fugue_tui.errors import FugueError, InvalidArgument, Refused, TerminalGone
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.author import Author
from fugue_tui.multiplexer.events.pane_events import Ended, Started
from fugue_tui.multiplexer.input.lease import occupied
from fugue_tui.multiplexer.input.pane_input import InputHold, PaneInput
from fugue_tui.multiplexer.input.pane_queue import Turn
from fugue_tui.sanitize import clean
from fugue_tui.terminal.emulator.command_record import CommandRecord
from fugue_tui.terminal.emulator.events import CommandFinished, CommandStarted, PromptMark
from fugue_tui.terminal.pty import process
from fugue_tui.terminal.terminal import Terminal

AGAIN: Final = 0.05
"""Seconds between two polls of a shell that is not at its prompt yet."""
_MAX_STRAY_PROMPTS: Final = 3
"""Prompts that are skipped because a background job prints there."""
_HOLD: Final = 0.5
"""Seconds for which the user's keys wait for the Enter of a typed command at most."""


class _Abandoned(Exception):
    """The caller has got its error, and what was typed is to be cleared."""


class Execution:
    """A command to be run in a pane. Its caller waits for `ended`, and then releases or cancels it."""

    def __init__(
        self,
        mux: Multiplexer,
        pane: PaneId,
        line: ShellLine | Callable[[Dialect], ShellLine],
        author: Author,
        *,
        forced: bool = False,
        wait_for_user: float = 0.0,
    ):
        """`wait_for_user` is for how many seconds it waits until the user leaves the pane."""
        self.mux, self.pane, self.line = mux, pane, line
        loop = asyncio.get_running_loop()
        self.started: asyncio.Future[CommandRecord] = loop.create_future()
        """Done when the command runs."""
        self.ended: asyncio.Future[CommandEnd] = loop.create_future()
        """Done when the command has ended; an error other than FugueError is a bug. It keeps its turn until it is
        released."""
        self.on_turn: Callable[[], object] = lambda: None
        """Called when its turn comes, before it does anything."""
        self.stage = CommandStage.QUEUED
        self.shell: Shell | None = None
        self.shell_uid: int | None = None
        """The user id of the shell when the command was typed; None if unknown."""
        self.record: CommandRecord | None = None
        self.terminal: Terminal
        """Set once its turn has come, if the pane is still there."""
        self.typed_at = 0.0
        """When Enter was pressed, on the monotonic clock."""
        self.late = ""
        """Why it was interrupted, if that is because it took too long."""
        self._author, self._forced = author, forced
        self._wait, self._wait_until = wait_for_user, 0.0
        self._input: PaneInput
        self._hold: InputHold | None = None
        self._turn: Turn | None = None
        self._task: asyncio.Task[None] | None = None
        self._updates: PaneUpdates
        self._cancelled = self._interrupted = False
        self._typed: TypedLine | None = None
        self._number = 0
        self._outer: CommandRecord | None = None
        self._prompt_at = 0.0
        self._attempts = self._stray_prompts = self._count = self._continuations = 0
        self._checked_at = -1.0
        self._checks = EndChecks()

    @property
    def method(self) -> str:
        """What reports start and end: integration or marker; empty until known."""
        return "" if self.shell is None else "marker" if self.marked else "integration"

    @property
    def marked(self) -> bool:
        """Whether it was typed with marks of its own."""
        return self._typed is not None and self._typed.marked

    def start(self) -> None:
        """Join the pane's queue. Raises Refused if that is full."""
        self._turn = self.mux.pane_queue.join(self.pane)
        self._task = spawn(self._run(self._turn))

    def release(self) -> None:
        """Let the next in the queue start, though this may still run; no effect once it is cancelled."""
        if not self._cancelled:
            self._leave_queue()

    async def over(self, seconds: float) -> bool:
        """Whether the command is over after so many seconds since it was entered; waits until either."""
        while self._task is not None and not self._task.done():
            left = self.typed_at + seconds - time.monotonic() if self.stage >= CommandStage.ENTERED else seconds
            if left <= 0:
                return False
            await asyncio.wait((self._task,), timeout=left)
        return True

    async def interrupt_after(self, seconds: float) -> None:
        """Interrupt the command if it is not over so many seconds after it was entered: the configured limit."""
        if not await self.over(seconds):
            self.late = f"it was interrupted after {seconds:g} s: [mcp.security] command_timeout_ms"
            self.cancel(interrupt=True)

    def cancel(self, *, interrupt: bool) -> None:
        """Interrupt the command or leave it running, as its end is no longer awaited. The next in the queue starts
        once it is over, or after a grace period."""
        self._cancelled = True
        self.started.cancel()
        self.ended.cancel()
        if self._interrupted:
            return  # It is being stopped already.
        if self.stage in (CommandStage.QUEUED, CommandStage.OVER) or not (
            interrupt or self.stage < CommandStage.RUNNING
        ):
            self._leave_queue()
        if self._task is not None and (interrupt or self.stage < CommandStage.RUNNING):
            self._interrupted = interrupt and self.stage >= CommandStage.TYPED
            self._task.cancel()

    def _leave_queue(self) -> None:
        if self._turn is not None:
            self._turn.leave()

    async def _run(self, turn: Turn) -> None:
        try:
            await turn.started.wait()
            self.on_turn()
            self.terminal = self.mux.terminal(self.pane)
            self._input = self.mux.input(self.pane, self._author)
            self._wait_until = time.monotonic() + self._wait
            self.stage = CommandStage.WAITING
            with PaneUpdates(self.mux, self.pane) as self._updates:
                await self._type_and_watch()
        except Exception as error:  # noqa: BLE001  (handed to the caller, who reports it)
            self._set_error(error)
        finally:
            self.stage = CommandStage.OVER
            self._drop_typed()
            self._release_input()
            if self.ended.cancelled() or not self.ended.done() or self.ended.exception():
                turn.leave()

    async def _type_and_watch(self) -> None:
        try:
            await self._type()
            end = await self._end()
            if not self.ended.done():
                self.ended.set_result(end)
        except _Abandoned:
            await self._stop()
        except asyncio.CancelledError:
            if self._interrupted:
                await self._stop()
            raise

    def _set_error(self, error: Exception) -> None:
        if not self.ended.done():
            self.ended.set_exception(error)
            self.ended.exception()  # Retrieved, so that asyncio does not log it if nothing awaits it.

    def _drop_typed(self) -> None:
        if self._typed is not None:
            self._typed.clean_up()

    async def _next(self, seconds: float | None = None) -> PaneUpdate | None:
        """The next event of the pane; None after so many seconds. Raises TerminalGone."""
        update = await self._updates.next(seconds)
        match update:
            case CommandStarted(record):
                self._begin(record)
            case Ended(exit) if self.stage < CommandStage.ENTERED:
                raise TerminalGone(f"the program in {self.pane} has ended ({exit.words})")
            case Started():
                raise TerminalGone(f"the program of {self.pane} was replaced by another")
            case PaneClosed():
                raise TerminalGone(f"pane {self.pane} was closed")
            case _:
                pass
        return update

    # Until Enter

    async def _type(self) -> None:
        """Type the line at the shell's prompt, and press Enter. A line without its echo is typed once more."""
        while True:
            shell = await self._prompt()
            if await self._has_waited():
                continue
            if (text := self.terminal.shell.typed.strip()) and self._is_stray(text):
                await self._clear()
                continue
            if not self.terminal.shell.at_input and self.terminal.sent.is_left_at(shell.pid, marks=shell.marks):
                raise unsure(self.pane)
            self._paste(shell)
            if self.marked or not self.terminal.shell.at_input:
                break
            self._hold = self._input.hold(_HOLD, self._on_interrupt)
            if await self._is_echoed() or self._echoes_nothing():
                break
            self._release_input()
            await self._clear()
        if self.stage is CommandStage.TYPED:
            self._enter()

    async def _prompt(self) -> Shell:
        """Wait for the shell's prompt. Raises Refused."""
        started = time.monotonic()
        while True:
            now = time.monotonic()
            quiet_since = max(started, min(self.terminal.printed_at, started + QUIET))  # A prompt may be half printed.
            shell = shell_in(self.mux, self.pane, forced=self._forced, patient=now < quiet_since + QUIET)
            if shell is not None:
                settled = shell.settled and not self._awaits_paste_mode(shell)
                self._prompt_at = self._prompt_at or (0.0 if settled else now)
                if (settled or now > self._prompt_at + QUIET) and not self._is_clearing(shell):
                    return shell
            if now > started + PROMPT:
                raise Refused(f"the shell in {self.pane} does not come to its prompt; read-pane shows what it does")
            await self._prompted_within(AGAIN)

    async def _prompted_within(self, seconds: float) -> None:
        """Let some seconds pass, fewer if the shell shows a prompt."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while True:
                    match await self._next():
                        case PromptMark(kind="A" | "B", continues=False):
                            return
                        case _:
                            pass

    def _awaits_paste_mode(self, shell: Shell) -> bool:
        """Whether zsh, which turns bracketed paste on after its prompt, needs that for the command's characters."""
        needed = isinstance(self.line, ShellLine) and not self.line.command.isascii()
        return needed and shell.dialect is Dialect.ZSH and not self.terminal.modes.bracketed_paste

    def _is_clearing(self, shell: Shell) -> bool:
        """Whether Enter or Ctrl+C was pressed at a prompt with text, and the shell has not consumed it yet."""
        printed_at = 0.0 if shell.marks else self.terminal.printed_at
        holds_text = not self.terminal.shell.at_input or self.terminal.shell.typed.strip()
        return bool(holds_text) and self.terminal.sent.is_clearing(printed_at)

    async def _has_waited(self) -> bool:
        """Whether the user, or a text that waits for its Enter, had to be waited for. Raises Refused."""
        refused = None if self.terminal.gate.closed else self._input.refusal()
        if refused is None and not self.terminal.gate.closed:
            return False
        if refused is not None and time.monotonic() >= self._wait_until:
            raise refused
        await self._prompted_within(AGAIN)
        return True

    def _is_stray(self, text: str) -> bool:
        """Whether a prompt with text is skipped: a background job may have printed there. Raises Refused if a user
        typed it."""
        if not self.terminal.sent.nothing_since:
            raise occupied(self.pane, text)
        self._stray_prompts += 1
        self._count = self.terminal.sent.count
        return self._stray_prompts <= _MAX_STRAY_PROMPTS

    async def _clear(self) -> None:
        """Wait for another prompt, as the present one may append the text to what it has."""
        if not self._interrupt():
            raise self._input.refusal() or occupied(self.pane, self.terminal.shell.typed)
        self.stage = CommandStage.CLEARED
        await self._prompted_within(2 * QUIET)
        self.stage = CommandStage.WAITING

    def _paste(self, shell: Shell) -> None:
        self.shell, self.shell_uid = shell, process.uid(shell.pid)
        line = self.line if isinstance(self.line, ShellLine) else self.line(shell.dialect)
        if self._attempts:
            line = replace(line, by_file=True)
        self._drop_typed()
        if shell.lost_marks:
            self.terminal.shell.lose_track()
        self._typed = typed(self.terminal, shell, line, forced=self._forced)
        self._number = self._typed.number
        self._outer = next((record for record in self.terminal.shell.commands[-1:] if record.running), None)
        self.stage = CommandStage.TYPED
        self._input.paste(self._typed.text)
        self._count = self.terminal.sent.count

    async def _is_echoed(self) -> bool:
        """Whether the shell shows the text in time, or runs it already."""
        text = self._typed.text if self._typed else ""
        with suppress(TimeoutError):
            async with asyncio.timeout(ECHO):
                while self.stage is CommandStage.TYPED:
                    strays = self._stray_prompts and not self._is_joined
                    if (is_within if strays else shows)(self.terminal.shell.typed, text):
                        return True
                    await self._next()
                return True
        return False

    def _echoes_nothing(self) -> bool:
        """Whether Enter is pressed without an echo; if not, the line is typed again: with a wrong echo, as in vi's
        command mode or where pasted text is quoted, at a new prompt and with as little text as possible."""
        self._attempts += 1
        shown, typed = self.terminal.shell.typed, self._typed.text if self._typed else ""
        if is_behind_other(shown, typed) and "\n" not in typed:
            self._release_input(lambda: self._input.write(b"\x7f" * len(typed)))
            raise occupied(self.pane, shown[: -len(typed)])
        if self._attempts > 1 and shown.strip():
            text = clean(shown, 80)
            self._abandon(
                Refused(f"the shell in {self.pane} shows `{text}` instead of the typed text; nothing was run")
            )
        return self._attempts > 1

    def _enter(self) -> None:
        self.stage, self.typed_at = CommandStage.ENTERED, time.monotonic()
        # A terminal left in raw mode does not turn CR into a line end.
        newline = bool(self.shell and self.shell.dialect is Dialect.SH and not self._forced)
        self._release_input(partial(self._press_enter, newline=newline))

    def _press_enter(self, *, newline: bool) -> None:
        self._input.enter(newline=newline)
        self._count = self.terminal.sent.count

    def _on_interrupt(self) -> None:
        """Another client presses Ctrl+C before Enter: give up, and make sure that the shell has cleared the line."""
        self._hold = None
        self._count += 1
        self._set_error(Refused(f"Ctrl+C was pressed in {self.pane} before the command was entered; nothing was run"))
        self._cancelled = self._interrupted = True
        if self._task is not None:
            self._task.cancel()

    def _release_input(self, last: Callable[[], object] = lambda: None) -> None:
        """Make the last call of a typed line, and let the input of others continue."""
        if self._hold is None:
            last()
            return
        hold, self._hold = self._hold, None
        hold.release(last)

    # After Enter

    async def _end(self) -> CommandEnd:
        """Wait for the command's end: events report it, or checks while the pane is silent find it."""
        while True:
            update = await self._next(self._checks.seconds)
            if end := self._end_by(update) or self._checks.run():
                return end

    def _end_by(self, update: PaneUpdate | None) -> CommandEnd | None:
        """The end, if an event reports it."""
        match update:
            case PromptMark() if self.stage is CommandStage.ENTERED:
                self._prompted(update)
            case CommandFinished(record):
                return self._finished(record)
            case Ended(exit):
                return CommandEnd(self.record, exit.code, exit)
            case Printed() if self.stage is CommandStage.RUNNING or self.marked:
                self._check_soon()
            case _:
                pass
        return None

    def _check_soon(self) -> None:
        """Check for a silent end after a while without output."""
        self._checks.add(self._silent_end, AGAIN if self._interrupted else QUIET)

    def _prompted(self, mark: PromptMark) -> None:
        if mark.continues:
            self._continuations += 1
            if self._typed and self._continuations > self._typed.prompts:
                self._checks.add(self._incomplete, AGAIN)  # The user's own PS0 is marked the same way.
        elif mark.kind == "B":
            self._checks.add(self._prompt_without_command, QUIET)

    def _incomplete(self) -> None:
        if self.stage is CommandStage.ENTERED:
            self._abandon(
                InvalidArgument(
                    "command: the shell waits for more input (an open quotation or bracket, or a backslash at its "
                    "end); nothing was run"
                )
            )

    def _prompt_without_command(self) -> CommandEnd | None:
        fresh = self.terminal.shell.at_prompt and not self.terminal.shell.typed.strip()
        return CommandEnd(None, None) if self.stage is CommandStage.ENTERED and fresh and not self.marked else None

    def _begin(self, record: CommandRecord) -> None:
        ours = record.number == self._number if self.marked else record.number > self._number
        if self.stage in (CommandStage.TYPED, CommandStage.ENTERED) and ours:
            self.stage, self.record = CommandStage.RUNNING, record
            self.typed_at = self.typed_at or time.monotonic()
            self._check_soon()  # Output before this was not counted.
            if not self.started.done():
                self.started.set_result(record)

    def _finished(self, record: CommandRecord) -> CommandEnd | None:
        if self._outer and record.number == self._outer.number and self.marked:
            return CommandEnd(self.record, record.confirmed_exit_code, lost=True)
        if self.stage is not CommandStage.RUNNING or self.record is None or record.number < self.record.number:
            return None
        if record.number != self.record.number:
            if self.marked:
                return None
            # The shell ran several typed lines one by one and marked each.
            record = replace(record, start=self.record.start, started=self.record.started)
        self.record = record
        if self._leaves(record):
            self._checks.add(lambda: CommandEnd(record, record.confirmed_exit_code), QUIET)
        elif record.exit_code is not None or self.terminal.exit or self.terminal.shell.at_prompt:
            return CommandEnd(record, record.confirmed_exit_code, self.terminal.exit)
        return None

    def _leaves(self, record: CommandRecord) -> bool:
        """Whether the shell may be exiting: fish marks the end of the command before it exits."""
        fish = self.shell is not None and self.shell.dialect is Dialect.FISH and not self.marked
        leaves = isinstance(self.line, ShellLine) and "exit" in self.line.command
        return fish and leaves and not (self.terminal.exit or self.terminal.shell.at_prompt)

    def _silent_end(self) -> CommandEnd | None:
        """The end, if the shell abandoned the command or exited without a mark."""
        if self._typed is None or self.shell is None:
            return None
        if not self.marked:
            return self._unmarked_end(self._typed, self.shell.dialect)
        gone = not process.argv(self.shell.pid) and not process.name(self.shell.pid)
        over = gone or (self._typed.at_prompt_again(self.terminal, self.shell) and self._is_confirmed())
        return CommandEnd(self.record, None, lost=True) if over else None

    def _unmarked_end(self, typed: TypedLine, dialect: Dialect) -> CommandEnd | None:
        """The end, if the command removed the shell's prompt marks, as a start-up file that is read again does."""
        if typed.edits or not is_at_unmarked_prompt(self.terminal, dialect) or not self._is_confirmed():
            return None
        self.terminal.shell.lose_track()
        found = self.terminal.shell.command(self.record.number) if self.record else None
        return CommandEnd(found or self.record, None, unmarked=True)

    def _is_confirmed(self) -> bool:
        """Whether this is the second check without output in between; after the first, more may be pending."""
        sure = self._checked_at == self.terminal.printed_at
        if not sure:
            self._checked_at = self.terminal.printed_at
            self._check_soon()
        return sure

    # Giving up

    def _abandon(self, error: FugueError) -> None:
        """Fail, but let the next in the queue wait until the shell has consumed Ctrl+C and shows another prompt."""
        self._cancelled = True
        self._set_error(error)
        raise _Abandoned

    async def _stop(self) -> None:
        """Press Ctrl+C, and wait for the command's end or for another prompt, for a while."""
        self._interrupted = True
        self._checks.clear()
        self._release_input()
        if self.record is not None and time.monotonic() > self.record.started + QUIET:
            self._interrupt_record()
        elif self._interrupt():
            self._checks.add(self._repeat_interrupt, 2 * QUIET)
        elif self.stage is CommandStage.RUNNING:
            self._interrupt_record()
        self.stage = max(self.stage, CommandStage.ENTERED)
        with suppress(TimeoutError, FugueError, _Abandoned):
            async with asyncio.timeout(GRACE):
                await self._end()

    def _repeat_interrupt(self) -> None:
        """Repeat Ctrl+C: a shell may miss one between Enter and the command's start; bash may lose the Enter too."""
        if self._interrupt() and self.stage is CommandStage.ENTERED:
            self._checks.add(self._repeat_interrupt, 2 * QUIET)

    def _interrupt(self) -> bool:
        """Press Ctrl+C to clear the typed text; False if another client has typed since, and would lose that, or if the
        user has priority."""
        if self._is_joined or self._input.refusal(hidden=True) is not None:
            return False
        self._input.interrupt()
        self.terminal.sent.settle()  # The text at the prompt is only this command's.
        self._count = self.terminal.sent.count
        return True

    def _interrupt_record(self) -> None:
        """Press Ctrl+C in the command that runs; later, if the user is typing there."""
        try:
            self._input.interrupt()
        except Refused:
            self._checks.add(self._interrupt_record, 2 * QUIET)

    @property
    def _is_joined(self) -> bool:
        """Whether another client has typed since this did."""
        return self.terminal.sent.count != self._count
