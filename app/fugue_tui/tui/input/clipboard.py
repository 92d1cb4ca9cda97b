"""The clipboard: what the user copies, and whether a program may write to it (OSC 52)."""

from typing import Final

from fugue_tui.control.core.confirmation import count
from fugue_tui.ids import PaneId
from fugue_tui.sanitize import clean_text
from fugue_tui.terminal.terminal import Terminal
from fugue_tui.tui.app_context import AppContext
from fugue_tui.tui.clients.client import AttachedClient

MOST_BYTES: Final = 500_000
"""A longer text is not put on a terminal's clipboard: terminals drop it, or hang over it."""


def begun(app: AppContext, terminal: Terminal) -> None:
    """The user selects in a terminal: selections in others are dropped."""
    for other in app.mux.terminals.values():
        if other is not terminal:
            other.copy_mode.deselect()


def copy(app: AppContext, text: str, viewer: AttachedClient | None) -> None:
    """Keep selected text for pasting, offer it to the terminal where it was selected, and say what is known of that.

    A terminal does not answer whether it took the text; some say beforehand that they have a clipboard."""
    text = clean_text(text, max(len(text), 1))
    if not text.strip():
        return  # An empty text would wipe the clipboard.
    fits = len(text.encode("utf-8", "replace")) <= MOST_BYTES
    app.copy_at(viewer if fits else None, text)
    taken = " to the clipboard" if fits and viewer is not None and viewer.abilities.clipboard else ""
    pastes = f"; {app.paste_keys} pastes" if app.paste_keys else ""
    app.alert(f"copied {count(len(text), 'character')}{_lines(text)}{taken}{pastes}")


def accepts_program_write(app: AppContext, pane: PaneId) -> bool:
    """Whether a program's clipboard write (OSC 52) is passed on: only that of the focused pane is."""
    return pane == app.mux.focused


def viewer_of(app: AppContext, number: int | None = None) -> AttachedClient | None:
    """An attached terminal by its number, or the one that was used last; None if there is none."""
    viewers = app.viewers
    if viewers is None:
        return None
    return next((each for each in viewers.all() if each.id == number), viewers.latest)


def _lines(text: str) -> str:
    lines = text.count("\n") + 1
    return f" in {count(lines, 'line')}" if lines > 1 else ""
