"""What a program is sent for a mouse event."""

import pytest

from fugue_tui.terminal.input.keys import Modifiers
from fugue_tui.terminal.input.mouse import Button, MouseAction, MouseKind, encode
from fugue_tui.terminal.screen.cells import Modes, MouseEncoding, MouseTracking

PRESS = MouseAction(MouseKind.PRESS, Button.LEFT, 4, 2)
RELEASE = MouseAction(MouseKind.RELEASE, Button.LEFT, 4, 2)
DRAG = MouseAction(MouseKind.MOTION, Button.LEFT, 4, 2)
HOVER = MouseAction(MouseKind.MOTION, Button.NONE, 4, 2)
WHEEL = MouseAction(MouseKind.PRESS, Button.WHEEL_UP, 4, 2)


def modes(tracking: MouseTracking, encoding: MouseEncoding = MouseEncoding.SGR) -> Modes:
    return Modes(mouse=tracking, mouse_encoding=encoding)


@pytest.mark.parametrize(
    ("tracking", "reported"),
    [
        (MouseTracking.NONE, []),
        (MouseTracking.X10, [PRESS]),
        (MouseTracking.NORMAL, [PRESS, RELEASE, WHEEL]),
        (MouseTracking.BUTTON, [PRESS, RELEASE, DRAG, WHEEL]),
        (MouseTracking.ANY, [PRESS, RELEASE, DRAG, HOVER, WHEEL]),
    ],
)
def test_a_program_gets_only_the_mouse_events_it_enabled(tracking: MouseTracking, reported: list[MouseAction]) -> None:
    events = [PRESS, RELEASE, DRAG, HOVER, WHEEL]
    assert [event for event in events if encode(event, modes(tracking))] == reported


@pytest.mark.parametrize(
    ("encoding", "press", "release", "drag", "wheel"),
    [
        (MouseEncoding.X10, b"\x1b[M %#", b"\x1b[M#%#", b"\x1b[M@%#", b"\x1b[M`%#"),
        (MouseEncoding.UTF8, b"\x1b[M %#", b"\x1b[M#%#", b"\x1b[M@%#", b"\x1b[M`%#"),
        (MouseEncoding.URXVT, b"\x1b[32;5;3M", b"\x1b[35;5;3M", b"\x1b[64;5;3M", b"\x1b[96;5;3M"),
        (MouseEncoding.SGR, b"\x1b[<0;5;3M", b"\x1b[<0;5;3m", b"\x1b[<32;5;3M", b"\x1b[<64;5;3M"),
        (MouseEncoding.SGR_PIXELS, b"\x1b[<0;37;41M", b"\x1b[<0;37;41m", b"\x1b[<32;37;41M", b"\x1b[<64;37;41M"),
    ],
)
def test_each_encoding_writes_buttons_cells_and_releases(
    encoding: MouseEncoding, press: bytes, release: bytes, drag: bytes, wheel: bytes
) -> None:
    asked = modes(MouseTracking.ANY, encoding)
    assert [encode(event, asked) for event in (PRESS, RELEASE, DRAG, WHEEL)] == [press, release, drag, wheel]


@pytest.mark.parametrize(
    ("button", "number"),
    [(Button.LEFT, 0), (Button.MIDDLE, 1), (Button.RIGHT, 2), (Button.WHEEL_DOWN, 65), (Button.WHEEL_RIGHT, 67)],
)
def test_every_button_has_its_number(button: Button, number: int) -> None:
    event = MouseAction(MouseKind.PRESS, button, 0, 0)
    assert encode(event, modes(MouseTracking.NORMAL)) == f"\x1b[<{number};1;1M".encode()


def test_modifiers_are_added_to_the_button() -> None:
    held = Modifiers.SHIFT | Modifiers.ALT | Modifiers.CTRL
    event = MouseAction(MouseKind.PRESS, Button.RIGHT, 0, 0, held | Modifiers.SUPER)
    assert encode(event, modes(MouseTracking.NORMAL)) == b"\x1b[<30;1;1M"


def test_x10_tracking_reports_no_modifiers() -> None:
    event = MouseAction(MouseKind.PRESS, Button.LEFT, 0, 0, Modifiers.CTRL)
    assert encode(event, modes(MouseTracking.X10, MouseEncoding.X10)) == b"\x1b[M !!"


@pytest.mark.parametrize(
    ("encoding", "last"), [(MouseEncoding.X10, 222), (MouseEncoding.UTF8, 2014), (MouseEncoding.SGR, 5000)]
)
def test_a_cell_too_far_out_for_the_encoding_is_not_reported(encoding: MouseEncoding, last: int) -> None:
    asked = modes(MouseTracking.NORMAL, encoding)
    assert encode(MouseAction(MouseKind.PRESS, Button.LEFT, last, 0), asked)
    beyond = encode(MouseAction(MouseKind.PRESS, Button.LEFT, 0, last + 1), asked)
    assert bool(beyond) is (encoding is MouseEncoding.SGR)


def test_utf8_writes_far_cells_as_characters() -> None:
    event = MouseAction(MouseKind.PRESS, Button.LEFT, 300, 0)
    assert encode(event, modes(MouseTracking.NORMAL, MouseEncoding.UTF8)) == b"\x1b[M " + chr(333).encode() + b"!"


def test_a_drag_that_left_the_pane_is_clamped() -> None:
    event = MouseAction(MouseKind.MOTION, Button.LEFT, -3, -1)
    assert encode(event, modes(MouseTracking.BUTTON)) == b"\x1b[<32;1;1M"
