"""The variables of tmux's formats for a pane. Source: tmux(1), FORMATS."""

import os
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from msgspec.structs import replace

from fugue_tui.control.core.target import window_in
from fugue_tui.control.output.pane_titles import pane_label
from fugue_tui.control.tmux.targets import Targets
from fugue_tui.geometry import Rect
from fugue_tui.ids import PaneId
from fugue_tui.layout.tree import panes
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.sanitize import clean, clean_path
from fugue_tui.terminal.pty.spawn import login_shell
from fugue_tui.tmux_shim.shim import VERSION
from fugue_tui.workspace.model import Window

DEFAULTS: Final = MappingProxyType(
    {
        "allow-passthrough": "on",
        "automatic-rename": "on",
        "aggressive-resize": "off",
        "base-index": "0",
        "bell-action": "any",
        "default-command": "",
        "display-time": "750",
        "main-pane-height": "24",
        "main-pane-width": "80",
        "monitor-activity": "off",
        "monitor-bell": "on",
        "monitor-silence": "0",
        "visual-bell": "off",
        "default-terminal": "xterm-256color",
        "destroy-unattached": "off",
        "escape-time": "10",
        "exit-empty": "on",
        "focus-events": "on",
        "history-limit": "10000",
        "mode-keys": "vi",
        "mouse": "on",
        "pane-base-index": "0",
        "pane-border-status": "top",
        "prefix": "C-b",
        "remain-on-exit": "failed",
        "renumber-windows": "on",
        "set-clipboard": "external",
        "set-titles": "on",
        "status": "on",
        "status-position": "bottom",
        "synchronize-panes": "off",
    }
)
"""Options that are not set, as the workspace behaves."""


class PaneVariables:
    """The variables of one pane, its window and its session."""

    def __init__(self, mux: Multiplexer, targets: Targets, pane: PaneId) -> None:
        self._mux, self._targets, self._pane = mux, targets, pane
        self._window = mux.window_of(pane)

    def __call__(self, name: str) -> str:
        """The value of a variable or an option; empty for an unknown one. Text of programs is cleaned."""
        if reads := _INDEX.get(name):
            return str(reads(self._mux, self._pane) + self._targets.base)
        if reads := _PANE.get(name):
            return reads(self._mux, self._pane)
        if reads := _WINDOW.get(name):
            return reads(self._mux, self._window)
        if name in _RECT:
            rect = self._mux.layouts.of(replace(self._window, zoomed=False)).panes.get(self._pane)
            return str(_RECT[name](rect or Rect(0, 0, 0, 0)))
        if name in _SESSION:
            return _SESSION[name](self._mux, self._targets, self._window.session)
        if name in _SERVER:
            return _SERVER[name](self._mux)
        return self.option(name) or ""

    def option(self, name: str) -> str | None:
        """The value of an option; None for an unknown one."""
        scopes = (str(self._pane), str(self._window.id), f"${self._window.session}")
        value = self._mux.tmux_options.get(scopes, name)
        if value is None and name == "default-shell":
            return login_shell(os.environ)
        if value is None and name in ("base-index", "pane-base-index"):
            return str(self._targets.base)
        return DEFAULTS.get(name) if value is None else value


def _flag(value: bool) -> str:
    return str(int(value))


def _pane_index(mux: Multiplexer, pane: PaneId) -> int:
    return list(panes(mux.window_of(pane).layout)).index(pane)


def _exit_code(mux: Multiplexer, pane: PaneId) -> str:
    exit = mux.exits.get(pane)
    return "" if exit is None or exit.code is None else str(exit.code)


def _cursor(mux: Multiplexer, pane: PaneId) -> tuple[int, int]:
    with mux.terminal(pane).locked() as screen:
        return screen.emulator.cursor.x, screen.emulator.cursor.y


def _is_current(mux: Multiplexer, window: Window) -> bool:
    """Whether a window is the current one of its session."""
    return window_in(mux.workspace, window.session).id == window.id


def _window_flags(mux: Multiplexer, window: Window) -> str:
    current = "*" if _is_current(mux, window) else ""
    return f"{current}{'Z' if window.zoomed else ''}"


def _window_index(mux: Multiplexer, pane: PaneId) -> int:
    window = mux.window_of(pane)
    return [each.id for each in mux.workspace.windows if each.session == window.session].index(window.id)


def _windows(mux: Multiplexer, session: str) -> int:
    return sum(window.session == session for window in mux.workspace.windows)


def _is_attached(mux: Multiplexer, session: str) -> bool:
    return bool(mux.clients.attached()) and mux.front is not None and mux.front.session == session


_INDEX: Final[Mapping[str, Callable[[Multiplexer, PaneId], int]]] = {
    "pane_index": _pane_index,
    "window_index": _window_index,
}
"""Counted from the base of the caller's targets."""
_PANE: Final[Mapping[str, Callable[[Multiplexer, PaneId], str]]] = {
    "pane_id": lambda mux, pane: str(pane),
    "pane_title": lambda mux, pane: pane_label(mux, pane),
    "pane_active": lambda mux, pane: _flag(mux.window_of(pane).active == pane),
    "pane_pid": lambda mux, pane: str(mux.terminal(pane).pid),
    "pane_current_command": lambda mux, pane: clean(mux.terminal(pane).foreground),
    "pane_current_path": lambda mux, pane: clean_path(mux.cwd(pane)),
    "pane_start_command": lambda mux, pane: clean(" ".join(mux.workspace.panes[pane].argv)),
    "pane_start_path": lambda mux, pane: clean_path(mux.workspace.panes[pane].cwd),
    "pane_dead": lambda mux, pane: _flag(pane in mux.exits),
    "pane_dead_status": _exit_code,
    "pane_in_mode": lambda mux, pane: "0",
    "pane_marked": lambda mux, pane: "0",
    "pane_synchronized": lambda mux, pane: "0",
    "alternate_on": lambda mux, pane: _flag(mux.terminal(pane).modes.alternate_screen),
    "cursor_x": lambda mux, pane: str(_cursor(mux, pane)[0]),
    "cursor_y": lambda mux, pane: str(_cursor(mux, pane)[1]),
    "history_size": lambda mux, pane: str(mux.terminal(pane).scrollback.lines),
}
_WINDOW: Final[Mapping[str, Callable[[Multiplexer, Window], str]]] = {
    "window_id": lambda mux, window: str(window.id),
    "window_name": lambda mux, window: clean(mux.window_name(window)),
    "window_active": lambda mux, window: _flag(_is_current(mux, window)),
    "window_panes": lambda mux, window: str(len(list(panes(window.layout)))),
    "window_width": lambda mux, window: str(mux.layouts.bounds(window).cols),
    "window_height": lambda mux, window: str(mux.layouts.bounds(window).rows),
    "window_zoomed_flag": lambda mux, window: _flag(window.zoomed),
    "window_flags": _window_flags,
    "window_bigger": lambda mux, window: "0",
}
_RECT: Final[Mapping[str, Callable[[Rect], int]]] = {
    "pane_width": lambda rect: rect.cols,
    "pane_height": lambda rect: rect.rows,
    "pane_left": lambda rect: rect.x,
    "pane_top": lambda rect: rect.y,
    "pane_right": lambda rect: max(rect.x, rect.right - 1),
    "pane_bottom": lambda rect: max(rect.y, rect.bottom - 1),
}
_SESSION: Final[Mapping[str, Callable[[Multiplexer, Targets, str], str]]] = {
    "session_id": lambda mux, targets, session: targets.session_id(session),
    "session_name": lambda mux, targets, session: clean(session),
    "session_windows": lambda mux, targets, session: str(_windows(mux, session)),
    "session_attached": lambda mux, targets, session: _flag(_is_attached(mux, session)),
    "client_session": lambda mux, targets, session: clean(session),
}
_SERVER: Final[Mapping[str, Callable[[Multiplexer], str]]] = {
    "client_control_mode": lambda mux: "0",
    "client_termtype": lambda mux: "fugue-tui",
    "client_termname": lambda mux: clean(next((each.term for each in mux.clients.attached() if each.latest), "")),
    "client_width": lambda mux: str(mux.layouts.area.cols),
    "client_height": lambda mux: str(mux.layouts.area.rows),
    "host": lambda mux: os.uname().nodename,
    "host_short": lambda mux: os.uname().nodename.partition(".")[0],
    "pid": lambda mux: str(os.getpid()),
    "socket_path": lambda mux: mux.tmux_options.environment.get("TMUX", "").rsplit(",", 2)[0],
    "version": lambda mux: VERSION,
}
