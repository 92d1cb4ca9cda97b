"""The question whether an agent may do what it asks for."""

import time
from collections.abc import Callable, Sequence
from typing import Final

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.screen import ModalScreen
from textual.widgets import Label, Static

from fugue_tui_widgets.dialogs import GUARD_SECONDS, NARROW, SHORT, TypingGuard, fitting

DENY: Final = "deny"
"""The answer that stands first."""
DENY_ALL: Final = "deny all"
"""The answer of the Delete key, if it is offered: no to all requests of the caller."""
_STEPS: Final = {"up": -1, "shift+tab": -1, "down": 1, "tab": 1}
_PAGES: Final = {"pageup": -1, "pagedown": 1}
_ENDS: Final = {"home": -1, "end": 1}
_PART: Final = 8_000
"""Characters of the command that are laid out at a time: a megabyte would take seconds."""
_HINTS: Final = ("Enter answers", "Escape later", "↑ ↓ choose")
_AROUND, _LITTLE_AROUND = 9, 5
"""Rows of the dialog that are neither the command nor answers, and of the screen around it; on a screen of few rows."""


class Choice(Label):
    """One answer; a click gives it."""

    DEFAULT_CSS = """
    Choice { width: auto; max-width: 100%; padding: 0 1; color: $text-muted; }
    Choice.-chosen {
        background: $block-cursor-background; color: $block-cursor-foreground; text-style: $block-cursor-text-style;
    }
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
        """Notify the dialog."""
        self.post_message(self.Clicked(self.answer))


class ApprovalDialog(ModalScreen[str | None]):
    """Arrows choose and Enter answers; Escape leaves the question open (None). No letter answers, as a user who types
    while it opens would press one."""

    DEFAULT_CSS = """
    ApprovalDialog { align: center middle; background: $background 40%; }
    ApprovalDialog > Vertical {
        width: auto; min-width: 48; max-width: 90%; height: auto; max-height: 100%; padding: 1 3;
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
        *,
        denies_all: bool = False,
    ) -> None:
        """`choices` are (answer, words) pairs besides no; `more` is how many further questions wait; `guard` is for how
        many seconds after it opened no key answers; `denies_all` offers to deny all of the caller."""
        super().__init__()
        self.heading, self.command, self.more, self.asks = heading, command, more, title
        self.choices = [(DENY, "No"), *choices]
        if denies_all:
            self.choices.append((DENY_ALL, "No to all that it asks, for half a minute (Delete)"))
        self.chosen = 0
        self._part, self._parts = 0, max(1, -(-len(command) // _PART))
        self._guard = TypingGuard(guard, clock)

    def compose(self) -> ComposeResult:
        """Who asks for what, and the answers."""
        with Vertical() as frame:
            frame.border_title = self._title()
            yield Label(Content(self.heading))
            with VerticalScroll(can_focus=False):
                yield Static(self._shown(), id="command")
            for answer, words in self.choices:
                yield Choice(answer, words)

    def on_mount(self) -> None:
        """Keep room for the answers however long the command is."""
        self._guard.start()
        self._fit(self.screen.size)
        self._show_chosen()

    def on_resize(self, event: events.Resize) -> None:
        """The same on another screen."""
        self._fit(event.size)

    def on_key(self, event: events.Key) -> None:
        """Choose or answer; keys of a user who types on answer nothing."""
        event.stop()
        event.prevent_default()
        if self._guard.ignores(known=event.key in (*_STEPS, *_PAGES, *_ENDS, *self._answers())):
            return
        if event.key in _PAGES:
            self._scroll(_PAGES[event.key])
        elif event.key in _ENDS:
            self._show_part(self._parts - 1 if event.key == "end" else 0, _ENDS[event.key])
        elif event.key in _STEPS:
            self.chosen = min(max(self.chosen + _STEPS[event.key], 0), len(self.choices) - 1)
            self._show_chosen()
        else:
            self.dismiss(self._answers()[event.key])

    def on_choice_clicked(self, message: Choice.Clicked) -> None:
        """A click answers too, once the dialog has been there for a moment."""
        if self._guard.left <= 0:
            self.dismiss(message.answer)

    def _scroll(self, pages: int) -> None:
        """Scroll the command by a page, at its end to the next part."""
        command, part = self.query_one(VerticalScroll), self._part + pages
        at_end = command.scroll_offset.y == (command.max_scroll_y if pages > 0 else 0)
        if at_end and 0 <= part < self._parts:
            self._show_part(part, -pages)
        else:
            command.scroll_relative(y=pages * command.size.height, animate=False)

    def _show_part(self, part: int, end: int) -> None:
        """Show the beginning of a part of the command, or with 1 its end."""
        self._part = part
        self.query_one("#command", Static).update(self._shown())
        self.query_one(Vertical).border_title = self._title()
        command = self.query_one(VerticalScroll)
        (command.scroll_end if end > 0 else command.scroll_home)(animate=False)

    def _shown(self) -> Content:
        return Content(self.command[self._part * _PART : (self._part + 1) * _PART])

    def _title(self) -> Content:
        waiting = f", {self.more} more wait" if self.more else ""
        part = f", part {self._part + 1} of {self._parts} (PageDown, End)" if self._parts > 1 else ""
        return Content(f"{self.asks}{waiting}{part}")

    def _answers(self) -> dict[str, str | None]:
        """What keys answer."""
        denies_all = {"delete": DENY_ALL} if self.choices[-1][0] == DENY_ALL else {}
        return {"enter": self.choices[self.chosen][0], "escape": None, "ctrl+c": None} | denies_all

    def _show_chosen(self) -> None:
        for at, choice in enumerate(self.query(Choice)):
            choice.set_class(at == self.chosen, "-chosen")

    def _fit(self, size: Size) -> None:
        around = _AROUND if size.height >= SHORT[-1][0] else _LITTLE_AROUND
        self.query_one(Vertical).border_subtitle = Content(fitting(_HINTS, size.width - 4))
        self.query_one(VerticalScroll).styles.max_height = max(1, size.height - around - len(self.choices))
