"""How far one view of a terminal is scrolled back: each by itself, while the emulator's viewport follows output."""

from collections.abc import Generator
from contextlib import contextmanager

from fugue_tui.terminal.emulator.locked_screen import LockedScreen
from fugue_tui.terminal.emulator.protocol import Emulator
from fugue_tui.terminal.screen.pins import START, Pin, Point


class ScrollPosition:
    """The first line that a view shows, which follows its text. Methods need the terminal's lock, and an open one."""

    def __init__(self, pin: Pin | None = None) -> None:
        self.pin = pin
        """The first line; None for a view that follows new output."""

    def offset(self, screen: LockedScreen) -> int:
        """How many lines the view is scrolled back. While another screen is in front than that of its text, none; once
        its text is pruned, as many as are kept."""
        if self.pin is None:
            return 0
        at, lines = self.pin.found(), screen.emulator.scrollback.lines
        if at is not None:
            return max(lines - at.line, 0)
        if not self.pin.lost() or screen.emulator.modes.alternate_screen is not self.pin.alternate:
            return 0
        self.pin = screen.emulator.pin(START) if lines else None
        return lines

    def top(self, screen: LockedScreen) -> int:
        """The first line that the view shows, as `Emulator.lines` counts them."""
        return screen.emulator.scrollback.lines - self.offset(screen)

    @contextmanager
    def lent(self, screen: LockedScreen) -> Generator[Emulator]:
        """The emulator with its viewport where the view is, until the block ends."""
        emulator = screen.emulator
        if offset := self.offset(screen):
            emulator.scroll(offset)
        try:
            yield emulator
        finally:
            if emulator.scrollback.offset:
                emulator.scroll_to_bottom()

    def keep(self, screen: LockedScreen, *, held: bool) -> None:
        """Be where the emulator's viewport is from now on; at the bottom only if the view is `held` there."""
        bar = screen.emulator.scrollback
        self.pin = screen.emulator.pin(Point(bar.top)) if bar.offset or held else None
