"""What the mouse does in a terminal: it is the program's if it asked for it; otherwise it selects text, and scrolls."""

from typing import Final

from textual import events
from textual.message import Message
from textual.timer import Timer
from textual.widget import Widget

from fugue_tui.terminal.copy_mode.copy_mode import Cell
from fugue_tui.terminal.copy_mode.text_units import Unit
from fugue_tui.terminal.input.keys import KeyPress
from fugue_tui.terminal.input.mouse import Button, MouseAction, MouseKind
from fugue_tui.terminal.screen.pins import Pin
from fugue_tui.terminal.terminal import Terminal as LiveTerminal
from fugue_tui_widgets.error_boundary import ErrorBoundary
from fugue_tui_widgets.key_events import modifiers_of

WHEEL_LINES: Final = 3
"""How far one step of the wheel scrolls."""

_BUTTONS: Final = {0: Button.NONE, 1: Button.LEFT, 2: Button.MIDDLE, 3: Button.RIGHT}
_UNITS: Final = (Unit.CHARACTER, Unit.WORD, Unit.LINE)
"""What one, two and three clicks select."""
_AGAIN_SECONDS: Final = 0.5
"""How soon a click must follow another in the same cell to count with it."""
_CREEP_SECONDS: Final = 0.05
_CREEP_MOST: Final = 10
"""Lines that a drag past an edge scrolls at a time at most; it begins with one."""


class ViewMessage(Message):
    """What happened in one view, which is its control."""

    def __init__(self, view: "MouseSelection") -> None:
        super().__init__()
        self.view = view

    @property
    def control(self) -> "MouseSelection":
        """The view."""
        return self.view


class MouseSelection(ErrorBoundary, Widget):
    """A widget that shows a terminal and gives it the mouse."""

    live: LiveTerminal | None
    """The terminal that is shown."""

    class Typed(ViewMessage, namespace="terminal_view"):
        """A person pressed a key, pasted or used the mouse in this view, and the program got it."""

    class Scrolled(ViewMessage, namespace="terminal_view"):
        """The view shows another part of the history, or the live screen again."""

    class SelectionBegun(ViewMessage, namespace="terminal_view"):
        """A person begins to select text in this view."""

    class Selected(ViewMessage, namespace="terminal_view"):
        """A person has selected text in this view with the mouse, and let go."""

        def __init__(self, view: "MouseSelection", text: str) -> None:
            super().__init__(view)
            self.text = text
            """The text: untrusted, and never empty."""

    def __init__(self, *, name: str | None = None, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self._drag: _Drag | None = None
        self._clicks = (0.0, Cell(-1, -1), 0)

    # Buttons and motion

    async def on_mouse_down(self, event: events.MouseDown) -> None:
        """A press is the program's if it asked for the mouse, unless Shift is held; else the left button selects."""
        if not event.shift and self._mouse(event, MouseKind.PRESS, _BUTTONS.get(event.button, Button.NONE)):
            if self.live is not None and event.button == 1:
                self.live.copy_mode.deselect()
            self.capture_mouse()
            event.stop()
        elif event.button == 1 and self.live is not None:
            self._take_hold(self.live, event)
            self.capture_mouse()
            event.stop()

    async def on_mouse_up(self, event: events.MouseUp) -> None:
        """A release ends what the press began, even outside the view."""
        self.release_mouse()
        if self._drag is not None:
            self._let_go()
            event.stop()
        elif self._mouse(event, MouseKind.RELEASE, _BUTTONS.get(event.button, Button.NONE)):
            event.stop()

    async def on_mouse_move(self, event: events.MouseMove) -> None:
        """Motion is the program's if it asked for it, and a drag that selects selects more."""
        if self._drag is not None:
            self._drag_to(event)
            event.stop()
        elif self._mouse(event, MouseKind.MOTION, _BUTTONS.get(event.button, Button.NONE)):
            event.stop()

    def _mouse(self, event: events.MouseEvent, kind: MouseKind, button: Button) -> bool:
        """Offer an event to the program; whether it took it."""
        if self.live is None or self.live.exit is not None:
            return False
        at = self._cell(event)
        taken = self.live.mouse(MouseAction(kind, button, at.x, at.y, modifiers_of(event)))
        if taken and kind is MouseKind.PRESS:
            self.post_message(self.Typed(self))
        return taken

    def _cell(self, event: events.MouseEvent) -> Cell:
        """The cell under the pointer, kept inside the view while a drag leaves it."""
        return Cell(
            min(max(int(event.x), 0), max(self.size.width - 1, 0)),
            min(max(int(event.y), 0), max(self.size.height - 1, 0)),
        )

    # Selecting

    def _take_hold(self, live: LiveTerminal, event: events.MouseDown) -> None:
        """Begin a drag; a word or a line is selected at once, and one click only ends what was selected."""
        at = self._cell(event)
        unit = _UNITS[(self._count(event.time, at) - 1) % len(_UNITS)]
        self._drop()
        live.copy_mode.deselect()
        self._drag = _Drag(live, live.copy_mode.pin_at(at), at, unit)
        if unit is not Unit.CHARACTER:
            self._begin(self._drag)

    def _count(self, now: float, at: Cell) -> int:
        """How many clicks this is, in the same cell and in quick succession."""
        then, where, count = self._clicks
        count = count + 1 if where == at and now - then <= _AGAIN_SECONDS else 1
        self._clicks = now, at, count
        return count

    def _begin(self, drag: "_Drag") -> None:
        drag.begun = True
        drag.live.copy_mode.select(drag.start.place or drag.at, drag.unit)
        self.post_message(self.SelectionBegun(self))

    def _drag_to(self, event: events.MouseMove) -> None:
        drag, at = self._drag, self._cell(event)
        if drag is None or drag.live is not self.live:
            return
        if event.button == 0:  # The button was let go where nobody told.
            self._let_go()
            return
        if not drag.begun and at != drag.at:
            self._begin(drag)
        if drag.begun:
            drag.live.copy_mode.extend(at)
        drag.left_edge = drag.left_edge or at.y != drag.at.y
        drag.at = at
        self._creep_towards(self._past_edge(event, drag))

    def _past_edge(self, event: events.MouseMove, drag: "_Drag") -> int:
        """1 if the pointer is above the view, -1 below: or on its edge, where that is the host's too."""
        y, last = int(event.y), self.size.height - 1
        top, bottom = self.region.y <= 0, self.region.bottom >= self.screen.size.height
        if y < 0 or (y == 0 and top and drag.left_edge):
            return 1
        return -1 if y > last or (y == last and bottom and drag.left_edge) else 0

    def _creep_towards(self, way: int) -> None:
        drag = self._drag
        if drag is None or way == drag.way:
            return
        drag.rest()
        drag.way = way
        if way:
            drag.timer = self.set_interval(_CREEP_SECONDS, self._creep)

    def _creep(self) -> None:
        """Scroll on while the pointer is past an edge, faster with time."""
        drag = self._drag
        if drag is None or not drag.begun:
            return
        drag.ticks += 1
        before = drag.live.scrollback.offset
        self.scroll_back(drag.way * min(1 + drag.ticks // 10, _CREEP_MOST))
        drag.live.copy_mode.extend(drag.at)
        if drag.live.scrollback.offset == before:
            drag.rest()

    def _let_go(self) -> None:
        """The drag is over; what is selected stays so."""
        drag = self._drag
        self._drop()
        if drag is None or not drag.begun:
            return
        text = drag.live.copy_mode.selected_text
        if text.strip():
            self.post_message(self.Selected(self, text))
        else:
            drag.live.copy_mode.deselect()

    def _drop(self) -> None:
        if self._drag is not None:
            self._drag.rest()
        self._drag = None

    # The wheel

    async def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """The wheel is the program's if it wants it; otherwise it reads back."""
        event.stop()
        self._wheel(event, Button.WHEEL_UP, WHEEL_LINES)

    async def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """The wheel is the program's if it wants it; otherwise it reads forward."""
        event.stop()
        self._wheel(event, Button.WHEEL_DOWN, -WHEEL_LINES)

    def _wheel(self, event: events.MouseEvent, button: Button, lines: int) -> None:
        if self._drag is not None and self._drag.begun:
            self.scroll_back(lines)
            self._drag.live.copy_mode.extend(self._drag.at)
            return
        if self.live is None or self._mouse(event, MouseKind.PRESS, button):
            return
        if self.live.modes.alternate_screen and self.live.exit is None:
            for _ in range(WHEEL_LINES):
                self.live.press(KeyPress("up" if lines > 0 else "down"))
            return
        self.scroll_back(lines)

    def scroll_back(self, lines: int) -> None:
        """Move the view through the history: positive towards older lines."""
        if self.live is not None:
            self.live.scroll(lines)
            self.post_message(self.Scrolled(self))


class _Drag:
    """The left button is held down."""

    def __init__(self, live: LiveTerminal, start: Pin, at: Cell, unit: Unit) -> None:
        self.live, self.start, self.at, self.unit = live, start, at, unit
        self.begun = self.left_edge = False
        self.way = self.ticks = 0
        self.timer: Timer | None = None

    def rest(self) -> None:
        """Scroll no more."""
        if self.timer is not None:
            self.timer.stop()
        self.timer, self.way, self.ticks = None, 0, 0
