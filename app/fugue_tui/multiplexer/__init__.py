"""The one mutable object: the workspace's value, and the live terminals behind its panes."""

from fugue_tui.multiplexer.multiplexer import Multiplexer

__all__ = ["Multiplexer"]
