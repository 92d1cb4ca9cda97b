"""Key presses, and what a program is sent for them."""

from dataclasses import dataclass
from enum import IntFlag


class Modifiers(IntFlag):
    """Modifier keys, with xterm's bit values (the written parameter is 1 plus the sum)."""

    NONE = 0
    SHIFT = 1
    ALT = 2
    CTRL = 4
    SUPER = 8


@dataclass(frozen=True, slots=True)
class KeyPress:
    """One key. `name` is a lower-case key name (`enter`, `tab`, `backspace`, `escape`, `space`, `up`, `home`, `pageup`,
    `insert`, `delete`, `f1`..., `kp_0`..., or a single character such as `a`, `]`, `é`), without modifiers."""

    name: str
    modifiers: Modifiers = Modifiers.NONE
    text: str = ""
    """What the key types, if it types anything: `A` for Shift+a, `é` for a dead key, a whole IME commit."""
