"""Panes that were restored without their programs: what each offers to run, and whether its old text has arrived."""

import os
from typing import Final, Literal, TypeAlias

from msgspec import Struct, field

from fugue_tui.sanitize import clean
from fugue_tui.terminal.banner import write_end_line
from fugue_tui.terminal.emulator.protocol import Emulator
from fugue_tui.workspace.save_model import SavedPane

Rerun: TypeAlias = Literal["shells", "all", "never"]
"""Which programs run again without a key press: `[session] rerun`."""
_NOTICE: Final = 2_000
"""Characters of a line of Fugue's own; a command, which is cut with a note on how much, fits."""


class RerunOffer(Struct, frozen=True):
    """What a restored pane can run."""

    argv: tuple[str, ...] | None = None
    """What Enter runs once instead of the pane's own program; None for its own."""
    words: str = ""
    """The command shown to the user: untrusted; empty for a shell."""
    shell: bool = False
    """Whether Escape starts the pane's own shell instead."""
    notes: tuple[str, ...] = ()
    """Further lines about the pane for the user: untrusted."""
    starts: bool = False
    """Whether it runs without a key press once the old text has arrived."""
    seen: SavedPane = field(default_factory=SavedPane)
    """What was saved of the pane, and is saved again while it waits."""

    @property
    def calls(self) -> tuple[str, ...]:
        """The key hints for the user, one per line."""
        again = f"press Enter to run again: {self.words}" if self.words else "press Enter to start a shell"
        return (again, "press Escape to start only a shell") if self.shell else (again,)


class RestoredPane(Struct):
    """A pane that waits for its program to be started. Main thread only."""

    offer: RerunOffer
    pending: bool = True
    """Whether its old text has not arrived yet."""
    start_requested: bool = False
    """Whether it starts as soon as its old text has arrived."""
    shell_only: bool = False
    """Whether only the pane's own shell was requested."""


def write_notice(emulator: Emulator, text: str) -> None:
    """Write a dim line of Fugue's own below an emulator's text; a long one wraps."""
    text = clean(text, _NOTICE)
    if len(text) + 6 <= emulator.size.cols:
        write_end_line(emulator, text)
        return
    line_break = "\r\n" if emulator.caret[0] else ""
    emulator.feed(f"{line_break}\x1b[0;2m{text}\x1b[0m\r\n".encode())


def nearest_directory(directory: str) -> str:
    """The directory, or its nearest accessible parent, or the home directory; empty stays empty."""
    if not directory:
        return ""
    path = os.path.abspath(directory)
    while not (os.path.isdir(path) and os.access(path, os.X_OK)):
        parent = os.path.dirname(path)
        if parent in (path, "/"):
            return os.path.expanduser("~") if os.path.isdir(os.path.expanduser("~")) else "/"
        path = parent
    return path
