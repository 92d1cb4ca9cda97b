"""What is known of a running pane besides its screen: bells, notices, prompts, and when a person typed last."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from fugue_tui.ids import PaneId
from fugue_tui.terminal.events import Bell, CommandFinished, Event, Notification, PromptMark
from fugue_tui.terminal.pty import Exit
from fugue_tui.terminal.terminal import Terminal

Post: TypeAlias = Callable[[Callable[[], None]], None]
"""Runs something on the main thread soon; may be called from any thread."""


@dataclass(frozen=True, slots=True)
class Started:
    """A program runs in the pane now: the pane is new, or its program was started again on a new terminal."""


@dataclass(frozen=True, slots=True)
class Ended:
    """The pane's program is over; the pane may stay, with its text."""

    exit: Exit


PaneEvent: TypeAlias = Event | Started | Ended
"""What may happen to a pane besides output."""


class Listening(Protocol):
    """Who hears about terminals, on the main thread."""

    def pane_changed(self, pane: PaneId, terminal: Terminal) -> None:
        """There is something to draw."""
        ...

    def pane_said(self, pane: PaneId, terminal: Terminal, event: Event) -> None:
        """The program said something besides text."""
        ...

    def pane_ended(self, pane: PaneId, terminal: Terminal, exit: Exit) -> None:
        """The program is over."""
        ...


@dataclass(slots=True)
class PaneLive:
    """What a pane's program said since it was started; changed on the main thread only."""

    started_at: float
    """When the program was started, on the multiplexer's clock."""
    bells: int = 0
    """How often it rang."""
    notice: Notification | None = None
    """Its newest notification: untrusted text."""
    at_prompt: bool | None = None
    """Whether a shell waits for input; None if the program never marked its prompts (OSC 133)."""
    last_status: int | None = None
    """The exit status of the newest command that a marked shell ran."""
    typed_at: float | None = None
    """When a person typed last, on the multiplexer's clock; None if never."""

    def note(self, event: Event) -> None:
        """Take in what the program said."""
        match event:
            case Bell():
                self.bells += 1
            case Notification():
                self.notice = event
            case PromptMark(kind, exit_code):
                self.at_prompt = kind in ("A", "B")
                # Shells that Fugue set up tell at every prompt, also if nothing was run.
                self.last_status = exit_code if kind == "D" and not event.nonce else self.last_status
            case CommandFinished(command):
                self.last_status = command.exit_code
            case _:
                pass  # A title or a directory is the terminal's own to keep.


class Listener:
    """The watcher of one pane's terminal: takes each call from the pump's thread over to the main thread."""

    def __init__(self, pane: PaneId, post: Post, owner: "Listening") -> None:
        self._pane, self._post, self._owner = pane, post, owner

    def changed(self, terminal: Terminal) -> None:
        """There is something to draw."""
        self._post(lambda: self._owner.pane_changed(self._pane, terminal))

    def said(self, terminal: Terminal, event: Event) -> None:
        """The program said something besides text."""
        self._post(lambda: self._owner.pane_said(self._pane, terminal, event))

    def ended(self, terminal: Terminal, exit: Exit) -> None:
        """The program is over, and all its output was fed."""
        self._post(lambda: self._owner.pane_ended(self._pane, terminal, exit))
