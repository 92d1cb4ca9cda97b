"""Recordings that are being made, of panes and windows."""
