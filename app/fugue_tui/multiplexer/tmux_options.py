"""The tmux options that programs set by the tmux commands here, by what they belong to. Main thread only.

Only the colours of borders are shown; the others are kept for the programs that read them back.
"""

import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType
from typing import Final

from fugue_tui.errors import Refused, SocketError
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer.callbacks import CallbackList
from fugue_tui.workspace.find import session_name_now
from fugue_tui.workspace.model import Pane, Workspace

GLOBAL: Final = ""
"""The scope of options that hold for all; the others are the ids of panes and windows, and the names of sessions after
a dollar sign."""
MOST: Final = 256
"""Options of one scope, and scopes."""
LONGEST: Final = 4096
"""Characters of a value."""
_BORDERS: Final = ("pane-active-border-style", "pane-border-style")
_FOREGROUND: Final = re.compile(r"(?:^|[ ,])fg=([^ ,]+)")
_NAMES: Final = frozenset({"black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"})
_OTHER_NAMES: Final = MappingProxyType({"orange": "color(208)", "purple": "magenta", "pink": "color(205)"})


class TmuxOptions:
    """The options of a workspace."""

    def __init__(self, on_change: CallbackList[[Workspace, Workspace]]) -> None:
        """`on_change` are the callbacks for changes of the workspace: the options of what was closed are dropped."""
        self.environment: Mapping[str, str] = MappingProxyType({})
        """The variables by which programs in all panes find the tmux commands here; empty if only some get them."""
        self.on_colour = CallbackList[[PaneId]]()
        """The colour of a pane has changed."""
        self._scopes: dict[str, dict[str, str]] = {}
        on_change.connect(self._on_workspace)

    def configure(self, socket: str) -> None:
        """Let programs in all new panes find the tmux commands of the workspace at a socket; empty: only those that are
        given the variables. Raises SocketError."""
        from fugue_tui.tmux_shim import install

        path = os.environ.get("PATH", os.defpath)
        self.environment = MappingProxyType(install.environment(socket, path) if socket else {})

    def of_new_pane(self, pane: Pane, socket: str, path: str) -> dict[str, str]:
        """The variables for the program of a pane of the workspace at a socket, if it is to find the tmux commands
        here; those of a restored pane are made anew, as the directory that they lead to may be gone. `path` is its PATH
        otherwise; empty for that of this process."""
        if "TMUX" in pane.env:
            return {**self._found_anew(pane.env, socket), "TMUX_PANE": str(pane.id)}
        if not self.environment:
            return {}
        found = {**self.environment, "TMUX_PANE": str(pane.id)}
        return {**found, "PATH": self._before(path)} if path else found

    def _before(self, path: str) -> str:
        from fugue_tui.tmux_shim import install

        return os.pathsep.join((self.environment[install.FOLDER], path))

    def _found_anew(self, env: Mapping[str, str], socket: str) -> dict[str, str]:
        from fugue_tui.tmux_shim import install

        path = env.get("PATH", "").removeprefix(env.get(install.FOLDER, "") + os.pathsep)
        with suppress(SocketError):
            return install.environment(socket, path) if socket and install.FOLDER in env else {}
        return {}

    def set(self, scope: str, name: str, value: str | None) -> None:
        """Set an option; None removes it. Raises Refused if there are too many."""
        options = self._scopes.get(scope, {})
        full = len(self._scopes) >= MOST if scope not in self._scopes else len(options) >= MOST and name not in options
        if value is not None and full:
            raise Refused(f"{name}: there are {MOST} options already; unset some with set-option -u")
        before = self._scopes.setdefault(scope, {}).pop(name, None)
        if value is not None:
            self._scopes[scope][name] = value[:LONGEST]
        if name in _BORDERS and before != value and scope.startswith("%"):
            self.on_colour(PaneId(scope[1:]))

    def get(self, scopes: Sequence[str], name: str) -> str | None:
        """The value in the first of these scopes, or for all; None if it is not set."""
        for scope in (*scopes, GLOBAL):
            if (value := self._scopes.get(scope, {}).get(name)) is not None:
                return value
        return None

    def all(self, scope: str) -> Mapping[str, str]:
        """The options of a scope."""
        return MappingProxyType(dict(sorted(self._scopes.get(scope, {}).items())))

    def colour(self, pane: PaneId) -> str:
        """The colour of a pane's border as Rich writes it, such as `blue`, `color(208)` or `#ff8000`; empty for
        none."""
        options = self._scopes.get(str(pane), {})
        return next((found for name in _BORDERS if (found := foreground(options.get(name, "")))), "")

    def _on_workspace(self, old: Workspace, new: Workspace) -> None:
        for pane in old.panes.keys() - new.panes.keys():
            self._scopes.pop(str(pane), None)
        if old.windows == new.windows:
            return
        for scope in [scope for scope in self._scopes if scope.startswith("$")]:
            options, name = self._scopes.pop(scope), session_name_now(scope[1:], old, new)
            if name:
                self._scopes[f"${name}"] = options
        if len(old.windows) != len(new.windows):
            gone = {str(window.id) for window in old.windows} - {str(window.id) for window in new.windows}
            for window in gone:
                self._scopes.pop(window, None)


def foreground(style: str) -> str:
    """The foreground of a tmux style, as Rich writes it; empty for none, or for one that is unknown."""
    found = _FOREGROUND.search(style)
    name = found[1].lower() if found else ""
    if number := re.fullmatch(r"colou?r(\d{1,3})", name, re.ASCII):
        return f"color({int(number[1])})" if int(number[1]) < 256 else ""
    if re.fullmatch(r"#[0-9a-f]{6}", name):
        return name
    if name.startswith("bright") and name[6:] in _NAMES:
        return f"bright_{name[6:]}"
    return name if name in _NAMES else _OTHER_NAMES.get(name, "")
