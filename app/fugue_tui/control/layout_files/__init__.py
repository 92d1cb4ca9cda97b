"""Layouts in files: found, read, written, and opened as windows and panes."""
