"""The question whether an agent may do what it asks for."""

import time
from collections.abc import Callable, Sequence
from typing import Final

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.screen import ModalScreen
from textual.widgets import Label, Static

from fugue_tui_widgets.dialogs import NARROW, SHORT

DENY: Final = "deny"
"""The answer that stands first."""
GUARD_SECONDS: Final = 0.3
"""How long after it opened, and after any key that does nothing here, a key answers nothing: it was meant for a
program."""
_STEPS: Final = {"up": -1, "shift+tab": -1, "down": 1, "tab": 1}
_PAGES: Final = {"pageup": -1, "pagedown": 1}
_AROUND: Final = 9
"""Rows of the dialog that are neither the command nor answers, and of the screen around it."""


class Choice(Label):
    """One answer; a click gives it."""

    DEFAULT_CSS = """
    Choice { width: auto; max-width: 100%; padding: 0 1; color: $text-muted; }
    Choice.-chosen { background: $primary; color: $background; text-style: bold; }
    """

    class Clicked(Message):
        """It was clicked."""

        def __init__(self, answer: str) -> None:
            super().__init__()
            self.answer = answer

    def __init__(self, answer: str, words: str) -> None:
        super().__init__(Content(words))
        self.answer = answer

    def on_click(self) -> None:
        """Tell the dialog."""
        self.post_message(self.Clicked(self.answer))


class ApprovalDialog(ModalScreen[str | None]):
    """Arrows choose and Enter answers; Escape leaves the question open (None). No letter answers, as a user who types
    while it opens would press one."""

    DEFAULT_CSS = """
    ApprovalDialog { align: center middle; background: $background 40%; }
    ApprovalDialog > Vertical {
        width: auto; min-width: 44; max-width: 90%; height: auto; max-height: 100%; padding: 1 3;
        background: $surface; border: heavy $warning; border-title-color: $warning; border-subtitle-color: $text-muted;
    }
    ApprovalDialog VerticalScroll {
        width: auto; max-width: 100%; height: auto; margin: 1 0; padding: 0 2 0 0; scrollbar-size-vertical: 1;
    }
    ApprovalDialog Static, ApprovalDialog Label { width: auto; max-width: 100%; }
    ApprovalDialog #command { color: $foreground; text-style: bold; }
    ApprovalDialog.-narrow > Vertical { max-width: 100%; min-width: 0; padding: 1 1; }
    ApprovalDialog.-short > Vertical { padding: 0 1; }
    ApprovalDialog.-short VerticalScroll { margin: 0; }
    """
    HORIZONTAL_BREAKPOINTS = NARROW
    VERTICAL_BREAKPOINTS = SHORT

    def __init__(
        self,
        heading: str,
        command: str,
        choices: Sequence[tuple[str, str]],
        more: int = 0,
        guard: float = GUARD_SECONDS,
        clock: Callable[[], float] = time.monotonic,
        title: str = "an agent asks",
    ) -> None:
        """`choices` are (answer, words) pairs besides no; `more` is how many further questions wait; `guard` is for how
        many seconds after it opened no key answers."""
        super().__init__()
        self.heading, self.command, self.more, self.asks = heading, command, more, title
        self.choices = [(DENY, "No"), *choices]
        self.chosen = 0
        self._clock, self._guard = clock, guard
        self._ignored_at = clock()

    def compose(self) -> ComposeResult:
        """Who asks for what, and the answers."""
        with Vertical() as frame:
            waiting = f", {self.more} more wait" if self.more else ""
            frame.border_title = Content(f" {self.asks}{waiting} ")
            frame.border_subtitle = Content(" ↑↓ choose · Enter answers · Escape later ")
            yield Label(Content(self.heading))
            with VerticalScroll(can_focus=False):
                yield Static(Content(self.command), id="command")
            for answer, words in self.choices:
                yield Choice(answer, words)

    def on_mount(self) -> None:
        """Keep room for the answers however long the command is."""
        self._ignored_at = self._clock() + self._guard - GUARD_SECONDS
        self._fit(self.screen.size.height)
        self._show_chosen()

    def on_resize(self, event: events.Resize) -> None:
        """The same on another screen."""
        self._fit(event.size.height)

    def on_key(self, event: events.Key) -> None:
        """Choose or answer; keys of a user who types on answer nothing."""
        event.stop()
        event.prevent_default()
        now, typing = self._clock(), self._clock() - self._ignored_at < GUARD_SECONDS
        if typing or event.key not in (*_STEPS, *_PAGES, "enter", "escape"):
            self._ignored_at = now
        elif event.key in _PAGES:
            command = self.query_one(VerticalScroll)
            command.scroll_relative(y=_PAGES[event.key] * command.size.height, animate=False)
        elif event.key in _STEPS:
            self.chosen = min(max(self.chosen + _STEPS[event.key], 0), len(self.choices) - 1)
            self._show_chosen()
        else:
            self.dismiss(None if event.key == "escape" else self.choices[self.chosen][0])

    def on_choice_clicked(self, message: Choice.Clicked) -> None:
        """A click answers too, once the dialog has been there for a moment."""
        if self._clock() - self._ignored_at >= GUARD_SECONDS:
            self.dismiss(message.answer)

    def _show_chosen(self) -> None:
        for at, choice in enumerate(self.query(Choice)):
            choice.set_class(at == self.chosen, "-chosen")

    def _fit(self, rows: int) -> None:
        for command in self.query(VerticalScroll):
            command.styles.max_height = max(1, rows - _AROUND - len(self.choices))
