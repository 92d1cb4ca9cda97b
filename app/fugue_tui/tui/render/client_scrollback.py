"""Scrollback of read-only clients: each scrolls its own view."""

import asyncio
from collections.abc import Callable
from typing import Final

from msgspec import Struct
from msgspec.structs import replace
from textual.strip import Strip

from fugue_tui.attach_server.client import AttachedClient
from fugue_tui.attach_server.input.input_parser import HostEvent, Pasted, Pointer
from fugue_tui.errors import Refused
from fugue_tui.ids import PaneId
from fugue_tui.terminal.input.keys import KeyPress, Modifiers
from fugue_tui.terminal.screen.cells import Row
from fugue_tui.terminal.terminal import Terminal
from fugue_tui.tui.app_context import AppContext
from fugue_tui.tui.render.client_view import ScreenState
from fugue_tui_widgets.mouse_selection import WHEEL_LINES
from fugue_tui_widgets.strips import strip_of

_FAR: Final = 1 << 30
_NOTICE_SECONDS: Final = 3.0
_NOTICE: Final = "read-only · PageUp scrolls back · q leaves"


class ScrolledView(Struct, frozen=True):
    """The rows that a client shows, as they were when it scrolled to them."""

    pane: PaneId
    terminal: Terminal
    lines: int
    """Lines between them and the bottom, then."""
    history: int
    """Lines of scrollback, then."""
    rows: tuple[Row, ...]


class ClientScrollback:
    """The input and the scroll position of each read-only client. Main thread only."""

    def __init__(self, app: AppContext, changed: Callable[[AttachedClient], None]) -> None:
        """`changed` is called when a client shows something else."""
        self._app = app
        self._changed = changed
        self._views: dict[int, ScrolledView] = {}
        self._notices: dict[int, asyncio.TimerHandle] = {}
        self._prefixed: set[int] = set()

    def drop(self, client: AttachedClient) -> None:
        """Forget a client, which has detached."""
        self._prefixed.discard(client.id)
        self._show_live(client)

    def handle(self, client: AttachedClient, event: HostEvent) -> None:
        """Handle input of a client."""
        match event:
            case KeyPress():
                if event.acts:
                    self._press(client, event)
            case Pointer() if event.wheel:
                self._wheel(client, event)
            case Pasted():
                self._show_notice(client)
            case Pointer() if event.acts:
                self._show_notice(client)
            case _:
                return
        self._changed(client)

    def notify(self, client: AttachedClient) -> None:
        """Show for a while that a client is read-only, and its keys."""
        self._show_notice(client)
        self._changed(client)

    def _show_notice(self, client: AttachedClient) -> None:
        if timer := self._notices.pop(client.id, None):
            timer.cancel()
        self._notices[client.id] = asyncio.get_running_loop().call_later(_NOTICE_SECONDS, self._hide_notice, client)
        client.scrolled_back = True

    def _hide_notice(self, client: AttachedClient) -> None:
        del self._notices[client.id]
        client.scrolled_back = client.id in self._views
        self._changed(client)

    def _show_live(self, client: AttachedClient) -> None:
        self._views.pop(client.id, None)
        if timer := self._notices.pop(client.id, None):
            timer.cancel()
        client.scrolled_back = False

    # Keys and the wheel

    def _press(self, client: AttachedClient, press: KeyPress) -> None:
        name = press.text if len(press.text) == 1 and press.name != "space" else press.role
        if client.id in self._prefixed:
            self._prefixed.discard(client.id)
            if name == "d":
                self._detach(client)
        elif self._app.is_prefix(client, press):
            self._prefixed.add(client.id)
        elif self._press_scrolls(client, "ctrl+c" if press.modifiers == Modifiers.CTRL and name == "c" else name):
            return
        elif name == "q":
            self._detach(client)
        else:
            self._show_notice(client)

    def _press_scrolls(self, client: AttachedClient, name: str) -> bool:
        """Whether a key scrolls or ends scrolling."""
        pane = self._app.mux.focused
        terminal = self._app.mux.terminals.get(pane) if pane is not None else None
        page = max(terminal.size.rows - 1, 1) if terminal is not None else 1
        steps = {
            "up": 1, "k": 1, "down": -1, "j": -1, "pageup": page, "pagedown": -page, "space": -page,
            "home": _FAR, "g": _FAR, "end": -_FAR, "G": -_FAR,
        }  # fmt: skip
        if name in steps:
            self._scroll(client, pane, steps[name])
            return True
        if name in ("q", "escape", "ctrl+c") and client.id in self._views:
            self._show_live(client)
            return True
        return False

    def _detach(self, client: AttachedClient) -> None:
        try:
            self._app.mux.clients.detach(client.id)
        except Refused:
            return

    def _wheel(self, client: AttachedClient, event: Pointer) -> None:
        """Scroll the pane under the pointer."""
        step = {0: WHEEL_LINES, 1: -WHEEL_LINES}.get(event.code & 3)
        if step is None:
            return
        x, y = event.x - 1, event.y - 1
        under = (pane for pane, view in self._app.grid.views.items() if view.region.contains(x, y) and view.display)
        pane = next(under, self._app.mux.focused)
        before = self._views.get(client.id)
        if before is not None and before.pane != pane:
            self._show_live(client)
        self._scroll(client, pane, step)

    def _scroll(self, client: AttachedClient, pane: PaneId | None, lines: int) -> None:
        """Scroll a client's view: positive towards older lines; at the bottom it is live again."""
        before = self._views.get(client.id)
        pane = before.pane if before is not None else pane
        terminal = self._app.mux.terminals.get(pane) if pane is not None else None
        if terminal is None or pane is None:
            self._show_live(client)
            return
        history = terminal.scrollback.lines
        start = before.lines + max(0, history - before.history) if before is not None else 0
        target = min(max(start + lines, 0), history)
        if target == 0:
            self._show_live(client)
            return
        self._views[client.id] = ScrolledView(pane, terminal, target, history, tuple(terminal.past(target)))
        client.scrolled_back = True

    # Drawing

    def overlay(self, client: AttachedClient, screen: ScreenState) -> tuple[ScreenState, str]:
        """The screen as a client shows it, and the text in its corner."""
        view = self._views.get(client.id)
        if view is not None and not self._is_current(view):
            self._show_live(client)
            view = None
        if view is None:
            return screen, _NOTICE if client.id in self._notices else "read-only" if client.read_only else ""
        x, y, width, height = self._app.grid.views[view.pane].region
        strips = list(screen.strips)
        for offset, row in enumerate(view.rows[:height]):
            if y + offset < len(strips):
                strips[y + offset] = _replaced(strips[y + offset], strip_of(row, width), x)
        return replace(screen, strips=strips, caret=None), f"read-only · history -{view.lines}"

    def _is_current(self, view: ScrolledView) -> bool:
        """Whether the pane still exists with the same size, and is visible."""
        widget = self._app.grid.views.get(view.pane)
        live = self._app.mux.terminals.get(view.pane)
        if widget is None or live is None or live is not view.terminal or widget.live is not live:
            return False
        fits = widget.region.width == live.size.cols and widget.region.height == live.size.rows == len(view.rows)
        return fits and self._app.on_panes


def _replaced(strip: Strip, piece: Strip, x: int) -> Strip:
    """A row with a piece of it replaced."""
    end = x + piece.cell_length
    return Strip.join([strip.crop(0, x), piece, strip.crop(end, strip.cell_length)])
