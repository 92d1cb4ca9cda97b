"""The clipboard: what the user copies."""

import time
from typing import Final

from fugue_tui.attach_server.client import AttachedClient
from fugue_tui.control.core.confirmation import count
from fugue_tui.multiplexer.clipboard import Copied, CopySource
from fugue_tui.sanitize import clean_text
from fugue_tui.terminal.terminal import Terminal
from fugue_tui.tui.app_context import AppContext

MOST_BYTES: Final = 500_000
"""A longer text is not sent to a terminal's clipboard: terminals drop it, or hang."""


def clear_other_selections(app: AppContext, terminal: Terminal) -> None:
    """Clear the selections of all terminals but one, in which the user starts to select."""
    for other in app.mux.terminals.values():
        if other is not terminal:
            other.copy_mode.deselect()


def copy(app: AppContext, text: str, terminal: Terminal | None, client: AttachedClient | None) -> None:
    """Keep text that was selected in a terminal for pasting and the history, set a client's clipboard, alert the user.

    Terminals do not confirm that they set the clipboard; some report beforehand that they can."""
    text = clean_text(text, max(len(text), 1))
    if not text.strip():
        return  # An empty text would wipe the clipboard.
    fits = len(text.encode("utf-8", "replace")) <= MOST_BYTES
    app.copy(text, client if fits else None)
    pane = next((pane for pane, each in app.mux.terminals.items() if each is terminal), None)
    if pane is not None and terminal is not None and not terminal.hides_input:
        app.mux.clipboard.add(Copied(text, CopySource.SELECTION, pane, time.time()))
    to_clipboard = " to the clipboard" if fits and client is not None and client.capabilities.clipboard else ""
    pastes = f"; {app.paste_keys} pastes" if app.paste_keys else ""
    app.alert(f"copied {count(len(text), 'character')}{_lines(text)}{to_clipboard}{pastes}")


def client_of(app: AppContext, number: int | None = None) -> AttachedClient | None:
    """A client by its number, or the one that was used last; None if none is attached."""
    return next((client for client in app.clients.all() if client.id == number), app.clients.latest)


def _lines(text: str) -> str:
    lines = text.count("\n") + 1
    return f" in {count(lines, 'line')}" if lines > 1 else ""
