"""The app: shows the multiplexer's workspace, takes the person's keys, and lets every door in.

It decides nothing about panes: what a person does becomes a command, and the screen follows from the workspace.
"""

import asyncio
import gc
from collections.abc import Callable
from typing import Any, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.screen import Screen

from fugue_tui.client.host_terminal import HostTerminal
from fugue_tui.config.model import Config
from fugue_tui.control.dispatch.dispatcher import Dispatcher
from fugue_tui.control.dispatch.policy import Policy
from fugue_tui.control.keymap import Keymap
from fugue_tui.geometry import Size
from fugue_tui.layout.tree import Split
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.spawner import Launcher
from fugue_tui.terminal.input.keys import spell
from fugue_tui.tui.attach.manager import ClientManager
from fugue_tui.tui.clients.client import AttachedClient
from fugue_tui.tui.clients.handshake import Handshake
from fugue_tui.tui.commanding import CommandingApp
from fugue_tui.tui.config_reload import ConfigApplier
from fugue_tui.tui.driver import TerminalDriver
from fugue_tui.tui.input.key_dispatch import KeyDispatch
from fugue_tui.tui.main_thread_queue import MainThreadQueue
from fugue_tui.tui.render.scheduler import RenderScheduler
from fugue_tui.tui.ui import view_model
from fugue_tui.tui.ui.actions import Actions
from fugue_tui.tui.ui.pane_notifications import PaneNotifications
from fugue_tui.tui.ui.status_updates import StatusUpdater
from fugue_tui.tui.ui.view_model import StatusText, arrange
from fugue_tui.tui.workspace_screen import WorkspaceScreen
from fugue_tui.workspace.model import Window, Workspace
from fugue_tui_widgets.key_events import HostKey, press_of
from fugue_tui_widgets.pane_grid import PaneGrid
from fugue_tui_widgets.status_bar import StatusBar, StatusContent
from fugue_tui_widgets.terminal_view import TerminalView
from fugue_tui_widgets.which_key import Hint, WhichKey


class FugueApp(CommandingApp, inherit_bindings=False):
    """The full-screen workspace. Returns the exit status of the program."""

    CSS_PATH = "fugue.tcss"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = []
    TITLE = "fugue-tui"

    def __init__(
        self,
        mux: Multiplexer,
        dispatcher: Dispatcher,
        config: Config,
        mailbox: MainThreadQueue,
        host: HostTerminal | None,
        *,
        first: Handshake | None = None,
        lift: Callable[[], None] = lambda: None,
        launcher: Launcher | None = None,
    ) -> None:
        super().__init__(host, first, dispatcher, mailbox.post, self.news)
        self.mux = mux
        self.settings = config
        self.mailbox = mailbox
        self.outfit = ConfigApplier(self, config, launcher)
        self.keyboard = KeyDispatch(self, self.outfit.keymap, lambda binding: self.actions.bound(binding))
        self.actions = Actions(self, self.keyboard)
        self.when_shown: Callable[[], None] = lambda: None
        """Called once, when the workspace is on the screen."""
        self.grid = PaneGrid(id="grid")
        self._status = StatusBar(id="status")
        self._which_key = WhichKey(id="which-key")
        self._lift = lift
        self._frames: RenderScheduler | None = None
        self._news = StatusUpdater(self, self.call_later)
        self.happenings = PaneNotifications(self, ring=self.bell, copy=self.copy_to_clipboard)
        self._moving = True
        self._bar_covers = False
        """Whether the status bar has no row of its own: it covers the last one while it has something to say."""

    # What is where

    def get_default_screen(self) -> WorkspaceScreen:
        """The workspace."""
        return WorkspaceScreen(self, self.actions, self.keyboard)

    def compose(self) -> ComposeResult:
        """The panes, the status bar and the panel of keys."""
        yield self.grid
        yield self._status
        yield self._which_key

    @property
    def base(self) -> Screen[Any]:
        """The screen with the panes, whatever lies on top of it."""
        return self.screen_stack[0]

    @property
    def bare(self) -> bool:
        """Whether nothing lies on top of the panes and their places on the screen are settled."""
        return self.settled and not (self._status.display and self._bar_covers)

    @property
    def settled(self) -> bool:
        """Whether the panes are where they should be, and nothing but the status bar may lie on top of them."""
        return not self._moving and self.on_panes and not self._which_key.display

    @property
    def paste_keys(self) -> str:
        """The keys that paste what was copied; empty if none do."""
        return self.keyboard.pastes()

    @property
    def ready(self) -> bool:
        """Whether there is a screen to draw on."""
        return self._frames is not None and self.is_running

    @property
    def focused_view(self) -> TerminalView | None:
        """The view of the pane that the person's keys go to."""
        pane = self.mux.focused
        return self.grid.views.get(pane) if pane is not None else None

    # Life

    def on_mount(self) -> None:
        """Show what there is, and follow every change."""
        self._dress()
        self._lift()
        self._frames = RenderScheduler(self)
        self.outfit.tell()
        if self.gallery is not None:
            self.gallery.begin(self._frames)
            self.mux.clients = self.gallery.viewers
        asyncio.get_running_loop().set_exception_handler(self.failed)
        self.mailbox.attach()
        self.mux.layouts.title_rows = lambda window: int(view_model.shows_titles(self.mux, window, self.settings.ui))
        self.mux.line_style = lambda: self.settings.ui.dividers
        self.mux.on_change.connect(self._changed)
        self.mux.on_event.connect(self.happenings.take)
        self.mux.on_screen.connect(self._frames.want)
        self.mux.on_empty.connect(self.leave)
        self.base.screen_layout_refresh_signal.subscribe(self, self._settled)  # pyright: ignore[reportUnknownMemberType]
        self._fit(*self.size)
        self.rebuild()
        self.call_after_refresh(self._shown)
        self.outlives = self.gallery is not None

    def _shown(self) -> None:
        gc.collect()
        gc.freeze()  # What is loaded by now stays: later collections need not look at it, and are shorter.
        if self.mux.saver is not None:
            self.mux.saver.start()
        self.when_shown()
        self.outfit.begin()

    def wear(self, config: Config, keys: Keymap, policy: Policy) -> None:
        """Go by another configuration."""
        self.settings = config
        self.keyboard.keymap = keys
        self.dispatcher.policy = policy
        self._dress()
        self._fit(*self.size)
        self.rebuild()
        self.repaint()
        if self.viewers is not None:
            self.viewers.reconsider()

    def _dress(self) -> None:
        """The look that the configuration wants."""
        self.theme = self.settings.ui.theme
        self.animation_level = "full" if self.settings.ui.motion else "none"

    def on_resize(self, event: events.Resize) -> None:
        """The panes get the new room."""
        if self._frames is not None:
            self._moving = True
            self._fit(event.size.width, event.size.height)
            self.rebuild()

    def _fit(self, cols: int, rows: int) -> None:
        status = int(self.settings.ui.status and rows > 1)
        self._bar_covers = not status and rows > 1
        self._status.display = bool(status)
        self._status.set_class(self._bar_covers, "covering")
        self.mux.resize(Size(max(cols, 1), max(rows - status, 1)))

    # The terminals that show it

    def open_gallery(self, driver: TerminalDriver, size: Size) -> ClientManager:
        """Make what looks after the terminals."""
        self.gallery = ClientManager(self, driver, size)
        return self.gallery

    def rest(self) -> None:
        """Nobody looks: lay out and draw nothing."""
        super().rest()
        self.stirred()

    def rouse(self, *, overdue: bool) -> None:
        """Somebody looks: lay out and draw again, what is `overdue` at once."""
        self._news.show_status()
        super().rouse(overdue=overdue)

    def host_colour(self, foreground: bool, colour: tuple[int, int, int]) -> None:
        """Programs that ask for the default colours are told the host's own."""
        self.outfit.host_colour(foreground, colour)

    # Showing

    def rebuild(self) -> None:
        """Bring the widgets in line with the workspace."""
        self._moving = arrange(self, watched=self.watched) or self._moving
        self._refocus()
        self._news.show_status()
        if not self._moving and self._frames is not None:
            self._frames.place_cursor()

    def _refocus(self) -> None:
        view = self.focused_view
        if view is not None and self.base.focused is not view:
            self.base.set_focus(view, scroll_visible=False)

    def _settled(self, screen: Screen[Any]) -> None:
        """The compositor placed and painted everything anew."""
        self._moving = False
        if self._frames is not None:
            self._frames.settled()
            self._frames.displayed()

    def post_display_hook(self) -> None:
        """Textual wrote to the host, which moves its cursor."""
        if self._frames is not None:
            self._frames.displayed()
            if self.gallery is not None:
                self.gallery.displayed()

    def show_status(self, picture: StatusContent) -> None:
        """Bring the status bar up to date; one without a row of its own comes and goes."""
        self._status.show(picture)
        wanted = bool(picture.mode or picture.alert)
        if self._bar_covers and self._status.display != wanted:
            self._status.display = wanted
            self._moving = True

    def words(self) -> StatusText:
        """What the status bar says besides the windows."""
        return StatusText(self.keyboard.hint, self.keyboard.mode, self.alerts.text, self._marks)

    def _marks(self, window: Window) -> str:
        return ("Z" if window.zoomed and isinstance(window.layout, Split) else "") + (
            "!" if window.id in self.happenings.rung else ""
        )

    def news(self) -> None:
        """Titles or states may have changed: show them with the next turn of the loop."""
        self._news.come()

    def stirred(self) -> None:
        """Programs did something."""
        self._news.stirred()

    # The panel of keys

    def show_keys(self, hints: list[Hint]) -> None:
        """Open the panel of keys."""
        self._which_key.show(hints, *self.size, f"{spell(self.keyboard.keymap.prefix)} and then")

    def hide_keys(self) -> None:
        """Close the panel of keys."""
        if self._which_key.display:
            self._which_key.hide()
            self._moving = True

    def repaint(self) -> None:
        """Paint the whole screen anew."""
        self._moving = True
        self.base.refresh(layout=True)

    # What happens

    def _changed(self, old: Workspace, new: Workspace) -> None:
        self.happenings.rung.discard(new.active)
        if not self._moving and self._frames is not None:
            self._frames.place_cursor()  # A person who changes panes sees it before anything else is drawn.
        if self.viewers is not None and old.name != new.name:
            self.viewers.rename(new.name)
        if new.windows:
            self.rebuild()

    # What a person does

    def take_key(self, event: events.Key, viewer: AttachedClient | None = None) -> bool:
        """Whether the workspace or a program took the key; dialogs get theirs from Textual."""
        press, owner = press_of(event), viewer.id if viewer else 0
        if not self.on_panes or self._frames is None:
            self.keyboard.keep(press, owner)
            return False
        self._frames.hurry(self.mux.focused)
        if not self.keyboard.take(press, owner, viewer.prefixes if viewer else frozenset()):
            view = self.focused_view
            if view is not None and self.mux.focused is not None:
                if press.acts:
                    self.mux.human_input(self.mux.focused)
                view.press(press)
        return True

    def take_paste(self, event: events.Paste) -> bool:
        """Whether a program got the paste; dialogs get theirs from Textual."""
        view = self.focused_view
        if not self.on_panes or self._frames is None or view is None:
            return False
        self._frames.hurry(self.mux.focused)
        if self.mux.focused is not None:
            self.mux.human_input(self.mux.focused)
        view.paste(event.text)
        return True

    async def on_event(self, event: events.Event) -> None:
        """Keys that come by Textual's queue, because a dialog was open or from tests, go the way of the driver's."""
        if isinstance(event, events.Key) and not event.is_forwarded:
            owner = event.owner if isinstance(event, HostKey) else None
            if self.take_key(event, owner if isinstance(owner, AttachedClient) else None):
                return
        if isinstance(event, events.Paste) and self.on_panes and self.mux.focused is not None:
            self.mux.human_input(self.mux.focused)
        await super().on_event(event)
