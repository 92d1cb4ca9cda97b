"""The interface of the app that its parts use."""

from collections.abc import Callable
from typing import Any, Protocol

from textual import events
from textual import geometry as textual_geometry
from textual.screen import Screen

from fugue_tui.attach_server.all_clients import AllClients
from fugue_tui.attach_server.client import AttachedClient
from fugue_tui.attach_server.registry import ClientRegistry
from fugue_tui.attach_server.served_app import ServedApp
from fugue_tui.attach_server.server import AttachServer
from fugue_tui.config.model import Config
from fugue_tui.control.dispatch.dispatcher import Dispatcher
from fugue_tui.control.keymap import Binding, Keymap
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.terminal.input.keys import KeyPress
from fugue_tui.tui.commands import Commands
from fugue_tui.tui.status_updates import StatusUpdates
from fugue_tui_widgets.pane_grid import PaneGrid
from fugue_tui_widgets.terminal_view import TerminalView
from fugue_tui_widgets.which_key import Hint


class BindingRunner(Protocol):
    """Runs what keys are bound to."""

    def run(self, binding: Binding) -> None:
        """Run what a key is bound to."""
        ...


class StatusBars(Protocol):
    """Status bars and titles, of one view or all."""

    def request(self) -> None:
        """Titles or states may have changed: update."""
        ...

    def state_changed(self, pane: PaneId) -> None:
        """The state of a pane's agent has changed."""
        ...

    def words_changed(self, pane: PaneId) -> None:
        """What the agent in a pane says in its state has changed."""
        ...


class ServerContext(Protocol):
    """What there is once for all views, as services and views use it. Main thread only."""

    mux: Multiplexer
    settings: Config
    dispatcher: Dispatcher
    attach_server: AttachServer
    """Attaches clients."""
    clients: AllClients
    """The attached clients of all views; none in a headless app."""
    commands: Commands
    """Runs commands of the user outside of a view, as hooks do."""

    @property
    def status_updates(self) -> StatusBars:
        """The status bars and titles of all views."""
        ...

    def alert(self, text: str) -> None:
        """Show a message in the status bar of the view that acts, or was used last, for a while."""
        ...

    def warn(self, text: str) -> None:
        """Show in the status bar for a while what went wrong."""
        ...

    def inform(self, text: str, topic: str = "") -> None:
        """Show a message in the status bar of the view used last, after earlier ones and once a client shows it."""
        ...

    def push_screen(self, screen: Screen[Any], callback: Callable[[Any], None] | None = None) -> object:
        """Open a dialog in the view used last; `callback` gets its result."""
        ...

    def is_seen(self, pane: PaneId) -> bool:
        """Whether the user looks at a pane."""
        ...

    def rebuild(self) -> None:
        """Update the widgets of all views from the workspace."""
        ...

    def apply_config(self, config: Config, keys: Keymap) -> None:
        """Apply another configuration to all views."""
        ...


class AppContext(ServedApp, Protocol):
    """The app of a view, as its parts use it. Main thread only."""

    clients: ClientRegistry
    """The attached clients that show the view; none in a headless app."""

    @property
    def server(self) -> ServerContext:
        """What there is once for all views."""
        ...

    @property
    def is_latest(self) -> bool:
        """Whether this view was used last."""
        ...

    def driver_started(self) -> None:
        """There is a driver, and no screen yet."""
        ...

    commands: Commands
    """Runs commands of the user."""
    status_updates: StatusUpdates
    """Updates titles and status bar."""
    grid: PaneGrid
    """The container of the panes."""

    cursor_position: textual_geometry.Offset
    """Where Textual leaves the hosts' cursor, which input methods follow."""

    @property
    def actions(self) -> BindingRunner:
        """Runs the actions of keys."""
        ...

    # The screen

    @property
    def keys_pending(self) -> bool:
        """Whether the next key is not for a program, because of the prefix or copy mode."""
        ...

    @property
    def ready(self) -> bool:
        """Whether there is a screen to draw on."""
        ...

    @property
    def size(self) -> textual_geometry.Size:
        """The size of the screen."""
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
    def bare(self) -> bool:
        """Whether the panes are laid out and nothing covers them."""
        ...

    @property
    def is_outlined(self) -> bool:
        """Whether an outline moves over the panes."""
        ...

    @property
    def behind_seconds(self) -> float:
        """Minimum seconds between two frames of the panes behind a dialog; 0 if there is none."""
        ...

    @property
    def settled(self) -> bool:
        """Whether the panes are laid out and nothing but the status bar covers them."""
        ...

    @property
    def focused_view(self) -> TerminalView | None:
        """The view of the pane that receives the user's keys."""
        ...

    def show_as_text(self, *, text: bool) -> None:
        """Show the focused pane as text, if it runs no program, or again as the widget that it is."""
        ...

    def rebuild(self) -> None:
        """Update the widgets from the workspace."""
        ...

    def repaint(self) -> None:
        """Repaint the whole screen."""
        ...

    def push_screen(self, screen: Screen[Any], callback: Callable[[Any], None] | None = None) -> object:
        """Open a dialog; `callback` gets its result."""
        ...

    # The status bar and the panel of keys

    def alert(self, text: str) -> None:
        """Show a message in the status bar for a while."""
        ...

    def warn(self, text: str) -> None:
        """Show in the status bar for a while what went wrong."""
        ...

    def show_keys(self, hints: list[Hint]) -> None:
        """Open the panel of keys."""
        ...

    def turn_keys(self) -> bool:
        """Show the next page of the panel of keys; whether there are several."""
        ...

    def hide_keys(self) -> None:
        """Close the panel of keys."""
        ...

    # Input, commands and configuration

    @property
    def clipboard(self) -> str:
        """The text that was copied last in the app."""
        ...

    @property
    def paste_keys(self) -> str:
        """The keys that paste the copied text; empty if none do."""
        ...

    def copy(self, text: str, client: AttachedClient | None) -> None:
        """Keep a text for pasting, and set the clipboard of one client if it is still attached."""
        ...

    def is_prefix(self, client: AttachedClient, press: KeyPress) -> bool:
        """Whether a key is a prefix at a client."""
        ...

    def take_key(self, event: events.Key, client: AttachedClient | None = None) -> bool:
        """Whether the workspace or a program consumed the key."""
        ...

    def take_paste(self, event: events.Paste) -> bool:
        """Whether a program received the paste."""
        ...
