"""The app: shows the multiplexer's workspace, takes the person's keys, and lets every door in.

It decides nothing about panes: what a person does becomes a command, and the screen follows from the workspace.
"""

import asyncio
import gc
import logging
from collections.abc import Callable
from typing import Any, ClassVar

from textual import events
from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.geometry import Offset
from textual.screen import Screen

from fugue_tui.config import Config
from fugue_tui.control.command import PERSON, Command, Origin
from fugue_tui.control.dispatch import Dispatcher
from fugue_tui.control.keymap import Keymap
from fugue_tui.control.later import is_later
from fugue_tui.control.policy import Policy
from fugue_tui.errors import FugueError
from fugue_tui.geometry import Size
from fugue_tui.host_terminal import HostTerminal
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.launch import Launcher
from fugue_tui.terminal.keys import spell
from fugue_tui.tui import scene
from fugue_tui.tui.actions import Actions
from fugue_tui.tui.alerts import Alerts
from fugue_tui.tui.driver import HostDriver
from fugue_tui.tui.errands import Errands
from fugue_tui.tui.frames import Frames
from fugue_tui.tui.happenings import Happenings
from fugue_tui.tui.keyboard import Keyboard
from fugue_tui.tui.mailbox import Mailbox
from fugue_tui.tui.outfit import Outfit
from fugue_tui.tui.workspace_screen import WorkspaceScreen
from fugue_tui.workspace.model import Window, Workspace
from fugue_tui_widgets.keys import press_of
from fugue_tui_widgets.pane_grid import PaneGrid
from fugue_tui_widgets.status_bar import StatusBar
from fugue_tui_widgets.terminal_view import TerminalView
from fugue_tui_widgets.which_key import Hint, WhichKey

logger = logging.getLogger(__name__)

LABEL_SECONDS = 1.0
"""How long after output the labels that follow the running programs are looked at."""


class FugueApp(App[int], inherit_bindings=False):
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
        mailbox: Mailbox,
        host: HostTerminal,
        *,
        lift: Callable[[], None] = lambda: None,
        launcher: Launcher | None = None,
    ) -> None:
        super().__init__(driver_class=HostDriver)
        self.host_terminal = host
        self.mux = mux
        self.dispatcher = dispatcher
        self.settings = config
        self.mailbox = mailbox
        self.outfit = Outfit(self, config, launcher)
        self.keyboard = Keyboard(self, self.outfit.keymap, lambda binding: self.actions.bound(binding))
        self.actions = Actions(self, self.keyboard)
        self.alerts = Alerts(self.news)
        self.errands = Errands(mailbox.post, self.alert, self._broke)
        self.when_shown: Callable[[], None] = lambda: None
        """Called once, when the workspace is on the screen."""
        self.grid = PaneGrid(id="grid")
        self._status = StatusBar(id="status")
        self._which_key = WhichKey(id="which-key")
        self._lift = lift
        self._frames: Frames | None = None
        self._news_due = False
        self._labels: asyncio.TimerHandle | None = None
        self.happenings = Happenings(self, ring=self.bell, copy=self.copy_to_clipboard)
        self._moving = True

    # What is where

    def get_default_screen(self) -> WorkspaceScreen:
        """The workspace."""
        return WorkspaceScreen(self, self.actions)

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
    def host_driver(self) -> HostDriver | None:
        """The driver, if it draws on a host terminal."""
        return self._driver if isinstance(self._driver, HostDriver) else None

    @property
    def knows_synchronized_output(self) -> bool:
        """Whether the host said that it knows mode 2026."""
        return self._sync_available

    @property
    def bare(self) -> bool:
        """Whether nothing lies on top of the panes and their places on the screen are settled."""
        return not self._moving and len(self.screen_stack) == 1 and not self._which_key.display

    @property
    def modal(self) -> bool:
        """Whether a dialog has the keyboard."""
        return len(self.screen_stack) > 1

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
        self._frames = Frames(self)
        asyncio.get_running_loop().set_exception_handler(self._failed)
        self.mailbox.attach()
        self.mux.title_rows = lambda window: int(scene.shows_titles(window, self.settings.ui))
        self.mux.on_change.connect(self._changed)
        self.mux.on_event.connect(self.happenings.take)
        self.mux.on_screen.connect(self._frames.want)
        self.mux.on_empty.connect(self.leave)
        self.base.screen_layout_refresh_signal.subscribe(self, self._settled)  # pyright: ignore[reportUnknownMemberType]
        self._fit(*self.size)
        self.rebuild()
        self.call_after_refresh(self._shown)

    def _shown(self) -> None:
        gc.collect()
        gc.freeze()  # What is loaded by now stays: later collections need not look at it, and are shorter.
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
        self._status.display = bool(status)
        self.mux.resize(Size(max(cols, 1), max(rows - status, 1)))

    def host_gone(self) -> None:
        """The host's terminal hung up: nothing can be shown any more, so the program ends."""
        self.leave(129)

    def leave(self, status: int = 0) -> None:
        """End the program with an exit status."""
        self.exit(status)

    def open_dialog(self, screen: Screen[Any], answered: Any = None) -> None:
        """Push a dialog; `answered` gets its result."""
        self.push_screen(screen, answered)

    def host_colour(self, foreground: bool, colour: tuple[int, int, int]) -> None:
        """Programs that ask for the default colours are told the host's own."""
        self.outfit.host_colour(foreground, colour)

    # Showing

    def rebuild(self) -> None:
        """Bring the widgets in line with the workspace."""
        views = {pane: self._view(pane) for pane in self.mux.terminals}
        fresh = any(pane not in self.grid.views for pane in views)
        self.grid.adopt(views)
        picture = scene.grid_picture(self.mux, self.settings.ui)
        if fresh or picture.solution != self.grid.picture.solution or picture.title_row != self.grid.picture.title_row:
            self._moving = True
            for pane in picture.solution.panes:
                views[pane].redraw()
        self.grid.show(picture)
        self._refocus()
        self._show_status()
        if not self._moving and self._frames is not None:
            self._frames.place_cursor()

    def _view(self, pane: PaneId) -> TerminalView:
        terminal = self.mux.terminals[pane]
        view = self.grid.views.get(pane)
        if view is None:
            return TerminalView(terminal, draws_cursor=self.host_driver is None)
        if view.live is not terminal:
            view.show(terminal)
        return view

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

    def cursor_at(self, x: int, y: int) -> None:
        """Let Textual leave the host's cursor where input methods look for it."""
        self.cursor_position = Offset(x, y)

    def _show_status(self) -> None:
        hint = self.keyboard.hint
        self._status.show(scene.status_picture(self.mux, hint, self.alerts.text, self._marks))

    def _marks(self, window: Window) -> str:
        return ("Z" if window.zoomed else "") + ("!" if window.id in self.happenings.rung else "")

    def news(self) -> None:
        """Titles or states may have changed: show them with the next turn of the loop."""
        if not self._news_due:
            self._news_due = True
            self.call_later(self._show_news)

    def _show_news(self) -> None:
        self._news_due = False
        if self._frames is not None and self.is_running:
            self.grid.show(scene.grid_picture(self.mux, self.settings.ui))
            self._show_status()

    def alert(self, text: str) -> None:
        """Show a message in the status bar for a while."""
        self.alerts.show(text)

    def stirred(self) -> None:
        """Programs did something: what runs where may be another soon, so look at the labels in a while."""
        if self._labels is None:
            self._labels = asyncio.get_running_loop().call_later(LABEL_SECONDS, self._relabel)

    def _relabel(self) -> None:
        self._labels = None
        self.news()
        if any([terminal.rest() for terminal in self.mux.terminals.values()]):  # noqa: C419  (each must be asked)
            self.stirred()

    # The panel of keys

    def show_keys(self, hints: list[Hint]) -> None:
        """Open the panel of keys."""
        self._which_key.show(hints, self.size.width, f"{spell(self.keyboard.keymap.prefix)} and then")

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

    def _failed(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """A callback broke: a bug is logged and told, and the panes live on."""
        self._broke(str(context.get("message")), context.get("exception"))

    def _broke(self, what: str, error: BaseException | None) -> None:
        """A bug came to light: log it, and tell the person."""
        logger.error("%s", what, exc_info=error)
        self.alert(f"internal error: {type(error).__name__ if error else what}; the log has the details")

    def _changed(self, old: Workspace, new: Workspace) -> None:
        self.happenings.rung.discard(new.active)
        if not self._moving and self._frames is not None:
            self._frames.place_cursor()  # A person who changes panes sees it before anything else is drawn.
        if new.windows:
            self.rebuild()

    # What a person does

    def take_key(self, event: events.Key) -> bool:
        """Whether the workspace or a program took the key; dialogs get theirs from Textual."""
        if self.modal or self._frames is None:
            return False
        self._frames.hurry(self.mux.focused)
        press = press_of(event)
        if not self.keyboard.take(press):
            view = self.focused_view
            if view is not None and self.mux.focused is not None:
                self.mux.human_input(self.mux.focused)
                view.press(press)
        return True

    async def on_event(self, event: events.Event) -> None:
        """Keys that come by Textual's queue (from tests, say) go the same way as the driver's."""
        if isinstance(event, events.Key) and not event.is_forwarded and self.take_key(event):
            return
        await super().on_event(event)

    def run_command(
        self, command: Command[Any], origin: Origin = PERSON, then: Callable[[Any], None] | None = None
    ) -> None:
        """Run a command for a person; `then` gets its result, now or later. What goes wrong is shown."""
        try:
            result = self.dispatcher.run(command, origin)
            if is_later(result):
                self.errands.follow(command, result, then or self.actions.told_by(command))
            elif then is not None:
                then(result)
        except FugueError as error:
            self.alert(str(error))
        except Exception as error:  # noqa: BLE001  (a border: a bug in a command must not end everyone's programs)
            self._broke("a person's command", error)

    def give_up(self) -> None:
        """End what a person asked for and still waits for."""
        if self.errands.give_up():
            self.news()

    def run_words(self, said: list[str] | str) -> None:
        """Run a command as it would be typed."""
        self.actions.run_words(said)

    def command_line(self, text: str = "") -> None:
        """Ask for a command, starting from a text."""
        self.actions.command_line(text)
