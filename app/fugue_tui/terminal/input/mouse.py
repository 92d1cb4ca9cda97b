"""Mouse events, and what a program is sent for them (xterm's ctlseqs, "Mouse Tracking")."""

from enum import IntEnum, StrEnum
from typing import Final

from msgspec import Struct

from fugue_tui.geometry import CELL_PIXELS
from fugue_tui.terminal.input.keys import Modifiers
from fugue_tui.terminal.screen.cells import Modes, MouseEncoding, MouseTracking


class Button(IntEnum):
    """Mouse buttons, with X11's numbers; 4 to 7 are the wheel."""

    NONE = 0
    LEFT = 1
    MIDDLE = 2
    RIGHT = 3
    WHEEL_UP = 4
    WHEEL_DOWN = 5
    WHEEL_LEFT = 6
    WHEEL_RIGHT = 7


class MouseKind(StrEnum):
    """What the mouse did."""

    PRESS = "press"
    RELEASE = "release"
    MOTION = "motion"


class MouseAction(Struct, frozen=True):
    """One mouse event at a cell of the pane, counted from 0. A wheel step is a press of its button."""

    kind: MouseKind
    button: Button
    x: int
    y: int
    modifiers: Modifiers = Modifiers.NONE


_X10_LAST: Final = 222
_UTF8_LAST: Final = 2014
_MOTION: Final = 32
_RELEASED: Final = 3


def encode(action: MouseAction, modes: Modes, cell: tuple[int, int] = CELL_PIXELS) -> bytes:
    """What a program in these modes is sent for a mouse event; empty if it did not ask or it cannot be written. A cell
    has so many pixels."""
    if not _wanted(action, modes.mouse):
        return b""
    x, y = max(0, action.x), max(0, action.y)
    if modes.mouse_encoding in (MouseEncoding.SGR, MouseEncoding.SGR_PIXELS):
        return _sgr(action, x, y, modes, cell)
    number = _number(action, modes.mouse, told_apart=False)
    if modes.mouse_encoding is MouseEncoding.URXVT:
        return f"\x1b[{number + 32};{x + 1};{y + 1}M".encode()
    return _characters(number, x, y, utf8=modes.mouse_encoding is MouseEncoding.UTF8)


def _wanted(action: MouseAction, tracking: MouseTracking) -> bool:
    """Whether a tracking mode reports this event."""
    if action.button >= Button.WHEEL_UP and action.kind is not MouseKind.PRESS:
        return False
    match tracking:
        case MouseTracking.NONE:
            return False
        case MouseTracking.X10:
            return action.kind is MouseKind.PRESS and Button.LEFT <= action.button <= Button.RIGHT
        case MouseTracking.NORMAL:
            return action.kind is not MouseKind.MOTION
        case MouseTracking.BUTTON:
            return action.kind is not MouseKind.MOTION or action.button is not Button.NONE
        case MouseTracking.ANY:
            return True


def _number(action: MouseAction, tracking: MouseTracking, *, told_apart: bool) -> int:
    """The button number with motion and modifier bits; a release names its button only where `told_apart`."""
    if action.button >= Button.WHEEL_UP:
        number = 64 + action.button - Button.WHEEL_UP
    elif action.button is Button.NONE or (action.kind is MouseKind.RELEASE and not told_apart):
        number = _RELEASED
    else:
        number = action.button - Button.LEFT
    if action.kind is MouseKind.MOTION:
        number += _MOTION
    return number if tracking is MouseTracking.X10 else number + _modifiers(action.modifiers)


def _modifiers(modifiers: Modifiers) -> int:
    """Shift 4, Alt 8, Ctrl 16."""
    return int(modifiers & (Modifiers.SHIFT | Modifiers.ALT | Modifiers.CTRL)) << 2


def _sgr(action: MouseAction, x: int, y: int, modes: Modes, cell: tuple[int, int]) -> bytes:
    """Decimal numbers; the last letter marks a release."""
    if modes.mouse_encoding is MouseEncoding.SGR_PIXELS:
        x, y = x * cell[0] + cell[0] // 2, y * cell[1] + cell[1] // 2
    number = _number(action, modes.mouse, told_apart=True)
    final = "m" if action.kind is MouseKind.RELEASE else "M"
    return f"\x1b[<{number};{x + 1};{y + 1}{final}".encode()


def _characters(number: int, x: int, y: int, *, utf8: bool) -> bytes:
    """One character a value, 32 added; a cell too far out for it is not reported, as in xterm."""
    last = _UTF8_LAST if utf8 else _X10_LAST
    if x > last or y > last:
        return b""
    values = (number + 32, x + 33, y + 33)
    return b"\x1b[M" + (bytes(values) if not utf8 else "".join(map(chr, values)).encode())
