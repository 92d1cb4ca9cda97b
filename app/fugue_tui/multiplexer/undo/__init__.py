"""Undo: the earlier layouts of windows, and the panes that were opened and closed lately."""
