"""Runs the user's commands, and reports the progress and the result of those that answer later."""

import asyncio
from collections.abc import Callable
from typing import Any, Final

from fugue_tui.control.core.command import USER, Command, Origin
from fugue_tui.control.core.deferred import Deferred, Progress, is_deferred
from fugue_tui.control.dispatch.dispatcher import Dispatcher
from fugue_tui.control.schema.table import render
from fugue_tui.errors import FugueError
from fugue_tui.sanitize import clean_text
from fugue_tui.validation.annotations import dump

PATIENCE: Final = 0.5
"""Seconds after which a pending command is reported to take longer."""

Callback = Callable[[Any], None]


class CommandRunner:
    """The commands that keys, the mouse and the palette run. Main thread only."""

    def __init__(
        self,
        dispatcher: Dispatcher,
        post: Callable[[Callable[[], None]], None],
        alert: Callable[[str], None],
        report: Callable[[str, BaseException | None], None],
    ) -> None:
        """`post` runs a call on the main thread; `report` gets internal errors."""
        self._dispatcher = dispatcher
        self._post, self._alert, self._report = post, alert, report
        self._pending: dict[Deferred[Any], str] = {}

    def run(self, command: Command[Any], origin: Origin = USER, then: Callback | None = None) -> None:
        """Run a command; `then` gets its result, now or later. Errors are shown."""
        try:
            result = self._dispatcher.run(command, origin)
            if is_deferred(result):
                self._follow(command, result, then or self._show_result(command))
            elif then is not None:
                then(result)
        except FugueError as error:
            self._alert(str(error))
        except Exception as error:  # noqa: BLE001  (a border: a bug in a command must not end everyone's programs)
            self._report("a user's command", error)

    def cancel(self) -> bool:
        """Cancel every pending command; whether there was any."""
        return any([later.cancel() for later in tuple(self._pending)])  # noqa: C419  (each must be cancelled)

    def _show_result(self, command: Command[Any]) -> Callback:
        """Shows a result in one line, where the screen itself does not show it."""
        return lambda result: self._alert(
            f"{command.verb}: {' · '.join(result_text(command, result).splitlines()) or 'done'}"
        )

    def _follow(self, command: Command[Any], later: Deferred[Any], then: Callback) -> None:
        self._pending[later] = command.verb
        later.on_progress(lambda progress: self._post(lambda: self._progressed(later, progress)))
        later.on_done(lambda: self._post(lambda: self._completed(later, then)))
        asyncio.get_running_loop().call_later(PATIENCE, self._still_pending, later)

    def _still_pending(self, later: Deferred[Any]) -> None:
        if later in self._pending:
            self._alert(f"{self._pending[later]}: under way; the prefix and Escape give it up")

    def _progressed(self, later: Deferred[Any], progress: Progress) -> None:
        if later in self._pending:
            share = "" if progress.fraction is None else f" ({progress.fraction:.0%})"
            self._alert(f"{self._pending[later]}: {progress.text}{share}")

    def _completed(self, later: Deferred[Any], then: Callback) -> None:
        verb = self._pending.pop(later)
        match later.error:
            case None:
                then(later.result())
            case FugueError() as error:
                self._alert(f"{verb}: {error}")
            case error:
                self._report(verb, error)


def result_text(command: Command[Any], result: Any) -> str:
    """A result as text for the user."""
    if command.plain:
        return clean_text(str(result))
    return clean_text(render(dump(result)))
