"""Text of panes for callers: pages, continuations, the last command's output, screenshots."""
