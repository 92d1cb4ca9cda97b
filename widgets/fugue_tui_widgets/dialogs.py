"""Dialogs: a yes-or-no question, a line of text, a page to read, a list to choose from."""

import time
from collections.abc import Callable, Sequence
from typing import ClassVar, Final

from rich.cells import cell_len
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Input, Label, OptionList, Static
from textual.widgets.option_list import Option

NARROW: Final[list[tuple[int, str]]] = [(0, "-narrow"), (60, "-wide")]
"""The classes of a dialog by the columns of its screen."""
SHORT: Final[list[tuple[int, str]]] = [(0, "-short"), (16, "-high")]
"""The classes of a dialog by the rows of its screen."""

GUARD_SECONDS: Final = 0.3
"""How long after a dialog opened by itself, and after any key that does nothing in it, a key answers nothing: it was
meant for a program."""


class TypingGuard:
    """Tells answers from what a user types on for a program while a dialog opens by itself."""

    def __init__(self, seconds: float = GUARD_SECONDS, clock: Callable[[], float] = time.monotonic) -> None:
        """`seconds` is how long after it is shown no key answers."""
        self._seconds, self._clock = seconds, clock
        self._until = float("inf")

    def start(self) -> None:
        """The dialog is shown from now on."""
        self._until = self._clock() + self._seconds

    @property
    def left(self) -> float:
        """For how many seconds more what is pressed was meant for a program; 0 or less: an answer is one."""
        return self._until - self._clock()

    def ignores(self, *, known: bool) -> bool:
        """Whether a key does nothing: one that is not `known`, or was meant for a program, as are those right after."""
        ignored = self.left > 0 or not known
        if ignored:
            self._until = max(self._until, self._clock() + GUARD_SECONDS)
        return ignored


def leaves(event: events.Click, frame: Widget) -> bool:
    """Whether a click is beside the frame of a dialog, or on its lower border, which says how to leave."""
    region = frame.region
    return not region.contains(event.screen_x, event.screen_y) or event.screen_y == region.bottom - 1


def fitting(hints: Sequence[str], width: int) -> str:
    """As many hints as fit into so many cells, the first ones."""
    line = " · ".join(hint_lines(hints, width)[0]) if hints else ""
    return line if cell_len(line) <= width else ""


def hint_lines(hints: Sequence[str], width: int) -> list[list[str]]:
    """All hints on lines of so many cells, none of them cut in two."""
    lines, used = list[list[str]](), width
    for hint in hints:
        longer = used + cell_len(f" · {hint}")
        if longer > width:
            lines.append([])
            longer = cell_len(hint)
        lines[-1].append(hint)
        used = longer
    return lines


class Answer(Label):
    """A key and what it answers; a click gives the same answer."""

    DEFAULT_CSS = """
    Answer { width: auto; max-width: 100%; margin-right: 3; }
    Answer:hover { text-style: underline; }
    """

    class Clicked(Message):
        """It was clicked."""

        def __init__(self, answer: bool) -> None:
            super().__init__()
            self.answer = answer

    def __init__(self, text: str, answer: bool) -> None:
        key, _, words = text.partition(" ")
        super().__init__(Content.assemble((f" {key} ", "bold reverse"), f" {words}"))
        self.answer = answer

    def on_click(self) -> None:
        """Post the answer to the dialog."""
        self.post_message(self.Clicked(self.answer))


class YesOrNo(ModalScreen[bool]):
    """A dialog in a `Vertical` with two `Answer`s; a click beside it is the negative one."""

    HORIZONTAL_BREAKPOINTS = NARROW
    VERTICAL_BREAKPOINTS = SHORT

    def on_answer_clicked(self, message: Answer.Clicked) -> None:
        """A click is an answer too."""
        self.action_answer(message.answer)

    def on_click(self, event: events.Click) -> None:
        """A click beside it is the negative answer."""
        if not self.query_one(Vertical).region.contains(event.screen_x, event.screen_y):
            self.action_answer(False)

    def action_answer(self, answer: bool) -> None:
        """Close with the answer."""
        self.dismiss(answer)


class Confirm(YesOrNo):
    """Asks one yes-or-no question; Escape, Enter and every key but `y` mean no."""

    DEFAULT_CSS = """
    Confirm {
        align: center middle; background: $background 40%;
        & > Vertical {
            width: auto; max-width: 90%; height: auto; padding: 1 3; background: $surface; border: heavy $warning;
        }
        VerticalScroll { width: auto; max-width: 100%; height: auto; max-height: 50vh; scrollbar-size-vertical: 1; }
        Label { width: auto; max-width: 100%; }
        Horizontal { width: auto; height: auto; margin-top: 1; }
        &.-narrow > Vertical { max-width: 100%; padding: 1 1; }
        &.-short > Vertical { padding: 0 1; }
        &.-short Horizontal { margin-top: 0; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y,Y", "answer(True)", "Yes"),
        Binding("n,N,escape,enter,q,ctrl+c", "answer(False)", "No"),
    ]

    def __init__(self, question: str) -> None:
        super().__init__()
        self.question = question

    def compose(self) -> ComposeResult:
        """The question and the two answers."""
        with Vertical():
            with VerticalScroll(can_focus=False):
                yield Label(Content(self.question))
            with Horizontal():
                yield Answer("y yes", True)
                yield Answer("n no", False)


class Ask(ModalScreen[str | None]):
    """Asks for a line of text at the bottom of the screen; Escape gives None."""

    DEFAULT_CSS = """
    Ask { align: left bottom; background: $background 0%; }
    Ask > Vertical { height: auto; background: $surface; border-top: heavy $primary; border-title-color: $primary; }
    Ask Input { border: none; height: 1; padding: 0 1; background: $surface; }
    Ask Input:focus { border: none; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,ctrl+c", "cancel", "Cancel", priority=True)]

    def __init__(self, title: str, text: str = "") -> None:
        super().__init__()
        self.heading = title
        self.text = text

    def compose(self) -> ComposeResult:
        """The title and the input."""
        with Vertical() as frame:
            frame.border_title = Content(f" {self.heading} · Escape cancels ")
            yield Input(self.text, select_on_focus=False)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Close with the text."""
        self.dismiss(event.value)

    def on_click(self, event: events.Click) -> None:
        """A click beside it cancels."""
        if not self.query_one(Vertical).region.contains(event.screen_x, event.screen_y):
            self.dismiss(None)

    def action_cancel(self) -> None:
        """Close without an answer."""
        self.dismiss(None)


class Page(ModalScreen[None]):
    """A page of text to scroll through; any of Escape, q and Enter closes it."""

    DEFAULT_CSS = """
    Page { align: center middle; background: $background 40%; }
    Page > VerticalScroll {
        width: 90%; max-width: 110; height: 90%; padding: 0 2; background: $surface; scrollbar-size-vertical: 1;
        border: heavy $primary; border-title-color: $primary; border-subtitle-color: $text-muted;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,enter,question_mark,ctrl+c", "close", "Close"),
        Binding("j", "scroll(1)", show=False),
        Binding("k", "scroll(-1)", show=False),
    ]

    def __init__(self, title: str, text: Content) -> None:
        super().__init__()
        self.heading = title
        self.text = text

    def compose(self) -> ComposeResult:
        """The text in a scrolling frame."""
        with VerticalScroll() as frame:
            frame.border_title = Content(self.heading)
            frame.border_subtitle = Content("Escape closes")
            yield Static(self.text)

    def on_click(self, event: events.Click) -> None:
        """Close where the frame says so, or beside it."""
        if leaves(event, self.query_one(VerticalScroll)):
            self.dismiss(None)

    def action_close(self) -> None:
        """Close the page."""
        self.dismiss(None)

    def action_scroll(self, lines: int) -> None:
        """Scroll by some lines."""
        self.query_one(VerticalScroll).scroll_relative(y=lines, animate=False)


class Choices(OptionList):
    """A list that is as high as its options, also where it has no column for their text."""

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """The rows for a width; Textual's wrapping fails without a column."""
        padding = self.get_component_styles("option-list--option").padding.width
        return super().get_content_height(container, viewport, max(width, padding + 1))


class Choose(ModalScreen[str | None]):
    """Offers a list to choose from; Escape gives None."""

    DEFAULT_CSS = """
    Choose { align: center middle; background: $background 40%; }
    Choose OptionList {
        width: 60; max-width: 96%; height: auto; max-height: 90%; padding: 0;
        background: $surface; scrollbar-size-vertical: 1;
        & > .option-list--option { padding: 0 1; }
    }
    Choose OptionList, Choose OptionList:focus {
        border: heavy $primary; border-title-color: $primary; border-subtitle-color: $text-muted;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,ctrl+c", "cancel", "Cancel"),
        Binding("j", "move(1)", show=False),
        Binding("k", "move(-1)", show=False),
    ]

    def __init__(self, title: str, choices: Sequence[tuple[str, str]], chosen: str = "") -> None:
        """`choices` are (answer, text) pairs; `chosen` is the answer that is highlighted at first."""
        super().__init__()
        self.heading = title
        self.choices = choices
        self.chosen = chosen

    def compose(self) -> ComposeResult:
        """The list."""
        options = Choices(*(Option(Content(text), id=f"choice-{at}") for at, (_, text) in enumerate(self.choices)))
        options.border_title = Content(self.heading)
        options.border_subtitle = Content("Enter chooses · Escape closes")
        yield options

    def on_mount(self) -> None:
        """Start at the present choice."""
        answers = [answer for answer, _ in self.choices]
        if self.chosen in answers:
            self.query_one(OptionList).highlighted = answers.index(self.chosen)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Close with the choice."""
        self.dismiss(self.choices[event.option_index][0])

    def on_click(self, event: events.Click) -> None:
        """Close where the frame says so, or beside it."""
        if leaves(event, self.query_one(OptionList)):
            self.dismiss(None)

    def on_key(self, event: events.Key) -> None:
        """A digit chooses the answer that it is."""
        if event.character is not None and event.character.isdecimal() and event.character in dict(self.choices):
            event.stop()
            self.dismiss(event.character)

    def action_move(self, step: int) -> None:
        """Move the highlight."""
        options = self.query_one(OptionList)
        options.action_cursor_down() if step > 0 else options.action_cursor_up()

    def action_cancel(self) -> None:
        """Close without a choice."""
        self.dismiss(None)
