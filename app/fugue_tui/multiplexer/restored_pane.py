"""Panes that wait: what each would run, what it is told under its old text, and whether that text is there yet."""

import os
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from fugue_tui.sanitize import clean
from fugue_tui.terminal.banner import epitaph
from fugue_tui.terminal.emulator.protocol import Emulator
from fugue_tui.workspace.save_model import SavedPane

Rerun: TypeAlias = Literal["shells", "all", "never"]
"""What runs again by itself: `[session] rerun`."""


@dataclass(frozen=True, slots=True)
class RerunOffer:
    """What a pane that waits would run."""

    argv: tuple[str, ...] | None = None
    """What Enter runs instead of the pane's own program, once; None for its own."""
    words: str = ""
    """What is said to be run: untrusted text; empty for a shell."""
    shell: bool = False
    """Whether Escape starts the pane's own shell in its stead."""
    told: tuple[str, ...] = ()
    """What else the person should know of the pane, a line each: untrusted text."""
    starts: bool = False
    """Whether it starts by itself once its old text is there."""
    seen: SavedPane = field(default_factory=SavedPane)
    """What was saved of the pane: as long as it waits, that is what there is to save."""

    @property
    def calls(self) -> tuple[str, ...]:
        """What the keys do, for people, a line each."""
        again = f"press Enter to run again: {self.words}" if self.words else "press Enter to start a shell"
        return (again, "press Escape to start only a shell") if self.shell else (again,)


@dataclass(slots=True)
class RestoredPane:
    """A pane that waits. Main thread only."""

    offer: RerunOffer
    pending: bool = True
    """Whether its old text is still to come."""
    wanted: bool = False
    """Whether it is to start as soon as its old text is there."""
    shell: bool = False
    """Whether only the pane's own shell is wanted."""


def tell(emulator: Emulator, words: str) -> None:
    """Write a dim line of Fugue's own below what an emulator shows; words that are too long for it go on below."""
    words = clean(words)
    if len(words) + 6 <= emulator.size.cols:
        epitaph(emulator, words)
        return
    fresh = "\r\n" if emulator.caret[0] else ""
    emulator.feed(f"{fresh}\x1b[0;2m{words}\x1b[0m\r\n".encode())


def nearest(directory: str) -> str:
    """The directory, or the nearest one above it that can be entered, or home; empty stays empty."""
    if not directory:
        return ""
    path = os.path.abspath(directory)
    while not (os.path.isdir(path) and os.access(path, os.X_OK)):
        above = os.path.dirname(path)
        if above in (path, "/"):
            return os.path.expanduser("~") if os.path.isdir(os.path.expanduser("~")) else "/"
        path = above
    return path
