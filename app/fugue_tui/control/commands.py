"""Every command there is: importing this module declares them all."""

from fugue_tui.control import input, layouts, panes, reading, sessions, status, windows

__all__ = ["input", "layouts", "panes", "reading", "sessions", "status", "windows"]
