"""Makes the engine that the configuration names, or the fallback where it does not load."""

from fugue_tui.errors import SpawnFailed
from fugue_tui.geometry import Size
from fugue_tui.terminal.emulator.protocol import Emulator


def make_emulator(engine: str, size: Size, scrollback: int = 10_000) -> Emulator:
    """A new emulator. If the native library does not load, `ghostty` becomes `pyte`; `engine` names the one in use.

    Raises SpawnFailed if neither loads."""
    if engine != "pyte":
        try:
            from fugue_tui.terminal.ghostty.emulator import GhosttyEmulator

            return GhosttyEmulator(size, scrollback)
        except (ImportError, OSError):
            pass
    try:
        from fugue_tui.terminal.pyte.emulator import PyteEmulator
    except ImportError as error:
        raise SpawnFailed(f"no terminal engine loads ({error}); install pyghostty or pyte") from error
    return PyteEmulator(size, scrollback)
