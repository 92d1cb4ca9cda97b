"""The configuration from inside: choose a theme, edit the file."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import get_args

from fugue_tui import trusted_files
from fugue_tui.config import model
from fugue_tui.control.commands.panes import FocusPane, SplitPane
from fugue_tui.control.core.deferred import spawn
from fugue_tui.control.core.editor import editor
from fugue_tui.control.core.new_pane import Placement
from fugue_tui.control.core.pane_names import holders
from fugue_tui.sanitize import clean
from fugue_tui.tui.app_context import AppContext
from fugue_tui.tui.ui.host_theme import HostTheme
from fugue_tui.workspace.model import OnExit
from fugue_tui_widgets.dialogs import Choose

_NAME = "configuration"
"""The name of the editor's pane."""
_NOTES = {
    "auto": "follows the terminal",
    "dark": "for a dark terminal",
    "light": "for a light one",
    "ansi-dark": "its own 16 colours",
    "ansi-light": "the same on light",
}


class Configuration:
    """What the user does with the configuration. Main thread only."""

    def __init__(self, app: AppContext, file: Callable[[], Path], theme: HostTheme) -> None:
        """`file` is the configuration's."""
        self._app, self._file, self._theme = app, file, theme

    def choose_theme(self) -> None:
        """Choose the theme of this view, until the configuration changes."""
        names = get_args(model.Theme)
        width = max(map(len, _NOTES)) + 2
        choices = [(name, f"{name:{width}}{_NOTES.get(name, '')}".rstrip()) for name in names]
        self._app.push_screen(Choose("theme", choices, self._theme.setting), self._chosen)

    def _chosen(self, theme: str | None) -> None:
        if theme is not None:
            self._theme.choose(theme)
            self._app.alert(f'theme {theme}; to keep it write theme = "{theme}" in [ui] of the configuration')

    def edit(self) -> None:
        """Open the file in the editor, in a new window, or go to the one where it is open; one that explains every key
        if there is none."""
        mux = self._app.mux
        names = holders(mux.workspace, mux.window_of(mux.focused).session) if mux.focused is not None else {}
        if _NAME in names:
            self._app.commands.run(FocusPane(pane=str(names[_NAME])))
        else:
            spawn(self._edit(self._file()))

    async def _edit(self, file: Path) -> None:
        try:
            await asyncio.to_thread(_create, file)
        except (OSError, ValueError) as error:
            self._app.warn(trusted_files.describe(file, error))
            return
        message = f"{clean(str(file), 80)} applies as soon as it is written"
        window = SplitPane(
            place=Placement.WINDOW,
            command=editor(str(file.absolute())),
            name=_NAME,
            on_exit=OnExit.CLOSE,
            focus=True,
        )
        self._app.commands.run(window, then=lambda _: self._app.alert(message))


def _create(file: Path) -> None:
    """Write the file that explains every key, if there is none."""
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        trusted_files.write(file, model.default_text(), mode=0o600)
