"""The interface of the app that its parts use."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any, Protocol

from textual import events
from textual import geometry as textual_geometry
from textual.message import Message
from textual.screen import Screen

from fugue_tui.config.model import Config
from fugue_tui.control.dispatch.policy import Policy
from fugue_tui.control.keymap import Keymap
from fugue_tui.geometry import Size
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.tui.clients.client import AttachedClient
from fugue_tui.tui.clients.registry import ClientRegistry
from fugue_tui.tui.command_runner import CommandRunner
from fugue_tui.workspace.model import Window
from fugue_tui_widgets.pane_grid import PaneGrid
from fugue_tui_widgets.status_bar import StatusContent
from fugue_tui_widgets.terminal_view import TerminalView
from fugue_tui_widgets.which_key import Hint


@dataclass(frozen=True, slots=True)
class StatusText:
    """What the bar says besides the windows."""

    hint: str
    """What keys do now."""
    mode: str
    """The same in a word or two; empty if they are the program's."""
    alert: str
    """A message; empty for none."""
    marks: Callable[[Window], str]
    """What stands behind a window's name."""


class AppContext(Protocol):
    """The app, as its parts see it. Main thread only."""

    mux: Multiplexer
    settings: Config
    commands: CommandRunner
    grid: PaneGrid
    """The container of the panes."""

    @property
    def size(self) -> textual_geometry.Size:
        """The size of the screen, as Textual has it."""
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
        """The view of the pane that receives the user's keys."""
        ...

    def alert(self, text: str) -> None:
        """Show a message in the status bar for a while."""
        ...

    def inform(self, text: str) -> None:
        """Show a message in the status bar for a while, after earlier ones and not before a client is attached."""
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

    def update_status(self) -> None:
        """Titles or states may have changed."""
        ...

    def output_arrived(self) -> None:
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

    def run_words(self, said: list[str] | str) -> None:
        """Run a command line."""
        ...

    def command_line(self, text: str = "") -> None:
        """Open the prompt for a command line, with this text in it."""
        ...

    def starts_command(self, event: events.Key, viewer: AttachedClient) -> bool:
        """Whether a key is a prefix at a client."""
        ...

    def cancel_commands(self) -> None:
        """Cancel the pending commands."""
        ...

    def open_dialog(self, screen: Screen[Any], answered: Any = None) -> None:
        """Push a dialog; `answered` gets its result."""
        ...

    def leave(self, status: int = 0) -> None:
        """End the program with an exit status."""
        ...

    @property
    def ready(self) -> bool:
        """Whether there is a screen to draw on."""
        ...

    def show_status(self, content: StatusContent) -> None:
        """Update the status bar."""
        ...

    def status_text(self) -> StatusText:
        """What the status bar shows besides the windows."""
        ...

    def apply_config(self, config: Config, keys: Keymap, policy: Policy) -> None:
        """Apply another configuration."""
        ...

    # Attached clients

    @property
    def shown_size(self) -> Size | None:
        """The size that the screen is laid out for; None before there is a screen."""
        ...

    def pause_rendering(self) -> None:
        """Lay out and draw nothing until `resume_rendering`."""
        ...

    def resume_rendering(self, *, overdue: bool) -> None:
        """Lay out and draw again: what is overdue at once, unless it will be laid out anew."""
        ...

    def synchronize(self, known: bool) -> None:
        """Whether output may be synchronized."""
        ...

    def host_colour(self, foreground: bool, colour: tuple[int, int, int]) -> None:
        """The default colours of the terminal that was used last."""
        ...

    def client_attached(self, viewer: AttachedClient) -> None:
        """A client has attached."""
        ...

    def client_detached(self, viewer: AttachedClient) -> None:
        """A client has detached."""
        ...


class ScreenDriver(Protocol):
    """Textual's driver. Main thread only."""

    def lay_out(self, size: Size, *, at_once: bool = False) -> None:
        """Have the screen laid out for another size."""
        ...

    def deliver(self, viewer: AttachedClient, message: Message) -> None:
        """Hand a message of a client to the app."""
        ...
