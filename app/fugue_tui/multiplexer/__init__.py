"""The one mutable object: the workspace value and the terminals of its panes."""

from fugue_tui.multiplexer.multiplexer import Multiplexer

__all__ = ["Multiplexer"]
