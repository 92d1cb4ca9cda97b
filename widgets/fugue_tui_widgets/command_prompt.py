"""The prompt for a command line: history, completion, and errors under the line."""

from collections.abc import Callable, Sequence
from typing import ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from fugue_tui_widgets.dialogs import fitting

_HINTS: Final = ("command", "Tab completes", "↑ history", "Escape cancels")
SHOWN: Final = 60
"""Candidates that are listed."""

Complete = Callable[[str], tuple[int, Sequence[str]]]
"""Maps the text before the cursor to where its last word starts and what may stand there."""


class CommandPrompt(ModalScreen[str | None]):
    """Asks for a command line at the bottom of the screen; Escape gives None."""

    DEFAULT_CSS = """
    CommandPrompt { align: left bottom; background: $background 0%; }
    CommandPrompt > Vertical {
        height: auto; background: $surface; border-top: heavy $primary; border-title-color: $primary;
        border-subtitle-color: $text-muted;
    }
    CommandPrompt Input { border: none; height: 1; padding: 0 1; background: $surface; }
    CommandPrompt Input:focus { border: none; }
    CommandPrompt Static { height: auto; max-height: 6; padding: 0 1; background: $surface; display: none; }
    CommandPrompt Static.-error { color: $text-error; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,ctrl+c", "cancel", "Cancel", priority=True),
        Binding("up,ctrl+p", "older", show=False, priority=True),
        Binding("down,ctrl+n", "newer", show=False, priority=True),
        Binding("ctrl+r", "search", show=False, priority=True),
        Binding("tab", "complete", show=False, priority=True),
        Binding("shift+tab", "complete(-1)", show=False, priority=True),
    ]

    def __init__(
        self,
        history: Sequence[str],
        complete: Complete,
        check: Callable[[str], str],
        text: str = "",
        error: str = "",
    ) -> None:
        """`history` has the oldest line first; `check` returns what is wrong with a line, or nothing."""
        super().__init__()
        self._history, self._complete, self._check = history, complete, check
        self._text, self._error = text, error
        self._at = len(history)
        self._typed = text
        """The text that was there before history was looked through."""
        self._query: str | None = None
        self._candidates: tuple[int, Sequence[str], int] | None = None
        """While Tab goes through candidates: where the word starts, the candidates, and which is in the line."""
        self._set = text
        """The text that history or completion has put into the line."""

    def compose(self) -> ComposeResult:
        """The input, and below it an error or candidates."""
        with Vertical():
            yield Input(self._text, select_on_focus=False)
            yield Static()

    def on_mount(self) -> None:
        """Show the error that the line came back with."""
        self._say(self._error, error=True)

    def on_resize(self) -> None:
        """Name as many keys as fit."""
        frame = self.query_one(Vertical)
        frame.border_title = Content(f" {fitting(_HINTS, self.size.width - 4)} ")

    def _say(self, text: str, *, error: bool = False) -> None:
        below = self.query_one(Static)
        below.update(Content(text))
        below.set_class(error, "-error")
        below.display = bool(text)

    def _put(self, text: str) -> None:
        line = self.query_one(Input)
        self._set = line.value = text
        line.cursor_position = len(text)

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        """The user has typed: what Tab and Ctrl+R go through starts anew."""
        if event.value != self._set:
            self._set = ""
            self._query = self._candidates = None
            self._at, self._typed = len(self._history), event.value
            self._say("")

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        """Close with the line, unless something is wrong with it."""
        if error := self._check(event.value) if event.value.strip() else "":
            self._say(error, error=True)
        else:
            self.dismiss(event.value)

    def action_cancel(self) -> None:
        """Close without a line."""
        self.dismiss(None)

    def action_older(self) -> None:
        """The line before in history."""
        self._go(-1)

    def action_newer(self) -> None:
        """The line after it, and at the end the one that was typed."""
        self._go(1)

    def _go(self, step: int) -> None:
        at = self._at + step
        if 0 <= at <= len(self._history):
            self._at = at
            self._put(self._history[at] if at < len(self._history) else self._typed)

    def action_search(self) -> None:
        """The line before in history that contains what was typed."""
        if self._query is None:
            self._query, self._at = self.query_one(Input).value, len(self._history)
        query = self._query
        at = next((at for at in range(self._at - 1, -1, -1) if query in self._history[at]), None)
        if at is None:
            self._say(f"no {'older ' * (self._at < len(self._history))}line has {query!a}")
            return
        self._at = at
        self._put(self._history[at])
        self._say(f"history: {query}")

    def action_complete(self, step: int = 1) -> None:
        """Complete the word before the cursor as far as it is certain; further presses go through the candidates."""
        line = self.query_one(Input)
        if self._candidates is not None:
            start, candidates, at = self._candidates
            at = (at + step) % len(candidates) if at >= 0 else (0 if step > 0 else len(candidates) - 1)
            self._candidates = start, candidates, at
            self._put(line.value[:start] + candidates[at])
            return
        text, rest = line.value[: line.cursor_position], line.value[line.cursor_position :]
        start, candidates = self._complete(text)
        if not candidates:
            self._say("nothing completes this")
        elif len(candidates) == 1:
            found = candidates[0] if candidates[0].endswith("/") else f"{candidates[0]} "
            self._put(f"{text[:start]}{found}{rest.lstrip()}")
            line.cursor_position = start + len(found)
        else:
            self._offer(text, start, candidates)

    def _offer(self, text: str, start: int, candidates: Sequence[str]) -> None:
        common = _common(candidates)
        if len(common) > len(text) - start:
            self._put(text[:start] + common)
        else:
            self._candidates = start, candidates, -1
            self._set = self.query_one(Input).value
        more = f"  and {len(candidates) - SHOWN} more" if len(candidates) > SHOWN else ""
        self._say("  ".join(candidates[:SHOWN]) + more)


def _common(candidates: Sequence[str]) -> str:
    """What all candidates begin with."""
    first, last = min(candidates), max(candidates)
    return next((first[:at] for at, letter in enumerate(first) if letter != last[at : at + 1]), first)
