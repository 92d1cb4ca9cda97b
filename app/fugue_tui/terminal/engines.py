"""Makes the engine that the configuration names, or the fallback where it does not load."""

from fugue_tui.geometry import Size
from fugue_tui.terminal.emulator import Emulator


def make_emulator(engine: str, size: Size, scrollback: int = 10_000) -> Emulator:
    """A fresh emulator. Where the native library does not load, `ghostty` becomes `pyte`, which says so in `engine`."""
    if engine != "pyte":
        try:
            from fugue_tui.terminal.ghostty import GhosttyEmulator

            return GhosttyEmulator(size, scrollback)
        except (ImportError, OSError):
            pass
    from fugue_tui.terminal.pyte import PyteEmulator

    return PyteEmulator(size, scrollback)
