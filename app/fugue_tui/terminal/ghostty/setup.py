"""How a terminal of libghostty-vt is set up, and brought back to that state."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from typing import Any, Final

from fugue_tui.terminal.emulator.pending_events import CLIPBOARD_LIMIT
from fugue_tui.terminal.ghostty.binding import Binding
from fugue_tui.terminal.ghostty.snapshot import UNFINISHED

_APC_LIMIT: Final = 65_536
FOREGROUND: Final = 0xD0D0D0
BACKGROUND: Final = 0x101010
RESET: Final = (
    b"\x18\x1b[?40;1;3;5;6;9;12;45;47;66;67;69l\x1b[?1000;1002;1003;1004;1005;1006;1015;1016l"
    b"\x1b[?1047;1049;2004;2026;2031;2048l"
    b'\x1b[?7;25;1007;1036;2027h\x1b[2;4;20l\x1b[12h\x1b[r\x1b[s\x1b(B\x1b)B\x1b*B\x1b+B\x0f\x1b[0m\x1b[0"q'
    b"\x1b[<255u\x1b[=0u\x1b[>4;0m\x1b[0 q\x1b[?5W"
    b"\x1b]104\x1b\\\x1b]110\x1b\\\x1b]111\x1b\\\x1b]112\x1b\\\x1b]8;;\x1b\\"
    b"\x1b[H\x1b[22J\x1b[H"
)
"""RIS in parts: the engine's own RIS would empty the scrollback. ED 22 moves the screen into it."""
START: Final = b"\x1b[0 q"
"""Takes on the default cursor, which is set after the terminal is made."""


def configure(binding: Binding, terminal: Any) -> None:
    """Set what holds for every terminal, however it was made."""
    lib, new, null = binding.lib, binding.ffi.new, binding.ffi.NULL
    hollow = new("GhosttyTerminalCursorStyle *", lib.GHOSTTY_TERMINAL_CURSOR_STYLE_BLOCK_HOLLOW)
    for option, value in (
        (lib.GHOSTTY_TERMINAL_OPT_KITTY_IMAGE_STORAGE_LIMIT, null),
        (lib.GHOSTTY_TERMINAL_OPT_GLYPH_PROTOCOL, new("bool *", False)),
        (lib.GHOSTTY_TERMINAL_OPT_APC_MAX_BYTES, new("size_t *", _APC_LIMIT)),
        (lib.GHOSTTY_TERMINAL_OPT_CLIPBOARD_WRITE_MAX_BYTES, new("size_t *", CLIPBOARD_LIMIT)),
        (lib.GHOSTTY_TERMINAL_OPT_CONTINUATION_MAX_BYTES, new("size_t *", UNFINISHED)),
        (lib.GHOSTTY_TERMINAL_OPT_DEFAULT_CURSOR_STYLE, hollow),
    ):
        lib.ghostty_terminal_set(terminal, option, value)
