"""Mouse events, and what a program is sent for them."""

from dataclasses import dataclass
from enum import IntEnum, StrEnum

from fugue_tui.terminal.keys import Modifiers


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


@dataclass(frozen=True, slots=True)
class MouseAction:
    """One mouse event at a cell of the pane, counted from 0. A wheel step is a press of its button."""

    kind: MouseKind
    button: Button
    x: int
    y: int
    modifiers: Modifiers = Modifiers.NONE
