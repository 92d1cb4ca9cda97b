"""Waits for panes' output, patterns and ports, and bookmarks in their text."""
