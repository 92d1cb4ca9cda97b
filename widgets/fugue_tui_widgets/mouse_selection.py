"""The mouse in a terminal view: its events go to the program if that requests them, else they select and scroll."""

from collections.abc import Callable
from typing import Final

from textual import events
from textual.timer import Timer
from textual.widget import Widget

from fugue_tui.terminal.copy_mode.copy_mode import Cell
from fugue_tui.terminal.copy_mode.text_units import Unit
from fugue_tui.terminal.input.keys import KeyPress
from fugue_tui.terminal.input.mouse import Button, MouseAction, MouseKind
from fugue_tui.terminal.screen.pins import Pin
from fugue_tui.terminal.screen_view import ScreenView
from fugue_tui.terminal.terminal import Terminal as LiveTerminal
from fugue_tui_widgets.key_events import modifiers_of

WHEEL_LINES: Final = 3
"""How far one step of the wheel scrolls."""

_BUTTONS: Final = {0: Button.NONE, 1: Button.LEFT, 2: Button.MIDDLE, 3: Button.RIGHT}
_UNITS: Final = (Unit.CHARACTER, Unit.WORD, Unit.LINE)
"""What one, two and three clicks select."""
_AGAIN_SECONDS: Final = 0.5
"""How soon a click must follow another in the same cell to count with it."""
_AUTOSCROLL_SECONDS: Final = 0.05
_AUTOSCROLL_MOST: Final = 10
"""Lines that a drag past an edge scrolls at a time at most; it begins with one."""


class MouseSelection:
    """Handles the mouse events of one view. Main thread only."""

    def __init__(
        self,
        view: Widget,
        live: Callable[[], LiveTerminal | None],
        seen: Callable[[], ScreenView | None],
        *,
        scroll: Callable[[int], None],
        on_typed: Callable[[], None],
        on_started: Callable[[], None],
        on_selected: Callable[[str], None],
    ) -> None:
        """`live` gives the terminal that the view shows, and `seen` what it shows of that; `scroll` scrolls it,
        positive towards older lines."""
        self._view, self._live, self._seen, self._scroll = view, live, seen, scroll
        self._on_typed, self._on_started, self._on_selected = on_typed, on_started, on_selected
        self._drag: _Drag | None = None
        self._clicks = (0.0, Cell(-1, -1), 0)

    # Buttons and motion

    def press(self, event: events.MouseDown) -> bool:
        """Handle a button press; Shift keeps it from the program."""
        seen = self._seen()
        if not event.shift and self._report(event, MouseKind.PRESS, _BUTTONS.get(event.button, Button.NONE)):
            if seen is not None and event.button == 1:
                seen.copy_mode.deselect()
            return True
        if event.button != 1 or seen is None:
            return False
        self._start_drag(seen, event)
        return True

    def release(self, event: events.MouseUp) -> bool:
        """Handle a release, even outside of the view."""
        if self._drag is not None:
            self._end_drag()
            return True
        return self._report(event, MouseKind.RELEASE, _BUTTONS.get(event.button, Button.NONE))

    def move(self, event: events.MouseMove) -> bool:
        """Handle motion."""
        if self._drag is not None:
            self._drag_to(event)
            return True
        return self._report(event, MouseKind.MOTION, _BUTTONS.get(event.button, Button.NONE))

    def _report(self, event: events.MouseEvent, kind: MouseKind, button: Button) -> bool:
        """Report an event to the program; whether it requested such events."""
        live = self._live()
        if live is None or live.exit is not None:
            return False
        at = self._cell(event)
        reported = live.mouse(MouseAction(kind, button, at.x, at.y, modifiers_of(event)))
        if reported and kind is MouseKind.PRESS:
            self._on_typed()
        return reported

    def _cell(self, event: events.MouseEvent) -> Cell:
        """The cell under the pointer; the nearest one if a drag is outside of the view."""
        size = self._view.size
        return Cell(
            min(max(int(event.x), 0), max(size.width - 1, 0)), min(max(int(event.y), 0), max(size.height - 1, 0))
        )

    # Selecting

    def _start_drag(self, seen: ScreenView, event: events.MouseDown) -> None:
        """Start a drag; a double or triple click selects at once, a single click clears the selection."""
        at = self._cell(event)
        unit = _UNITS[(self._count(event.time, at) - 1) % len(_UNITS)]
        self._drop()
        seen.copy_mode.deselect()
        self._drag = _Drag(seen, seen.copy_mode.pin_at(at), at, unit)
        if unit is not Unit.CHARACTER:
            self._begin(self._drag)

    def _count(self, now: float, at: Cell) -> int:
        """The number of clicks in the same cell and in quick succession."""
        then, where, count = self._clicks
        count = count + 1 if where == at and now - then <= _AGAIN_SECONDS else 1
        self._clicks = now, at, count
        return count

    def _begin(self, drag: "_Drag") -> None:
        drag.started = True
        drag.seen.copy_mode.select(drag.start.place or drag.at, drag.unit)
        self._on_started()

    def _drag_to(self, event: events.MouseMove) -> None:
        drag, at = self._drag, self._cell(event)
        if drag is None or drag.seen is not self._seen():
            return
        if event.button == 0:  # The release was not reported.
            self._end_drag()
            return
        if not drag.started and at != drag.at:
            self._begin(drag)
        if drag.started:
            drag.seen.copy_mode.extend(at)
        drag.left_edge = drag.left_edge or at.y != drag.at.y
        drag.at = at
        self._autoscroll(self._past_edge(event, drag))

    def _past_edge(self, event: events.MouseMove, drag: "_Drag") -> int:
        """1 if the pointer is above the view, -1 if below; on an edge where that is the host's edge too."""
        y, last = int(event.y), self._view.size.height - 1
        top, bottom = self._view.region.y <= 0, self._view.region.bottom >= self._view.screen.size.height
        if y < 0 or (y == 0 and top and drag.left_edge):
            return 1
        return -1 if y > last or (y == last and bottom and drag.left_edge) else 0

    def _autoscroll(self, direction: int) -> None:
        drag = self._drag
        if drag is None or direction == drag.direction:
            return
        drag.stop_scrolling()
        drag.direction = direction
        if direction:
            drag.timer = self._view.set_interval(_AUTOSCROLL_SECONDS, self._autoscroll_step)

    def _autoscroll_step(self) -> None:
        """Scroll while the pointer is past an edge, faster with time."""
        drag = self._drag
        if drag is None or not drag.started:
            return
        drag.ticks += 1
        before = drag.seen.scrollback.offset
        self._scroll(drag.direction * min(1 + drag.ticks // 10, _AUTOSCROLL_MOST))
        drag.seen.copy_mode.extend(drag.at)
        if drag.seen.scrollback.offset == before:
            drag.stop_scrolling()

    def _end_drag(self) -> None:
        """End the drag, and keep the selection."""
        drag = self._drag
        self._drop()
        if drag is None or not drag.started:
            return
        text = drag.seen.copy_mode.selected_text
        if text.strip():
            self._on_selected(text)
        else:
            drag.seen.copy_mode.deselect()

    def _drop(self) -> None:
        if self._drag is not None:
            self._drag.stop_scrolling()
        self._drag = None

    # The wheel

    def wheel(self, event: events.MouseEvent, *, up: bool) -> None:
        """Handle one step of the wheel: it is the program's, moves its cursor, or scrolls."""
        live, lines = self._live(), WHEEL_LINES if up else -WHEEL_LINES
        if self._drag is not None and self._drag.started:
            self._scroll(lines)
            self._drag.seen.copy_mode.extend(self._drag.at)
            return
        if live is None or self._report(event, MouseKind.PRESS, Button.WHEEL_UP if up else Button.WHEEL_DOWN):
            return
        if live.modes.alternate_screen and live.exit is None:
            for _ in range(WHEEL_LINES):
                live.press(KeyPress("up" if up else "down"))
            return
        self._scroll(lines)


class _Drag:
    """A drag with the left button."""

    def __init__(self, seen: ScreenView, start: Pin, at: Cell, unit: Unit) -> None:
        self.seen, self.start, self.at, self.unit = seen, start, at, unit
        self.started = self.left_edge = False
        self.direction = self.ticks = 0
        self.timer: Timer | None = None

    def stop_scrolling(self) -> None:
        """Stop scrolling."""
        if self.timer is not None:
            self.timer.stop()
        self.timer, self.direction, self.ticks = None, 0, 0
