"""The theme in force: the setting's, on the host terminal of the client that was used last."""

from asyncio import TimerHandle, get_running_loop
from collections.abc import Callable
from typing import Any, Final

from textual.app import App

from fugue_tui.attach_server.client import AttachedClient
from fugue_tui.tui.ui.themes import HostColours, theme_of

_SETTLE_SECONDS: Final = 0.02
"""How long replies of a host that arrive together are waited for: another theme lays the whole screen out again."""


class HostTheme:
    """Keeps the theme of an app up to date. Main thread only."""

    def __init__(self, app: App[Any], setting: Callable[[], str]) -> None:
        """`setting` returns `ui.theme`."""
        self._app, self._setting, self._chosen = app, setting, ""
        self.host = HostColours()
        """What is known of the latest client's terminal."""
        self._timer: TimerHandle | None = None

    @property
    def setting(self) -> str:
        """The theme that the user chose from inside, or the one of the settings."""
        return self._chosen or self._setting()

    def choose(self, setting: str) -> None:
        """Use another theme than that of the settings, or that again if it is empty."""
        self._chosen = setting
        self.apply()

    def apply(self) -> None:
        """Use the theme that is wanted on the host as it is known now."""
        self._timer = None
        setting = self.setting
        theme, before = theme_of(setting, self.host), self._app.theme
        if theme is not None:
            self._app.register_theme(theme)
        self._app.theme = theme.name if theme is not None else setting
        if before.startswith("auto-") and before != self._app.theme:
            self._app.unregister_theme(before)

    def follow(self, client: AttachedClient) -> None:
        """A client is the latest, or more is known of its terminal: use its theme soon."""
        colours = client.capabilities
        host = HostColours(
            colours.defaults.get(False), colours.defaults.get(True), colours.depth, client.hello.no_color
        )
        if host != self.host:
            self.host = host
            if self._timer is None:
                self._timer = get_running_loop().call_later(_SETTLE_SECONDS, self.apply)
