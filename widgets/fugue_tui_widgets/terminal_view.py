"""A terminal as a widget: draws its rows, and sends keys, pastes and the mouse to the program.

It has no key bindings, which the app handles first, and no layout.
"""

from collections.abc import Iterable, Sequence
from typing import ClassVar

from rich.style import Style as RichStyle
from textual import events
from textual.filter import LineFilter
from textual.geometry import Region, Size
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from fugue_tui.errors import InputFull, TerminalGone
from fugue_tui.terminal.copy_mode.copy_mode import Cell
from fugue_tui.terminal.input.keys import KeyPress
from fugue_tui.terminal.screen.cells import Cursor, Damage
from fugue_tui.terminal.screen_view import ScreenView
from fugue_tui.terminal.terminal import Terminal as LiveTerminal
from fugue_tui_widgets.error_boundary import ErrorBoundary
from fugue_tui_widgets.key_events import press_of
from fugue_tui_widgets.mouse_selection import MouseSelection
from fugue_tui_widgets.strips import strip_of, with_cursor


class ViewMessage(Message):
    """A message of one view, which is its control."""

    def __init__(self, view: "TerminalView") -> None:
        super().__init__()
        self.view = view

    @property
    def control(self) -> "TerminalView":
        """The view."""
        return self.view


class TerminalView(ErrorBoundary, Widget, can_focus=True):
    """Shows one live terminal. It does not resize the terminal: the caller does, with the layout."""

    ALLOW_SELECT = False
    ALLOW_MAXIMIZE = False
    DEFAULT_CSS: ClassVar[str] = "TerminalView { width: 1fr; height: 1fr; }"

    class Typed(ViewMessage):
        """The user pressed a key, pasted or used the mouse in this view, and the program received it."""

    class Scrolled(ViewMessage):
        """The view shows another part of the history, or the live screen again."""

    class SelectionStarted(ViewMessage):
        """The user begins to select text in this view."""

    class Selected(ViewMessage):
        """The user selected text in this view with the mouse, and released the button."""

        def __init__(self, view: "TerminalView", text: str) -> None:
            super().__init__(view)
            self.text = text
            """The text: untrusted, and never empty."""

    class Restart(ViewMessage):
        """Enter was pressed in a view whose program has exited, or is held; or Escape in one that is held."""

        def __init__(self, view: "TerminalView", *, escape: bool = False) -> None:
            super().__init__(view)
            self.escape = escape

    class PasteRefused(ViewMessage):
        """A paste was refused: the program received nothing of it."""

        def __init__(self, view: "TerminalView", reason: str) -> None:
            super().__init__(view)
            self.reason = reason

    class MenuRequested(ViewMessage):
        """The right button was pressed, and the program does not take it, or with Alt."""

        def __init__(self, view: "TerminalView", cell: Cell, at: tuple[int, int]) -> None:
            super().__init__(view)
            self.cell = cell
            """The cell under the pointer."""
            self.at = at
            """The pointer's column and row on the screen."""

    class PasteRequested(ViewMessage):
        """The middle button was pressed, and the program does not take it."""

    class NotStarted(ViewMessage):
        """A text was typed or pasted into a view whose program is held: nothing receives it."""

    class Close(ViewMessage):
        """`x` or `q`, or Escape or Ctrl+C, was pressed in a view whose program has exited."""

        def __init__(self, view: "TerminalView", *, escape: bool = False) -> None:
            super().__init__(view)
            self.escape = escape
            """Whether it was Escape or Ctrl+C."""

    def __init__(
        self,
        live: LiveTerminal | None = None,
        *,
        draws_cursor: bool = True,
        reader: object | None = None,
        name: str | None = None,
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        """`reader` identifies the view that this widget is part of; it scrolls and selects with that alone."""
        super().__init__(name=name, id=id, classes=classes)
        self._reader = reader
        self.live = live
        """The terminal that is shown; None draws nothing."""
        self.seen = self._seen()
        """What is shown of the terminal."""
        self.draws_cursor = draws_cursor
        """Whether the cursor is drawn as a reversed cell, where the host's own is hidden."""
        self._mouse = MouseSelection(
            self,
            lambda: self.live,
            lambda: self.seen,
            scroll=self.scroll_back,
            on_typed=lambda: self._post(self.Typed(self)),
            on_started=lambda: self._post(self.SelectionStarted(self)),
            on_selected=lambda text: self._post(self.Selected(self, text)),
        )
        self._strips: dict[int, Strip] = {}
        self._cursor: Cursor | None = None

    def show(self, live: LiveTerminal | None) -> None:
        """Show another terminal (or none), from the next frame on."""
        self.live = live
        self.seen = self._seen()
        self.stale()
        self.refresh()

    def _seen(self) -> ScreenView | None:
        if self.live is None or self._reader is None:
            return self.live and self.live.seen
        return self.live.seen_by(self._reader)

    # Drawing

    def redraw(self) -> set[int]:
        """Read the terminal and repaint the changed rows of the view through Textual's compositor; which those are."""
        if self.seen is None:
            return set()
        damage = self.seen.refresh()
        rows = set(self.touched(damage))
        if self.draws_cursor:
            rows |= self._moved_cursor()
        if rows:
            self.refresh(*(Region(0, row, self.size.width, 1) for row in sorted(rows)))
        return rows

    def read(self) -> set[int]:
        """Read the terminal; the changed rows, which the caller draws."""
        return set() if self.seen is None else set(self.touched(self.seen.refresh()))

    def touched(self, damage: Damage) -> Iterable[int]:
        """Drop the cached strips of what changed; the rows to repaint, in view coordinates."""
        if damage.full or damage.shift:
            self.stale()
            return range(self.size.height)
        for row in damage.rows:
            self._strips.pop(row, None)
        return damage.rows

    def stale(self) -> None:
        """Drop every cached strip: the rows were painted without this widget."""
        self._strips.clear()

    @property
    def cursor(self) -> Cursor | None:
        """The program's cursor as of the last read, or that of copy mode; None if there is none."""
        if self.seen is not None and self.seen.copy_mode.reads:
            return self.seen.copy_mode.reader
        if self.live is None or self.seen is None or self.live.closed or self.live.exit is not None or self.live.waits:
            return None
        return self.seen.cursor

    def _moved_cursor(self) -> set[int]:
        """The rows that the drawn cursor left and entered."""
        old, new = self._cursor, self.cursor
        if old == new:
            return set()
        self._cursor = new
        return {cursor.y for cursor in (old, new) if cursor is not None and cursor.visible}

    def render_lines(self, crop: Region) -> list[Strip]:
        """The rows of the last snapshot; Textual's style cache is needed only to draw a border or padding."""
        if self.gutter.totals != (0, 0):
            return super().render_lines(crop)
        lines = [self.render_line(y) for y in range(crop.y, crop.bottom)]
        return [line.crop(crop.x, crop.right) for line in lines]

    def get_line_filters(self) -> Sequence[LineFilter]:
        """None: colours 0 to 15 are the host's own."""
        return ()

    def render_line(self, y: int) -> Strip:
        """One row of the terminal's last snapshot, always as wide as the view."""
        width = self.size.width
        if self.live is None or self.seen is None or y >= self.live.size.rows:
            return Strip.blank(width, RichStyle())
        strip = self._strips.get(y)
        if strip is None or strip.cell_length != width:
            strip = self._strips[y] = strip_of(self.seen.row(y), width)
        if self.draws_cursor and self.has_focus:
            cursor = self.cursor
            if cursor is not None and cursor.visible and cursor.y == y:
                return with_cursor(strip, cursor.x, width)
        return strip

    def get_content_width(self, container: Size, viewport: Size) -> int:
        """As wide as there is room."""
        return container.width

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As high as there is room."""
        return container.height

    # The mouse

    async def on_mouse_down(self, event: events.MouseDown) -> None:
        """Send a press to the program, or start a selection; the right button opens a menu, the middle pastes."""
        asks = event.button == 3 and event.meta
        if not asks and self._mouse.press(event):
            self.capture_mouse()
            event.stop()
        elif event.button == 3:
            cell = Cell(int(event.x), int(event.y))
            self._post(self.MenuRequested(self, cell, (int(event.screen_x), int(event.screen_y))))
        elif event.button == 2:
            self._post(self.PasteRequested(self))

    async def on_mouse_up(self, event: events.MouseUp) -> None:
        """Send a release to the program, or end the selection."""
        self.release_mouse()
        if self._mouse.release(event):
            event.stop()

    async def on_mouse_move(self, event: events.MouseMove) -> None:
        """Send motion to the program, or extend the selection."""
        if self._mouse.move(event):
            event.stop()

    async def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Send the wheel to the program, or scroll back."""
        event.stop()
        self._mouse.wheel(event, up=True)

    async def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Send the wheel to the program, or scroll forward."""
        event.stop()
        self._mouse.wheel(event, up=False)

    def _post(self, message: ViewMessage) -> None:
        self.post_message(message)

    def scroll_back(self, lines: int) -> None:
        """Scroll the view: positive towards older lines."""
        if self.seen is not None:
            self.seen.scroll(lines)
            self.post_message(self.Scrolled(self))

    # Keys

    async def on_key(self, event: events.Key) -> None:
        """Send every key to the program."""
        event.stop()
        event.prevent_default()
        self.post_message(self.Typed(self))
        self.press(press_of(event))

    def press(self, press: KeyPress) -> None:
        """Send a key to the program. Once it has exited, Enter runs it again, `x`, `q` or Escape may close the pane;
        while it is held, Enter and Escape start it. Escape clears a visible selection too."""
        if self.live is None or self.seen is None:
            return
        if press.acts and press.role == "escape" and not press.modifiers and self.seen.copy_mode.shows_selection:
            self.seen.copy_mode.deselect()
        if self.live.exit is not None or self.live.waits:
            if press.acts and (press.role == "enter" or (press.role == "escape" and self.live.waits)):
                self.post_message(self.Restart(self, escape=press.role == "escape"))
            elif press.acts and self.live.waits and press.text:
                self.post_message(self.NotStarted(self))
            elif press.acts and not self.live.waits and (press.text in ("x", "q") or _cancels(press)):
                self.post_message(self.Close(self, escape=_cancels(press)))
            return
        if press.acts:
            self._follow()
        self.live.press(press)

    async def on_paste(self, event: events.Paste) -> None:
        """Send a paste to the program."""
        event.stop()
        self.paste(event.text)

    def paste(self, text: str) -> None:
        """Send text to the program as one paste."""
        if self.live is None or self.live.exit is not None:
            return
        if self.live.waits:
            self.post_message(self.NotStarted(self))
            return
        self._follow()
        self.post_message(self.Typed(self))
        try:
            self.live.paste(text)
        except TerminalGone:
            return
        except InputFull as error:
            self.post_message(self.PasteRefused(self, str(error)))

    def _follow(self) -> None:
        """Scroll to the live screen, as typing does in every terminal."""
        if self.seen is not None and self.seen.scrollback.offset:
            self.seen.scroll_to_bottom()
            self.post_message(self.Scrolled(self))

    def on_focus(self) -> None:
        """Report the focus to the program if it requests that."""
        self._report_focus(True)

    def on_blur(self) -> None:
        """Report the lost focus likewise."""
        self._report_focus(False)

    def _report_focus(self, focused: bool) -> None:
        if self.live is not None and self.live.exit is None:
            self.live.focus(focused, self)
        if self.draws_cursor:
            self.refresh()


def _cancels(press: KeyPress) -> bool:
    """Whether it is Escape or Ctrl+C."""
    return press.interrupts or (press.role == "escape" and not press.modifiers)
