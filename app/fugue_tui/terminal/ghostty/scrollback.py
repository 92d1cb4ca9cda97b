"""Keeps the number of scrollback lines that was asked for, at the speed and memory of a limit in bytes.

With a limit in lines the engine gives pages back to the system and takes new ones, which costs a fault for every page
of memory: plain output falls from 550 to 60 MB/s. With a limit in bytes it uses its oldest page again. So the limit is
set in bytes, and moved when what a line costs (styles, clusters) turns out to be more or less than a plain line's.
"""

from typing import TYPE_CHECKING, Final

from fugue_tui.geometry import Size
from fugue_tui.terminal.ghostty.binding import Binding

if TYPE_CHECKING:
    from fugue_tui.terminal.ghostty.declarations import GhosttyTerminal

_CELL: Final = 9
"""Bytes of a cell with its share of the page's tables."""
_PAGE: Final = 520_000
"""Bytes of the engine's unit of memory; the limit is kept to about one."""
_PAGES_LIFTED: Final = 4
"""Pages that may be kept although they are not full."""
_LOOK_EVERY: Final = 524_288
"""Bytes of output between two looks at how many lines are kept."""
_MOST: Final = 4.0
"""How much more than a plain line a line may cost; a history of costlier lines is shorter."""


class ScrollbackLimit:
    """The scrollback limit of one terminal, and its memory."""

    def __init__(self, binding: Binding, terminal: "GhosttyTerminal", lines: int) -> None:
        self._ffi, self._lib, self._terminal = binding.ffi, binding.lib, terminal
        self.lines = lines
        """How many lines were asked for."""
        self._cost = 1.0
        self._pages = 1
        self._size = Size(1, 1)
        self._unseen = 0
        self._last = 0
        self._number = self._ffi.new("size_t *")
        self._activity = self._ffi.new("uint64_t *")
        self._compacted: int | None = None
        self._result = self._ffi.new("GhosttyTerminalCompressionResult *")

    def fit(self, size: Size) -> None:
        """Set the limit for a screen of this size."""
        self._size = size
        self._set(self._lib.GHOSTTY_TERMINAL_OPT_SCROLLBACK_MAX_LINES, self._ffi.NULL)
        limit = (
            self.lines and int((self.lines + size.rows) * (size.cols + 2) * _CELL * self._cost) + self._pages * _PAGE
        )
        self._set(self._lib.GHOSTTY_TERMINAL_OPT_SCROLLBACK_MAX_BYTES, self._ffi.new("size_t *", limit))

    def lift(self, size: Size) -> None:
        """Make room for text that comes at once, in pages that others filled; `fed` finds the right limit again."""
        self._cost, self._pages = _MOST, _PAGES_LIFTED
        self.fit(size)
        self._look()

    def _set(self, option: int, value: object) -> None:
        self._lib.ghostty_terminal_set(self._terminal, option, value)

    def fed(self, count: int) -> None:
        """Count output, and now and then look whether the limit keeps what it should."""
        self._unseen += count
        if self._unseen < _LOOK_EVERY or not self.lines:
            return
        self._unseen = 0
        self._look()

    def _look(self) -> None:
        self._lib.ghostty_terminal_get(self._terminal, self._lib.GHOSTTY_TERMINAL_DATA_SCROLLBACK_ROWS, self._number)
        kept, last, self._last = self._number[0], self._last, self._number[0]
        if kept > self.lines * 1.1 + _PAGE // (self._size.cols * _CELL) and self._cost > 1:
            self._cost, self._pages = max(1.0, self._cost * self.lines / kept), 1
        elif 0 < kept < self.lines and kept < last * 1.02 and self._cost < _MOST:
            self._cost = min(_MOST, self._cost * 1.3)
        else:
            return
        self.fit(self._size)

    def forget(self) -> None:
        """Keep no lines from now on, and give back those that are kept."""
        self.lines = 0
        self.fit(self._size)

    def compact(self) -> bool:
        """Compress a page or two of scrollback; True if there is more to do. A few milliseconds at most."""
        self._lib.ghostty_terminal_compression_activity(self._terminal, self._activity)
        if self._activity[0] == self._compacted:
            return False
        mode = self._lib.GHOSTTY_TERMINAL_COMPRESSION_MODE_INCREMENTAL
        self._lib.ghostty_terminal_compress(self._terminal, mode, self._result)
        if self._result[0] == self._lib.GHOSTTY_TERMINAL_COMPRESSION_RESULT_PENDING:
            return True
        self._lib.ghostty_terminal_compression_activity(self._terminal, self._activity)
        self._compacted = self._activity[0]
        return False
