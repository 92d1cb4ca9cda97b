"""The roof: the Textual app that joins panes, commands and doors."""
