"""Text of panes as callers read it: pages, continuations, the last command's output, screenshots."""
