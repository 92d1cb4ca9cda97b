"""The app of a view: shows the workspace on the clients of the view, and turns their input into commands.

It decides nothing about panes: the screen follows from the workspace, which commands change.
"""

import asyncio
import logging
from collections.abc import Callable, Collection
from contextlib import ExitStack, suppress
from contextvars import Context, copy_context
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Final, ParamSpec, TextIO

from textual import constants, events
from textual._context import active_message_pump
from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.message import Message
from textual.screen import Screen

from fugue_tui.attach_server.client import AttachedClient, clipboard_sequence
from fugue_tui.attach_server.input.input_parser import HostEvent
from fugue_tui.attach_server.registry import ClientRegistry
from fugue_tui.config.model import Config
from fugue_tui.control.keymap import Action, Keymap
from fugue_tui.geometry import Size
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer.callbacks import CallbackList
from fugue_tui.multiplexer.views import View, current_view
from fugue_tui.terminal.input.keys import KeyPress, spell
from fugue_tui.tui.commands import Commands
from fugue_tui.tui.driver import TerminalDriver
from fugue_tui.tui.error_reporter import close_dialog_of
from fugue_tui.tui.input import synchronized_input
from fugue_tui.tui.input.key_bindings import KeyDispatch
from fugue_tui.tui.input.pane_keys import PaneKeys
from fugue_tui.tui.render import region_painter
from fugue_tui.tui.render.client_renderer import ClientRenderer
from fugue_tui.tui.render.compositor import compositor_of
from fugue_tui.tui.render.moving_outline import MovingOutline
from fugue_tui.tui.render.scheduler import RenderScheduler
from fugue_tui.tui.status_updates import StatusUpdates
from fugue_tui.tui.ui import themes, view_model
from fugue_tui.tui.ui.actions import Actions
from fugue_tui.tui.ui.animation import Animation
from fugue_tui.tui.ui.host_theme import HostTheme
from fugue_tui.tui.ui.messages import Messages
from fugue_tui.tui.ui.status_line import StatusLine
from fugue_tui.tui.ui.view_model import arrange
from fugue_tui.tui.view_server import ViewServer
from fugue_tui.tui.view_styles import ViewStyles
from fugue_tui.tui.workspace_screen import WorkspaceScreen
from fugue_tui.workspace.model import Workspace
from fugue_tui_widgets.key_events import HostKey
from fugue_tui_widgets.pane_grid import PaneGrid
from fugue_tui_widgets.terminal_view import TerminalView
from fugue_tui_widgets.which_key import Hint, WhichKey

if TYPE_CHECKING:
    from rich.console import RenderableType

    from fugue_tui.tui.ui.configuration import Configuration

logger = logging.getLogger(__name__)

P = ParamSpec("P")
_BEHIND_SECONDS: Final = 0.5
OPEN_SECONDS: Final = 1.0
"""How long the widgets of the first panes are waited for."""
REPLY_SECONDS: Final = 0.5
"""How long a terminal may take to report its colours."""


class FugueApp(App[int], inherit_bindings=False):
    """The full-screen workspace, as one view shows it. Returns the exit status of the program."""

    CSS_PATH = "fugue.tcss"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = []
    TITLE = "fugue-tui"

    def __init__(self, server: "ViewServer[FugueApp]", view: View) -> None:
        """`server` has what all views have in common."""
        constants.COLOR_SYSTEM = "truecolor"  # Mirrors show every colour, wherever this process was started.
        super().__init__(driver_class=TerminalDriver)
        self.stylesheet: ViewStyles = ViewStyles(variables=self.get_css_variables())
        self.server = server
        self.view = view
        self.mux = server.mux
        self.settings = server.settings
        self.dispatcher = server.dispatcher
        self.clients = ClientRegistry(self, server.clients)
        self.status_updates = StatusUpdates(
            self.mux,
            self.clients,
            lambda: self.call_later(self._update_status),
            self._update_states,
            lambda: self.behind_seconds,
            lambda: self._frames.held_until,
        )
        self.alerts = Messages(self.status_updates.request, lambda: self.clients.watched)
        self.errors = server.errors
        self.commands = Commands(
            self.dispatcher,
            post=lambda call: server.main_queue.post(lambda: self.enter(call)),
            alert=self.alert,
            warn=self.warn,
            report=self.errors.report,
            open_dialog=self.push_screen,
        )
        self.keyboard = KeyDispatch(self, server.config_applier.keymap, lambda binding: self.actions.run(binding))
        self._outline = MovingOutline(self, lambda client: self.animation.at(client))
        self.animation = Animation(self, self._outline, self._apply_animation)
        """Whether things are animated."""
        self.actions = Actions(
            self,
            self.keyboard,
            self.alerts,
            {
                Action.ANIMATION: self.animation.toggle,
                Action.CHOOSE_THEME: lambda: self._configuration.choose_theme(),
                Action.EDIT_CONFIG: lambda: self._configuration.edit(),
            },
        )
        self.grid = PaneGrid(id="grid")
        self.isolates_errors = False
        """Whether an internal error ends only the dialog it is in: true from the mount on, where clients attach."""
        self.opening = False
        """Whether clients are shown nothing yet, as the first panes have no widgets."""
        self._opened: asyncio.Task[None] | None = None
        self._seen = server.mux.workspace
        """The workspace as it was shown last."""
        self._adopted = False
        """Whether the view has the look of another, as its terminal has not replied yet."""
        self._context_of_view: Context | None = None
        self._when_mounted = list[Callable[[], object]]()
        self._connections = ExitStack()
        """Ends the subscriptions to the workspace."""
        self.host_theme = HostTheme(self, lambda: self.settings.ui.theme)
        """The theme in force."""
        self._status = StatusLine(self, self.keyboard, self.alerts, server.pane_notifications, server.window_monitor)
        self._which_key = WhichKey(id="which-key")
        self._renderer = ClientRenderer(self)
        self._frames = RenderScheduler(self, self._renderer)
        self._mounted = False
        self._paused = False
        self._is_switching = True
        self._pane_keys = PaneKeys(self, self.keyboard, self._outline.end, self._frames.render_soon)

    # The screen

    def get_default_screen(self) -> WorkspaceScreen:
        """The workspace."""
        return WorkspaceScreen(self, self.actions, self.keyboard)

    def compose(self) -> ComposeResult:
        """The panes, the status bar and the panel of keys."""
        yield self.grid
        yield self._status.bar
        yield self._which_key

    @property
    def base(self) -> Screen[Any]:
        """The screen with the panes, below any dialog."""
        return self.screen_stack[0]

    @property
    def bare(self) -> bool:
        """Whether the panes are laid out and nothing covers them."""
        return self.settled and not self._status.covers_panes

    @property
    def settled(self) -> bool:
        """Whether the panes are laid out and nothing but the status bar covers them."""
        return not self._is_switching and self.on_panes and not self._which_key.display

    @property
    def paste_keys(self) -> str:
        """The keys that paste the copied text; empty if none do."""
        return self.keyboard.pastes()

    @property
    def keys_pending(self) -> bool:
        """Whether the next key is not for a program, because of the prefix or copy mode."""
        return self.keyboard.pending

    @property
    def ready(self) -> bool:
        """Whether there is a screen to draw on."""
        return self._mounted and self.is_running

    @property
    def focused_view(self) -> TerminalView | None:
        """The view of the focused pane."""
        pane = self.mux.focused
        return self.grid.views.get(pane) if pane is not None else None

    @property
    def background_screens(self) -> list[Screen[Any]]:
        """The screens that show through the one on top."""
        return list(self._background_screens)  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]

    @property
    def is_dragging(self) -> bool:
        """Whether the user moves panes or borders by the mouse."""
        return self.actions.is_dragging

    @property
    def is_outlined(self) -> bool:
        """Whether an outline moves over the panes."""
        return self._outline.active

    @property
    def shows_images(self) -> bool:
        """Whether hosts show images, or will with the next frame."""
        return self._frames.shows_images

    @property
    def on_panes(self) -> bool:
        """Whether no dialog is open."""
        return len(self.screen_stack) == 1

    @property
    def behind_seconds(self) -> float:
        """Minimum seconds between two frames of the panes behind a dialog, for which the compositor draws the whole
        screen; 0 if there is none."""
        return 0.0 if len(self.screen_stack) <= 1 else getattr(self.screen, "BEHIND_SECONDS", _BEHIND_SECONDS)

    @property
    def shown_size(self) -> Size | None:
        """The size that the screen on top is laid out for; None before there is one."""
        if not self._is_mounted:
            return None
        size = compositor_of(self.screen).size
        return Size(size.width, size.height)

    # Start, configuration and end

    def on_load(self) -> None:
        """Everything that the app runs from now on is of its view."""
        current_view.set(self.view)
        self._context_of_view = copy_context()

    def adopt_look(self, other: "FugueApp") -> None:
        """Begin with the theme of another view, and with its style sheet, which takes longest to parse."""
        if (theme := other.get_theme(other.theme)) is not None:
            self.register_theme(theme)
        self.set_reactive(App.theme, other.theme)
        self.host_theme.host = other.host_theme.host
        self.stylesheet.adopt(other.stylesheet)
        self._adopted = True

    def print_to(self, file: TextIO) -> None:
        """Have what is printed go to a file, which Textual keeps for each app otherwise: apps begin and end in any
        order."""
        self._capture_stdout = self._capture_stderr = file  # pyright: ignore[reportAttributeAccessIssue]

    def enter(self, call: Callable[..., object], *args: object) -> None:
        """Run a call as part of the view, whatever is handled now."""
        if self.view.ended:
            return
        if self._context_of_view is None or current_view.get() is self.view:
            call(*args)
        else:
            self._context_of_view.copy().run(call, *args)

    def when_mounted(self, call: Callable[[], object]) -> None:
        """Run a call once there is a screen."""
        if self._mounted:
            self.enter(call)
        else:
            self._when_mounted.append(call)

    def driver_started(self) -> None:
        """There is a driver, and no screen yet."""
        self.opening = True
        self._begin_batch()
        self.server.driver_started(self)

    def on_mount(self) -> None:
        """Show the workspace, and subscribe to its changes."""
        self._apply_theme()
        self._mounted = True
        self._frames.start(headless=self.is_headless)
        self.server.start(self)
        self._connect(self.mux.on_change, self._changed)
        self._connect(self.mux.on_screen, self._frames.want)
        self._connect(self.mux.approvals.on_change, self.actions.approvals.changed)
        self.actions.agents.start()
        self.base.screen_layout_refresh_signal.subscribe(self, self._settled)  # pyright: ignore[reportUnknownMemberType]
        self._fit(*self.size)
        self._seen = self.mux.workspace
        self.rebuild()
        if self.opening:
            self._opened = asyncio.get_running_loop().create_task(self._open())
        else:
            self.call_after_refresh(self.server.shown)
        self.isolates_errors = not self.is_headless
        for call in self._when_mounted:
            call()
        if not self.is_headless:
            self.clients.regroup()

    async def _open(self) -> None:
        """Lay out and draw the first frame, once: when there is a widget for every pane."""
        base = self.base
        assert isinstance(base, WorkspaceScreen)
        with suppress(TimeoutError):
            async with asyncio.timeout(OPEN_SECONDS):
                await base.resumed.wait()
                for widget in (*self.grid.views.values(), *self.grid.contents.values()):
                    await widget._mounted_event.wait()  # pyright: ignore[reportPrivateUsage, reportUnknownMemberType]
        self.opening = False
        self._end_batch()
        if not self._batch_count:
            base.show(self.size)
        if self.screen is not base:
            self.screen.refresh()
        self.call_after_refresh(self.server.shown)

    def end(self) -> None:
        """The last terminal of the view has left."""
        self._connections.close()
        self.status_updates.end()
        if (view := self.focused_view) is not None:
            view.on_blur()
        self.exit(0)

    def _connect(self, callbacks: CallbackList[P], call: Callable[P, object]) -> None:
        """Subscribe a part of the view to something of the workspace."""

        def entered(*args: P.args, **kwargs: P.kwargs) -> None:
            self.enter(call, *args)

        self._connections.callback(callbacks.connect(entered))

    def apply_config(self, config: Config, keys: Keymap) -> None:
        """Apply another configuration."""
        self.settings = config
        self.keyboard.keymap = keys
        self._apply_theme()
        self._fit(*self.size)
        self.rebuild()
        self.repaint()
        if not self.is_headless:
            self.clients.reconfigure()

    @cached_property
    def _configuration(self) -> "Configuration":
        from fugue_tui.tui.ui.configuration import Configuration

        return Configuration(self, lambda: self.server.config_applier.file, self.host_theme)

    def _apply_theme(self) -> None:
        self.host_theme.choose("")
        self.animation.reset()
        self._apply_animation()

    def _apply_animation(self) -> None:
        self.animation_level = "full" if self.animation.wanted else "none"

    def on_resize(self, event: events.Resize) -> None:
        """Fit the panes into another size."""
        if self._mounted:
            self._is_switching = True
            self._fit(event.size.width, event.size.height)
            self.rebuild()

    def _fit(self, cols: int, rows: int) -> None:
        status = int(self.settings.ui.status and rows > 1)
        self._status.place(own_row=bool(status), covers=not status and rows > 1)
        self.mux.resize(Size(max(cols, 1), max(rows - status, 1)))

    def leave(self, status: int = 0) -> None:
        """End the program with an exit status."""
        self.server.leave(status)

    # Clients

    @property
    def is_latest(self) -> bool:
        """Whether this view was used last."""
        return self.view is self.mux.views.latest

    def used(self) -> None:
        """The user acts in this view."""
        if not self.is_latest:
            self.server.use(self)

    def wants_size(self) -> None:
        """The size that the clients of this view want has changed: fit the views of the same window."""
        self.server.fit_others(self)

    def wanted_size(self) -> Size | None:
        """The size for the screen."""
        return self.server.wanted_size(self)

    def fit(self) -> None:
        """Fit the screen to the window that is shown, or the window to the screen."""
        self.clients.regroup()
        if self._mounted and self.clients.screen == self.shown_size:
            self._fit(*self.size)
            self.rebuild()

    def client_attached(self, client: AttachedClient) -> None:
        """Inform a client if it is read-only, or if the workspace cannot be saved."""
        if client.read_only:
            self._renderer.scrollback.notify(client)
        saver = self.mux.saver
        if saver is not None and saver.complaint:
            self.inform(saver.complaint, saver.TOPIC)

    def client_detached(self, client: AttachedClient) -> None:
        """Forget the pending input of a client; the view ends with the last one."""
        self.keyboard.drop(client.id)
        self._renderer.scrollback.drop(client)
        self.server.client_left(self)

    def is_prefix(self, client: AttachedClient, press: KeyPress) -> bool:
        """Whether a key is a prefix at a client."""
        return not self.keyboard.is_locked(client.id) and self.keyboard.is_prefix(press, client.prefixes)

    def pause_rendering(self) -> None:
        """Lay out and draw nothing: no client shows the screen."""
        if not self._paused:
            self._paused = True
            self._begin_batch()
        self.status_updates.output_arrived()

    def resume_rendering(self, *, overdue: bool) -> None:
        """Lay out and draw again, what is `overdue` at once."""
        self._show_status()
        self.actions.agents.wake()
        if self._paused:
            self._paused = False
            self._end_batch()
            if overdue:
                self._draw_now()
            self.alerts.show_next()
        self._renderer.invalidate()

    def _draw_now(self) -> None:
        """What the screen's timer does; an error there does not end what the caller does, such as attaching."""
        try:
            self.screen._on_timer_update()  # pyright: ignore[reportPrivateUsage]
        except Exception as error:  # noqa: BLE001 - a bug in any widget
            self._handle_exception(error)

    def lay_out(self, size: Size, *, at_once: bool = False) -> None:
        """Lay the screen out for another size, once there is one."""
        if isinstance(self._driver, TerminalDriver):
            self._driver.lay_out(size, at_once=at_once)

    def handle(self, client: AttachedClient, event: HostEvent) -> None:
        """Handle input of a client, in the order of the calls."""
        assert isinstance(self._driver, TerminalDriver)
        self._driver.deliver(client, event)

    def handle_read_only(self, client: AttachedClient, event: HostEvent) -> None:
        """Handle input of a read-only client, which scrolls only its own view."""
        self._renderer.scrollback.handle(client, event)

    def paint_mirror(self, client: AttachedClient) -> None:
        """Paint on a client what the mirrors show."""
        self._frames.catch_up()
        self._renderer.draw_mirror(client)

    def preview(self, client: AttachedClient) -> None:
        """Paint this screen on a client whose own view of the same window has none yet, if it is as large."""
        if self.bare and self.clients.watched and self.shown_size == client.size:
            self.paint_mirror(client)

    def mirror_added(self) -> None:
        """A client is a mirror from now on."""
        self._frames.mirror_added()

    def paint_own(self, client: AttachedClient) -> None:
        """Paint the whole screen on a client that is no mirror."""
        self._frames.catch_up()
        self._renderer.redraw(client)

    def resume_painting(self) -> None:
        """A client can accept output again: paint what it waits for."""
        self._frames.schedule()
        self._renderer.schedule()
        self._frames.images.resume()

    def images_changed(self) -> None:
        """A client shows other images than before."""
        self._frames.images.update(None)

    def get_css_variables(self) -> dict[str, str]:
        """The variables of the theme, with those of this program."""
        variables = super().get_css_variables()
        self.theme_variables = themes.defaults(variables) | variables
        return self.theme_variables

    def follow_host(self, client: AttachedClient) -> None:
        """Take on what is known of the latest client's terminal; a new view keeps its look until that has replied."""
        if self._adopted and not client.capabilities.defaults:
            asyncio.get_running_loop().call_later(REPLY_SECONDS, self._follow_latest)
        else:
            self.host_theme.follow(client)

    def _follow_latest(self) -> None:
        self._adopted = False
        if self.clients.latest is not None:
            self.host_theme.follow(self.clients.latest)

    def synchronize(self, supported: bool) -> None:
        """Whether every mirror supports synchronized output."""
        self._sync_available = supported

    def bell(self) -> None:
        """Ring the bell of every client."""
        self.clients.send(b"\a")

    @property
    def clipboard(self) -> str:
        """The text that was copied last, which Textual's inputs paste too."""
        return self.mux.clipboard.text

    def copy_to_clipboard(self, text: str) -> None:
        """Set the clipboard of every client that is not read-only."""
        self.mux.clipboard.text = text
        self.clients.send(clipboard_sequence(text), to_read_only=False)

    def copy(self, text: str, client: AttachedClient | None) -> None:
        """Keep a text for pasting, and set the clipboard of one client if it is still attached."""
        self.mux.clipboard.text = text
        if client is not None and client in self.clients.all():
            client.writer.write(clipboard_sequence(text))

    # Drawing

    def rebuild(self) -> None:
        """Update the widgets from the workspace."""
        moved = arrange(
            self.mux,
            self.grid,
            self.view,
            watched=self.clients.watched,
            draws_cursor=self.is_headless,
            content=self.actions.content,
        )
        self._is_switching = moved or self._is_switching
        self._refocus()
        self._show_status()
        if not self._is_switching:
            self._frames.place_cursor()

    def _refocus(self) -> None:
        target = self.grid.content_of(self.mux.focused) or self.focused_view
        focused = self.base.focused
        if target is not None and (focused is None or target not in focused.ancestors_with_self):
            self.base.set_focus(target, scroll_visible=False)

    def show_as_text(self, *, text: bool) -> None:
        """Show the focused pane as text, if it runs no program, or again as the widget that it is."""
        pane = self.mux.focused
        if pane is not None and pane in self.grid.contents:
            self.mux.contents.refresh(pane)
            self.grid.show_as_text(pane, text=text)
            self.repaint()
            self._refocus()

    def _settled(self, screen: Screen[Any]) -> None:
        """The compositor has laid out and painted everything."""
        self._is_switching = False
        self._frames.settled()
        self._frames.displayed()

    def _display(self, screen: Screen[Any], renderable: "RenderableType | None") -> None:
        """Draw what Textual's compositor has made, as a change of what the mirrors show."""
        update = renderable if self.is_headless else self._frames.update_of(renderable)
        super()._display(screen, update)  # pyright: ignore[reportUnknownMemberType, reportArgumentType]

    def post_display_hook(self) -> None:
        """Textual wrote to the mirrors, which moves their cursor."""
        if self._mounted:
            self._frames.displayed()
            self.clients.laid_out()
            self._renderer.changed()
            self._frames.images.update(None)

    def paint_regions(self, screen: Screen[Any]) -> bool:
        """Paint what changed on the screen on top; False leaves that to Textual's compositor."""
        with self.clients.batch():
            if self.is_headless:
                return False
            rows = region_painter.paint_changes(self.clients, screen, self._frames.mirror_rows)
            if rows is None:
                return False
            self._frames.displayed()
        self.clients.laid_out()
        self._renderer.changed(rows)
        self._frames.images.update(rows)
        return True

    def _update_status(self) -> None:
        self.status_updates.updated()
        if self.ready:
            self.grid.show(view_model.grid_model(self.mux))
            self._show_status()

    def _update_states(self, changed: Collection[PaneId]) -> None:
        if self.ready:
            self.grid.show(view_model.with_states(self.mux, self.grid.model, changed))
            self._show_status()

    def _show_status(self) -> None:
        """Update the status bar, if a client shows it."""
        if self.clients.watched and self._status.update():
            self._is_switching = True

    # The panel of keys

    def show_keys(self, hints: list[Hint]) -> None:
        """Open the panel of keys."""
        self._which_key.show(hints, *self.size, f"{spell(self.keyboard.keymap.prefix)} and then")

    def turn_keys(self) -> bool:
        """Show the next page of the panel of keys; whether there are several."""
        return self._which_key.turn()

    def hide_keys(self) -> None:
        """Close the panel of keys."""
        if self._which_key.display:
            self._which_key.hide()
            self._is_switching = True

    def repaint(self) -> None:
        """Repaint the whole screen, whatever the clients show."""
        self._is_switching = True
        self._renderer.invalidate()
        self.base.refresh(layout=True)

    def _changed(self, *_: Workspace) -> None:
        old, self._seen = self._seen, self.mux.workspace
        new, same = self._seen, old.windows is self._seen.windows and old.panes is self._seen.panes
        if same and (old.name, old.active) == (new.name, new.active):
            return  # Another view shows another window.
        if not self._is_switching:
            self._frames.place_cursor()  # A change of panes is visible before anything else is drawn.
        if new.windows:
            self.rebuild()
            self.animation.workspace_changed(new)

    # Messages and errors

    def alert(self, text: str) -> None:
        """Show a message in the status bar for a while."""
        self.alerts.show(text)

    def warn(self, text: str) -> None:
        """Show in the status bar for a while what went wrong."""
        self.alerts.show(text, failed=True)

    def inform(self, text: str, topic: str = "") -> None:
        """Show a message in the status bar for a while, after earlier ones of other topics and once a client shows the
        screen."""
        self.alerts.queue(text, topic)

    async def _dispatch_message(self, message: Message) -> None:
        """Textual ends an app that raises here, and with it every program."""
        try:
            await super()._dispatch_message(message)
        except Exception as error:
            if not self.isolates_errors:
                raise
            self.errors.report("a message to the app", error)

    def _handle_exception(self, error: Exception) -> None:
        """An error in a widget closes the dialog that it is in."""
        if not self.isolates_errors:
            logger.error("the start", exc_info=error)
            super()._handle_exception(error)
            return
        self.errors.report("a widget", error)
        asyncio.get_running_loop().call_soon(close_dialog_of, active_message_pump.get(None), self)

    # Input

    def take_key(self, event: events.Key, client: AttachedClient | None = None) -> bool:
        """Whether the workspace or a program consumed the key; dialogs and other widgets get theirs from Textual."""
        return self._pane_keys.take_key(event, client)

    def take_paste(self, event: events.Paste) -> bool:
        """Whether a program received the paste; dialogs get theirs from Textual."""
        return self._pane_keys.take_paste(event)

    async def on_event(self, event: events.Event) -> None:
        """Handle keys from Textual's queue, sent while a dialog was open or by tests, like those from the driver."""
        if isinstance(event, events.Key) and not event.is_forwarded:
            owner = event.owner if isinstance(event, HostKey) else None
            if self.take_key(event, owner if isinstance(owner, AttachedClient) else None):
                return
        if isinstance(event, events.Paste) and self.on_panes and self.mux.focused is not None:
            self.mux.human_input(self.mux.focused)
            synchronized_input.paste(self, event.text)
        await super().on_event(event)
