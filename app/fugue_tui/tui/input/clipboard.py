"""The clipboard: what the user copies."""

import asyncio
import shutil
import sys
import time
from collections.abc import Mapping
from typing import Final

from fugue_tui.attach_server.client import AttachedClient
from fugue_tui.control.core.confirmation import count
from fugue_tui.control.core.deferred import spawn
from fugue_tui.multiplexer.clipboard import Copied, CopySource
from fugue_tui.sanitize import clean_text
from fugue_tui.terminal.pty import run_program
from fugue_tui.terminal.terminal import Terminal
from fugue_tui.tui.app_context import AppContext

TOOL_SECONDS: Final = 2.0
"""How long a program that sets the clipboard may take."""
MOST_BYTES: Final = 500_000
"""A longer text is not sent to a terminal's clipboard: terminals drop it, or hang."""


def clear_other_selections(app: AppContext, terminal: Terminal) -> None:
    """Clear the selections of all terminals but one, in which the user starts to select."""
    for other in app.mux.terminals.values():
        if other is not terminal:
            other.copy_mode.deselect()


def copy(app: AppContext, text: str, terminal: Terminal | None, client: AttachedClient | None) -> None:
    """Keep text that was selected in a terminal for pasting and in a buffer, set a client's clipboard, alert the user.

    Terminals do not confirm that they set the clipboard (OSC 52); some report beforehand that they can (DA1). Where
    none did, and the client is on this machine, a program such as wl-copy sets it."""
    text = clean_text(text, max(len(text), 1))
    if not text.strip():
        return  # An empty text would wipe the clipboard.
    fits = len(text.encode("utf-8", "replace")) <= MOST_BYTES
    app.copy(text, client if fits else None)
    pane = next((pane for pane, each in app.mux.terminals.items() if each is terminal), None)
    if pane is not None and terminal is not None and not terminal.hides_input:
        app.mux.clipboard.add(Copied(text, CopySource.SELECTION, pane, time.time()))
    pastes = f"; {app.paste_keys} pastes" if app.paste_keys else ""
    message = f"copied {count(len(text), 'character')}{_lines(text)}"
    if client is None or (client.capabilities.clipboard and fits):
        app.alert(f"{message}{'' if client is None else ' to the clipboard'}{pastes}")
    elif tool := clipboard_program(env := app.mux.client_environment.of_helpers()):
        spawn(_set_by(app, tool, env, text, message, pastes))
    elif fits:
        app.alert(f"{message}, clipboard not confirmed{pastes}")
    else:
        app.alert(f"{message}, too many for a clipboard{pastes}")


def clipboard_program(env: Mapping[str, str]) -> tuple[str, ...]:
    """The program that sets the clipboard of the desktop a terminal is on; empty over SSH, or if there is none."""
    if env.get("SSH_CONNECTION") or env.get("SSH_TTY"):
        return ()
    desktops = (
        (bool(env.get("WAYLAND_DISPLAY")), ("wl-copy",)),
        (bool(env.get("DISPLAY")), ("xclip", "-selection", "clipboard", "-in")),
        (bool(env.get("DISPLAY")), ("xsel", "--clipboard", "--input")),
        (sys.platform == "darwin", ("pbcopy",)),
    )
    return next((argv for there, argv in desktops if there and shutil.which(argv[0], path=env.get("PATH"))), ())


async def _set_by(
    app: AppContext, tool: tuple[str, ...], env: Mapping[str, str], text: str, message: str, pastes: str
) -> None:
    """Set the clipboard by a program, and show the user whether that succeeded."""
    try:
        done = await asyncio.to_thread(run_program.run, tool, env=env, seconds=TOOL_SECONDS, given=text) is not None
    except OSError:
        done = False
    app.alert(f"{message} to the clipboard{pastes}" if done else f"{message}, clipboard not confirmed{pastes}")


def client_of(app: AppContext, number: int | None = None) -> AttachedClient | None:
    """A client by its number, or the one that was used last; None if none is attached."""
    return next((client for client in app.clients.all() if client.id == number), app.clients.latest)


def _lines(text: str) -> str:
    lines = text.count("\n") + 1
    return f" in {count(lines, 'line')}" if lines > 1 else ""
