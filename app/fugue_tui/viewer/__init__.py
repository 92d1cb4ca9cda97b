"""Shows one file in a terminal: `fugue-tui show FILE`, which is what a pane of `show-file` runs."""
