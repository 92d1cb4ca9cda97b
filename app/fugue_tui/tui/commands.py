"""Runs the user's commands: confirms them, and shows their progress, results and errors."""

import asyncio
import os
from base64 import b64decode
from collections.abc import Callable, Sequence
from typing import Any, Final

from textual.content import Content
from textual.screen import Screen

from fugue_tui.control.commands.recording import EndedRecordings
from fugue_tui.control.commands.run_shell import ShellOutput
from fugue_tui.control.core.answers import ImageAnswer
from fugue_tui.control.core.command import USER, Command, Effect, Interface, Origin
from fugue_tui.control.core.deferred import Deferred, Progress, is_deferred
from fugue_tui.control.dispatch.dispatcher import Dispatcher
from fugue_tui.control.schema import command_line
from fugue_tui.control.schema.completion import complete
from fugue_tui.control.schema.table import render
from fugue_tui.errors import FugueError
from fugue_tui.multiplexer.recording.recording_info import RecordingInfo
from fugue_tui.sanitize import clean_path, clean_text
from fugue_tui.tui.command_history import CommandHistory
from fugue_tui.tui.completion_names import names
from fugue_tui.tui.path_completion import paths
from fugue_tui.validation.annotations import dump
from fugue_tui_widgets.command_prompt import CommandPrompt
from fugue_tui_widgets.dialogs import Confirm, Page
from fugue_tui_widgets.paste_dialog import PasteDialog

PENDING_SECONDS: Final = 0.5
"""Seconds after which a pending command is reported to take longer."""
_PALETTE: Final = Origin(Interface.PALETTE)

Callback = Callable[[Any], None]


class Commands:
    """The commands that keys, the mouse and the palette run. Main thread only."""

    def __init__(
        self,
        dispatcher: Dispatcher,
        *,
        post: Callable[[Callable[[], None]], None],
        alert: Callable[[str], None],
        warn: Callable[[str], None],
        report: Callable[[str, BaseException | None], None],
        open_dialog: Callable[[Screen[Any], Callback | None], object],
    ) -> None:
        """`post` runs a call on the main thread; `warn` shows what went wrong, `alert` the rest; `report` gets internal
        errors."""
        self._dispatcher = dispatcher
        self._post, self._alert, self._warn, self._report, self._open_dialog = post, alert, warn, report, open_dialog
        self._pending: dict[Deferred[Any], str] = {}
        self._history = CommandHistory()

    def run(
        self,
        command: Command[Any],
        origin: Origin = USER,
        then: Callback | None = None,
        failed: Callable[[str], None] | None = None,
        *,
        quiet: bool = False,
    ) -> None:
        """Run a command; `then` gets its result, now or later. `failed` gets the words of an error, which are shown in
        the status bar otherwise. With `quiet` nothing is said while it takes long."""
        try:
            result = self._dispatcher.run(command, origin)
            if is_deferred(result):
                self._follow(command, result, then or self._show_result(command), failed, quiet=quiet)
            elif then is not None:
                then(result)
        except FugueError as error:
            (failed or self._warn)(str(error))
        except Exception as error:  # noqa: BLE001  (an error boundary: a bug in a command must not end everyone's programs)
            self._report("a user's command", error)

    def confirm(
        self,
        command: Command[Any],
        origin: Origin = USER,
        then: Callback | None = None,
        failed: Callable[[str], None] | None = None,
    ) -> None:
        """Run a command as `run` does; after confirmation if it destroys what is in use."""
        try:
            asked = command.confirmation(self._dispatcher.mux, origin)
        except FugueError as error:
            (failed or self._warn)(str(error))
            return
        if asked is None:
            self.run(command, origin, then, failed)
        else:
            confirmed = asked.command
            dialog = PasteDialog(asked.question, *asked.change) if asked.change else Confirm(asked.question)
            self._open_dialog(dialog, lambda yes: self.run(confirmed, origin, then, failed) if yes else None)

    def run_line(self, line: list[str] | str, failed: Callable[[str], None] | None = None) -> None:
        """Run a command line, or several commands that words `;` separate, until one fails; show their results."""
        try:
            lines = command_line.sequence(line) or [line] if isinstance(line, str) else [line]
            self._run_all([command_line.command(each) for each in lines], failed)
        except FugueError as error:
            (failed or self._warn)(str(error))

    def _run_all(self, commands: Sequence[Command[Any]], failed: Callable[[str], None] | None) -> None:
        command, *rest = commands
        reads = command.effects <= {Effect.READ, Effect.CLIPBOARD}

        def then(result: Any) -> None:
            if reads:
                self._show_page(command, result)
            if rest:
                self._run_all(rest, failed)

        self.confirm(command, _PALETTE, then if rest or reads else None, failed)

    def prompt(self, text: str = "", error: str = "") -> None:
        """Open the prompt for a command line, with this text in it and an error below."""
        self._history.load()
        prompt = CommandPrompt(self._history.lines, self._complete, _fault, text, error)
        self._open_dialog(prompt, lambda line: self._entered(line) if line and line.strip() else None)

    def _entered(self, line: str) -> None:
        """Run a line of the prompt, which comes back with an error that is known at once."""
        self._history.add(line, self._dispatcher.mux.secrets)
        errors, waits = list[str](), True

        def failed(error: str) -> None:
            errors.append(error) if waits else self._warn(error)

        self.run_line(line, failed)
        waits = False
        if errors:
            self.prompt(line, errors[0])

    def _complete(self, text: str) -> tuple[int, Sequence[str]]:
        mux = self._dispatcher.mux
        base = mux.cwd(mux.focused) if mux.focused is not None else ""
        found = complete(
            text,
            lambda kind: names(mux, kind),
            lambda typed, directories: paths(typed, base or os.getcwd(), directories=directories),
        )
        return found.start, found.candidates

    def cancel(self) -> bool:
        """Cancel every pending command; whether there was any."""
        return any([later.cancel() for later in tuple(self._pending)])  # noqa: C419  (each must be cancelled)

    # Results

    def _show_page(self, command: Command[Any], result: Any) -> None:
        if isinstance(result, ImageAnswer) and result.image:
            self._alert(_write_image(command.verb, result))
        elif result is not None:
            self._open_dialog(Page(command.verb, Content(_text(command, result) or "none")), None)

    def _show_result(self, command: Command[Any]) -> Callback:
        """Shows a result in one line, where the screen itself does not show it."""

        def show(result: Any) -> None:
            if isinstance(result, ShellOutput):
                self._show_output(command, result)
            else:
                self._alert(_in_words(result) or _in_one_line(command, result))

        return show

    def _show_output(self, command: Command[Any], result: ShellOutput) -> None:
        """Show what a shell command printed on a page, and in the status bar how it ended if it printed nothing."""
        ended = "took too long" if result.timed_out else f"exit code {result.exit_code}"
        if result.output.strip():
            more = "\n... (more is not kept)" if result.cut else ""
            self._open_dialog(Page(f"{command.verb}: {ended}", Content(result.output.rstrip() + more)), None)
        else:
            self._alert(f"{command.verb}: {ended}")

    def _follow(
        self,
        command: Command[Any],
        later: Deferred[Any],
        then: Callback,
        failed: Callable[[str], None] | None,
        *,
        quiet: bool,
    ) -> None:
        self._pending[later] = command.verb
        later.on_done(lambda: self._post(lambda: self._completed(later, then, failed)))
        if quiet:
            return
        later.on_progress(lambda progress: self._post(lambda: self._progressed(later, progress)))
        asyncio.get_running_loop().call_later(PENDING_SECONDS, self._still_pending, later)

    def _still_pending(self, later: Deferred[Any]) -> None:
        if later in self._pending:
            self._alert(f"{self._pending[later]}: running; the prefix and Escape cancel it")

    def _progressed(self, later: Deferred[Any], progress: Progress) -> None:
        if later in self._pending:
            share = "" if progress.fraction is None else f" ({progress.fraction:.0%})"
            self._alert(f"{self._pending[later]}: {progress.text}{share}")

    def _completed(self, later: Deferred[Any], then: Callback, failed: Callable[[str], None] | None) -> None:
        verb = self._pending.pop(later)
        match later.error:
            case None:
                then(later.result())
            case FugueError() as error if failed is not None:
                failed(str(error))
            case FugueError() as error:
                self._warn(f"{verb}: {error}")
            case error:
                self._report(verb, error)


def _fault(line: str) -> str:
    """What is wrong with a command line, or nothing."""
    try:
        for each in command_line.sequence(line):
            command_line.command(each)
    except FugueError as error:
        return str(error)
    return ""


def _in_words(result: Any) -> str:
    """What a command did, in a sentence; empty where there is none for its kind."""
    match result:
        case RecordingInfo():
            return f"recording {result.source} until stop-recording, to {clean_path(result.path)}"
        case EndedRecordings():
            files = ", ".join(clean_path(each.path) for each in result.recordings)
            return f"recorded; replay-recording plays {files}" if files else "nothing was recorded"
        case _:
            return ""


def _in_one_line(command: Command[Any], result: Any) -> str:
    return f"{command.verb}: {' · '.join(_text(command, result).splitlines()) or 'done'}"


def _text(command: Command[Any], result: Any) -> str:
    """A result as text for the user."""
    if command.plain:
        return clean_text(str(result))
    return clean_text(render(dump(result)))


def _write_image(verb: str, result: ImageAnswer) -> str:
    """Write an image to a file, as the screen cannot show it; returns a message for the user."""
    try:
        kind = result.media_type.rpartition("/")[2]
        from tempfile import mkstemp

        descriptor, path = mkstemp(prefix="fugue-tui-", suffix=f".{kind.partition('+')[0]}")
        with os.fdopen(descriptor, "wb") as file:
            file.write(b64decode(result.image))
    except OSError as error:
        return f"{verb}: {error.filename or 'the file'} cannot be written: {error.strerror}"
    return f"{verb}: written to {path}"
