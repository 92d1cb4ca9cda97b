"""Quick select: labels on what the focused pane shows; typing one copies, opens or pastes it. Main thread only."""

import os
from typing import Final

from msgspec import Struct

from fugue_tui.control.commands.open_url import OpenUrl
from fugue_tui.control.commands.panes import SplitPane
from fugue_tui.control.core.editor import editor
from fugue_tui.control.core.new_pane import Placement
from fugue_tui.control.output.quick_select import Hit, HitKind, find_hits, hit_marks, place_of
from fugue_tui.sanitize import clean_path, clean_text
from fugue_tui.terminal.copy_mode.copy_mode import Overlay
from fugue_tui.terminal.copy_mode.motions import stay
from fugue_tui.terminal.emulator.locked_screen import LockedScreen
from fugue_tui.terminal.input.keys import KeyPress, Modifiers
from fugue_tui.terminal.screen.highlight import Mark
from fugue_tui.terminal.screen.pins import Pin, Point
from fugue_tui.terminal.terminal import Terminal
from fugue_tui.tui.app_context import AppContext
from fugue_tui.tui.input.clipboard import client_of, copy
from fugue_tui.workspace.model import OnExit

_WORDS: Final = "quick select"


class _Picking(Struct):
    """Quick select in one pane."""

    live: Terminal
    hits: list[Hit]
    top: Pin
    """The view's first row, which was the line `line`."""
    line: int
    offset: int
    """How far the view was scrolled back."""
    was_copying: bool
    overlay: Overlay | None
    """What was marked before."""
    label: str
    """What the pane's title said before."""
    typed: str = ""


class QuickSelect:
    """The labels of one pane, and the keys that pick one."""

    def __init__(self, app: AppContext) -> None:
        self._app = app
        self._picking: _Picking | None = None

    @property
    def active(self) -> bool:
        """Whether the focused pane shows labels."""
        picking, view = self._picking, self._app.focused_view
        return picking is not None and not picking.live.closed and view is not None and view.live is picking.live

    @property
    def hint(self) -> str:
        """The hint in the status bar."""
        return f"{self.mode}: a copies · A opens · Escape cancels"

    @property
    def mode(self) -> str:
        """The same in a word or two; empty if there are no labels."""
        return "" if self._picking is None or not self.active else f"{_WORDS} {self._picking.typed}".rstrip()

    def begin(self) -> None:
        """Label what the focused pane shows."""
        self._end()
        live = self._app.focused_view.live if self._app.focused_view is not None else None
        if live is None or live.closed:
            return
        with live.locked() as screen, live.seen.lent(screen) as emulator:
            bar, hits = emulator.scrollback, find_hits(screen)
            top = emulator.pin(Point(bar.top))
        if not hits:
            self._app.alert("nothing here to pick: no address, path, hash, number or quoted text")
            return
        mode = live.copy_mode
        self._picking = _Picking(live, hits, top, bar.top, bar.offset, mode.reads, mode.set_overlay(None), mode.label)
        if not mode.reads:
            mode.read(stay)
        mode.label = _WORDS
        self._mark()

    def press(self, press: KeyPress, client: int) -> None:
        """Handle a key of a client: a letter of a label, Escape or Backspace."""
        picking = self._picking
        if picking is None:
            return
        letter = press.text if len(press.text) == 1 and not press.modifiers & ~Modifiers.SHIFT else ""
        if press.role == "backspace":
            picking.typed = picking.typed[:-1]
        elif any(hit.label.startswith(picking.typed + letter.lower()) for hit in picking.hits) and letter:
            picking.typed += letter.lower()
        elif press.role == "escape" or press.text == "q" or press.modifiers & Modifiers.CTRL:
            self._end()
            return
        hit = next((hit for hit in picking.hits if hit.label == picking.typed), None)
        if hit is None:
            self._mark()
            return
        self._end()
        if letter.isupper():
            self._act(hit)
        else:
            copy(self._app, hit.text, picking.live, client_of(self._app, client))

    def _mark(self) -> None:
        picking = self._picking
        if picking is None:
            return

        def overlay(screen: LockedScreen) -> dict[int, list[Mark]]:
            now = picking.top.found()
            shift = now.line - picking.line if now is not None else 0
            return hit_marks(screen, picking.hits, picking.typed, shift)

        picking.live.copy_mode.set_overlay(overlay)
        self._app.status_updates.request()

    def _end(self) -> None:
        """Remove the labels; the pane is as before, in copy mode or not."""
        picking, self._picking = self._picking, None
        if picking is None:
            return
        mode = picking.live.copy_mode
        mode.label = picking.label
        if picking.was_copying:
            mode.set_overlay(picking.overlay)
        else:
            mode.leave()
            if not picking.offset:
                picking.live.scroll_to_bottom()
        self._app.status_updates.request()

    # What a capital does

    def _act(self, hit: Hit) -> None:
        """Open an address or a path; type anything else."""
        if hit.kind is HitKind.URL:
            opened = OpenUrl(url=hit.text)
            self._app.commands.confirm(opened, then=lambda result: self._app.alert(f"opened with {result.program}"))
        elif hit.kind is HitKind.PATH:
            self._edit(hit.text)
        else:
            self._type(hit.text)

    def _edit(self, text: str) -> None:
        """Open a file in the user's editor in a new window, at the line that stands behind its path."""
        pane = self._app.mux.focused
        cwd = (self._app.mux.cwd(pane) if pane is not None else "") or os.getcwd()
        path, line = place_of(text)
        path = os.path.normpath(os.path.join(cwd, os.path.expanduser(path)))
        if not os.path.exists(path):
            self._app.alert(f"no file {clean_path(path)}")
            return
        name = os.path.basename(path)
        command = SplitPane(place=Placement.WINDOW, command=editor(path, line), name=name, on_exit=OnExit.CLOSE)
        self._app.commands.run(command, then=lambda _: None)

    def _type(self, text: str) -> None:
        view, pane = self._app.focused_view, self._app.mux.focused
        if view is not None and pane is not None:
            self._app.mux.human_input(pane)
            view.paste(clean_text(text))
