"""The Textual app, which joins panes, commands and attached clients."""
