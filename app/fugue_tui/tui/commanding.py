"""An app in which a person runs commands: by keys, from the palette, or as they would be typed."""

from collections.abc import Callable
from typing import Any

from textual import events
from textual.screen import Screen

from fugue_tui.client.host_terminal import HostTerminal
from fugue_tui.control.core.command import USER, Command, Origin
from fugue_tui.control.core.deferred import is_deferred
from fugue_tui.control.dispatch.dispatcher import Dispatcher
from fugue_tui.errors import FugueError
from fugue_tui.tui.app_base import AttendedApp
from fugue_tui.tui.clients.client import AttachedClient
from fugue_tui.tui.clients.handshake import Handshake
from fugue_tui.tui.input.key_dispatch import KeyDispatch
from fugue_tui.tui.ui.actions import Actions
from fugue_tui.tui.ui.pending_commands import PendingCommands
from fugue_tui_widgets.key_events import press_of


class CommandingApp(AttendedApp, inherit_bindings=False):
    """What every app with commands does. Main thread only."""

    actions: Actions
    """What keys and the palette do besides running a command as it stands."""

    keyboard: KeyDispatch
    """Which keys are the workspace's own."""

    def __init__(
        self,
        host: HostTerminal | None,
        first: Handshake | None,
        dispatcher: Dispatcher,
        post: Callable[[Callable[[], None]], None],
        news: Callable[[], None],
    ) -> None:
        super().__init__(host, first, news)
        self._tell_news = news
        self.dispatcher = dispatcher
        self.errands = PendingCommands(post, self.alert, self.broke)

    def came(self, viewer: AttachedClient) -> None:
        """Another terminal shows this: who sits there should know if nothing is saved."""
        saver = self.dispatcher.mux.saver
        if saver is not None and saver.complaint:
            self.inform(saver.complaint)

    def left(self, viewer: AttachedClient) -> None:
        """A terminal has gone."""
        self.keyboard.drop(viewer.id)

    def starts_command(self, event: events.Key, viewer: AttachedClient) -> bool:
        """Whether a key is a prefix there."""
        return self.keyboard.is_prefix(press_of(event), viewer.prefixes)

    def open_dialog(self, screen: Screen[Any], answered: Any = None) -> None:
        """Push a dialog; `answered` gets its result."""
        self.push_screen(screen, answered)

    def run_command(
        self, command: Command[Any], origin: Origin = USER, then: Callable[[Any], None] | None = None
    ) -> None:
        """Run a command for a person; `then` gets its result, now or later. What goes wrong is shown."""
        try:
            result = self.dispatcher.run(command, origin)
            if is_deferred(result):
                self.errands.follow(command, result, then or self.actions.told_by(command))
            elif then is not None:
                then(result)
        except FugueError as error:
            self.alert(str(error))
        except Exception as error:  # noqa: BLE001  (a border: a bug in a command must not end everyone's programs)
            self.broke("a person's command", error)

    def give_up(self) -> None:
        """End what a person asked for and still waits for."""
        if self.errands.give_up():
            self._tell_news()

    def run_words(self, said: list[str] | str) -> None:
        """Run a command as it would be typed."""
        self.actions.run_words(said)

    def command_line(self, text: str = "") -> None:
        """Ask for a command, starting from a text."""
        self.actions.command_line(text)
