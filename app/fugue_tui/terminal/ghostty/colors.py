"""Reads and sets the colours of a terminal: the host's as defaults, and what the program put over them."""

from typing import TYPE_CHECKING, Final

from fugue_tui.terminal.ghostty.binding import Binding
from fugue_tui.terminal.ghostty.gil_held_calls import quick
from fugue_tui.terminal.screen.cells import DEFAULT_COLOUR, rgb
from fugue_tui.terminal.screen.dynamic_colors import HOST, DynamicColors

if TYPE_CHECKING:
    from fugue_tui.terminal.ghostty.declarations import GhosttyTerminal

_REVERSE: Final = 5


class ColorReader:
    """The colours of one terminal."""

    def __init__(self, binding: Binding, terminal: "GhosttyTerminal") -> None:
        self._ffi, self._lib, self._terminal = binding.ffi, binding.lib, terminal
        self._colour = self._ffi.new("GhosttyColorRgb *")
        self._palette = self._ffi.new("GhosttyColorRgb[256]")
        self._colour_bytes = self._ffi.buffer(self._colour)
        self._fg = self._bg = b""
        self._mode = self._ffi.new("GhosttyTerminalModeConfig *", {"mode": _REVERSE})
        self._quick = quick(binding)
        at = self._quick.at
        self._terminal_at, self._mode_at, self._colour_at = at(terminal), at(self._mode), at(self._colour)

    def read(self, last: DynamicColors, *, palette: bool) -> DynamicColors:
        """What differs from the defaults; `last` itself if unchanged. The engine reports when the palette changed."""
        lib = self._lib
        self._quick.terminal_get(self._terminal_at, lib.GHOSTTY_TERMINAL_DATA_MODE, self._mode_at)
        fg = self._changed_color(lib.GHOSTTY_TERMINAL_DATA_COLOR_FOREGROUND, self._fg)
        bg = self._changed_color(lib.GHOSTTY_TERMINAL_DATA_COLOR_BACKGROUND, self._bg)
        redefined = self._redefined() if palette else last.palette
        if (fg, bg, redefined, self._mode.value) == (last.fg, last.bg, last.palette, last.reverse):
            return last
        scheme = DynamicColors(fg, bg, redefined, bool(self._mode.value))
        return HOST if scheme == HOST else scheme

    def _redefined(self) -> tuple[tuple[int, int], ...]:
        now = self._whole_palette(self._lib.GHOSTTY_TERMINAL_DATA_COLOR_PALETTE)
        default = self._whole_palette(self._lib.GHOSTTY_TERMINAL_DATA_COLOR_PALETTE_DEFAULT)
        return _differences(now, default)

    def _whole_palette(self, key: int) -> bytes:
        self._lib.ghostty_terminal_get(self._terminal, key, self._palette)
        return self._ffi.buffer(self._palette)[:]

    def _changed_color(self, key: int, default: bytes) -> int:
        if self._quick.terminal_get(self._terminal_at, key, self._colour_at):
            return DEFAULT_COLOUR
        now = self._colour_bytes[:]
        return DEFAULT_COLOUR if now == default else rgb(*now)

    def set_defaults(self, fg: int, bg: int) -> None:
        """Say what the host's colours are, 0xRRGGBB."""
        lib = self._lib
        self._set(lib.GHOSTTY_TERMINAL_OPT_COLOR_FOREGROUND, fg)
        self._set(lib.GHOSTTY_TERMINAL_OPT_COLOR_CURSOR, fg)
        self._set(lib.GHOSTTY_TERMINAL_OPT_COLOR_BACKGROUND, bg)
        self._fg, self._bg = fg.to_bytes(3, "big"), bg.to_bytes(3, "big")

    def _set(self, option: int, colour: int) -> None:
        self._colour.r, self._colour.g, self._colour.b = colour.to_bytes(3, "big")
        self._lib.ghostty_terminal_set(self._terminal, option, self._colour)


def _differences(now: bytes, default: bytes) -> tuple[tuple[int, int], ...]:
    if now == default:
        return ()
    return tuple(
        (at // 3, rgb(*now[at : at + 3])) for at in range(0, len(now), 3) if now[at : at + 3] != default[at : at + 3]
    )
