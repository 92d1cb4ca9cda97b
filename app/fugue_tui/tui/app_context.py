"""What the parts of the roof may ask of the app."""

from collections.abc import Callable, Collection
from typing import Any, Protocol

from textual.geometry import Size
from textual.screen import Screen

from fugue_tui.config.model import Config
from fugue_tui.control.core.command import Command, Origin
from fugue_tui.control.dispatch.policy import Policy
from fugue_tui.control.keymap import Keymap
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.tui.clients.client import AttachedClient
from fugue_tui.tui.clients.registry import ClientRegistry
from fugue_tui_widgets.pane_grid import PaneGrid
from fugue_tui_widgets.terminal_view import TerminalView
from fugue_tui_widgets.which_key import Hint


class AppContext(Protocol):
    """The app, as keyboard, actions, frames and palette see it. Main thread only."""

    mux: Multiplexer
    settings: Config
    grid: PaneGrid
    """The container of the panes."""

    @property
    def size(self) -> Size:
        """The host's size."""
        ...

    @property
    def clipboard(self) -> str:
        """What was copied last in the app."""
        ...

    @property
    def paste_keys(self) -> str:
        """The keys that paste what was copied; empty if none do."""
        ...

    @property
    def viewers(self) -> ClientRegistry | None:
        """The terminals that show this; None where Textual draws for itself, as in tests without a terminal."""
        ...

    @property
    def screen(self) -> Screen[Any]:
        """The screen on top: the panes, or a dialog."""
        ...

    @property
    def background_screens(self) -> list[Screen[Any]]:
        """The screens that show through the one on top; the list is the caller's."""
        ...

    @property
    def on_panes(self) -> bool:
        """Whether no dialog is open."""
        ...

    @property
    def knows_synchronized_output(self) -> bool:
        """Whether the host said that it knows mode 2026."""
        ...

    @property
    def bare(self) -> bool:
        """Whether nothing lies on top of the panes and their places on the screen are settled."""
        ...

    @property
    def settled(self) -> bool:
        """Whether the panes are where they should be, and nothing but the status bar may lie on top of them."""
        ...

    @property
    def focused_view(self) -> TerminalView | None:
        """The view of the pane that the person's keys go to."""
        ...

    def alert(self, text: str) -> None:
        """Show a message in the status bar for a while."""
        ...

    def inform(self, text: str) -> None:
        """Show a message in the status bar for a while, after those before it and not before somebody looks."""
        ...

    def copy_at(self, viewer: AttachedClient | None, text: str) -> None:
        """Put text on the clipboard of one attached terminal."""
        ...

    def changed(self, rows: Collection[int] | None = None) -> None:
        """What terminals show that are no mirrors is old: these rows of the screen and the cursor; None for all."""
        ...

    def rebuild(self) -> None:
        """Bring the widgets in line with the workspace."""
        ...

    def news(self) -> None:
        """Titles or states may have changed."""
        ...

    def stirred(self) -> None:
        """Programs did something."""
        ...

    def repaint(self) -> None:
        """Paint the whole screen anew."""
        ...

    def cursor_at(self, x: int, y: int) -> None:
        """Where the host's cursor is."""
        ...

    def show_keys(self, hints: list[Hint]) -> None:
        """Open the panel of keys."""
        ...

    def hide_keys(self) -> None:
        """Close the panel of keys."""
        ...

    def run_command(self, command: Command[Any], origin: Origin, then: Callable[[Any], None] | None = None) -> None:
        """Run a command for a person; `then` gets its result, now or later."""
        ...

    def give_up(self) -> None:
        """End what a person asked for and still waits for."""
        ...

    def open_dialog(self, screen: Screen[Any], answered: Any = None) -> None:
        """Push a dialog; `answered` gets its result."""
        ...

    def leave(self, status: int = 0) -> None:
        """End the program with an exit status."""
        ...


class ConfigTarget(Protocol):
    """The app, as the configuration sees it. Main thread only."""

    mux: Multiplexer

    def wear(self, config: Config, keys: Keymap, policy: Policy) -> None:
        """Go by another configuration."""
        ...

    def alert(self, text: str) -> None:
        """Show a message in the status bar for a while."""
        ...

    def inform(self, text: str) -> None:
        """Show a message in the status bar for a while, after those before it and not before somebody looks."""
        ...
