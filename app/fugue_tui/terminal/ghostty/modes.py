"""Reads the modes of a terminal that decide how input is written."""

from typing import TYPE_CHECKING, Final

from fugue_tui.terminal.ghostty.binding import Binding
from fugue_tui.terminal.ghostty.gil_held_calls import quick
from fugue_tui.terminal.screen.cells import Modes, MouseEncoding, MouseTracking

if TYPE_CHECKING:
    from fugue_tui.terminal.ghostty.declarations import GhosttyKeyEncoder, GhosttyKeyEvent, GhosttyTerminal, Pointer

    _Encoder = tuple[GhosttyKeyEncoder, GhosttyKeyEvent, Pointer[int], Pointer[int]]

GRAPHEME_CLUSTERS: Final = 2027
SYNCHRONIZED: Final = 2026
COLOUR_SCHEME: Final = 2031
"""Reports of whether the colours are dark or light, as they change."""
WRAPAROUND: Final = 7
_ANSI: Final = 0x8000
_FLAGS: Final = {
    "application_cursor": 1,
    "application_keypad": 66,
    "bracketed_paste": 2004,
    "focus_events": 1004,
    "alternate_scroll": 1007,
    "synchronized": SYNCHRONIZED,
    "backarrow_is_backspace": 67,
    "newline": 20 | _ANSI,
}
_TRACKING: Final = (MouseTracking.ANY, MouseTracking.BUTTON, MouseTracking.NORMAL, MouseTracking.X10)
_ENCODING: Final = (MouseEncoding.SGR_PIXELS, MouseEncoding.SGR, MouseEncoding.URXVT, MouseEncoding.UTF8)
_CTRL: Final = 2
_OTHER_KEYS: Final = b"\x1b[27;"


class ModeReader:
    """The modes of one terminal."""

    def __init__(self, binding: Binding, terminal: "GhosttyTerminal") -> None:
        self._ffi, self._lib, self._terminal = binding.ffi, binding.lib, terminal
        self._mode = self._ffi.new("GhosttyTerminalModeConfig *")
        self._byte = self._ffi.new("uint8_t *")
        self._screen = self._ffi.new("GhosttyTerminalScreen *")
        self._encoder: _Encoder | None = None
        self._quick = quick(binding)
        at = self._quick.at
        self._terminal_at, self._mode_at = at(terminal), at(self._mode)
        self._byte_at, self._screen_at = at(self._byte), at(self._screen)

    def is_set(self, number: int) -> bool:
        """Whether a DEC private mode is set."""
        self._mode.mode = number
        self._quick.terminal_get(self._terminal_at, self._lib.GHOSTTY_TERMINAL_DATA_MODE, self._mode_at)
        return self._mode.value

    def put(self, number: int, option: int, value: bool) -> None:
        """Set a mode, or its value after a reset."""
        self._mode.mode, self._mode.value = number, value
        self._lib.ghostty_terminal_set(self._terminal, option, self._mode)

    def read(self) -> Modes:
        """The modes now."""
        flags = {name: self.is_set(number) for name, number in _FLAGS.items()}
        kitty = self._kitty_flags()
        return Modes(
            **flags,
            alternate_screen=self._on_alternate_screen(),
            mouse=next((mode for mode in _TRACKING if self.is_set(mode)), MouseTracking.NONE),
            mouse_encoding=next((mode for mode in _ENCODING if self.is_set(mode)), MouseEncoding.X10),
            kitty_flags=kitty,
            modify_other_keys=0 if kitty else self._modify_other_keys(),
        )

    def _kitty_flags(self) -> int:
        key = self._lib.GHOSTTY_TERMINAL_DATA_KITTY_KEYBOARD_FLAGS
        self._quick.terminal_get(self._terminal_at, key, self._byte_at)
        return self._byte[0]

    def _on_alternate_screen(self) -> bool:
        key = self._lib.GHOSTTY_TERMINAL_DATA_ACTIVE_SCREEN
        self._quick.terminal_get(self._terminal_at, key, self._screen_at)
        return self._screen[0] == self._lib.GHOSTTY_TERMINAL_SCREEN_ALTERNATE

    def _modify_other_keys(self) -> int:
        """The level, from how the engine's encoder writes Ctrl+; as the API has no other way."""
        if self._encoder is None:
            self._encoder = self._new_encoder()
        encoder, event, out, written = self._encoder
        at = self._quick.at
        self._quick.encoder_follow(at(encoder), self._terminal_at)
        self._quick.encode(at(encoder), at(event), at(out), len(out), at(written))
        return 2 if self._ffi.buffer(out, written[0])[:].startswith(_OTHER_KEYS) else 0

    def _new_encoder(self) -> "_Encoder":
        encoder, event = self._ffi.new("GhosttyKeyEncoder *"), self._ffi.new("GhosttyKeyEvent *")
        self._lib.ghostty_key_encoder_new(self._ffi.NULL, encoder)
        self._lib.ghostty_key_event_new(self._ffi.NULL, event)
        self._lib.ghostty_key_event_set_action(event[0], self._lib.GHOSTTY_KEY_ACTION_PRESS)
        self._lib.ghostty_key_event_set_key(event[0], self._lib.GHOSTTY_KEY_SEMICOLON)
        self._lib.ghostty_key_event_set_mods(event[0], _CTRL)
        self._lib.ghostty_key_event_set_utf8(event[0], b";", 1)
        self._lib.ghostty_key_event_set_unshifted_codepoint(event[0], ord(";"))
        return (
            self._ffi.gc(encoder[0], self._lib.ghostty_key_encoder_free),
            self._ffi.gc(event[0], self._lib.ghostty_key_event_free),
            self._ffi.new("char[]", 64),
            self._ffi.new("size_t *"),
        )
