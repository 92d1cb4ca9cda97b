"""The question at the start: whether to restore the saved workspace."""

import time
from collections.abc import Callable, Sequence
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Vertical, VerticalScroll
from textual.content import Content
from textual.geometry import Size
from textual.screen import ModalScreen
from textual.widgets import Label, Static

from fugue_tui_widgets.dialogs import GUARD_SECONDS, NARROW, SHORT, Answer, TypingGuard

_AROUND, _LITTLE_AROUND = 10, 7
"""Rows of the dialog that are not windows, and of the screen around it; on a screen of few rows."""


class RestoreDialog(ModalScreen[bool | None]):
    """Shows what was saved: Enter restores it (True), Escape does not (False); other keys are refused in words, and
    so is what was typed before the answers appear, a moment after the dialog."""

    DEFAULT_CSS = """
    RestoreDialog { align: center middle; background: $background 40%; }
    RestoreDialog > Vertical {
        width: auto; min-width: 40; max-width: 90%; height: auto; max-height: 90%; padding: 1 3;
        background: $surface; border: heavy $primary; border-title-color: $primary;
        border-subtitle-color: $text-warning; border-subtitle-style: bold;
    }
    RestoreDialog VerticalScroll {
        height: auto; width: auto; max-width: 100%; margin: 1 0 0 0; padding: 0 2 0 0; scrollbar-size-vertical: 1;
    }
    RestoreDialog Label, RestoreDialog Static { width: auto; max-width: 100%; }
    RestoreDialog .fault { color: $text-warning; margin-top: 1; }
    RestoreDialog .choices { width: auto; height: auto; max-width: 100%; margin-top: 1; layout: horizontal; }
    RestoreDialog.-early .choices { visibility: hidden; }
    RestoreDialog.-narrow .choices { layout: vertical; }
    RestoreDialog.-narrow Answer { margin-right: 0; }
    RestoreDialog.-narrow > Vertical { max-width: 100%; min-width: 0; padding: 1 1; }
    RestoreDialog.-short > Vertical { max-height: 100%; padding: 0 1; }
    RestoreDialog.-short .choices, RestoreDialog.-short VerticalScroll, RestoreDialog.-short .fault { margin-top: 0; }
    """
    HORIZONTAL_BREAKPOINTS = NARROW
    VERTICAL_BREAKPOINTS = SHORT
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "answer(True)", "Bring it back"),
        Binding("escape,ctrl+c", "answer(False)", "Start fresh"),
        Binding("j,down", "scroll(1)", show=False),
        Binding("k,up", "scroll(-1)", show=False),
    ]

    def __init__(
        self,
        heading: str,
        windows: Sequence[tuple[str, str]],
        faults: Sequence[str] = (),
        guard: float = GUARD_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`windows` are (name, programs) pairs, a line each; `faults` are what would be missing; `guard` is how many
        seconds after it is shown the answers appear."""
        super().__init__(classes="-early")
        self.heading, self.windows, self.faults = heading, windows, faults
        self._guard = TypingGuard(guard, clock)

    def compose(self) -> ComposeResult:
        """The saved windows, and the two answers."""
        with Vertical() as frame:
            frame.border_title = Content("bring it back?")
            yield Label(Content(self.heading))
            with VerticalScroll(can_focus=False):
                yield Static(self._lines(self.size.width))
            if self.faults:
                yield Label(Content("\n".join(self.faults)), classes="fault")
            with Container(classes="choices"):
                yield Answer("Enter brings it back", True)
                yield Answer("Escape starts fresh and keeps it", False)

    def on_mount(self) -> None:
        """Keep room for the answers however many windows there are."""
        self._fit(self.screen.size)
        self.call_after_refresh(self._shown)

    def on_resize(self, event: events.Resize) -> None:
        """The same on another screen."""
        self._fit(event.size)

    def _shown(self) -> None:
        self._guard.start()
        self._offer()

    def _offer(self) -> None:
        """Show the answers once a key answers."""
        if (left := self._guard.left) > 0:
            self.set_timer(left, self._offer)
        else:
            self.remove_class("-early")

    def _fit(self, size: Size) -> None:
        rows = size.height
        self.query_one(VerticalScroll).query_one(Static).update(self._lines(size.width))
        self.query_one(VerticalScroll).styles.max_height = max(
            1, rows - (_AROUND if rows >= SHORT[-1][0] else _LITTLE_AROUND) - 2 * len(self.faults)
        )

    def _lines(self, cols: int) -> Content:
        """The windows, with their programs in a column where the screen has room for it."""
        most = 16 if cols >= NARROW[-1][0] else 0
        widest = min(max((len(name) for name, _ in self.windows), default=0), most)
        return Content("\n").join(
            Content(name.ljust(widest) + "  ") + Content.styled(programs, "$text-muted")
            for name, programs in self.windows
        )

    def on_key(self, event: events.Key) -> None:
        """Refuse what was meant for the shell behind it."""
        if self._guard.ignores(known=event.key in self._bindings.key_to_bindings):
            event.stop()
            event.prevent_default()
            self._refuse()

    def on_paste(self) -> None:
        """The same for a paste."""
        self._guard.ignores(known=False)
        self._refuse()

    def _refuse(self) -> None:
        self.query_one(Vertical).border_subtitle = Content("answer first: Enter or Escape")

    def on_answer_clicked(self, message: Answer.Clicked) -> None:
        """A click is an answer too."""
        self.action_answer(message.answer)

    def action_answer(self, answer: bool) -> None:
        """Close with the answer."""
        self.dismiss(answer)

    def action_scroll(self, lines: int) -> None:
        """Scroll by some lines."""
        self.query_one(VerticalScroll).scroll_relative(y=lines, animate=False)
